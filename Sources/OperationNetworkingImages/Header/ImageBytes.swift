// SPDX-License-Identifier: MIT
internal import Glibc

/// The bytes of a file; what lies outside is nil.
struct ImageBytes {
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var count: Int { bytes.count }

    func byte(_ offset: Int) -> Int? { bytes.indices.contains(offset) ? Int(bytes[offset]) : nil }

    func uint16(_ offset: Int, bigEndian: Bool) -> Int? { number(offset, size: 2, bigEndian: bigEndian) }

    func uint24(_ offset: Int, bigEndian: Bool) -> Int? { number(offset, size: 3, bigEndian: bigEndian) }

    func uint32(_ offset: Int, bigEndian: Bool) -> Int? { number(offset, size: 4, bigEndian: bigEndian) }

    func int32(_ offset: Int, bigEndian: Bool) -> Int? {
        uint32(offset, bigEndian: bigEndian).map { Int(Int32(truncatingIfNeeded: $0)) }
    }

    func has(_ text: StaticString, at offset: Int) -> Bool {
        text.withUTF8Buffer { has($0, at: offset) }
    }

    func has(_ wanted: some Collection<UInt8>, at offset: Int) -> Bool {
        guard has(count: wanted.count, at: offset) else { return false }
        return bytes[offset..<offset + wanted.count].elementsEqual(wanted)
    }

    /// Returns true if `wanted` bytes are there at `offset`.
    func has(count wanted: Int, at offset: Int) -> Bool {
        offset >= 0 && wanted >= 0 && offset <= count && wanted <= count - offset
    }

    /// The first place from `offset` on where `byte` is.
    func firstIndex(of byte: UInt8, from offset: Int) -> Int? {
        guard offset >= 0, offset < count, let start = bytes.baseAddress,
            let found = memchr(start + offset, Int32(byte), count - offset)
        else { return nil }
        return UnsafeRawPointer(found) - start
    }

    /// These bytes; empty if they are not all there.
    func slice(_ offset: Int, count: Int) -> [UInt8] {
        has(count: count, at: offset) ? Array(bytes[offset..<offset + count]) : []
    }

    /// At most four bytes, which no Int overflows by.
    private func number(_ offset: Int, size: Int, bigEndian: Bool) -> Int? {
        guard has(count: size, at: offset) else { return nil }
        var value = 0
        for index in 0..<size {
            value = value << 8 | Int(bytes[offset + (bigEndian ? index : size - 1 - index)])
        }
        return value
    }
}
