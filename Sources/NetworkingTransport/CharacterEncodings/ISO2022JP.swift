// SPDX-License-Identifier: MIT
internal import Foundation

/// ISO-2022-JP, as browsers read it: escape sequences say which set of characters the bytes after them are of.
enum ISO2022JP {
    private enum Characters { case ascii, roman, katakana, kanji }

    /// The temporary bytes for a yen sign and an overline, which EUC-JP does not have: two control characters that this
    /// encoding does not have.
    private static let (yen, overline): (UInt8, UInt8) = (0x0E, 0x0F)

    /// The text as UTF-8; nil: the bytes are no such text.
    static func utf8(of data: Data) -> Data? {
        guard let text = euc(of: data).flatMap({ CharacterEncoding.eucJP.utf8(of: $0) }) else { return nil }
        guard text.contains(where: { $0 == yen || $0 == overline }) else { return text }
        var result = Data(capacity: text.count + 64)
        for byte in text {
            switch byte {
            case yen: result.append(contentsOf: "\u{A5}".utf8)
            case overline: result.append(contentsOf: "\u{203E}".utf8)
            default: result.append(byte)
            }
        }
        return result
    }

    private static func euc(of data: Data) -> Data? {
        var result: [UInt8] = []
        result.reserveCapacity(data.count)
        var characters = Characters.ascii
        var rest = data[...]
        while let byte = rest.popFirst() {
            if byte == 0x1B {
                guard let selected = selected(by: rest.prefix(2)) else { return nil }
                characters = selected
                rest = rest.dropFirst(2)
                continue
            }
            guard byte < 0x80, byte != yen, byte != overline else { return nil }
            switch characters {
            case .ascii: result.append(byte)
            case .roman where byte == 0x5C: result.append(yen)
            case .roman where byte == 0x7E: result.append(overline)
            case .roman: result.append(byte)
            case .katakana:
                guard 0x21...0x5F ~= byte else { return nil }
                result += [0x8E, byte | 0x80]
            case .kanji where byte == 0x0A: result.append(byte)
            case .kanji:
                guard 0x21...0x7E ~= byte, let second = rest.popFirst(), 0x21...0x7E ~= second else { return nil }
                result += [byte | 0x80, second | 0x80]
            }
        }
        return Data(result)
    }

    private static func selected(by sequence: Data) -> Characters? {
        switch Array(sequence) {
        case Array("(B".utf8): .ascii
        case Array("(J".utf8): .roman
        case Array("(I".utf8): .katakana
        case Array("$@".utf8), Array("$B".utf8): .kanji
        default: nil
        }
    }
}
