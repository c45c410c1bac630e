// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport
internal import OperationNetworkingTesting

/// Makes of what came over a connection a request as rules see it.
enum RequestBuilder {
    /// Bytes of a request's content.
    static let largestContent = 256 << 20

    /// - Parameters:
    ///   - target: a path with a query, an absolute URL, or "*"; printable ASCII.
    ///   - authority: whom the client means; nil: it does not say.
    /// - Returns: nil where target and authority make no URL.
    static func request(
        _ method: String, target: String, authority: String?, fields: [HeaderField], body: Data?, _ core: ServerCore
    ) -> RecordedRequest? {
        let path = target == "*" ? "/*" : target
        let isPath = path.utf8.first == UInt8(ascii: "/")
        let text = isPath ? "\(core.scheme)://\(authority ?? core.authority)\(path)" : path
        guard let url = URL(string: URLEscaping.escaped(text)), url.host != nil else { return nil }
        var values: [String: [String]] = [:]
        var spellings: [String: String] = [:]
        for field in fields {
            let folded = String(decoding: field.name.utf8.map(\.lowercasedASCII), as: UTF8.self)
            let name = spellings[folded] ?? field.name
            spellings[folded] = name
            values[name, default: []].append(field.value)
        }
        let headers = values.mapValues { $0.joined(separator: ", ") }
        return RecordedRequest(method: method, url: url, headers: headers, body: body, date: Date())
    }
}
