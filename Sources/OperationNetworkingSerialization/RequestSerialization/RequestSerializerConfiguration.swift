// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// Every setting of a request serializer, as one value: copied whole, and archived whole but for its closures.
struct RequestSerializerConfiguration: Codable, Sendable {
    var stringEncoding: UInt = String.Encoding.utf8.rawValue
    var timeoutInterval: TimeInterval?
    var cachePolicy: UInt?
    var httpShouldHandleCookies: Bool?
    var httpShouldUsePipelining: Bool?
    var allowsCellularAccess: Bool?
    var networkServiceType: UInt?
    var headers = DefaultHeaders.table()
    var methodsEncodingParametersInURI: Set<String> = ["GET", "HEAD", "DELETE"]
    var arrayEncoding = HTTPRequestSerializer.ArrayEncoding.brackets
    var boolEncoding = HTTPRequestSerializer.BoolEncoding.numeric
    /// Nil: none. Optional, so that archives without it are read.
    var contentCoding: HTTPRequestSerializer.ContentCoding?

    /// Not archived.
    var queryStringSerialization: (@Sendable (_ request: URLRequest, _ parameters: Any) throws -> String)?
    /// Not archived.
    var parameterEncoder = JSONEncoder()

    private enum CodingKeys: String, CodingKey {
        case stringEncoding, timeoutInterval, cachePolicy, httpShouldHandleCookies, httpShouldUsePipelining
        case allowsCellularAccess, networkServiceType, headers, methodsEncodingParametersInURI
        case arrayEncoding, boolEncoding, contentCoding
    }

    /// The flattener that turns parameters into fields under this configuration.
    var flattener: ParameterFlattener {
        ParameterFlattener(
            arrayEncoding: arrayEncoding, boolEncoding: boolEncoding,
            encode: { try EncodableParameters.tree(of: $0, encoder: parameterEncoder) })
    }

    /// Sets on `request` the properties that were given a value.
    func applyProperties(to request: inout URLRequest) {
        if let timeoutInterval { request.timeoutInterval = timeoutInterval }
        if let policy = cachePolicy.flatMap(URLRequest.CachePolicy.init(rawValue:)) { request.cachePolicy = policy }
        if let httpShouldHandleCookies { request.httpShouldHandleCookies = httpShouldHandleCookies }
        if let httpShouldUsePipelining { Self.setPipelining(httpShouldUsePipelining, of: &request) }
        if let allowsCellularAccess { request.allowsCellularAccess = allowsCellularAccess }
        if let type = networkServiceType.flatMap(URLRequest.NetworkServiceType.init(rawValue:)) {
            request.networkServiceType = type
        }
    }

    private static func setPipelining(_ value: Bool, of request: inout some PipeliningRequest) {
        request.httpShouldUsePipelining = value
    }

    /// Adds to `request` each field it does not have.
    func applyHeaders(to request: inout URLRequest) throws {
        let own = request.allHTTPHeaderFields ?? [:]
        var fields = own
        for field in headers.fields {
            guard field.name.isToken, FieldSyntax.isFieldValue(field.value) else {
                throw RequestSerializationError(
                    code: .invalidHeaderField,
                    reason: "The header field \(field.name.debugDescription) has a name that is not a token or a "
                        + "value with a line break; correct it with setValue(_:forHTTPHeaderField:).",
                    request: request)
            }
            // Set together: each `setValue` copies Foundation's table.
            if own.isEmpty || request.value(forHTTPHeaderField: field.name) == nil { fields[field.name] = field.value }
        }
        if fields.count > own.count { request.allHTTPHeaderFields = fields }
    }

    /// Makes `body` the content of `request`, announced as `contentType` unless the request says otherwise, and
    /// compressed if that is wanted.
    func setBody(_ body: Data, contentType: String, of request: inout URLRequest) throws {
        if request.value(forHTTPHeaderField: "Content-Type") == nil {
            request.setValue(contentType, forHTTPHeaderField: "Content-Type")
        }
        guard contentCoding == .gzip, !body.isEmpty, request.value(forHTTPHeaderField: "Content-Encoding") == nil else {
            request.httpBody = body
            return
        }
        do {
            request.httpBody = try GzipEncoder.encode(body)
        } catch {
            throw RequestSerializationError(
                code: .bodyUnreadable, reason: "The body cannot be compressed: \(error).",
                detail: "Set contentCoding to .identity to send it as it is.", request: request, underlyingError: error)
        }
        request.setValue("gzip", forHTTPHeaderField: "Content-Encoding")
    }

    func encodesParametersInURI(_ request: URLRequest) -> Bool {
        methodsEncodingParametersInURI.contains((request.httpMethod ?? "GET").uppercased())
    }
}

/// The way to a property that Foundation deprecates but AFNetworking's users set.
private protocol PipeliningRequest {
    var httpShouldUsePipelining: Bool { get set }
}

extension URLRequest: PipeliningRequest {}
