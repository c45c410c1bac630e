// SPDX-License-Identifier: MIT
internal import Foundation

/// The characters that the bytes from 0x80 on stand for in an encoding with a byte to a character.
struct SingleByteTable: Sendable {
    /// 0: nothing.
    private let scalars: [UInt32]

    static func table(of encoding: CharacterEncoding) -> SingleByteTable? { tables[encoding] }

    private static let tables: [CharacterEncoding: SingleByteTable] = {
        var tables: [CharacterEncoding: SingleByteTable] = [:]
        for encoding in CharacterEncoding.allCases { tables[encoding] = SingleByteTable(encoding) }
        return tables
    }()

    /// Nil: another kind of encoding, or the C library does not have it.
    private init?(_ encoding: CharacterEncoding) {
        switch encoding {
        case .utf8, .utf16BE, .utf16LE, .utf32, .utf32BE, .utf32LE, .replacement, .iso2022JP, .gbk, .gb18030, .big5,
            .eucJP, .shiftJIS, .eucKR:
            return nil
        case .userDefined:
            scalars = (0x80...0xFF).map { 0xF700 + $0 }
        case .windows1252:
            scalars = (0x80...0xFF).map { byte in byte < 0xA0 ? Self.windows1252[Int(byte) - 0x80] : byte }
        default:
            let known = (0x80...0xFF).map { Self.scalar(UInt8($0), encoding) }
            guard known.contains(where: { $0 != 0 }) else { return nil }
            scalars = known
        }
    }

    private static func scalar(_ byte: UInt8, _ encoding: CharacterEncoding) -> UInt32 {
        // Where browsers read what the C library does not.
        switch (encoding, byte) {
        case (.koi8U, 0xAE): return 0x45E
        case (.koi8U, 0xBE): return 0x40E
        case (.macintosh, 0xC6): return 0x2206
        case (.macintosh, 0xF0): return 0xF8FF
        case (.macCyrillic, 0xFF): return 0x20AC
        case (.windows1255, 0xCA): return 0x5BA
        default: break
        }
        if let text = CharacterConversion.utf8(of: Data([byte]), in: encoding),
            let scalar = String(decoding: text, as: UTF8.self).unicodeScalars.first
        {
            return scalar.value
        }
        return encoding.rawValue.hasPrefix("windows-") && byte < 0xA0 ? UInt32(byte) : 0
    }

    /// From 0x80 to 0x9F; what is missing there stands for itself.
    private static let windows1252: [UInt32] = [
        0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x8D, 0x17D,
        0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x9D,
        0x17E, 0x178,
    ]

    /// The text as UTF-8; nil: one of the bytes stands for nothing.
    func utf8(of data: Data) -> Data? {
        var result: [UInt8] = []
        result.reserveCapacity(data.count + data.count / 4)
        for byte in data {
            if byte < 0x80 {
                result.append(byte)
            } else if let scalar = Unicode.Scalar(scalars[Int(byte) - 0x80]), scalar.value != 0 {
                result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            } else {
                return nil
            }
        }
        return Data(result)
    }

    /// Text in the encoding; nil: it has no place for one of the characters.
    func bytes(of text: String) -> Data? {
        var result = Data()
        var known: [UInt32: UInt8] = [:]
        for scalar in text.unicodeScalars {
            if scalar.value < 0x80 {
                result.append(UInt8(scalar.value))
                continue
            }
            if known.isEmpty {
                for (index, value) in scalars.enumerated() where value != 0 { known[value] = UInt8(0x80 + index) }
            }
            guard let byte = known[scalar.value] else { return nil }
            result.append(byte)
        }
        return result
    }
}
