// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// What once fell between the queue, the operation and the dependency graph.
@Suite(.timeLimit(.minutes(2))) struct QueueSeamTests {
    /// A queue starts it by way of another thread, so that much may happen in between.
    private final class Subclassed: HTTPRequestOperation, @unchecked Sendable {
        let gate: Gate?

        init(gate: Gate) {
            self.gate = gate
            super.init(request: URLRequest(url: unsupportedURL))
            completionQueue = DispatchQueue(label: "test")
        }

        required init(request: URLRequest) {
            gate = nil
            super.init(request: request)
        }

        override func start() {
            if let gate { _ = gate.wait(timeout: 10) }
            super.start()
        }
    }

    @Test("A dependency that comes between the queue's decision and start(): slot given back, nothing forgotten")
    func lateDependency() async throws {
        let queue = RequestOperationQueue()
        queue.maxConcurrentOperationCount = 1
        let gate = Gate()
        let operation = Subclassed(gate: gate)
        queue.addOperation(operation)
        // The slot is the operation's, and `start()` has not come to its decision.
        #expect(queue.state.withLock { $0.scheduler.running } == 1)
        let upstream = HTTPRequestOperation.make()
        operation.addDependency(upstream as Operation)
        queue.addOperation(upstream)
        gate.open()
        await operation.completed()
        #expect(upstream.isFinished && operation.isFinished)
        try await eventually("the queue is empty") {
            queue.operationCount == 0 && queue.state.withLock { $0.scheduler.running } == 0
        }
    }

    @Test("The same in a queue of Foundation's")
    func lateDependencyInFoundation() async {
        let gate = Gate()
        let operation = Subclassed(gate: gate)
        OperationQueue().addOperation(operation)
        let upstream = HTTPRequestOperation.make()
        operation.addDependency(upstream as Operation)
        gate.open()
        upstream.start()
        await operation.completed()
        #expect(operation.isFinished)
    }

    enum Start: CaseIterable, Sendable { case inNoQueue, byQueue, byHandInQueue }

    @Test(
        "A dependency that is added to an executing operation does not stop it from resuming",
        arguments: Start.allCases)
    func dependencyWhileExecuting(start: Start) async throws {
        let server = try TestServer()
        let index = Tally()
        server.respondToOthers { _ in index.increment() == 1 ? .stalled() : .ok("x") }
        let operation = HTTPRequestOperation.make(server.url())
        let queue = RequestOperationQueue()
        queue.isSuspended = start == .byHandInQueue
        if start != .inNoQueue { queue.addOperation(operation) }
        if start != .byQueue { operation.start() }
        _ = try await server.nextRequest()
        operation.addDependency(HTTPRequestOperation.make() as Operation)
        operation.pause()
        queue.isSuspended = false
        operation.resume()
        await operation.completed()
        #expect(operation.responseString == "x")
    }

    @Test("Reading isReady changes nothing: value(), resume() and operations go on as before", .needsFoundationState)
    func readiness() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let awaited = HTTPRequestOperation.make(server.url())
        #expect(awaited.isReady)
        #expect(try await awaited.value() as? Data == Data("x".utf8))

        let paused = HTTPRequestOperation.make(server.url())
        paused.pause()
        let restored = try HTTPRequestOperation(archivedData: try paused.archivedData())
        restored.completionQueue = DispatchQueue(label: "test")
        #expect(!restored.isReady)
        restored.resume()
        await restored.completed()
        #expect(restored.responseString == "x")

        let queue = RequestOperationQueue()
        queue.isSuspended = true
        let enqueued = HTTPRequestOperation.make(server.url())
        #expect(enqueued.isReady)
        queue.addOperation(enqueued)
        #expect(queue.operations == [enqueued])
        queue.cancelAllOperations()
        await enqueued.completed()
    }

    @Test("One slow host takes its own share of the slots, and no more")
    func slowHost() async throws {
        let slow = try TestServer()
        let healthy = try TestServer()
        slow.respondToOthers { _ in .stalled() }
        healthy.respondToOthers { _ in .ok("x") }
        let queue = RequestOperationQueue()
        queue.enqueue((0..<200).map { _ in HTTPRequestOperation.make(slow.url()) })
        let operation = HTTPRequestOperation.make(healthy.url())
        let start = ContinuousClock.now
        queue.addOperation(operation)
        await operation.completed()
        #expect(ContinuousClock.now - start < .seconds(5 * Patience.factor))
        #expect(operation.responseString == "x")
        // The usual limit: another test may have lowered it meanwhile.
        #expect(queue.queuedOperations.count(where: \.isExecuting) <= 6)
        queue.cancelAllOperations()
    }

    @Test("A request that was paused with its connection needs no slot of one that waits for a connection")
    func pausedInPlace() async throws {
        let server = try TestServer()
        let gate = Gate()
        let late = ScriptedResponse.ok("x").holding(gate, at: .beforeHead)
        server.respondToOthers { $0.method == "POST" ? late : .ok("x") }
        let limit = NetworkEngine.maximumConnectionsPerHost
        let queue = RequestOperationQueue()
        queue.maxConcurrentOperationCount = limit
        let held = (0..<limit).map { _ in
            HTTPRequestOperation.make(server.url(), method: "POST")
        }
        queue.enqueue(held)
        try await eventually("the server has them") { server.requests.count == limit }
        for operation in held { operation.pause() }
        let others = (0..<limit).map { _ in HTTPRequestOperation.make(server.url()) }
        queue.enqueue(others)
        // They may have been answered already: a transfer that is held lends its place at the host.
        try await eventually("the others have the slots") { others.allSatisfy { $0.isExecuting || $0.isFinished } }
        gate.open()
        for operation in held { operation.resume() }
        for operation in held + others {
            await operation.completed()
            #expect(operation.responseString == "x")
        }
        #expect(server.requests.count == 2 * limit)
    }

    @Test("8 000 upstreams of an operation that is cancelled with them: linear")
    func fanIn() {
        let operation = HTTPRequestOperation.make()
        operation.dependencyFailurePolicy = .cancel
        let upstreams = (0..<8_000).map { _ in HTTPRequestOperation.make() }
        let seconds = processorSeconds {
            for upstream in upstreams { operation.addDependency(upstream as Operation) }
        }
        #expect(seconds < 3 * Patience.factor, "\(seconds) s")
    }

    @Test("Its priority set by another thread while a queue takes an operation in")
    func priorityWhileEntering() async {
        for _ in 0..<300 {
            let queue = RequestOperationQueue()
            queue.isSuspended = true
            let operations = (0..<8).map { _ in HTTPRequestOperation.make() }
            await withTaskGroup { group in
                group.addTask {
                    for operation in operations { queue.addOperation(operation) }
                }
                group.addTask {
                    for operation in operations { operation.queuePriority = .high }
                }
            }
            #expect(queue.operations.count == 8)
            queue.cancelAllOperations()
            #expect(queue.operationCount == 0)
        }
    }
}
