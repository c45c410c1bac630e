// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import Glibc
internal import NetworkingSupport
@testable internal import OperationNetworkingCore
@testable internal import OperationNetworkingSerialization
internal import TestServer
internal import Testing

@Suite("Multipart body stream", .timeLimit(.minutes(1)))
struct MultipartStreamTests {
    private func stream(_ block: @escaping (any MultipartFormData) throws -> Void) throws -> MultipartBodyStream {
        let request = try multipartRequest(block)
        return try #require(request.httpBodyStream as? MultipartBodyStream)
    }

    private func fileStream(_ file: URL) throws -> MultipartBodyStream {
        try stream { form in
            form.appendPart(withForm: Data("before".utf8), name: "a")
            try form.appendPart(withFileURL: file, name: "f")
            form.appendPart(withForm: Data("after".utf8), name: "z")
        }
    }

    // MARK: Life

    @Test("The stream goes from not open over open to the end")
    func states() throws {
        let stream = try stream { $0.appendPart(withForm: Data("x".utf8), name: "a") }
        var buffer = [UInt8](repeating: 0, count: 4096)
        #expect(stream.streamStatus == .notOpen)
        #expect(!stream.hasBytesAvailable)
        #expect(stream.read(&buffer, maxLength: 10) == -1)
        stream.open()
        stream.open()
        #expect(stream.streamStatus == .open)
        #expect(stream.hasBytesAvailable)
        let length = try #require(stream.contentLength)
        #expect(stream.read(&buffer, maxLength: 4096) == Int(length))
        #expect(stream.read(&buffer, maxLength: 4096) == 0)
        #expect(stream.streamStatus == .atEnd)
        #expect(!stream.hasBytesAvailable)
        stream.close()
        stream.close()
        #expect(stream.streamStatus == .closed)
        #expect(stream.read(&buffer, maxLength: 10) == -1)
        stream.open()
        #expect(stream.streamStatus == .closed)
    }

    @Test("Run loops, delegates and properties are of no effect")
    func inertInterface() throws {
        let stream = try stream { $0.appendPart(withForm: Data(), name: "a") }
        stream.schedule(in: .current, forMode: .default)
        stream.remove(from: .current, forMode: .default)
        stream.delegate = nil
        #expect(stream.delegate == nil)
        #expect(stream.property(forKey: .fileCurrentOffsetKey) == nil)
        #expect(!stream.setProperty(nil, forKey: .fileCurrentOffsetKey))
        var pointer: UnsafeMutablePointer<UInt8>?
        var length = 0
        #expect(!stream.getBuffer(&pointer, length: &length))
        #expect(try stream.readAll().data.count == Int(#require(stream.contentLength)))
    }

    @Test("A replay gives the same bytes while the first stream is read")
    func replay() throws {
        let directory = try TemporaryDirectory()
        let stream = try fileStream(directory.file("f", Data(repeating: 7, count: 100_000)))
        #expect(stream.isReplayable)
        stream.open()
        var buffer = [UInt8](repeating: 0, count: 500)
        _ = stream.read(&buffer, maxLength: 500)
        let first = try stream.makeReplay().readAll()
        let second = try stream.makeReplay().readAll()
        #expect(first.data.count == Int(try #require(stream.contentLength)))
        #expect(first.data == second.data)
        stream.close()
        #expect(try stream.makeReplay().readAll().data == first.data)
    }

    @Test("A body with a caller's stream is not replayable, and says which part")
    func notReplayable() throws {
        let stream = try stream {
            $0.appendPart(with: InputStream(data: Data()), name: "video", fileName: "v", length: 0, mimeType: "x/y")
        }
        #expect(!stream.isReplayable)
        do {
            _ = try stream.makeReplay()
            Issue.record("no error")
        } catch let error as RequestSerializationError {
            #expect(error.code == .bodyNotReplayable)
            #expect(error.localizedDescription.contains("video"))
        }
    }

    // MARK: Files

    @Test("A file that changes before it is sent fails at opening, before a byte is out", arguments: [50, 150, nil])
    func changedBefore(_ newSize: Int?) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.file("data.bin", Data(count: 100))
        let stream = try fileStream(file)
        if let newSize {
            try Data(count: newSize).write(to: file)
        } else {
            try FileManager.default.removeItem(at: file)
        }
        stream.open()
        #expect(stream.streamStatus == .error)
        let outcome = stream.readAll()
        #expect(outcome.data.isEmpty)
        #expect(outcome.lastRead == -1)
        #expect(outcome.status == .error)
        #expect(outcome.code == (newSize == nil ? .bodyUnreadable : .bodyLengthMismatch))
        #expect(outcome.error?.localizedDescription.contains(file.path) == true)
    }

    @Test("A file that changes while it is sent gives an error, never an end", arguments: [0, 50_000, 200_000])
    func changedDuring(_ newSize: Int) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.file("data.bin", Data(count: 100_000))
        let stream = try fileStream(file)
        stream.open()
        var buffer = [UInt8](repeating: 0, count: 10_000)
        #expect(stream.read(&buffer, maxLength: 10_000) == 10_000)
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: UInt64(newSize))
        try handle.close()
        let outcome = stream.readAll { 10_000 }
        #expect(outcome.lastRead == -1)
        #expect(outcome.status == .error)
        #expect(outcome.code == .bodyLengthMismatch)
        #expect(10_000 + outcome.data.count < Int(try #require(stream.contentLength)))
    }

    @Test("A file that vanishes after opening is an error")
    func vanished() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.file("data.bin", Data(count: 100))
        let stream = try fileStream(file)
        stream.open()
        try FileManager.default.removeItem(at: file)
        let outcome = stream.readAll()
        #expect(outcome.lastRead == -1)
        #expect(outcome.code == .bodyUnreadable)
        #expect((outcome.error as? RequestSerializationError)?.underlyingError != nil)
    }

    @Test("A large file is streamed in constant memory")
    func constantMemory() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.file("large.bin")
        let size = 128 << 20
        let handle = try FileHandle(forWritingTo: file)
        try handle.truncate(atOffset: UInt64(size))
        try handle.close()
        let stream = try fileStream(file)
        let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 16)
        defer { buffer.deallocate() }
        let before = HostileBodyTests.residentBytes
        stream.open()
        var total = 0
        while case let count = stream.read(buffer, maxLength: 1 << 16), count > 0 { total += count }
        #expect(total == Int(try #require(stream.contentLength)))
        #expect(total > size)
        #expect(HostileBodyTests.residentBytes - before < 24 << 20)
    }

    // MARK: FIFOs

    private func fifo(in directory: TemporaryDirectory) throws -> URL {
        let url = directory.url.appendingPathComponent("fifo")
        try #require(mkfifo(url.path, 0o600) == 0)
        return url
    }

    @Test("A FIFO is read to its end, with unknown length")
    func readFIFO() async throws {
        let directory = try TemporaryDirectory()
        let fifo = try fifo(in: directory)
        let stream = try fileStream(fifo)
        #expect(stream.contentLength == nil)
        #expect(!stream.isReplayable)
        let path = fifo.path
        // Not a task: on a machine with one processor none runs while this one reads.
        let hasWritten = Gate()
        Thread.detachNewThread {
            let descriptor = Glibc.open(path, O_WRONLY)
            for _ in 0..<100 { _ = Glibc.write(descriptor, "0123456789", 10) }
            Glibc.close(descriptor)
            hasWritten.open()
        }
        let outcome = stream.readAll()
        #expect(hasWritten.wait(timeout: 10))
        #expect(outcome.lastRead == 0)
        #expect(String(decoding: outcome.data, as: UTF8.self).contains(String(repeating: "0123456789", count: 100)))
    }

    @Test("Closing ends the wait for a FIFO that nobody writes to")
    func closeWaitingFIFO() async throws {
        let directory = try TemporaryDirectory()
        nonisolated(unsafe) let stream = try fileStream(fifo(in: directory))
        stream.open()
        var buffer = [UInt8](repeating: 0, count: 4096)
        #expect(stream.read(&buffer, maxLength: 4096) > 0)
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { stream.close() }
        #expect(stream.read(&buffer, maxLength: 4096) == -1)
        #expect(stream.streamStatus == .closed)
    }

    // MARK: Callers' streams

    @Test(
        "A stream's length is enforced",
        arguments: [
            (Int64(10), 10, nil), (10, 9, .bodyLengthMismatch), (10, 0, .bodyLengthMismatch),
            (10, 11, .bodyLengthMismatch), (0, 0, nil), (0, 1, .bodyLengthMismatch), (-1, 12345, nil), (-1, 0, nil),
            (100_000, 100_000, nil), (100_000, 100_001, .bodyLengthMismatch),
        ] as [(Int64, Int, RequestSerializationError.Code?)])
    func declaredLength(_ declared: Int64, _ actual: Int, _ code: RequestSerializationError.Code?) throws {
        for readSize in [1 << 16, 3] {
            let request = try multipartRequest { form in
                form.appendPart(
                    with: InputStream(data: Data(repeating: 1, count: actual)), name: "s", fileName: "s",
                    length: declared, mimeType: "x/y")
                form.appendPart(withForm: Data(), name: "z")
            }
            let stream = try #require(request.httpBodyStream as? MultipartBodyStream)
            #expect((request.value(forHTTPHeaderField: "Content-Length") == nil) == (declared < 0))
            #expect((stream.contentLength == nil) == (declared < 0))
            let outcome = stream.readAll { readSize }
            #expect(outcome.code == code)
            #expect(outcome.lastRead == (code == nil ? 0 : -1))
            if code == nil, declared >= 0 { #expect(Int64(outcome.data.count) == stream.contentLength) }
            if let length = stream.contentLength, code != nil { #expect(Int64(outcome.data.count) < length) }
        }
    }

    /// Fails at its second read.
    private final class FailingStream: InputStream {
        private var reads = 0

        init() { super.init(data: Data()) }

        override func open() {}
        override func close() {}
        override var streamStatus: Stream.Status { reads > 1 ? .error : .open }
        override var streamError: (any Error)? { CocoaError(.fileReadCorruptFile) }
        override var hasBytesAvailable: Bool { true }

        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
            reads += 1
            buffer[0] = 0
            return reads == 1 ? 1 : -1
        }
    }

    @Test("A stream that fails fails the body, with its error underneath")
    func failingStream() throws {
        let stream = try stream {
            $0.appendPart(with: FailingStream(), name: "s", fileName: "s", length: -1, mimeType: "x/y")
        }
        let outcome = stream.readAll()
        #expect(outcome.lastRead == -1)
        #expect(outcome.status == .error)
        #expect(outcome.code == .bodyUnreadable)
        #expect((outcome.error as? RequestSerializationError)?.underlyingError is CocoaError)
    }

    @Test("What is there is given before a slow stream is waited for")
    func noWaitWithBytesInHand() throws {
        let directory = try TemporaryDirectory()
        let stream = try fileStream(fifo(in: directory))
        stream.open()
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = stream.read(&buffer, maxLength: 4096)
        #expect(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).contains("before"))
        stream.close()
    }

    // MARK: Throttling

    @Test("No read gives more than the packet size, in every part", arguments: [1, 7, 1000])
    func packetSize(_ size: Int) throws {
        let stream = try stream { form in
            form.appendPart(withForm: Data(count: 5000), name: "a")
            form.appendPart(withForm: Data(count: 3), name: "b")
            form.throttleBandwidth(withPacketSize: size, delay: 0)
        }
        let outcome = stream.readAll()
        #expect(outcome.largestRead == size)
        #expect(Int64(outcome.data.count) == stream.contentLength)
        #expect(try stream.makeReplay().readAll().largestRead == size)
    }

    @Test("Packets are the delay apart; nonsense is no limit")
    func delay() throws {
        func seconds(_ packetSize: Int, _ delay: TimeInterval) throws -> Double {
            let stream = try stream { form in
                form.appendPart(withForm: Data(count: 900), name: "a")
                form.throttleBandwidth(withPacketSize: packetSize, delay: delay)
            }
            let start = Date()
            #expect(stream.readAll().lastRead == 0)
            return Date().timeIntervalSince(start)
        }
        // Some 970 bytes in all: ten packets, nine delays.
        #expect(try seconds(100, 0.02) >= 9 * 0.02)
        for (size, delay) in [(0, 0.0), (-5, -1), (Int.min, .nan), (0, -.infinity)] {
            #expect(try seconds(size, delay) < 5)
        }
    }

    @Test("Closing ends the wait of the throttle, however long")
    func closeThrottled() throws {
        for delay in [3600, Double.infinity, 1e300] {
            nonisolated(unsafe) let stream = try stream { form in
                form.appendPart(withForm: Data(count: 900), name: "a")
                form.throttleBandwidth(withPacketSize: 10, delay: delay)
            }
            stream.open()
            var buffer = [UInt8](repeating: 0, count: 100)
            #expect(stream.read(&buffer, maxLength: 100) == 10)
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.02) { stream.close() }
            #expect(stream.read(&buffer, maxLength: 100) == -1)
        }
    }

    // MARK: Fuzz

    @Test("Random part sets: declared length, one-byte reads and large reads agree", arguments: 0..<20)
    func randomParts(_ round: Int) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededRandom(seed: seed)
        let directory = try TemporaryDirectory()
        for form in 0..<5 {
            let parts = try RandomParts.make(in: directory, prefix: "\(form)", using: &generator)
            let request = try parts.request()
            let stream = try #require(request.httpBodyStream as? MultipartBodyStream)
            let large = stream.readAll()
            #expect(large.lastRead == 0, "seed \(seed)")
            #expect(Int64(large.data.count) == stream.contentLength, "seed \(seed)")
            #expect(request.value(forHTTPHeaderField: "Content-Length") == "\(large.data.count)", "seed \(seed)")
            let boundary = stream.body.boundary
            for sizes in [1...1, 1...80, 5000...5000] {
                let again = try #require(try parts.request(boundary: boundary)).readAll {
                    Int.random(in: sizes, using: &generator)
                }
                #expect(again.data == large.data, "seed \(seed), reads of \(sizes)")
                #expect(again.lastRead == 0)
            }
        }
    }
}
