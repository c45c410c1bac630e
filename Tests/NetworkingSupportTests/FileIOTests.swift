// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import Glibc
import NetworkingSupport
import Testing

@Suite("Reads and writes of descriptors", .timeLimit(.minutes(1)), .serialized)
struct FileIOTests {
    private static func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [0, 0]
        try #require(Glibc.pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    private static func write(_ text: String, to descriptor: Int32, at offset: Int64? = nil) -> Bool {
        Data(text.utf8).withUnsafeBytes { FileIO.write($0, to: descriptor, at: offset) }
    }

    /// Runs `body` on a thread of its own that gets a signal every other millisecond, for which system calls end early.
    private static func interrupted<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in }
        var before = sigaction()
        sigaction(SIGUSR2, &action, &before)
        defer { sigaction(SIGUSR2, &before, nil) }
        let thread = Locked<pthread_t?>(nil)
        let result = Locked<Result?>(nil)
        Thread.detachNewThread {
            thread.withLock { $0 = pthread_self() }
            let value = body()
            result.withLock { $0 = value }
            // No signal to a thread that is gone.
            thread.withLock { $0 = nil }
        }
        while true {
            if let value = result.withLock({ $0 }) { return value }
            thread.withLock { if let thread = $0 { pthread_kill(thread, SIGUSR2) } }
            usleep(2_000)
        }
    }

    @Test("A signal does not end a read")
    func interruptedRead() throws {
        let (reading, writing) = try Self.pipe()
        defer { close(reading) }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) {
            _ = Self.write("text", to: writing)
            close(writing)
        }
        let bytes = Self.interrupted {
            var buffer = [UInt8](repeating: 0, count: 10)
            let count = buffer.withUnsafeMutableBytes { FileIO.fill($0, from: reading) }
            return count.map { Array(buffer.prefix($0)) }
        }
        #expect(bytes == Array("text".utf8))
    }

    @Test("A signal does not cut a write short")
    func interruptedWrite() throws {
        let (reading, writing) = try Self.pipe()
        defer { close(reading) }
        let content = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 / 3) })
        let read = Locked(Data())
        let done = Latch()
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) {
            var buffer = [UInt8](repeating: 0, count: 50_000)
            while case let count = buffer.withUnsafeMutableBytes({ FileIO.read(reading, into: $0) }), count > 0 {
                read.withLock { [buffer] in $0 += buffer.prefix(count) }
            }
            done.open()
        }
        let isWritten = Self.interrupted {
            defer { close(writing) }
            return content.withUnsafeBytes { FileIO.write($0, to: writing) }
        }
        done.wait()
        #expect(isWritten && read.withLock { $0 } == content)
    }

    @Test("At an offset the descriptor's place does not count, and the end of the file ends a read")
    func offsets() throws {
        let stream = try #require(tmpfile())
        defer { fclose(stream) }
        let file = fileno(stream)
        #expect(Self.write("abcdef", to: file))
        #expect(Self.write("XY", to: file, at: 5))
        var buffer = [UInt8](repeating: 0, count: 4)
        #expect(buffer.withUnsafeMutableBytes { FileIO.fill($0, from: file, at: 4) } == 3)
        #expect(buffer.prefix(3).elementsEqual("eXY".utf8))
        #expect(buffer.withUnsafeMutableBytes { FileIO.fill($0, from: file) } == 1)
        #expect(buffer.withUnsafeMutableBytes { FileIO.read(file, into: $0) } == 0)
    }

    @Test("An error's number is in errno")
    func errors() throws {
        var byte: UInt8 = 0
        #expect(withUnsafeMutableBytes(of: &byte) { FileIO.fill($0, from: -1) } == nil && errno == EBADF)
        #expect(withUnsafeBytes(of: byte) { FileIO.write($0, to: -1) } == false && errno == EBADF)
    }
}
