// SPDX-License-Identifier: MIT
public import Foundation
internal import NetworkingTransport

extension URL {
    /// Makes a URL of text from outside the program, which may be escaped in part.
    ///
    /// What is percent-encoded stays as it is, byte for byte. What may not stand where it does is percent-encoded:
    /// spaces, control characters, brackets, a second `#`, a `%` without two hexadecimal digits after it, and the UTF-8
    /// form of what is not ASCII. Host names of other scripts become ASCII. Foundation's `URL(string:)` percent-encodes
    /// each `%` of a path, query or fragment once more as soon as something else in it has to be.
    ///
    /// ```swift
    /// let url = URL(escaping: "http://example.com/?to=%2Fhome&items[]=1")
    /// // Prints "to=%2Fhome&items%5B%5D=1".
    /// print(url?.query ?? "none")
    /// ```
    ///
    /// The managers and request serializers read their URL strings so. `nil` when the text is no URL.
    ///
    /// - Parameters:
    ///   - text: A URL, or a reference that is relative to one.
    ///   - base: What a reference is relative to; nil by default.
    public init?(escaping text: String, relativeTo base: URL? = nil) {
        self.init(string: URLEscaping.escaped(text), relativeTo: base)
    }

    /// The absolute URL that a header field's octets name, whatever charset they are in; nil: they name none.
    package init?(reference octets: [UInt8], relativeTo base: URL) {
        guard let text = URLEscaping.escaped(octets: octets),
            let url = URL(escaping: Self.isMistakenForScheme(text) ? "./" + text : text, relativeTo: base)
        else { return nil }
        self = url.absoluteURL
    }

    /// Returns true if a relative path has a colon in its first segment, and no scheme before it (RFC 3986, section
    /// 4.2).
    private static func isMistakenForScheme(_ text: String) -> Bool {
        guard let end = text.utf8.firstIndex(where: ":/?#".utf8.contains) else { return false }
        return text.utf8[end] == UInt8(ascii: ":") && URLEscaping.endOfScheme(text.utf8) == nil
    }
}
