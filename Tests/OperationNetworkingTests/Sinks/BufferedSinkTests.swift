// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import NetworkingTransport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("Content for a writer that may block", .timeLimit(.minutes(1))) struct BufferedSinkTests {
    /// Notes what it is given.
    private final class Writer: ByteWriter {
        struct Notes {
            var pieces: [Int] = []
            var wasAbandoned = false
            var wasCommitted = false
        }
        let notes = Locked(Notes())

        var canRestart: Bool { true }
        func open() {}
        func write(_ bytes: UnsafeRawBufferPointer) { notes.withLock { $0.pieces.append(bytes.count) } }
        func begin(_ representation: Representation?) {}
        func commit() { notes.withLock { $0.wasCommitted = true } }
        func abandon() { notes.withLock { $0.wasAbandoned = true } }
    }

    private final class Events: ResponseSinkEvents {
        func sinkHasSpace() {}
        func sinkFailed(_ error: any Error) {}
        func atRest(_ work: @escaping @Sendable () -> Void) { work() }
    }

    /// Gives a sink content on the network thread, in one turn of it, and does `then` in the same turn.
    private func take(
        _ pieces: [Int], then: @escaping @Sendable (BufferedSink, @escaping @Sendable () -> Void) -> Void
    ) async -> Writer.Notes {
        let writer = Writer()
        let notes = writer.notes
        let sink = BufferedSink(
            writer: writer, queue: DispatchQueue(label: "BufferedSinkTests"), on: LiveRuntime())
        await withCheckedContinuation { continuation in
            Runtime.current.onNetworkThread {
                sink.open(Events())
                for count in pieces {
                    let content = [UInt8](repeating: 1, count: count)
                    _ = content.withUnsafeBytes { sink.write($0) }
                }
                then(sink) { continuation.resume() }
            }
        }
        return notes.withLock { $0 }
    }

    @Test("A stream that is discarded before it was opened is not opened")
    func discardedUnopened() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("stream")
        let queue = DispatchQueue(label: "BufferedSinkTests")
        let stream = try #require(OutputStream(url: file, append: false))
        let sink = BufferedSink(writer: OutputStreamWriter(stream), queue: queue, on: LiveRuntime())
        let gate = Gate()
        queue.async { _ = gate.wait(timeout: 10) }
        sink.open(Events())
        sink.discard(nil)
        gate.open()
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        #expect(!FileManager.default.fileExists(atPath: file.path) && stream.streamStatus != .open)
    }

    /// Blocks in `open()`.
    private final class SlowlyOpened: ByteWriter {
        let (isOpening, gate) = (Gate(), Gate())
        var canRestart: Bool { false }
        func open() {
            isOpening.open()
            _ = gate.wait(timeout: 10)
        }
        func write(_ bytes: UnsafeRawBufferPointer) {}
        func begin(_ representation: Representation?) {}
        func commit() {}
        func abandon() {}
    }

    @Test("A stream that is being opened is waited for, but not for ever", arguments: [true, false])
    func discardedWhileOpening(opens: Bool) async {
        let writer = SlowlyOpened()
        let (isOpening, gate) = (writer.isOpening, writer.gate)
        defer { gate.open() }
        let sink = BufferedSink(writer: writer, queue: DispatchQueue(label: "BufferedSinkTests"), on: LiveRuntime())
        sink.open(Events())
        await isOpening.wait()
        let order = Recorder<String>()
        await withCheckedContinuation { continuation in
            sink.discard {
                order.append("discarded")
                continuation.resume()
            }
            order.append("asked")
            if opens { gate.open() }
        }
        #expect(order.values == ["asked", "discarded"])
    }

    @Test("What comes in one turn of the network thread is written in one piece")
    func batch() async {
        let notes = await take([1000, 2000, 3000]) { sink, done in
            Runtime.current.atNetworkRest { sink.finish { _ in done() } }
        }
        #expect(notes.pieces == [6000])
        #expect(notes.wasCommitted)
    }

    @Test("The end does not wait for a moment of rest")
    func end() async {
        let notes = await take([1000, 2000]) { sink, done in sink.finish { _ in done() } }
        #expect(notes.pieces == [3000])
        #expect(notes.wasCommitted)
    }

    @Test("What waits for a moment of rest is written before a file is let go of, to be continued from there")
    func discarded() async {
        let notes = await take([1000, 2000]) { sink, done in sink.discard { done() } }
        #expect(notes.pieces == [3000])
        #expect(notes.wasAbandoned && !notes.wasCommitted)
    }

    @Test("Much content is written in pieces of a chunk")
    func chunks() async {
        let notes = await take([200_000, 200_000, 200_000]) { sink, done in sink.finish { _ in done() } }
        #expect(notes.pieces.reduce(0, +) == 600_000)
        #expect(notes.pieces.count <= 4)
    }
}
