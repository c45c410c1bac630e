// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

extension String.Encoding {
    /// The encoding a charset name of HTTP stands for, without regard to case; `nil` if it is unknown here, or
    /// Foundation has no number for it.
    package init?(charset: String) {
        guard let name = Self.folded(charset) else { return nil }
        // Its own names first: a program compares with the constants.
        if let encoding = String.Encoding(ianaName: name) {
            self = encoding
        } else if let rawValue = CharacterEncoding(label: name.utf8).flatMap({ Self.rawValues[$0] }) {
            self.init(rawValue: rawValue)
        } else {
            return nil
        }
    }

    /// The encoding in which text of that encoding is read and written; nil: it is left to Foundation.
    fileprivate var characterEncoding: CharacterEncoding? {
        switch self {
        // Which byte comes first is for Foundation to say.
        case .utf8, .ascii, .isoLatin1, .utf16, .utf32: nil
        default: Self.byRawValue[rawValue]
        }
    }

    /// A name as a key; nil: it is not a name.
    private static func folded(_ charset: String) -> String? {
        let bytes = charset.utf8.trimmingBlanks
        // IANA has none that is longer than 45.
        guard bytes.count <= 64, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        return String(Substring(bytes)).lowercased()  // checked: bounded ASCII
    }

    /// Constants, and raw values as Foundation makes them from CoreFoundation's encoding numbers.
    private static let rawValues: [CharacterEncoding: UInt] = [
        .utf8: String.Encoding.utf8.rawValue,
        .utf16BE: String.Encoding.utf16BigEndian.rawValue, .utf16LE: String.Encoding.utf16LittleEndian.rawValue,
        .utf32: String.Encoding.utf32.rawValue,
        .utf32BE: String.Encoding.utf32BigEndian.rawValue, .utf32LE: String.Encoding.utf32LittleEndian.rawValue,
        .windows1250: String.Encoding.windowsCP1250.rawValue, .windows1251: String.Encoding.windowsCP1251.rawValue,
        .windows1252: String.Encoding.windowsCP1252.rawValue, .windows1253: String.Encoding.windowsCP1253.rawValue,
        .windows1254: String.Encoding.windowsCP1254.rawValue, .iso8859_2: String.Encoding.isoLatin2.rawValue,
        .macintosh: String.Encoding.macOSRoman.rawValue, .eucJP: String.Encoding.japaneseEUC.rawValue,
        .shiftJIS: String.Encoding.shiftJIS.rawValue, .iso2022JP: String.Encoding.iso2022JP.rawValue,
        .gb18030: 0x8000_0632, .gbk: 0x8000_0632, .big5: 0x8000_0A03, .eucKR: 0x8000_0940,
        .koi8R: 0x8000_0A02, .koi8U: 0x8000_0A08, .ibm866: 0x8000_0419, .macCyrillic: 0x8000_0007,
        .iso8859_3: 0x8000_0203, .iso8859_4: 0x8000_0204, .iso8859_5: 0x8000_0205, .iso8859_6: 0x8000_0206,
        .iso8859_7: 0x8000_0207, .iso8859_8: 0x8000_0208, .iso8859_8I: 0x8000_0208, .iso8859_10: 0x8000_020A,
        .iso8859_13: 0x8000_020D, .iso8859_14: 0x8000_020E, .iso8859_15: 0x8000_020F, .iso8859_16: 0x8000_0210,
        .windows1255: 0x8000_0505, .windows1256: 0x8000_0506, .windows1257: 0x8000_0507, .windows1258: 0x8000_0508,
        .windows874: 0x8000_041D,
    ]

    private static let byRawValue: [UInt: CharacterEncoding] = {
        var table: [UInt: CharacterEncoding] = [:]
        // Of two with one number the wider one.
        for (encoding, rawValue) in rawValues where encoding != .gbk && encoding != .iso8859_8I {
            table[rawValue] = encoding
        }
        return table
    }()
}

/// Text in encodings that Foundation may know by number only.
package enum EncodedText {
    /// Nil: the bytes are no text in the encoding.
    static func string(of data: Data, in encoding: String.Encoding) -> String? {
        guard let known = encoding.characterEncoding else { return String(data: data, encoding: encoding) }
        return known.text(of: data)
    }

    /// Returns the text of a response with that charset; UTF-8 counts where the name is not known. A byte order mark
    /// comes before the charset (WHATWG encoding standard, "decode").
    package static func string(of data: Data, charset: String) -> String? {
        if let (encoding, mark) = BodyText.byteOrderMark(data), encoding != .utf32LE, encoding != .utf32BE {
            return encoding.text(of: data.dropFirst(mark))
        }
        guard let known = CharacterEncoding(label: charset.utf8) else {
            return String(data: data, encoding: String.Encoding(charset: charset) ?? .utf8)
        }
        return known == .utf8 ? String(data: data, encoding: .utf8) : known.text(of: data)
    }

    /// Nil: the encoding has no place for one of the characters.
    static func data(of text: String, in encoding: String.Encoding) -> Data? {
        guard let known = encoding.characterEncoding else { return text.data(using: encoding) }
        return known.bytes(of: text)
    }
}
