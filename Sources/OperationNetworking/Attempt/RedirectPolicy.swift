internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// The rules of following a redirect (RFC 9110, section 15.4; Fetch, section 4.4), as a pure function.
enum RedirectPolicy {
    /// Hops after which an operation ends with `URLError.httpTooManyRedirects`.
    static let maximumHops = 20

    /// Header fields that stay within the origin that they were set for.
    static let confinedFields = ["Authorization", "Cookie", "Cookie2", "Proxy-Authorization"]

    /// Header fields that describe a content, and go with it.
    private static let contentFields = [
        "Content-Type", "Content-Length", "Content-Encoding", "Content-Language", "Content-Location",
        "Transfer-Encoding",
        "Digest", "Last-Modified",
    ]

    /// The request that a response asks for; nil when it does not redirect.
    ///
    /// - Parameters:
    ///   - request: what was sent.
    ///   - url: where it was sent.
    static func next(after request: URLRequest, at url: URL, for head: ResponseHead) -> URLRequest? {
        guard [301, 302, 303, 307, 308].contains(head.statusCode),
            let target = location(of: head, relativeTo: url)
        else { return nil }
        var next = request
        next.url = target
        let method = request.httpMethod ?? "GET"
        if changesMethod(method, status: head.statusCode) {
            next.httpMethod = "GET"
            next.httpBody = nil
            next.httpBodyStream = nil
            for field in contentFields { next.setValue(nil, forHTTPHeaderField: field) }
        }
        if !Origin.isSame(url, target) {
            for field in confinedFields { next.setValue(nil, forHTTPHeaderField: field) }
            next.setValue(nil, forHTTPHeaderField: "Host")
        }
        return next
    }

    private static func changesMethod(_ method: String, status: Int) -> Bool {
        switch status {
        case 303: method != "GET" && method != "HEAD"
        case 301, 302: method == "POST"
        default: false
        }
    }

    /// The target, with the fragment of the present URL when it has none of its own.
    private static func location(of head: ResponseHead, relativeTo url: URL) -> URL? {
        guard let value = head.firstValue(for: .location), !value.isEmpty,
            let target = URL(string: value, relativeTo: url)?.absoluteURL
        else { return nil }
        guard target.fragment == nil, let fragment = url.fragment,
            var components = URLComponents(url: target, resolvingAgainstBaseURL: true)
        else { return target }
        components.fragment = fragment
        return components.url ?? target
    }
}

/// The origin of a URL (RFC 6454): scheme, host and port.
enum Origin {
    static func isSame(_ left: URL, _ right: URL) -> Bool {
        key(left) == key(right)
    }

    /// One string for scheme, host and port.
    static func key(_ url: URL) -> String {
        let scheme = (url.scheme ?? "").lowercased()
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        return "\(scheme)://\((url.host ?? "").lowercased()):\(port)"
    }
}
