// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// The parts of a URL that count for cookies.
struct CookieLocation: Equatable {
    /// ASCII in lower case, without port, brackets and a trailing dot.
    let host: [UInt8]
    /// True if `host` is an IP address, which has no domains above it.
    let isAddress: Bool
    /// Percent-encoded as in the URL, with a "/" at least.
    let path: [UInt8]
    /// True if others cannot read what is sent there: for `https` only, whatever the host is.
    let isSecure: Bool

    /// Nil for a URL that cookies cannot belong to.
    init?(_ url: URL) {
        let text = url.absoluteString
        let bytes = Array(text.utf8)
        if bytes.hasPrefixIgnoringCase("https://") {
            isSecure = true
        } else if bytes.hasPrefixIgnoringCase("http://") {
            isSecure = false
        } else {
            return nil
        }
        let start = isSecure ? 8 : 7
        let isEnd: (UInt8) -> Bool = { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        let end = bytes[start...].firstIndex(where: isEnd) ?? bytes.count
        let path = bytes[end...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        self.path = path.first == UInt8(ascii: "/") ? Array(path) : [UInt8(ascii: "/")]
        guard let host = Self.host(inAuthority: bytes[start..<end]) ?? Self.host(ofUnusual: text) else { return nil }
        self.host = host
        isAddress = host.contains(UInt8(ascii: ":")) || CookieDomain.endsInNumber(host)
    }

    /// Nil: the host is not in the form that connections use.
    private static func host(inAuthority authority: ArraySlice<UInt8>) -> [UInt8]? {
        var host = authority
        if let at = host.lastIndex(of: UInt8(ascii: "@")) { host = host[(at + 1)...] }
        if host.first == UInt8(ascii: "[") {
            guard let bracket = host.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            let address = host[(host.startIndex + 1)..<bracket]
            guard address.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "%") }) else { return nil }
            return address.map(\.lowercasedASCII)
        }
        return plain(host.prefix { $0 != UInt8(ascii: ":") })
    }

    /// The host as libcurl reads it, for one with percent-encoded bytes.
    private static func host(ofUnusual url: String) -> [UInt8]? {
        TransportEngine.host(of: url).flatMap { plain(Array($0.utf8)[...]) }
    }

    private static func plain(_ host: ArraySlice<UInt8>) -> [UInt8]? {
        let name = host.map(\.lowercasedASCII)
        let bare = name.last == UInt8(ascii: ".") ? Array(name.dropLast()) : name
        return CookieDomain.isWellFormed(bare) ? bare : nil
    }

    /// The path of a cookie that names none (RFC 6265bis, section 5.1.4).
    var defaultPath: [UInt8] {
        guard let slash = path.lastIndex(of: UInt8(ascii: "/")), slash > 0 else { return [UInt8(ascii: "/")] }
        return Array(path[..<slash])
    }

    /// Returns true if both are of one site: the same host, or hosts under the same registered name.
    func isSameSite(as other: CookieLocation) -> Bool {
        if host == other.host { return true }
        guard !isAddress, !other.isAddress, let site = site else { return false }
        return site == other.site
    }

    private var site: String? {
        PublicSuffixList.shared.registrableDomain(of: String(decoding: host, as: UTF8.self))
    }
}
