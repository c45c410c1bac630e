// SPDX-License-Identifier: MIT
import Foundation

/// A TIFF file of eight-bit grey samples that are not compressed, with the tags that a test wants.
struct TIFFFile {
    /// The kind of a number: SHORT, LONG or LONG8.
    enum Kind: UInt16 { case short = 3, long = 4, long8 = 16 }

    private var entries: [(tag: UInt16, kind: Kind, value: UInt32)]

    init(_ width: UInt32, _ height: UInt32) {
        entries = [
            (256, .long, width), (257, .long, height), (258, .short, 8), (259, .short, 1), (262, .short, 1),
        ]
    }

    func adding(_ tag: UInt16, _ value: UInt32, _ kind: Kind = .long) -> TIFFFile {
        var copy = self
        copy.entries.append((tag, kind, value))
        return copy
    }

    func tiled(_ width: UInt32, _ height: UInt32) -> TIFFFile { adding(322, width).adding(323, height) }

    /// The file with one tile or strip of these samples.
    func data(tags: (offset: UInt16, count: UInt16), samples: Data = Data()) -> Data {
        let start = 8 + 2 + (entries.count + 2) * 12 + 4
        let all = adding(tags.offset, UInt32(start)).adding(tags.count, UInt32(samples.count)).entries
        var data = Data([0x49, 0x49, 42, 0, 8, 0, 0, 0])
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
        }
        append(UInt16(all.count))
        for entry in all {
            append(entry.tag)
            append(entry.kind.rawValue)
            append(UInt32(1))
            append(entry.value)
        }
        append(UInt32(0))
        return data + samples
    }

    func tiles(_ samples: Data = Data()) -> Data { data(tags: (324, 325), samples: samples) }

    func strip(_ samples: Data = Data()) -> Data { data(tags: (273, 279), samples: samples) }
}
