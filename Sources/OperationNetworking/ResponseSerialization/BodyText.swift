// SPDX-License-Identifier: MIT
internal import Foundation

/// The text of a body as bytes a parser understands.
package enum BodyText {
    /// A body as UTF-8, without a byte order mark.
    ///
    /// A byte order mark says what the encoding is, else `charset` does, else `fallback`. If that is UTF-8 (or ASCII)
    /// the bytes are passed through unchecked.
    ///
    /// - Throws: `CocoaError` 3840 if the charset is unknown or the bytes are not text in it.
    package static func unicode(_ data: Data, charset: String?, fallback: String.Encoding) throws -> Data {
        if let first = data.first, first == 0 || first >= 0x80 {
            let mark = data.prefix(4)
            for (bytes, encoding) in byteOrderMarks where mark.starts(with: bytes) {
                return try utf8(data.dropFirst(bytes.count), encoding)
            }
        }
        guard let charset else { return try utf8(data, fallback) }
        // Nearly every response says this; looking a name up takes as long as parsing a small body.
        if charset == "utf-8" { return data }
        guard let encoding = String.Encoding(charset: charset) else {
            throw CocoaError.unreadable("The charset \"\(charset)\" of the body is not known")
        }
        switch encoding {
        // Without a mark the first character, which is ASCII in JSON and XML, tells the order of the bytes.
        case .utf16: return try utf8(data, data.dropFirst().first == 0 ? .utf16LittleEndian : .utf16BigEndian)
        case .utf32: return try utf8(data, data.first == 0 ? .utf32BigEndian : .utf32LittleEndian)
        default: return try utf8(data, encoding)
        }
    }

    /// UTF-32's little-endian mark begins with UTF-16's and so comes before it.
    private static let byteOrderMarks: [([UInt8], String.Encoding)] = [
        ([0xEF, 0xBB, 0xBF], .utf8),
        ([0xFF, 0xFE, 0x00, 0x00], .utf32LittleEndian), ([0x00, 0x00, 0xFE, 0xFF], .utf32BigEndian),
        ([0xFF, 0xFE], .utf16LittleEndian), ([0xFE, 0xFF], .utf16BigEndian),
    ]

    private static func utf8(_ data: Data, _ encoding: String.Encoding) throws -> Data {
        if encoding == .utf8 || encoding == .ascii { return data }
        guard let text = String(data: data, encoding: encoding) else {
            throw CocoaError.unreadable("The body is not text in the encoding \(encoding)")
        }
        return Data(text.utf8)
    }
}
