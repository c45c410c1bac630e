// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

// User names and passwords in URLs, found as bytes: what Foundation does not take apart may hold one all the same, and
// "@" followed by a combining mark is another `Character`.

extension String {
    /// A string that is no URL, for errors: what may be user name and password is left out.
    package var withoutUserInfo: String {
        let bytes = Array(utf8)
        guard let at = bytes.lastIndex(of: UInt8(ascii: "@")) else { return self }
        let slashes = bytes.indices.dropLast().first {
            bytes[$0] == UInt8(ascii: "/") && bytes[$0 + 1] == UInt8(ascii: "/")
        }
        let start = slashes.map { $0 + 2 } ?? 0
        guard start < at else { return self }
        return String(decoding: bytes[..<start], as: UTF8.self) + "…" + String(decoding: bytes[at...], as: UTF8.self)
    }

    /// A URL's text without user name and password, and otherwise byte for byte.
    package var removingUserInfo: String {
        guard let range = userInfoRange else { return self }
        return String(self[..<range.lowerBound]) + self[range.upperBound...]
    }

    /// The place of the authority's user name and password, with the "@" (RFC 3986, section 3.2), or of what looks like
    /// them in a URL without an authority, as in "user:password@host"; nil: it has none.
    fileprivate var userInfoRange: Range<String.Index>? {
        // The usual case, and soon seen.
        guard utf8.contains(UInt8(ascii: "@")) else { return nil }
        guard let delimiter = utf8.firstIndex(where: { Self.delimiters.contains($0) }) else { return nil }
        let rest = utf8[delimiter...].drop { $0 == UInt8(ascii: ":") }
        // In an HTTP URL without a host, what was meant to be one is behind a slash too many or too few.
        let isHTTP =
            utf8[delimiter] == UInt8(ascii: ":")
            && (["http", "https"] as [StaticString]).contains { utf8[..<delimiter].equalsIgnoringCase($0) }
        let start =
            isHTTP ? rest.drop { $0 == UInt8(ascii: "/") } : rest.starts(with: "//".utf8) ? rest.dropFirst(2) : rest
        let authority = start.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        return authority.startIndex..<utf8.index(after: at)
    }

    private static let delimiters = Array(":/?#".utf8)
}

extension URL {
    /// This URL without user name and password, for errors and logs.
    package var withoutUserInfo: URL {
        let text = absoluteString
        guard text.userInfoRange != nil else { return self }
        // What Foundation does not take as a URL any more is not shown at all.
        return URL(escaping: text.removingUserInfo) ?? URL(fileURLWithPath: "/")
    }

    /// This URL, which has neither, with the user name and the password of another one.
    package func withUserInfo(of other: URL) -> URL {
        let (text, source) = (absoluteString, other.absoluteString)
        let scheme = text.utf8.prefix { $0 != UInt8(ascii: ":") }
        guard let range = source.userInfoRange, text.utf8.dropFirst(scheme.count).starts(with: "://".utf8) else {
            return self
        }
        let authority = text.utf8.dropFirst(scheme.count + 3)
        return URL(escaping: "\(Substring(scheme))://\(source[range])\(Substring(authority))") ?? self
    }
}
