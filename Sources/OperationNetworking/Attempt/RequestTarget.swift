internal import Foundation
internal import FoundationNetworking

/// The part of a URL that goes to the engine, and the origin that connections are counted by.
struct RequestTarget {
    /// Without fragment, user name and password.
    let url: String
    /// What connections are counted by.
    let origin: String

    init(_ source: URL) throws {
        var text = source.absoluteString
        // Foundation is asked only where there may be a user name.
        if text.utf8.contains(UInt8(ascii: "@")) { text = source.withoutUserInfo.absoluteString }
        if let fragment = text.utf8.firstIndex(of: UInt8(ascii: "#")) { text = String(text[..<fragment]) }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw URLError(.badURL, url: source, reason: "the URL has no scheme: \(text)")
        }
        let scheme = text[..<colon].lowercased()
        guard scheme == "http" || scheme == "https" else {
            throw URLError(
                .unsupportedURL, url: source, reason: "the scheme \"\(scheme)\" is not supported; use http or https")
        }
        let rest = text[colon...].utf8.dropFirst(1)
        guard rest.starts(with: "//".utf8) else {
            throw URLError(.badURL, url: source, reason: "the URL has no host: \(text)")
        }
        let authority = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard let first = authority.first, first != UInt8(ascii: ":") else {
            throw URLError(.badURL, url: source, reason: "the URL has no host: \(text)")
        }
        self.url = text
        origin = scheme + "://" + String(Substring(authority)).lowercased()
    }
}
