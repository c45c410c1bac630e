// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import NetworkingTransport

@Suite("Encodings of text", .timeLimit(.minutes(5))) struct CharacterEncodingTests {
    private static let samples: [(CharacterEncoding, [UInt8], String)] = [
        (.utf8, [0xC3, 0xA9, 0xE2, 0x82, 0xAC], "é€"),
        (.ibm866, [0x8F, 0xE0, 0xA8, 0xA2, 0xA5, 0xE2], "Привет"), (.iso8859_2, [0xA3, 0xF3, 0x64, 0xBC], "Łódź"),
        (.iso8859_3, [0xA1, 0x61, 0xF5, 0x61, 0x72], "Ħaġar"), (.iso8859_4, [0xB1, 0xBB, 0xA2], "ąģĸ"),
        (.iso8859_5, [0xBF, 0xE0, 0xD8, 0xD2, 0xD5, 0xE2], "Привет"), (.iso8859_6, [0xD3, 0xE4, 0xC7, 0xE5], "سلام"),
        (.iso8859_7, [0xC3, 0xE5, 0xE9, 0xDC], "Γειά"), (.iso8859_8, [0xF9, 0xEC, 0xE5, 0xED], "שלום"),
        (.iso8859_8I, [0xF9, 0xEC, 0xE5, 0xED], "שלום"), (.iso8859_10, [0xA9, 0xAA, 0xB9], "ĐŠđ"),
        (.iso8859_13, [0xDE, 0xE0, 0x73], "Žąs"), (.iso8859_14, [0xD0, 0xFE], "Ŵŷ"), (.iso8859_15, [0xA4, 0xBC], "€Œ"),
        (.iso8859_16, [0xDE, 0xBA, 0xA4], "Țș€"), (.koi8R, [0xF0, 0xD2, 0xC9, 0xD7, 0xC5, 0xD4], "Привет"),
        (.koi8U, [0xBD, 0xA7, 0xA4, 0xAE, 0xBE], "ҐїєўЎ"),
        (.macintosh, [0x86, 0x6E, 0x95, 0xDB, 0xC6, 0xF0], "Ünï€∆\u{F8FF}"),
        (.windows874, [0xCA, 0xC7, 0xD1, 0xCA, 0xB4, 0xD5, 0x80, 0x81], "สวัสดี€\u{81}"),
        (.windows1250, [0xA3, 0xF3, 0x64, 0x9F, 0x80, 0x81], "Łódź€\u{81}"),
        (.windows1251, [0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2, 0x88, 0x98], "Привет€\u{98}"),
        (.windows1252, [0x93, 0x80, 0x94, 0xE9, 0x81], "“€”é\u{81}"),
        (.windows1253, [0xC3, 0xE5, 0xE9, 0xDC, 0x80], "Γειά€"),
        (.windows1254, [0xDD, 0xFE, 0xF0, 0x80], "İşğ€"),
        (.windows1255, [0xF9, 0xEC, 0xE5, 0xED, 0xA4, 0xCA], "שלום₪\u{5BA}"),
        (.windows1256, [0xD3, 0xE1, 0xC7, 0xE3, 0x80, 0x81], "سلام€پ"),
        (.windows1257, [0xDE, 0xE0, 0x73, 0x80], "Žąs€"),
        (.windows1258, [0xD5, 0xFD, 0xFE], "Ơư₫"),
        (.macCyrillic, [0xA2, 0x8F, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2, 0xFF], "ҐПривет€"),
        (.gbk, [0xD6, 0xD0, 0xCE, 0xC4, 0xA2, 0xE3], "中文€"),
        (.gb18030, [0xD6, 0xD0, 0x95, 0x34, 0xB2, 0x35], "中𠮷"),
        (.big5, [0xA4, 0xA4, 0xA4, 0xE5, 0x88, 0x62], "中文\u{CA}\u{304}"),
        (.eucJP, [0xC6, 0xFC, 0xCB, 0xDC, 0xAD, 0xA1, 0x8E, 0xB1, 0x8F, 0xB0, 0xA1, 0xA1, 0xC1], "日本①ｱ丂～"),
        (.iso2022JP, [0x61, 0x1B, 0x24, 0x42, 0x46, 0x7C, 0x4B, 0x5C, 0x1B, 0x28, 0x42, 0x62], "a日本b"),
        (.shiftJIS, [0x93, 0xFA, 0x96, 0x7B, 0xB1, 0x81, 0x60, 0x87, 0x40, 0x5C], "日本ｱ～①\\"),
        (.eucKR, [0xC7, 0xD1, 0xB1, 0xB9, 0xBE, 0xEE, 0x8C, 0x63], "한국어똠"), (.replacement, [], ""),
        (.utf16BE, [0x65, 0xE5, 0xD8, 0x3D, 0xDC, 0x4D], "日👍"), (.utf16LE, [0xE5, 0x65, 0x3D, 0xD8, 0x4D, 0xDC], "日👍"),
        (.userDefined, [0x61, 0x80, 0xFF], "a\u{F780}\u{F7FF}"), (.utf32, [0, 0, 0x65, 0xE5], "日"),
        (.utf32BE, [0, 1, 0xF4, 0x4D], "👍"), (.utf32LE, [0x4D, 0xF4, 1, 0], "👍"),
    ]

    @Test("Each has a sample, read and written")
    func everyEncoding() {
        #expect(Set(Self.samples.map(\.0)) == Set(CharacterEncoding.allCases))
        for (encoding, bytes, text) in Self.samples {
            // By scalars: strings are compared in their canonical form.
            #expect(
                encoding.text(of: bytes).map { Array($0.unicodeScalars) } == Array(text.unicodeScalars),
                "\(encoding): \(encoding.text(of: bytes) ?? "nil")")
            let isOneWay = [.replacement, .big5].contains(encoding)
            if !isOneWay { #expect(encoding.bytes(of: text) == Data(bytes), "\(encoding)") }
            let isASCII = ![.utf16BE, .utf16LE, .utf32, .utf32BE, .utf32LE, .replacement].contains(encoding)
            guard isASCII else { continue }
            let ascii = Array(UInt8(0x20)..<0x7F)
            #expect(encoding.text(of: ascii) == String(decoding: ascii, as: UTF8.self), "\(encoding)")
        }
    }

    @Test("All labels of the standard, in any case and with blanks around them")
    func labels() {
        let labels: [(CharacterEncoding, [String])] = [
            (.utf8, ["unicode-1-1-utf-8", "UTF8", " utf-8\t", "x-unicode20utf8"]), (.ibm866, ["866", "csIBM866"]),
            (.iso8859_2, ["latin2", "l2", "iso_8859-2:1987"]), (.iso8859_6, ["ASMO-708", "iso-8859-6-e"]),
            (.iso8859_8, ["visual", "hebrew"]), (.iso8859_8I, ["logical"]), (.iso8859_10, ["l6"]),
            (.iso8859_15, ["l9"]),
            (.koi8R, ["koi", "KOI8_R"]), (.koi8U, ["koi8-ru"]), (.macintosh, ["mac", "x-mac-roman"]),
            (.windows874, ["tis-620", "iso-8859-11"]),
            (.windows1252, ["ascii", "us-ascii", "latin1", "ISO-8859-1", "cp819"]),
            (.windows1254, ["iso-8859-9", "latin5"]), (.macCyrillic, ["x-mac-ukrainian"]),
            (.gbk, ["gb2312", "chinese"]),
            (.big5, ["big5-hkscs"]), (.shiftJIS, ["windows-31j", "ms_kanji"]), (.eucKR, ["korean", "windows-949"]),
            (.replacement, ["hz-gb-2312", "iso-2022-cn-ext", "csiso2022kr"]), (.utf16BE, ["unicodefffe"]),
            (.utf16LE, ["utf-16", "ucs-2", "csunicode"]), (.userDefined, ["x-user-defined"]),
        ]
        for (encoding, labels) in labels {
            for label in labels { #expect(CharacterEncoding(label: label.utf8) == encoding, "\(label)") }
        }
        for label in ["", " ", "utf-7", "binary", "utf 8", "é", "none", String(repeating: "a", count: 100_000)] {
            #expect(CharacterEncoding(label: label.utf8) == nil, "\(label.prefix(20))")
        }
        // As many as the standard has, and five more.
        #expect(CharacterEncoding.labelCount == 228 + 5)
    }

    @Test(
        "What is no text in an encoding is none",
        arguments: [
            (.iso8859_3, [0xA5]), (.windows1253, [0xAA]), (.windows1255, [0xFF]), (.windows874, [0xDB]),
            (.gb18030, [0xFF]), (.gb18030, [0x81]), (.big5, [0x81, 0x20]), (.eucJP, [0xC6]), (.eucJP, [0xE9, 0x22]),
            (.shiftJIS, [0x93]), (.shiftJIS, [0xFD]), (.eucKR, [0xC7, 0x20]), (.iso2022JP, [0x1B]),
            (.iso2022JP, [0x80]),
            (.iso2022JP, [0x1B, 0x24, 0x42, 0x46]), (.iso2022JP, [0x0E]), (.iso2022JP, [0x1B, 0x28, 0x49, 0x7E]),
            (.replacement, [0x61]), (.utf16LE, [0x61]), (.utf16LE, [0x3D, 0xD8]), (.utf32, [0, 0x11, 0, 0]),
            (.utf8, [0xFF]),
        ] as [(CharacterEncoding, [UInt8])])
    func noText(_ encoding: CharacterEncoding, _ bytes: [UInt8]) {
        #expect(encoding.text(of: bytes) == nil)
    }

    @Test("What browsers read and the C library does not")
    func differences() {
        #expect(CharacterEncoding.gbk.text(of: [0x61, 0x80, 0x62]) == "a€b")
        #expect(CharacterEncoding.big5.text(of: [0x61, 0xA3, 0xE1]) == "a€")
        #expect(CharacterEncoding.shiftJIS.text(of: [0x80]) == "\u{80}")
        let japanese: [UInt8] = [0x1B, 0x28, 0x4A, 0x5C, 0x7E, 0x1B, 0x28, 0x49, 0x31]
        #expect(CharacterEncoding.iso2022JP.text(of: japanese) == "¥‾ｱ")
        #expect(CharacterEncoding.utf16LE.text(of: [0xFE, 0xFF, 0x65, 0xE5]) == "日")
        #expect(CharacterEncoding.utf32.text(of: [0xFF, 0xFE, 0, 0, 0xE5, 0x65, 0, 0]) == "日")
    }

    @Test("What an encoding has no place for is not written")
    func unwritable() {
        for encoding in CharacterEncoding.allCases where !encoding.rawValue.hasPrefix("UTF") && encoding != .gb18030 {
            guard encoding != .gbk else { continue }
            #expect(encoding.bytes(of: "a👍") == nil, "\(encoding)")
        }
    }

    @Test("Tens of kilobytes of anything cost no more than a moment, in every encoding")
    func linear() {
        let pieces: [[UInt8]] = [
            [0x61], [0x80], [0xA3, 0xE1], [0x1B, 0x28, 0x4A, 0x5C], [0xC6, 0xFC], [0x88, 0x62], [0xEC, 0xE1],
        ]
        let seconds = processorSeconds {
            for piece in pieces {
                let bytes = Array(repeating: piece, count: (1 << 16) / piece.count).flatMap { $0 }
                for encoding in CharacterEncoding.allCases { _ = encoding.text(of: bytes) }
            }
        }
        // In quadratic time it would be many minutes.
        #expect(seconds < 20 * Patience.factor)
    }
}
