// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite(.timeLimit(.minutes(1))) struct LifecycleCancelTests {
    /// Checks what holds for every cancelled operation: one end, one completion, −999 with the URL.
    private static func expectCancelled(
        _ operation: HTTPRequestOperation, _ endings: Endings, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await operation.completed()
        await endings.reached()
        #expect(operation.isFinished && operation.isCancelled, sourceLocation: sourceLocation)
        #expect(operation.isCancelledError, "\(String(describing: operation.error))", sourceLocation: sourceLocation)
        #expect(
            (operation.error as? URLError)?.failingURL == operation.request.url, sourceLocation: sourceLocation)
        #expect(operation.responseData == nil, sourceLocation: sourceLocation)
        #expect(operation.responseObject == nil, sourceLocation: sourceLocation)
        #expect(endings.finishes.value == 1, sourceLocation: sourceLocation)
        #expect(endings.completions.value == 1, sourceLocation: sourceLocation)
        operation.cancel()
        operation.start()
        operation.pause()
        operation.resume()
        #expect(operation.state == .finished, sourceLocation: sourceLocation)
        await endings.reached()
        #expect(endings.transitions.values.filter { $0 == .finished }.count == 1, sourceLocation: sourceLocation)
    }

    @Test("Cancelled before it is started: finishes when started, without a connection")
    func beforeStart() async throws {
        let server = try TestServer()
        let operation = HTTPRequestOperation.make(server.url())
        let endings = Endings(operation)
        operation.cancel()
        #expect(operation.state == .ready && operation.isCancelled && operation.isReady)
        #expect(operation.error == nil && endings.completions.value == 0)
        operation.start()
        await Self.expectCancelled(operation, endings)
        await endings.reached()
        #expect(endings.transitions.values == [.finished])
        #expect(server.connectionCount == 0)
    }

    @Test(
        "Cancelled while queued in a queue that is full or suspended, of Foundation or ours", arguments: [false, true])
    func queued(isOurs: Bool) async throws {
        let server = try TestServer()
        let queue = isOurs ? RequestOperationQueue() : OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let operations = (0..<20).map { _ in HTTPRequestOperation.make(server.url()) }
        let endings = operations.map(Endings.init)
        queue.enqueue(operations)
        for operation in operations { operation.cancel() }
        if !isOurs { queue.isSuspended = false }
        for (operation, endings) in zip(operations, endings) { await Self.expectCancelled(operation, endings) }
        #expect(server.connectionCount == 0)
    }

    @Test("Cancelled behind a running operation: needs no slot in our queue")
    func fullQueue() async throws {
        let server = try TestServer()
        server.respond(to: "/slow", .stalled())
        let queue = RequestOperationQueue()
        queue.maxConcurrentOperationCount = 1
        let slow = HTTPRequestOperation.make(server.url("/slow"))
        let pending = HTTPRequestOperation.make(server.url("/pending"))
        let endings = Endings(pending)
        queue.enqueue([slow, pending])
        pending.cancel()
        await Self.expectCancelled(pending, endings)
        #expect(slow.isExecuting)
        slow.cancel()
        await slow.completed()
        #expect(!server.requests.contains { $0.path == "/pending" })
    }

    @Test("Cancelled while it waits for an upstream, in both kinds of queue", arguments: [false, true])
    func blocked(isOurs: Bool) async throws {
        let server = try TestServer()
        server.respond(to: "/slow", .stalled())
        let queue = isOurs ? RequestOperationQueue() : OperationQueue()
        let upstream = HTTPRequestOperation.make(server.url("/slow"))
        let operation = HTTPRequestOperation.make(server.url("/blocked"))
        let endings = Endings(operation)
        operation.addDependency(upstream)
        queue.enqueue([upstream, operation])
        operation.cancel()
        await Self.expectCancelled(operation, endings)
        upstream.cancel()
        await upstream.completed()
    }

    @Test("Cancelled while connecting")
    func connecting() async throws {
        let port = try BlackholePort()
        let operation = HTTPRequestOperation.make(try #require(URL(string: port.urlString)))
        let endings = Endings(operation)
        operation.start()
        operation.cancel()
        #expect(operation.isCancelled)
        await Self.expectCancelled(operation, endings)
    }

    @Test("Cancelled while waiting for the response: the connection is dropped")
    func waiting() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .stalled() }
        let operation = HTTPRequestOperation.make(server.url())
        let endings = Endings(operation)
        operation.start()
        _ = try await server.nextRequest()
        operation.cancel()
        await Self.expectCancelled(operation, endings)
        try await eventually { server.openConnectionCount == 0 }
    }

    @Test("Cancelled in the middle of the content: the response is kept, the content is not")
    func receiving() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("0123456789").ending(.stall, afterBodyBytes: 5) }
        let operation = HTTPRequestOperation.make(server.url())
        let endings = Endings(operation)
        operation.start()
        try await eventually { operation.response != nil }
        operation.cancel()
        await Self.expectCancelled(operation, endings)
        #expect(operation.response?.statusCode == 200)
        try await eventually { server.openConnectionCount == 0 }
    }

    @Test("Cancelled while paused, before start or after: finishes")
    func paused() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("0123456789").ending(.stall, afterBodyBytes: 5) }
        let started = HTTPRequestOperation.make(server.url())
        let startedEndings = Endings(started)
        started.start()
        try await eventually { started.response != nil }
        started.pause()
        #expect(started.isPaused)
        started.cancel()
        await Self.expectCancelled(started, startedEndings)

        let fresh = HTTPRequestOperation.make(server.url())
        let freshEndings = Endings(fresh)
        fresh.pause()
        fresh.cancel()
        #expect(fresh.isReady)
        fresh.start()
        await Self.expectCancelled(fresh, freshEndings)
        #expect(freshEndings.transitions.values == [.paused, .ready, .finished])
        #expect(server.requests.count == 1)
    }

    @Test("Cancelled while paused in a queue of either kind", arguments: [false, true])
    func pausedInQueue(isOurs: Bool) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .stalled() }
        let queue = isOurs ? RequestOperationQueue() : OperationQueue()
        let waiting = HTTPRequestOperation.make(server.url())
        waiting.pause()
        let running = HTTPRequestOperation.make(server.url())
        let endings = [Endings(waiting), Endings(running)]
        queue.enqueue([waiting, running])
        _ = try await server.nextRequest()
        running.pause()
        running.cancel()
        waiting.cancel()
        await Self.expectCancelled(waiting, endings[0])
        await Self.expectCancelled(running, endings[1])
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                queue.waitUntilAllOperationsAreFinished()
                continuation.resume()
            }
        }
        #expect(server.requests.count == 1)
    }

    @Test("Cancelled while paused in a suspended queue of Foundation's, started by hand before: ends there in its time")
    func pausedInSuspendedQueue() async throws {
        let server = try TestServer()
        let operation = HTTPRequestOperation.make(server.url())
        let endings = Endings(operation)
        operation.pause()
        operation.start()
        let queue = OperationQueue()
        queue.isSuspended = true
        queue.addOperation(operation)
        operation.cancel()
        #expect(operation.isCancelled && operation.state == .ready && queue.operationCount == 1)
        #expect(endings.finishes.value == 0)
        queue.isSuspended = false
        await Self.expectCancelled(operation, endings)
        #expect(server.connectionCount == 0)
        try await eventually { queue.operationCount == 0 }
    }

    @Test("A paused operation with an output stream closes it when it is cancelled, not when it is released")
    func pausedStream() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("0123456789").ending(.stall, afterBodyBytes: 5) }
        let stream = GatedStream(.opened)
        let operation = HTTPRequestOperation.make(server.url())
        operation.outputStream = stream
        operation.start()
        try await eventually { operation.response != nil }
        operation.pause()
        operation.cancel()
        await operation.completed()
        try await eventually("the stream is closed") { stream.streamStatus == .closed }
        withExtendedLifetime(operation) {}
    }

    @Test("Cancelled while the response is parsed: −999 and no object")
    func serializing() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let serializer = HeldSerializer()
        let operation = HTTPRequestOperation.make(server.url())
        operation.responseSerializer = serializer
        let endings = Endings(operation)
        operation.start()
        await serializer.entered.wait()
        operation.cancel()
        operation.pause()
        #expect(operation.isExecuting)
        serializer.gate.open()
        await Self.expectCancelled(operation, endings)
    }

    @Test("Cancelled after the end: no effect")
    func finished() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let operation = HTTPRequestOperation.make(server.url())
        let endings = Endings(operation)
        await operation.run()
        operation.cancel()
        #expect(!operation.isCancelled && operation.error == nil && operation.responseString == "x")
        await endings.reached()
        #expect(endings.finishes.value == 1 && endings.completions.value == 1)
    }

    @Test("Cancelled by its own completion block, with dependants waiting for that: too late, the result stands")
    func inCompletionBlock() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let operation = HTTPRequestOperation.make(server.url())
        operation.dependentsWaitForCompletionBlocks = true
        let states = Recorder<Bool>()
        operation.setCompletionBlockWithSuccess(
            { operation, _ in
                states.append(operation.isExecuting)
                operation.cancel()
            }, failure: nil)
        operation.start()
        await operation.finished()
        #expect(states.values == [true])
        #expect(!operation.isCancelled && operation.error == nil && operation.responseString == "x")
    }

    @Test("The cache block may be cancelled under its feet, thousands of bytes being copied")
    func duringCacheBlock() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in ScriptedResponse(body: .pattern(count: 300_000)) }
        for _ in 0..<20 {
            let operation = HTTPRequestOperation.make(server.url())
            let endings = Endings(operation)
            operation.setCacheResponseBlock { operation, cached in
                operation.cancel()
                return cached.data.count == 300_000 ? nil : cached
            }
            operation.start()
            await Self.expectCancelled(operation, endings)
        }
    }

    @Test("An operation that is started twice, and by several threads, begins once")
    func startOnce() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        for _ in 0..<50 {
            let operation = HTTPRequestOperation.make(server.url())
            let endings = Endings(operation)
            DispatchQueue.concurrentPerform(iterations: 4) { _ in operation.start() }
            await operation.completed()
            await endings.reached()
            #expect(endings.transitions.values == [.executing, .finished])
            #expect(endings.completions.value == 1)
        }
        #expect(server.requests.count == 50)
    }
}

/// A serializer that holds on until the test lets it go.
final class HeldSerializer: HTTPResponseSerializer, @unchecked Sendable {
    let entered = Gate()
    let gate = Gate()

    override func responseObject(for response: URLResponse?, data: Data?) throws -> Any? {
        entered.open()
        _ = gate.wait(timeout: 30)
        return "parsed"
    }
}
