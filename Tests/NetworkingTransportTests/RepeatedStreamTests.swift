// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import Glibc
import NetworkingSupport
import Testing

@testable import NetworkingTransport

/// Streams that can be read only once, in requests that the server refuses unseen, and that are sent once more.
@Suite("Repeated streams", .timeLimit(.minutes(1)))
struct RepeatedStreamTests {
    /// A source and whoever waits for it.
    private struct Reader {
        let source: StreamBodySource
        let woken = DispatchSemaphore(value: 0)

        func open() { source.open { [woken] in woken.signal() } }

        /// The next `count` bytes, or fewer at the end.
        func read(_ count: Int = .max) -> [UInt8] {
            var bytes: [UInt8] = []
            while bytes.count < count {
                var buffer = [UInt8](repeating: 0, count: min(count - bytes.count, 60_000))
                switch buffer.withUnsafeMutableBytes({ source.read(into: $0) }) {
                case .bytes(let count): bytes += buffer.prefix(count)
                case .wait: woken.wait()
                case .end, .failed: return bytes
                }
            }
            return bytes
        }
    }

    private static func content(_ size: Int) -> [UInt8] { (0..<size).map { UInt8(truncatingIfNeeded: $0 / 7) } }

    @Test("What was read first is read again", arguments: [1, 70_000, BodyPump.chunkSize], [1, 60_001, Int.max])
    func beginning(size: Int, read: Int) {
        let content = Self.content(size)
        let reader = Reader(source: StreamBodySource(stream: InputStream(data: Data(content)), contentLength: nil))
        reader.open()
        for _ in 0..<3 {
            #expect(reader.read(read).elementsEqual(content.prefix(read)))
            #expect(reader.source.rewind(afterRefusal: true))
            reader.open()
        }
        #expect(reader.read() == content)
        reader.source.close()
    }

    @Test("A stream that was read is not read again for anything else")
    func otherReasons() {
        let reader = Reader(source: StreamBodySource(stream: InputStream(data: Data("text".utf8)), contentLength: nil))
        reader.open()
        #expect(reader.read(2) == Array("te".utf8))
        #expect(!reader.source.rewind(afterRefusal: false))
        reader.source.close()
    }

    @Test("After more than what was read first there is no way back, and nothing is lost")
    func beyond() {
        let content = Self.content(3 * BodyPump.chunkSize + 5)
        let reader = Reader(source: StreamBodySource(stream: InputStream(data: Data(content)), contentLength: nil))
        reader.open()
        #expect(reader.read(BodyPump.chunkSize).elementsEqual(content.prefix(BodyPump.chunkSize)))
        #expect(reader.source.rewind(afterRefusal: true))
        reader.open()
        let count = BodyPump.chunkSize + 1
        #expect(reader.read(count).elementsEqual(content.prefix(count)))
        #expect(!reader.source.rewind(afterRefusal: true))
        #expect(reader.read().elementsEqual(content.dropFirst(count)))
        reader.source.close()
    }

    @Test("What comes later wakes whoever reads then")
    func later() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        defer { close(reading) }
        let stream = try #require(InputStream(fileAtPath: "/proc/self/fd/\(reading)"))
        let first = Reader(source: StreamBodySource(stream: stream, contentLength: nil))
        #expect(write(writing, "abc", 3) == 3)
        first.open()
        #expect(first.read(3) == Array("abc".utf8))
        var byte: UInt8 = 0
        let answer = withUnsafeMutableBytes(of: &byte) { first.source.read(into: $0) }
        guard case .wait = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(first.source.rewind(afterRefusal: true))
        let second = Reader(source: first.source)
        second.open()
        DispatchQueue.global().async {
            _ = write(writing, "def", 3)
            close(writing)
        }
        #expect(second.read() == Array("abcdef".utf8))
        second.source.close()
    }
}
