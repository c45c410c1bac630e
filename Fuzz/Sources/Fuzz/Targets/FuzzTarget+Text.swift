// SPDX-License-Identifier: MIT
import Foundation
@testable import NetworkingTransport

extension FuzzTarget {
    /// Text in the encoding that the first byte names.
    static let text = FuzzTarget("text", maximumLength: 16_384, seeds: textSeeds) { input in
        guard let first = input.first else { return }
        let encodings = CharacterEncoding.allCases
        let encoding = encodings[Int(first) % encodings.count]
        guard let text = encoding.text(of: input.dropFirst()) else { return }
        // What was read can be written, and says the same when it is read again.
        guard let written = encoding.bytes(of: text), encoding != .utf16BE, encoding != .utf16LE else { return }
        if let again = encoding.text(of: written), !again.utf8.elementsEqual(text.utf8) {
            let isOneWay = [CharacterEncoding.big5, .iso2022JP, .eucJP, .shiftJIS, .gbk, .gb18030, .eucKR].contains(
                encoding)
            if !isOneWay, !encoding.rawValue.hasPrefix("UTF-32") { broken("text stays what it is") }
        }
    }

    private static var textSeeds: [Data] {
        CharacterEncoding.allCases.indices.map { Data([UInt8($0), 0x61, 0xC6, 0xFC, 0x1B, 0x24, 0x42, 0x46, 0x7C]) }
    }
}
