// SPDX-License-Identifier: MIT

/// A running 64-bit check of a sequence of bytes, independent of how it is cut into pieces: tells whether a server sent
/// the same bytes again. It guards against accidents, not against an adversary, who could send anything anyway.
struct ContentFingerprint {
    /// One for each of four words in turn, so that a processor can work on them at the same time.
    private struct Lane {
        var state: UInt64

        @inline(__always)
        mutating func mix(_ word: UInt64) {
            let (high, low) = (state ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
            state = (high ^ low) &+ 0x9E37_79B9_7F4A_7C15
        }
    }

    private var first = Lane(state: 0x9E37_79B9_7F4A_7C15)
    private var second = Lane(state: 0xBF58_476D_1CE4_E5B9)
    private var third = Lane(state: 0x94D0_49BB_1331_11EB)
    private var fourth = Lane(state: 0xD6E8_FEB8_6659_FD93)
    /// Bytes of an incomplete word, lowest first.
    private var partial: UInt64 = 0
    private var total: UInt64 = 0

    /// The check over everything so far.
    var value: UInt64 {
        var result = first
        result.mix(second.state)
        result.mix(third.state)
        result.mix(fourth.state)
        result.mix(partial)
        result.mix(total)
        return result.state
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        func word(_ index: Int) -> UInt64 {
            UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        }
        while index < bytes.count, total & 31 != 0 {
            append(bytes[index])
            index += 1
        }
        var lanes = (first, second, third, fourth)
        while bytes.count - index >= 32 {
            lanes.0.mix(word(index))
            lanes.1.mix(word(index + 8))
            lanes.2.mix(word(index + 16))
            lanes.3.mix(word(index + 24))
            index += 32
            total &+= 32
        }
        (first, second, third, fourth) = lanes
        while index < bytes.count {
            append(bytes[index])
            index += 1
        }
    }

    private mutating func append(_ byte: UInt8) {
        partial |= UInt64(byte) << ((total & 7) &* 8)
        total &+= 1
        guard total & 7 == 0 else { return }
        switch total & 31 {
        case 8: first.mix(partial)
        case 16: second.mix(partial)
        case 24: third.mix(partial)
        default: fourth.mix(partial)
        }
        partial = 0
    }
}
