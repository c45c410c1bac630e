// SPDX-License-Identifier: MIT

/// The target that the request line names (RFC 9112, section 3.2.1).
package enum OriginForm {
    /// Path and query of an absolute URL, as a server gets them from libcurl.
    ///
    /// - Parameter url: percent-encoded, without a fragment.
    package static func make(of url: String) -> String {
        var url = url
        return url.withUTF8 { bytes in
            let part = slice(of: bytes)
            return (part.needsSlash ? "/" : "") + String(decoding: part.bytes, as: UTF8.self)
        }
    }

    /// The same as bytes of `url`. With `needsSlash` a slash has to stand before them, because there is no path.
    package static func slice(
        of url: UnsafeBufferPointer<UInt8>
    ) -> (needsSlash: Bool, bytes: UnsafeBufferPointer<UInt8>) {
        var start = 0
        while start < url.count, url[start] != UInt8(ascii: ":") { start += 1 }
        guard start + 2 < url.count, url[start + 1] == UInt8(ascii: "/"), url[start + 2] == UInt8(ascii: "/") else {
            return (true, UnsafeBufferPointer(rebasing: url[url.count...]))
        }
        start += 3
        while start < url.count, url[start] != UInt8(ascii: "/"), url[start] != UInt8(ascii: "?") { start += 1 }
        let rest = UnsafeBufferPointer(rebasing: url[start...])
        return (rest.first != UInt8(ascii: "/"), rest)
    }
}
