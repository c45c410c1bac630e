// SPDX-License-Identifier: MIT

/// A running 64-bit check of a sequence of bytes, independent of how it is cut into pieces: tells whether a server sent
/// the same bytes again. It guards against accidents, not against an adversary, who could send anything anyway.
struct ContentFingerprint {
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    /// The bytes of an incomplete word, lowest first.
    private var partial: UInt64 = 0
    private var partialCount: UInt64 = 0
    private var total: UInt64 = 0

    /// The check over everything so far.
    var value: UInt64 {
        var copy = self
        copy.mix(partial ^ (total &* 0xD6E8_FEB8_6659_FD93))
        return copy.state
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        total &+= UInt64(bytes.count)
        var index = 0
        while index < bytes.count, partialCount != 0 {
            append(bytes[index])
            index += 1
        }
        while bytes.count - index >= 8 {
            mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)))
            index += 8
        }
        while index < bytes.count {
            append(bytes[index])
            index += 1
        }
    }

    private mutating func append(_ byte: UInt8) {
        partial |= UInt64(byte) << (partialCount &* 8)
        partialCount &+= 1
        if partialCount == 8 {
            mix(partial)
            partial = 0
            partialCount = 0
        }
    }

    private mutating func mix(_ word: UInt64) {
        let (high, low) = (state ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
        state = (high ^ low) &+ 0x9E37_79B9_7F4A_7C15
    }
}
