// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

extension URLRequest {
    /// Sets the header fields of one call, in place of those whose names differ in case only, and spelled as they are
    /// given: Foundation's `setValue` on Linux writes a name with capitals, also one that was set in another spelling.
    package mutating func setHeaders(_ headers: [String: String]?) {
        guard let headers, !headers.isEmpty else { return }
        var fields = allHTTPHeaderFields ?? [:]
        for (name, value) in headers {
            if fields.updateValue(value, forKey: name) != nil { continue }
            for other in fields.keys where other != name && other.isFieldName(name) { fields[other] = nil }
        }
        allHTTPHeaderFields = fields
    }
}
