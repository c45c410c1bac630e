// SPDX-License-Identifier: MIT

/// Numbers in messages: in the machine's byte order, at any offset.
extension ArraySlice<UInt8> {
    /// Nil: the slice ends before.
    func uint16(at offset: Int) -> UInt16? { integer(at: offset) }

    /// Nil: the slice ends before.
    func uint32(at offset: Int) -> UInt32? { integer(at: offset) }

    /// Nil: the slice ends before.
    func int32(at offset: Int) -> Int32? { integer(at: offset) }

    /// Nil: the slice ends before.
    func byte(at offset: Int) -> UInt8? { integer(at: offset) }

    private func integer<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Value? {
        guard offset >= 0, offset <= count - MemoryLayout<Value>.size else { return nil }
        return withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Value.self) }
    }

    /// Takes off the first `length` bytes and what fills them up to a multiple of four; a last one need not be filled up.
    mutating func removeAligned(_ length: Int) {
        self = dropFirst(length)
        self = dropFirst((4 - length % 4) % 4)
    }
}

extension [UInt8] {
    /// Appends a number in the machine's byte order.
    mutating func append<Value: FixedWidthInteger>(number value: Value) {
        Swift.withUnsafeBytes(of: value) { append(contentsOf: $0) }
    }
}
