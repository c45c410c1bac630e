// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

/// The URL that a manager's URL strings are resolved against.
package struct BaseURL: Sendable {
    /// Ends in "/" when it has a path; nil: strings are absolute.
    package let url: URL?
    /// The origin of `url`; nil: it has none.
    private let origin: String?

    /// Adds a "/" to a path that lacks one, so that relative strings go below it.
    package init(_ url: URL?) {
        let normalized = url.map { url in
            // Percent-encoded: what is decoded is empty where it is not UTF-8.
            let path = url.path(percentEncoded: true).utf8
            guard let last = path.last, last != UInt8(ascii: "/") else { return url }
            return url.appendingPathComponent("")
        }
        self.url = normalized
        origin = normalized.flatMap { RequestTarget(ifRequestable: $0) }?.origin
    }

    /// A base URL as it was archived.
    package init(normalized url: URL?) {
        self.url = url
        origin = url.flatMap { RequestTarget(ifRequestable: $0) }?.origin
    }

    /// The absolute URL for a string.
    package func resolve(_ string: String) throws -> URL {
        if string.isEmpty, let url { return url.absoluteURL }
        guard let result = URL(escaping: string, relativeTo: url)?.absoluteURL, result.scheme != nil else {
            throw RequestSerializationError(
                code: .badURL,
                reason: "The string \(string.withoutUserInfo.withoutSecretValues.debugDescription) is not "
                    + (url == nil ? "an absolute URL, and the manager has no base URL." : "a URL."))
        }
        return result
    }

    /// The origin that a user's identifying data are for; nil: any. An origin that no URL has, if the base URL has
    /// none.
    package var confiningOrigin: String? { url == nil ? nil : origin ?? "" }

    /// Returns true if a URL is of another origin. False without a base URL: then there is no other.
    package func isLeft(by other: URL) -> Bool {
        url != nil && RequestTarget(ifRequestable: other)?.origin != origin
    }
}

extension URLRequest {
    /// Takes a request serializer's own identifying fields out of the request.
    package mutating func removeIdentity(of serializer: HTTPRequestSerializer) {
        for name in HTTPRequestSerializer.identifyingFields {
            // One that a subclass made for this very request is meant for it.
            guard let own = serializer.value(forHTTPHeaderField: name),
                value(forHTTPHeaderField: name).hasOctets(of: own)
            else { continue }
            keepFields { !$0.isFieldName(name) }
        }
    }
}
