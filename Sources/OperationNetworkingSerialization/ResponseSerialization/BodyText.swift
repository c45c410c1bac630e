// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// The text of a body as bytes a parser understands.
package enum BodyText {
    /// A body as UTF-8, without a byte order mark: JSON, XML or a property list, which begin with ASCII and have no
    /// zero in them.
    ///
    /// What the first bytes show is the encoding, by a byte order mark or by the zeros of UTF-16 and 32, else what
    /// `charset` says, else `fallback`. If that is UTF-8 (or ASCII) the bytes are passed through unchecked.
    ///
    /// - Parameter charset: see `meaning(ofCharset:)`.
    /// - Throws: `CocoaError` 3840 if the charset is unknown, or the bytes are not text in it, or begin like text in
    ///   another encoding: Foundation's parsers would read them as that, whatever was seen in them here.
    package static func unicode(_ data: Data, charset: String?, fallback: String.Encoding) throws -> Data {
        if let (encoding, mark) = shownEncoding(data) { return try utf8(data.dropFirst(mark), encoding) }
        guard let charset else {
            guard fallback != .utf8, fallback != .ascii else { return try checked(data, "\(fallback)") }
            return try checked(EncodedText.string(of: data, in: fallback).map { Data($0.utf8) }, "\(fallback)")
        }
        // Nearly every response says this; looking a name up takes as long as parsing a small body.
        if charset == "utf-8" { return try utf8(data, .utf8) }
        guard let encoding = CharacterEncoding(label: charset.utf8) else {
            throw CocoaError.unreadable("The charset \"\(charset)\" of the body is not known")
        }
        switch encoding {
        // Such text shows its byte order in its first bytes, see above: what is left is not such text.
        case .utf16LE where !charset.utf8.equalsIgnoringCase("utf-16le"): return try utf8(data, .utf16BE)
        case .windows1252 where charset.utf8.equalsIgnoringCase("us-ascii") || charset.utf8.equalsIgnoringCase("ascii"):
            return try utf8(data, .utf8)
        default: return try utf8(data, encoding)
        }
    }

    /// Returns a charset that says something: nil for one that is empty, has no meaning here, or stands for encodings
    /// that should not be read.
    package static func meaning(ofCharset charset: String?) -> String? {
        guard let charset else { return nil }
        if charset == "utf-8" { return charset }
        guard let encoding = CharacterEncoding(label: charset.utf8), encoding != .replacement else { return nil }
        return charset
    }

    /// Returns the encoding that a byte order mark names, and the mark's length in bytes; nil: there is no mark.
    static func byteOrderMark(_ data: Data) -> (encoding: CharacterEncoding, mark: Int)? {
        let start = data.prefix(4)
        return byteOrderMarks.first { start.starts(with: $0.0) }.map { ($0.1, $0.0.count) }
    }

    /// The same, or the encoding that the zeros next to the first character show.
    private static func shownEncoding(_ data: Data) -> (encoding: CharacterEncoding, mark: Int)? {
        let start = data.prefix(4)
        guard start.contains(where: { $0 == 0 || $0 >= 0x80 }) else { return nil }
        if let mark = byteOrderMark(data) { return mark }
        let zeros = start.map { $0 == 0 }
        switch zeros {
        case [false, true, true, true]: return (.utf32LE, 0)
        case [true, true, true, false]: return (.utf32BE, 0)
        default: break
        }
        switch zeros.prefix(2) {
        case [false, true]: return (.utf16LE, 0)
        case [true, false]: return (.utf16BE, 0)
        default: return nil
        }
    }

    /// UTF-32's little-endian mark begins with UTF-16's and so comes before it.
    private static let byteOrderMarks: [([UInt8], CharacterEncoding)] = [
        ([0xEF, 0xBB, 0xBF], .utf8),
        ([0xFF, 0xFE, 0x00, 0x00], .utf32LE), ([0x00, 0x00, 0xFE, 0xFF], .utf32BE),
        ([0xFF, 0xFE], .utf16LE), ([0xFE, 0xFF], .utf16BE),
    ]

    private static func utf8(_ data: Data, _ encoding: CharacterEncoding) throws -> Data {
        try checked(encoding.utf8(of: data), encoding.rawValue)
    }

    private static func checked(_ text: Data?, _ encoding: String) throws -> Data {
        guard let text else { throw CocoaError.unreadable("The body is not text in the encoding \(encoding)") }
        let start = text.prefix(4)
        guard !start.contains(0), start.first ?? 0 < 0xFE else {
            throw CocoaError.unreadable(
                "The body begins with bytes that no text in the encoding \(encoding) begins with")
        }
        return text
    }
}
