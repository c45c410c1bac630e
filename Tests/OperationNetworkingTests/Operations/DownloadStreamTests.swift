// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite(.timeLimit(.minutes(1))) struct DownloadStreamTests {
    @Test("A slow output stream holds its own transfer back, in bounded memory, and nobody else's")
    func backPressure() async throws {
        var limits = TestServer.Limits()
        limits.sendBuffer = 1 << 16
        let server = try TestServer(limits: limits)
        let size = 24_000_000
        server.respond(to: "/big", ScriptedResponse(body: .pattern(count: size)))
        server.respond(to: "/small", .ok("x"))
        let gate = Gate()
        let stream = GatedStream(gate)
        let slow = HTTPRequestOperation.make(server.url("/big"))
        slow.outputStream = stream
        slow.start()
        try await eventually { stream.isWaiting }
        // The client stops taking bytes: the server comes to a standstill far from the end.
        var sent = -1
        try await eventually("a standstill") {
            let now = server.connections.map(\.sentBytes).reduce(0, +)
            defer { sent = now }
            try await Task.sleep(for: .milliseconds(50))
            return now == sent
        }
        #expect(sent < size / 2)
        let others = (0..<50).map { _ in HTTPRequestOperation.make(server.url("/small")) }
        let queue = RequestOperationQueue()
        queue.enqueue(others)
        for operation in others { await operation.completed() }
        #expect(others.allSatisfy { $0.responseString == "x" })
        #expect(slow.isExecuting)
        gate.open()
        await slow.completed()
        #expect(slow.error == nil && stream.count == size && stream.isRight)
    }

    @Test("A stream that is cancelled while it blocks does not hold the operation back")
    func cancelBlocked() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in ScriptedResponse(body: .pattern(count: 10_000_000)) }
        let gate = Gate()
        let stream = GatedStream(gate)
        let operation = HTTPRequestOperation.make(server.url())
        operation.outputStream = stream
        operation.start()
        try await eventually { stream.isWaiting }
        operation.cancel()
        await operation.completed()
        #expect(operation.isCancelledError)
        gate.open()
        try await eventually { stream.streamStatus == .closed }
    }

    @Test("A stream is closed at the end, also when there was no response for it", arguments: [false, true])
    func closedWithoutResponse(isCancelled: Bool) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in isCancelled ? .stalled() : .script([.close]) }
        let stream = GatedStream(.opened)
        stream.open()
        let operation = HTTPRequestOperation.make(server.url(), method: "POST")
        operation.outputStream = stream
        operation.start()
        _ = try await server.nextRequest()
        if isCancelled { operation.cancel() }
        await operation.completed()
        #expect(operation.error != nil && operation.response == nil)
        try await eventually { stream.streamStatus == .closed }
    }

    @Test(
        "A stream that is full, fails, or was closed ends the operation with its error",
        arguments: [FailingStream.Way.full, .error, .closed])
    func failing(way: FailingStream.Way) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in ScriptedResponse(body: .pattern(count: 1_000_000)) }
        let stream = FailingStream(way)
        let operation = HTTPRequestOperation.make(server.url())
        let endings = Endings(operation)
        operation.outputStream = stream
        await operation.run()
        #expect((operation.error as? URLError)?.code == .cannotWriteToFile)
        #expect(operation.underlyingError != nil)
        await endings.reached()
        #expect(endings.finishes.value == 1 && endings.completions.value == 1)
    }

    @Test("A stream that fails while a POST is paused with its connection ends it with that error, once it is resumed")
    func failingWhilePaused() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in
            ScriptedResponse(body: .pattern(count: 400_000)).ending(.stall, afterBodyBytes: 300_000)
        }
        let gate = Gate()
        let stream = GatedStream(gate, fails: true)
        let operation = HTTPRequestOperation.make(server.url(), method: "POST")
        let endings = Endings(operation)
        operation.outputStream = stream
        operation.start()
        try await eventually { stream.isWaiting }
        operation.pause()
        #expect(operation.isPaused)
        gate.open()
        try await eventually("the connection is closed") { server.openConnectionCount == 0 }
        #expect(operation.isPaused && endings.finishes.value == 0)
        operation.resume()
        await operation.completed()
        #expect((operation.error as? URLError)?.code == .cannotWriteToFile, "\(String(describing: operation.error))")
        await endings.reached()
        #expect(endings.finishes.value == 1 && endings.completions.value == 1 && server.requests.count == 1)
    }

    @Test("A file stream gets the content and is closed before the operation is finished")
    func file() async throws {
        let server = try TestServer()
        let directory = try TemporaryDirectory()
        let content = Data.random(500_000)
        server.respondToOthers { _ in .ranged(content) }
        nonisolated(unsafe) let stream = try #require(OutputStream(url: directory.file("x"), append: false))
        let operation = HTTPRequestOperation.make(server.url())
        operation.outputStream = stream
        let token = operation.observe(\.isFinished) { _, _ in #expect(stream.streamStatus == .closed) }
        await operation.run()
        #expect(operation.responseData == nil && operation.error == nil)
        #expect(try Data(contentsOf: directory.file("x")) == content)
        withExtendedLifetime(token) {}
    }

    @Test("A path that cannot be opened ends the operation")
    func badPath() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let operation = HTTPRequestOperation.make(server.url())
        operation.outputStream = OutputStream(toFileAtPath: "/nonexistent/directory/file", append: false)
        await operation.run()
        #expect((operation.error as? URLError)?.code == .cannotWriteToFile)
    }
}

extension Gate {
    /// One that is open.
    static var opened: Gate {
        let gate = Gate()
        gate.open()
        return gate
    }
}

/// Takes bytes only once the gate is open, and checks them against the server's pattern; or fails then. Its status may be
/// asked for on any thread, which Foundation's own streams do not bear.
final class GatedStream: OutputStream {
    private struct State {
        var status = Stream.Status.notOpen
        var isWaiting = false
        var count = 0
        var isRight = true
    }

    private static let pattern = ScriptedResponse.pattern(count: 251 * 1001)
    private let gate: Gate
    private let fails: Bool
    private let state = Locked(State())

    init(_ gate: Gate, fails: Bool = false) {
        self.gate = gate
        self.fails = fails
        super.init(toMemory: ())
    }

    required init(toMemory: ()) {
        gate = Gate()
        fails = false
        super.init(toMemory: ())
    }

    var isWaiting: Bool { state.withLock { $0.isWaiting } }
    var count: Int { state.withLock { $0.count } }
    var isRight: Bool { state.withLock { $0.isRight } }

    override var streamStatus: Stream.Status { state.withLock { $0.status } }
    override var streamError: (any Error)? { nil }
    override var hasSpaceAvailable: Bool { true }
    override func open() { state.withLock { $0.status = .open } }
    override func close() { state.withLock { $0.status = .closed } }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength length: Int) -> Int {
        state.withLock { $0.isWaiting = true }
        guard gate.wait(timeout: 30), !fails else { return -1 }
        let start = count
        let isRight = Self.pattern.withUnsafeBytes { pattern in
            stride(from: 0, to: length, by: 251 * 1000).allSatisfy { offset in
                guard let base = pattern.baseAddress else { return false }
                return memcmp(buffer + offset, base + (start + offset) % 251, min(251 * 1000, length - offset)) == 0
            }
        }
        state.withLock { state in
            state.count += length
            state.isRight = state.isRight && isRight
        }
        return length
    }
}

/// Takes some bytes, and then no more.
final class FailingStream: OutputStream {
    enum Way: Sendable { case full, error, closed }

    private let way: Way
    private let taken = Tally()

    init(_ way: Way) {
        self.way = way
        super.init(toMemory: ())
    }

    required init(toMemory: ()) {
        way = .full
        super.init(toMemory: ())
    }

    override var streamStatus: Stream.Status {
        switch way {
        case .closed: .closed
        case .error: taken.value < 4 ? .open : .error
        case .full: .open
        }
    }
    override var streamError: (any Error)? { way == .error ? NSError(domain: "test", code: 7) : nil }
    override var hasSpaceAvailable: Bool { true }
    override func open() {}
    override func close() {}

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength length: Int) -> Int {
        if taken.increment() < 4 { return min(length, 1000) }
        return way == .full ? 0 : -1
    }
}
