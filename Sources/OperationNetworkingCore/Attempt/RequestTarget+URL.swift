// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

extension RequestTarget {
    /// The target of a URL; nil for one that cannot be requested, where the reason is not needed.
    package init?(ifRequestable url: URL) {
        guard let target = try? RequestTarget(url.absoluteString) else { return nil }
        self = target
    }

    /// The target of a URL.
    ///
    /// - Throws: a `URLError` for one that cannot be requested: no scheme, another than http and https, or no host.
    package init(_ url: URL) throws {
        do {
            try self.init(url.absoluteString)
        } catch .noScheme {
            throw URLError(.badURL, url: url, reason: "the URL has no scheme")
        } catch .unsupportedScheme(let scheme) {
            throw URLError(
                .unsupportedURL, url: url, reason: "the scheme \"\(scheme)\" is not supported; use http or https")
        } catch .noHost {
            throw URLError(.badURL, url: url, reason: "the URL has no host")
        }
    }
}
