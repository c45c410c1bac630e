// SPDX-License-Identifier: MIT
internal import NetworkingSupport

/// One header field line.
package struct HeaderField: Sendable, Equatable {
    package var name: String
    package var value: String
    /// True if `value` is sent in Latin-1, and not in UTF-8.
    private var isLatin1 = false

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    /// A field that is sent with these octets, such as those that came from the server.
    package init(_ name: String, octets: [UInt8]) {
        self.name = name
        if let text = String(validating: octets, as: UTF8.self) {
            value = text
        } else {
            value = String(latin1: octets)
            isLatin1 = true
        }
    }

    /// The value as it is sent, where that is not its UTF-8 form; nil: it is UTF-8.
    package var octets: [UInt8]? { isLatin1 ? value.latin1 : nil }

    /// True only if both are sent as the same octets. Strings are equal also where they are canonically equivalent, and
    /// take long to compare then.
    package static func == (left: HeaderField, right: HeaderField) -> Bool {
        left.isLatin1 == right.isLatin1 && left.name.hasOctets(of: right.name) && left.value.hasOctets(of: right.value)
    }
}

extension String {
    /// Text in which each octet is a character of Latin-1.
    package init(latin1 octets: [UInt8]) {
        self.init(String.UnicodeScalarView(octets.map { Unicode.Scalar($0) }))
    }

    /// Its characters as octets of Latin-1, with "?" for those outside Latin-1.
    package var latin1: [UInt8] { unicodeScalars.map { UInt8(exactly: $0.value) ?? UInt8(ascii: "?") } }
}

extension String {
    /// True if this is the name of a header field, which is ASCII and compared without regard to case (RFC 9110, 5.1).
    package func isFieldName(_ name: String) -> Bool {
        guard utf8.count == name.utf8.count else { return false }
        var (left, right) = (self, name)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                for (byte, other) in zip(left, right) where byte != other {
                    guard byte | 0x20 == other | 0x20 && 0x61...0x7A ~= byte | 0x20 else { return false }
                }
                return true
            }
        }
    }
}
