// SPDX-License-Identifier: MIT
internal import Foundation

/// UTF-16 and UTF-32 as UTF-8. A byte order mark at the beginning decides, and is left out.
enum UnicodeText {
    /// Nil: half a character is among the bytes.
    static func utf8(ofUTF16 data: Data, isBigEndian: Bool) -> Data? {
        guard data.count.isMultiple(of: 2) else { return nil }
        return data.withUnsafeBytes { bytes in
            let mark = bytes.prefix(2)
            let isMarked = mark.elementsEqual([0xFE, 0xFF]) || mark.elementsEqual([0xFF, 0xFE])
            let isBigEndian = isMarked ? mark[0] == 0xFE : isBigEndian
            let units = stride(from: isMarked ? 2 : 0, to: bytes.count, by: 2).lazy.map { (index: Int) -> UInt16 in
                let value = bytes.loadUnaligned(fromByteOffset: index, as: UInt16.self)
                return isBigEndian ? UInt16(bigEndian: value) : UInt16(littleEndian: value)
            }
            return utf8(units, UTF16.self)
        }
    }

    /// Nil: a number that is no character is among them.
    static func utf8(ofUTF32 data: Data, isBigEndian: Bool) -> Data? {
        guard data.count.isMultiple(of: 4) else { return nil }
        return data.withUnsafeBytes { bytes in
            let mark = bytes.prefix(4)
            let isMarked = mark.elementsEqual([0, 0, 0xFE, 0xFF]) || mark.elementsEqual([0xFF, 0xFE, 0, 0])
            let isBigEndian = isMarked ? mark[0] == 0 : isBigEndian
            let units = stride(from: isMarked ? 4 : 0, to: bytes.count, by: 4).lazy.map { (index: Int) -> UInt32 in
                let value = bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self)
                return isBigEndian ? UInt32(bigEndian: value) : UInt32(littleEndian: value)
            }
            return utf8(units, UTF32.self)
        }
    }

    /// Text without a byte order mark.
    static func bytes(of text: String, _ encoding: CharacterEncoding) -> Data {
        var result = Data()
        switch encoding {
        case .utf16BE: for unit in text.utf16 { withUnsafeBytes(of: unit.bigEndian) { result.append(contentsOf: $0) } }
        case .utf16LE:
            for unit in text.utf16 { withUnsafeBytes(of: unit.littleEndian) { result.append(contentsOf: $0) } }
        case .utf32LE:
            for scalar in text.unicodeScalars {
                withUnsafeBytes(of: scalar.value.littleEndian) { result.append(contentsOf: $0) }
            }
        default:
            for scalar in text.unicodeScalars {
                withUnsafeBytes(of: scalar.value.bigEndian) { result.append(contentsOf: $0) }
            }
        }
        return result
    }

    private static func utf8<Encoding: Unicode.Encoding>(
        _ units: some Sequence<Encoding.CodeUnit>, _ encoding: Encoding.Type
    ) -> Data? {
        var result: [UInt8] = []
        let isBroken = transcode(units.makeIterator(), from: encoding, to: UTF8.self, stoppingOnError: true) {
            result.append($0)
        }
        return isBroken ? nil : Data(result)
    }
}
