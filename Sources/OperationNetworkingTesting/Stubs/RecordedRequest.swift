// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
internal import NetworkingTransport

/// A request that stubs were asked to answer, as the engine would have sent it.
public struct RecordedRequest: Sendable, CustomStringConvertible {
    /// The method.
    public let method: String
    /// The URL, without user name and password.
    public let url: URL
    /// The header fields, cookies and credentials included. Those that the engine adds (`Host`, `Content-Length`, and
    /// `Accept-Encoding` where it decodes itself) are not among them.
    public let headers: [String: String]
    /// The whole content, also of a file or stream. `nil`: the request has none.
    public let body: Data?
    /// The moment when it was made.
    public let date: Date

    /// The value of a header field, without regard to the case of its name. `nil`: absent.
    public func value(forHTTPHeaderField name: String) -> String? {
        if let value = headers[name] { return value }
        return headers.first { $0.key.isFieldName(name) }?.value
    }

    /// The content as UTF-8. `nil`: the request has no content, or it is something else.
    public var bodyText: String? { body.flatMap { String(data: $0, encoding: .utf8) } }

    /// The content, decoded from JSON.
    ///
    /// - Throws: a `DecodingError`, also without content.
    public func decoded<Value: Decodable>(_ type: Value.Type, decoder: JSONDecoder = JSONDecoder()) throws -> Value {
        try decoder.decode(type, from: body ?? Data())
    }

    /// The request as rules see it.
    public var urlRequest: URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.allHTTPHeaderFields = headers
        request.httpBody = body
        return request
    }

    /// Method and URL.
    public var description: String { "\(method) \(url.absoluteString)" }

    package init(method: String, url: URL, headers: [String: String], body: Data?, date: Date) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.date = date
    }

    /// Nil for a URL that Foundation does not take.
    init?(_ request: TransferRequest, body: Data?, date: Date) {
        guard let url = URL(escaping: request.url) else { return nil }
        var headers: [String: String] = [:]
        for field in request.headers {
            headers[field.name] = headers[field.name].map { $0 + ", " + field.value } ?? field.value
        }
        self.init(method: request.method, url: url, headers: headers, body: body, date: date)
    }
}
