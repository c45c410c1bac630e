// SPDX-License-Identifier: MIT

/// What the request line names (RFC 9112, section 3.2.1).
package enum OriginForm {
    /// Path and query of an absolute URL, as a server gets them from libcurl.
    ///
    /// - Parameter url: percent-encoded, without a fragment.
    package static func make(of url: String) -> String {
        let bytes = url.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            return "/"
        }
        let rest = bytes[colon...].dropFirst(3)
        guard let end = rest.firstIndex(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }) else {
            return "/"
        }
        let target = url[end...]
        return bytes[end] == UInt8(ascii: "/") ? String(target) : "/" + target
    }
}
