// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

/// The rules of following a redirect (RFC 9110, section 15.4; Fetch, section 4.4), as a pure function.
package enum RedirectPolicy {
    /// The rules that differ between callers.
    enum Rules {
        /// As the specifications want it.
        case standard
        /// As `URLSession` does it, and programs for it expect: HEAD, too, becomes GET after 303, and 305 and 306,
        /// which have no meaning any more, are followed like 307.
        case urlSession
    }

    /// Hops after which an operation ends with `URLError.httpTooManyRedirects`.
    package static let maximumHops = 20

    /// Header fields that stay within the origin that they were set for.
    private static let confinedFields: [StaticString] = [
        "Authorization", "Cookie", "Cookie2", "Proxy-Authorization", "Host",
    ]

    /// Header fields that describe a content, and go with it.
    private static let contentFields: [StaticString] = [
        "Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Location",
        "Transfer-Encoding",
        "Digest", "Last-Modified",
    ]

    /// The header fields that go along when a redirect leaves TLS: they say nothing of the user, and others may be read
    /// on the way.
    private static let unprotectedFields: [StaticString] = [
        "Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "Cache-Control", "Content-Encoding",
        "Content-Language", "Content-Length", "Content-Type", "If-Range", "Pragma", "Range", "Transfer-Encoding",
        "User-Agent",
    ]

    /// Bytes of a `Location` that is followed.
    private static let longestLocation = 64 * 1024

    /// The request that a response asks for; nil when it does not redirect.
    ///
    /// - Parameters:
    ///   - request: what was sent.
    ///   - url: where it was sent.
    ///   - secureURL: what is asked in place of an `http` URL; nil: that itself.
    static func next(
        after request: URLRequest, at url: URL, for head: ResponseHead, by rules: Rules = .standard,
        secureURL: ((URL) -> URL?)? = nil
    ) -> URLRequest? {
        guard isRedirect(head.statusCode, rules), let target = location(of: head, relativeTo: url, secureURL) else {
            return nil
        }
        var next = request
        next.url = target
        let method = request.httpMethod ?? "GET"
        if changesMethod(method, status: head.statusCode, rules) {
            next.httpMethod = "GET"
            next.httpBody = nil
            next.httpBodyStream = nil
            next.keepFields { !isNamed($0, contentFields) }
        }
        confine(&next, redirectedFrom: url, to: target)
        return next
    }

    /// Drops the header fields that do not go along to another origin, or out of TLS.
    package static func confine(_ request: inout URLRequest, redirectedFrom url: URL, to target: URL) {
        if !Origin.isSame(url, target) { request.keepFields { !isNamed($0, confinedFields) } }
        if leavesTLS(from: url, to: target) { request.keepFields { isNamed($0, unprotectedFields) } }
    }

    /// Returns true if a redirect leads from https to http.
    static func leavesTLS(from url: URL, to target: URL) -> Bool {
        isScheme("https", of: url) && !isScheme("https", of: target)
    }

    private static func isScheme(_ scheme: StaticString, of url: URL) -> Bool {
        url.scheme?.utf8.equalsIgnoringCase(scheme) ?? false
    }

    private static func isNamed(_ name: String, _ names: [StaticString]) -> Bool {
        names.contains { name.utf8.equalsIgnoringCase($0) }
    }

    private static func isRedirect(_ status: Int, _ rules: Rules) -> Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        case 305, 306: rules == .urlSession
        default: false
        }
    }

    private static func changesMethod(_ method: String, status: Int, _ rules: Rules) -> Bool {
        switch status {
        case 303: method != "GET" && (method != "HEAD" || rules == .urlSession)
        case 301, 302: method == "POST"
        default: false
        }
    }

    /// The target, with the fragment of the present URL when it has no fragment itself.
    ///
    /// User name and password are the caller's, for the present origin: what a server writes into `Location` is
    /// ignored.
    private static func location(
        of head: ResponseHead, relativeTo url: URL, _ secureURL: ((URL) -> URL?)?
    ) -> URL? {
        guard let value = head.firstOctets(for: .location, limit: longestLocation), !value.isEmpty,
            head.saysOneThing(of: .location),
            var target = URL(reference: value, relativeTo: url.withoutUserInfo)?.withoutUserInfo
        else { return nil }
        // First, because what goes along depends on where it really goes.
        if let secure = secureURL?(target) { target = secure }
        if Origin.isSame(url, target) { target = target.withUserInfo(of: url) }
        let (text, present) = (target.absoluteString, url.absoluteString)
        guard !text.utf8.contains(UInt8(ascii: "#")), let start = present.utf8.firstIndex(of: UInt8(ascii: "#")) else {
            return target
        }
        return URL(escaping: text + present[start...]) ?? target
    }
}

/// The origin of a URL (RFC 6454): scheme, host and port.
package enum Origin {
    /// Returns true if two URLs have the same origin. A URL that cannot be requested has none.
    package static func isSame(_ left: URL, _ right: URL) -> Bool {
        guard let left = try? RequestTarget(left.absoluteString), let right = try? RequestTarget(right.absoluteString)
        else { return false }
        return left.origin.hasOctets(of: right.origin)
    }
}

extension URLRequest {
    /// Drops the header fields whose name is not wanted. A field may be there several times: the names of Foundation's
    /// table may differ in nothing but case.
    mutating func keepFields(where isWanted: (String) -> Bool) {
        guard let fields = allHTTPHeaderFields, !fields.keys.allSatisfy(isWanted) else { return }
        allHTTPHeaderFields = fields.filter { isWanted($0.key) }
    }
}
