// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport
internal import OperationNetworkingCore

/// A request as the store's content: plain values, checked by `Codable` when they are read. It has no secrets.
struct RequestContent: Codable {
    var version = 1
    var url: String
    var method: String
    var fields: [String: String]
    var timeout: TimeInterval
    var cachePolicy: UInt
    var handlesCookies: Bool
    var destination: DownloadDestination?
    var bodyFile: String?
    var retryPolicy: DurableRetryPolicy?
    var secretReference: String?
    var context: Data?

    private static let secretFields = ["authorization", "proxy-authorization", "cookie", "cookie2"]
    /// Methods that carry an `Idempotency-Key`.
    private static let keyedMethods: Set<String> = ["POST", "PATCH"]
    private static let longestName = 255
    private static let longestHost = 1024

    init(_ request: DurableRequest) throws(DurableRequestError) {
        guard let url = request.request.url, let scheme = url.scheme, let host = url.host, !host.isEmpty,
            host.utf8.count <= Self.longestHost,
            scheme.utf8.equalsIgnoringCase("http") || scheme.utf8.equalsIgnoringCase("https")
        else {
            throw DurableRequestError(
                .unsuitableURL, "the request has no URL of HTTP's, or a host that is too long",
                advice: "give it one with scheme and host")
        }
        guard url.user == nil, url.password == nil else {
            throw DurableRequestError(
                .secret, "the URL has a user name or a password, which would be stored",
                advice: "set secretReference, and give the queue a secretProvider that puts it in")
        }
        for name in [request.request.httpMethod ?? "GET"] + (request.request.allHTTPHeaderFields ?? [:]).keys
        where !name.isToken {
            throw DurableRequestError(
                .unsuitableValue, "the method or a field's name is not a token (RFC 9110, section 5.6.2)",
                advice: "write it in letters, figures and hyphens")
        }
        for name in (request.request.allHTTPHeaderFields ?? [:]).keys where Self.isSecret(name) {
            throw DurableRequestError(
                .secret, "the field \(name) would be stored",
                advice: "remove it and set secretReference, and give the queue a secretProvider that puts it in")
        }
        guard request.request.httpBodyStream == nil else {
            throw DurableRequestError(
                .bodyStream, "the body is a stream, which cannot be stored", advice: "set httpBody, or bodyFile")
        }
        for (name, value) in [
            ("group", request.group), ("secretReference", request.secretReference),
            ("idempotencyKey", request.idempotencyKey),
        ] {
            guard (value?.utf8.count ?? 0) <= Self.longestName, value?.utf8.contains(0) != true else {
                throw DurableRequestError(
                    .unsuitableValue, "the \(name) is longer than \(Self.longestName) bytes, or has a zero byte",
                    advice: "give a shorter one")
            }
        }
        self.url = url.absoluteString
        method = request.request.httpMethod ?? "GET"
        fields = request.request.allHTTPHeaderFields ?? [:]
        timeout = request.request.timeoutInterval
        cachePolicy = request.request.cachePolicy.rawValue
        handlesCookies = request.request.httpShouldHandleCookies
        destination = request.destination
        bodyFile = request.bodyFile?.path
        retryPolicy = request.retryPolicy
        secretReference = request.secretReference
        context = request.context
        try addIdempotencyKey(request.idempotencyKey)
    }

    private static func isSecret(_ name: String) -> Bool {
        secretFields.contains { name.isFieldName($0) }
    }

    /// A string of structured fields (draft-ietf-httpapi-idempotency-key-header, section 2.1).
    private mutating func addIdempotencyKey(_ given: String?) throws(DurableRequestError) {
        let name = "Idempotency-Key"
        let isThere = fields.keys.contains { Array($0.utf8).equalsIgnoringCase("Idempotency-Key") }
        guard Self.keyedMethods.contains(method) || given != nil, !isThere else { return }
        let key = given ?? UUID().uuidString.lowercased()  // checked: made here
        guard key.utf8.allSatisfy({ 0x20..<0x7F ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) else {
            throw DurableRequestError(
                .unsuitableValue, "the idempotencyKey has bytes other than visible ASCII, or a quotation mark",
                advice: "give another one, such as a UUID")
        }
        fields[name] = "\"\(key)\""
    }

    /// The key of the limits for the host.
    var host: String {
        guard let url = URL(string: url), let host = url.host else { return "" }  // checked: by init
        let port = url.port ?? (url.scheme.map { $0.utf8.count == 5 } == true ? 443 : 80)
        return "\(host.lowercased()):\(port)"  // checked: bounded by init
    }

    /// The request to send.
    func urlRequest(body: Data?) throws -> URLRequest {
        guard let url = URL(escaping: url) else {
            throw DurableRequestError(.unreadable, "the stored request has no URL", advice: "cancel it and add it anew")
        }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.allHTTPHeaderFields = fields
        request.timeoutInterval = timeout
        request.cachePolicy = URLRequest.CachePolicy(rawValue: cachePolicy) ?? .useProtocolCachePolicy
        request.httpShouldHandleCookies = handlesCookies
        request.httpBody = body
        if let bodyFile {
            // Read again where the request is sent again: after a challenge, a redirect, a new token.
            guard let stream = try? InputStream.body(ofFile: URL(fileURLWithPath: bodyFile), for: url) else {
                throw DurableRequestError(
                    .bodyFile, "the file \(bodyFile) that is to be the body cannot be read",
                    advice: "keep it until the request has ended")
            }
            request.httpBodyStream = stream
        }
        return request
    }

    static func decode(_ data: Data) throws -> RequestContent {
        do {
            let content = try JSONDecoder().decode(RequestContent.self, from: data)
            if content.version == 1 { return content }
        } catch {}
        throw DurableRequestError(
            .unreadable, "the stored request cannot be read: it is damaged, or of a later version",
            advice: "use the version of the library that added it")
    }

    /// The request as a store gets it.
    static func stored(_ request: DurableRequest, maximumLosses: Int) throws -> StoredRequest {
        let content = try RequestContent(request)
        var stored = StoredRequest(id: request.id, host: content.host, content: try JSONEncoder().encode(content))
        stored.group = request.group
        stored.priority = request.priority.rawValue
        stored.dependencies = request.dependencies
        stored.delay = request.delay
        stored.timeToDeadline = request.timeToDeadline
        stored.maximumLosses = maximumLosses
        stored.body = request.request.httpBody
        return stored
    }
}
