// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking

/// The settings of a request serializer at one moment, with what they make of every request.
final class RequestSerializerSettings: Sendable {
    let values: RequestSerializerConfiguration
    /// A request with the properties and header fields, still without a URL of its own: to copy it is cheaper than to set
    /// them again. Nil: a field is malformed, which making a request tells.
    let template: URLRequest?
    /// Whether fields are among the header fields that identify the user.
    let hasIdentifyingFields: Bool

    init(_ values: RequestSerializerConfiguration) {
        self.values = values
        hasIdentifyingFields = HTTPRequestSerializer.identifyingFields.contains { values.headers[$0] != nil }
        var request = URLRequest(url: URL(fileURLWithPath: "/"))
        values.applyProperties(to: &request)
        do {
            try values.applyHeaders(to: &request)
            template = request
        } catch {
            template = nil
        }
    }
}
