// SPDX-License-Identifier: MIT

/// A header field of every request. Its value may be a secret, and is in no message.
package struct HeaderField: Sendable, Equatable, CustomStringConvertible {
    package var name: String
    package var value: String

    /// Fields that say how a response is sent or which part of it: batchget and its library set them.
    private static let reserved: Set<String> = [
        "range", "if-range", "content-length", "transfer-encoding", "connection", "upgrade", "expect", "te",
    ]

    /// Whether it is one that users cannot set.
    private var isReserved: Bool { Self.reserved.contains(name.lowercased()) }

    /// Reads "Name: value"; nil for anything else. The value may be empty and may not contain control characters.
    package init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let name = text[..<colon]
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte) else { return nil }
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var value = text[text.index(after: colon)...].drop(while: isBlank)
        while value.last.map(isBlank) == true { value.removeLast() }
        guard value.utf8.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else { return nil }
        self.name = String(name)
        self.value = String(value)
    }

    /// What is wrong with a text as a field for requests, without its value; nil: nothing.
    package static func problem(with text: String) -> String? {
        guard let field = HeaderField(text) else { return "is not of the form 'Name: value'" }
        return field.isReserved ? "the field \(field.name) is not for users to set" : nil
    }

    /// The name alone.
    package var description: String { name }

    /// The bytes of a token: RFC 9110, section 5.6.2.
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
            || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
