// SPDX-License-Identifier: MIT
import Foundation
@testable import NetworkingTransport

extension FuzzTarget {
    /// Content in the coding that the first byte names, cut where the second one says.
    static let coding = FuzzTarget(
        "coding", maximumLength: 16_384, seeds: codedSeeds
    ) { input in
        guard input.count >= 2 else { return }
        let bytes = [UInt8](input)
        let codings: [ContentDecoder.Coding] = [.gzip, .deflate, .brotli, .zstd]
        let content = Data(bytes.dropFirst(2))
        let coding = codings[Int(bytes[0]) % codings.count]
        let cut = content.prefix(Int(bytes[1]))
        let pieces = [cut, content.dropFirst(cut.count)]
        guard decode([content], coding) == decode(pieces, coding) else {
            broken("content does not depend on where it is cut")
        }
    }

    private static var codedSeeds: [Data] {
        let zlib: [UInt8] = [0x78, 0x9C, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x06, 0x2C, 0x02, 0x15]
        let brotli: [UInt8] = [0x0B, 0x02, 0x80, 0x68, 0x65, 0x6C, 0x6C, 0x6F, 0x03]
        let bare = [UInt8](gzip.dropFirst(10).dropLast(8))
        let twice: (gzip: [UInt8], zstd: [UInt8]) = (gzip + gzip, zstd + zstd)
        let coded: [(coding: UInt8, content: [UInt8])] = [
            (0, gzip), (0, twice.gzip), (1, zlib), (1, bare), (2, brotli), (3, zstd), (3, twice.zstd),
            (3, nestedFrame),
        ]
        return coded.map { Data([$0.coding, 9] + $0.content) }
    }

    private static let gzip: [UInt8] = [
        0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 3, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0, 0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0,
    ]
    private static let zstd: [UInt8] = [
        0x28, 0xB5, 0x2F, 0xFD, 0x24, 0x05, 0x29, 0, 0, 0x68, 0x65, 0x6C, 0x6C, 0x6F, 0xA3, 0x6D, 0x9F, 0x88,
    ]

    /// A frame in the header of another, which libzstd takes for the content when the header comes in two pieces.
    private static let nestedFrame: [UInt8] = [
        0x28, 0xB5, 0x2F, 0xFD, 0x67, 0x14, 1, 0, 0, 0x28, 0xB5, 0x2F, 0xFD, 0, 0x14, 9, 0, 0, 0x88,
    ]

    /// What comes out; nil: it is damaged, or more than anybody would take.
    private static func decode(_ pieces: [Data], _ coding: ContentDecoder.Coding) -> Data? {
        struct TooMuch: Error {}
        let decoder = ContentDecoder([coding])
        var result = Data()
        do {
            for piece in pieces {
                try piece.withUnsafeBytes { bytes in
                    try decoder.decode(bytes) { part in
                        guard part.count <= 65_536 else { broken("content comes in pieces of bounded size") }
                        guard result.count < 4 << 20 else { throw TooMuch() }
                        result.append(contentsOf: part)
                    }
                }
            }
            try decoder.finish()
            return result
        } catch {
            return nil
        }
    }
}
