// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer

/// What happened, in order, from any threads.
final class Recorder<Value: Sendable>: Sendable {
    private let storage = Locked<[Value]>([])

    var values: [Value] { storage.withLock { $0 } }
    var count: Int { storage.withLock { $0.count } }
    var last: Value? { storage.withLock { $0.last } }

    func append(_ value: Value) { storage.withLock { $0.append(value) } }
    func removeAll() { storage.withLock { $0 = [] } }
}

/// A number that threads count up.
final class Tally: Sendable {
    private let storage = Locked(0)

    var value: Int { storage.withLock { $0 } }

    @discardableResult
    func increment() -> Int {
        storage.withLock { value in
            value += 1
            return value
        }
    }

    func decrement() { storage.withLock { $0 -= 1 } }
}

extension Data {
    /// Bytes that do not repeat.
    static func random(_ count: Int, seed: UInt64 = 7) -> Data {
        var generator = SeededRandom(seed: seed)
        var data = Data(capacity: count)
        while data.count < count {
            Swift.withUnsafeBytes(of: generator.next()) { data.append(contentsOf: $0.prefix(count - data.count)) }
        }
        return data
    }

    /// As a gzip stream (RFC 1952) of stored blocks.
    var gzipped: Data {
        var result = Data([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
        var start = startIndex
        repeat {
            let end = Swift.min(start + 65_535, endIndex)
            let size = UInt16(end - start)
            result.append(end == endIndex ? 1 : 0)
            for half in [size, ~size] { result.append(contentsOf: [UInt8(half & 255), UInt8(half >> 8)]) }
            result.append(self[start..<end])
            start = end
        } while start < endIndex
        for word in [crc32, UInt32(truncatingIfNeeded: count)] {
            Swift.withUnsafeBytes(of: word.littleEndian) { result.append(contentsOf: $0) }
        }
        return result
    }

    private var crc32: UInt32 {
        let table = (0..<256).map { index -> UInt32 in
            var value = UInt32(index)
            for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ 0xEDB8_8320 : value >> 1 }
            return value
        }
        var result: UInt32 = 0xFFFF_FFFF
        for byte in self { result = table[Int((result ^ UInt32(byte)) & 255)] ^ (result >> 8) }
        return ~result
    }
}
