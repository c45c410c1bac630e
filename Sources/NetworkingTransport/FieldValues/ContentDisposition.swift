// SPDX-License-Identifier: MIT

/// The file name that `Content-Disposition` gives (RFC 6266).
package struct ContentDisposition: Sendable, Equatable {
    /// "attachment", "inline" or another kind, in lower case; empty: no kind is given.
    package let kind: String
    /// The name of a file in some folder: without path, control characters and what else no such name has in it; nil:
    /// no name is given.
    package let fileName: String?

    /// Parses a single value of the field.
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
