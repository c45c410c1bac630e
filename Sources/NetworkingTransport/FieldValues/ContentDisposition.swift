// SPDX-License-Identifier: MIT

/// What `Content-Disposition` says of a file's name (RFC 6266).
package struct ContentDisposition: Sendable, Equatable {
    /// "attachment", "inline" or another one, in lower case; empty: none.
    package let kind: String
    /// A name of a file in some folder: without path, control characters and what else no such name has in it; nil: there
    /// is none.
    package let fileName: String?

    /// What a single value says.
    package init(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        var value = ParameterizedValue(bytes)
        if value.value.contains(UInt8(ascii: "=")) {
            // Some servers leave the kind out.
            value = ParameterizedValue([UInt8(ascii: ";")] + bytes)
        }
        kind =
            value.value.allSatisfy(\.isTokenCharacter)
            ? String(decoding: value.value.map(\.lowercasedASCII), as: UTF8.self) : ""
        // One that was written for other alphabets comes before the one for old programs (section 4.3).
        fileName =
            value["filename*"].flatMap(ExtendedValue.text).flatMap(FileName.safe)
            ?? value["filename"].map(FieldText.text).flatMap(FileName.safe)
    }
}

extension ResponseHead {
    /// The name that the server gives to what it sends, of the first `Content-Disposition` that has one.
    package var suggestedFileName: String? {
        var result: String?
        forEachFieldBytes { name, value in
            guard result == nil, name.equalsIgnoringCase("Content-Disposition"), value.count <= Self.longestParsedValue
            else { return }
            result = ContentDisposition(value).fileName
        }
        return result
    }
}

/// A parameter's value in a charset that it names (RFC 8187).
enum ExtendedValue {
    /// The text; nil: it is not well-formed, or no text in the charset.
    static func text(_ value: [UInt8]) -> String? {
        let parts = value.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let encoding = CharacterEncoding(label: parts[0]),
            let bytes = percentDecoded(parts[2])
        else { return nil }
        return encoding.text(of: bytes)
    }

    private static func percentDecoded(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                result.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexDigitValue, let low = rest.popFirst()?.hexDigitValue else {
                return nil
            }
            result.append(high << 4 | low)
        }
        return result
    }
}

/// The octets of a field as text.
package enum FieldText {
    /// UTF-8 where it is that, else Latin-1, which HTTP once had.
    package static func text(_ bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}

/// A name of a file that somebody else proposes.
package enum FileName {
    /// What a file system takes, in bytes (`NAME_MAX`).
    static let limit = 255

    /// The last part of a path, in the way of Unix or of Windows, without control characters, marks that turn the direction
    /// of text round, and blanks at the ends, and not longer than a name can be; nil: nothing is left.
    package static func safe(_ proposed: String) -> String? {
        let scalars = proposed.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last ?? []
        var name = scalars.filter { !isUnwanted($0) }[...]
        while name.first?.properties.isWhitespace == true { name.removeFirst() }
        while name.last?.properties.isWhitespace == true { name.removeLast() }
        guard !name.allSatisfy({ $0 == "." }) else { return nil }
        return String(String.UnicodeScalarView(shortened(Array(name))))
    }

    private static func isUnwanted(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }

    /// Takes out of the middle what is too much, so that a short extension stays.
    private static func shortened(_ name: [Unicode.Scalar]) -> [Unicode.Scalar] {
        func length(_ scalars: some Sequence<Unicode.Scalar>) -> Int { scalars.reduce(0) { $0 + UTF8.width($1) } }
        guard length(name) > limit else { return name }
        let dot = name.lastIndex(of: ".") ?? name.endIndex
        let suffix = length(name[dot...]) <= 32 ? name[dot...] : []
        var room = limit - length(suffix)
        let stem = name.dropLast(suffix.count).prefix { scalar in
            room -= UTF8.width(scalar)
            return room >= 0
        }
        return Array(stem) + suffix
    }
}
