// SPDX-License-Identifier: MIT

/// A media type, as `Content-Type` has it (RFC 9110, section 8.3).
package struct MediaType: Sendable, Equatable {
    /// Type and subtype in lower case, "text/html"; ASCII.
    package let essence: String
    /// The parameters, without `charset`.
    package let parameters: [ParameterizedValue.Parameter]
    /// The `charset` in lower case; nil: absent, or a text that no name could be. May be empty.
    package let charset: String?

    /// Longer names are no names.
    private static let longestName = 256

    /// The type that a single value names; nil: none.
    ///
    /// A lone token in place of type and subtype, as some servers send, is taken as it is, as Foundation does.
    package init?(_ bytes: some Sequence<UInt8>) {
        let value = ParameterizedValue(bytes)
        let parts = value.value.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard value.value.count <= Self.longestName, parts.count <= 2,
            parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isTokenCharacter) })
        else { return nil }
        essence = Self.lowercased(value.value)
        charset = value["charset"].flatMap { label in
            label.count <= Self.longestName && label.allSatisfy { 0x20..<0x7F ~= $0 } ? Self.lowercased(label) : nil
        }
        parameters = value.parameters.filter { !$0.name.isFieldName("charset") }
    }

    private init(_ type: MediaType, charset: String?) {
        (essence, parameters, self.charset) = (type.essence, type.parameters, charset)
    }

    private static func lowercased(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.map(\.lowercasedASCII), as: UTF8.self)
    }

    /// The type that several values of one field name, be it in one line or in several: browsers take the last one that
    /// is a type, with the charset of an earlier one of the same type if it has none (WHATWG Fetch, "extract a MIME
    /// type").
    package static func last(in lines: [[UInt8]]) -> MediaType? {
        var result: MediaType?
        for member in lines.flatMap(ParameterizedValue.members) {
            guard let type = MediaType(member), type.essence != "*/*" else { continue }
            let isSame = result?.essence == type.essence
            result = MediaType(type, charset: type.charset ?? (isSame ? result?.charset : nil))
        }
        return result
    }
}

extension ResponseHead {
    /// Bytes of the longest value that is parsed. Longer values are ignored.
    package static let longestParsedValue = 4096

    /// The media type that `Content-Type` gives; nil: the field is absent or cannot be read.
    package var mediaType: MediaType? {
        var lines: [[UInt8]] = []
        forEachValue(of: .contentType) { value in
            if value.count <= Self.longestParsedValue { lines.append(Array(value)) }
        }
        return lines.isEmpty ? nil : MediaType.last(in: lines)
    }
}
