// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking

/// The settings of a request serializer at one moment, with what they make of every request.
final class RequestSerializerSettings: Sendable {
    let values: RequestSerializerConfiguration
    /// The header fields of every request, for a new one to be given all at once. Nil: a field is malformed, which
    /// making a request tells.
    let requestFields: [String: String]?
    /// True if the header fields include some that identify the user.
    let hasIdentifyingFields: Bool

    init(_ values: RequestSerializerConfiguration) {
        self.values = values
        hasIdentifyingFields = HTTPRequestSerializer.identifyingFields.contains { values.headers[$0] != nil }
        var request = URLRequest(url: URL(fileURLWithPath: "/"))
        do {
            try values.applyHeaders(to: &request)
            requestFields = request.allHTTPHeaderFields ?? [:]
        } catch {
            requestFields = nil
        }
    }
}
