// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc

/// Text of other encodings by `iconv` of the C library.
enum CharacterConversion {
    /// The C library's name of an encoding: the one that comes nearest to what browsers take it for.
    private static func name(of encoding: CharacterEncoding) -> String? {
        switch encoding {
        case .gbk, .gb18030: "GB18030"
        case .big5: "BIG5-HKSCS"
        case .eucJP: "EUC-JP-MS"
        case .shiftJIS: "CP932"
        case .eucKR: "UHC"
        case .iso8859_8I: "ISO-8859-8"
        case .macCyrillic: "MAC-UK"
        case .windows874: "CP874"
        case .windows1250, .windows1251, .windows1253, .windows1254, .windows1255, .windows1256, .windows1257,
            .windows1258:
            "CP" + encoding.rawValue.suffix(4)
        case .ibm866, .iso8859_2, .iso8859_3, .iso8859_4, .iso8859_5, .iso8859_6, .iso8859_7, .iso8859_8, .iso8859_10,
            .iso8859_13, .iso8859_14, .iso8859_15, .iso8859_16, .koi8R, .koi8U, .macintosh:
            encoding.rawValue
        default: nil
        }
    }

    /// The text as UTF-8; nil: the bytes are no text in the encoding, or the C library does not have it.
    static func utf8(of data: Data, in encoding: CharacterEncoding) -> Data? {
        guard let name = name(of: encoding) else { return nil }
        return convert(data, from: name, to: "UTF-8") { furtherCharacter($0, encoding) }
    }

    /// Text in the encoding; nil: it has no place for one of the characters, or the C library does not have it.
    static func bytes(of text: String, in encoding: CharacterEncoding) -> Data? {
        guard let name = encoding == .iso2022JP ? encoding.rawValue : name(of: encoding) else { return nil }
        return convert(Data(text.utf8), from: "UTF-8", to: name) { _ in nil }
    }

    /// Takes linear time.
    ///
    /// - Parameter substitute: says what is at the beginning of bytes that the C library does not know.
    private static func convert(
        _ data: Data, from source: String, to target: String,
        substitute: (Slice<UnsafeMutableRawBufferPointer>) -> (text: String.UTF8View, length: Int)?
    ) -> Data? {
        guard let descriptor = iconv_open(target, source), descriptor != UnsafeMutableRawPointer(bitPattern: -1) else {
            return nil
        }
        defer { iconv_close(descriptor) }
        var input = Array(data)
        return input.withUnsafeMutableBytes { input -> Data? in
            var converted = Data()
            var output = [UInt8](repeating: 0, count: min(max(input.count * 2, 64), 1 << 16))
            var next = input.baseAddress?.assumingMemoryBound(to: CChar.self)
            var left = input.count
            // At last what the library keeps back, to see what follows.
            var isFlushing = left == 0
            while true {
                var room = output.count
                let (result, code) = output.withUnsafeMutableBytes { bytes in
                    var place = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                    let result =
                        isFlushing
                        ? iconv(descriptor, nil, nil, &place, &room) : iconv(descriptor, &next, &left, &place, &room)
                    return (result, errno)
                }
                converted.append(contentsOf: output.prefix(output.count - room))
                if result >= 0 {
                    if isFlushing { return converted }
                    isFlushing = true
                } else if code == EILSEQ, !isFlushing, left > 0, let known = substitute(input.suffix(left)) {
                    converted.append(contentsOf: known.text)
                    next = next.map { $0 + known.length }
                    left -= known.length
                } else if code != E2BIG {
                    return nil
                }
            }
        }
    }

    /// Returns a character at the beginning of `bytes` that browsers know, and the C library does not.
    private static func furtherCharacter(
        _ bytes: Slice<UnsafeMutableRawBufferPointer>, _ encoding: CharacterEncoding
    ) -> (text: String.UTF8View, length: Int)? {
        switch encoding {
        case .gbk where bytes.first == 0x80, .gb18030 where bytes.first == 0x80: ("\u{20AC}".utf8, 1)
        case .shiftJIS where bytes.first == 0x80: ("\u{80}".utf8, 1)
        case .big5 where bytes.starts(with: [0xA3, 0xE1]): ("\u{20AC}".utf8, 2)
        default: nil
        }
    }
}
