// SPDX-License-Identifier: MIT
import Foundation
import NetworkingTransport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite(.timeLimit(.minutes(1))) struct DependencyTests {
    @Test("An edge to itself ends the operation with an error that names it; nothing hangs", arguments: [false, true])
    func selfEdge(isOurs: Bool) async {
        let operation = HTTPRequestOperation.make()
        operation.name = "alone"
        operation.addDependency(operation as Operation)
        (isOurs ? RequestOperationQueue() : OperationQueue()).addOperation(operation)
        await operation.completed()
        #expect((operation.error as? OperationDependencyError)?.path == ["alone", "alone"])
        #expect(operation.dependencies.isEmpty)
    }

    @Test(
        "The edge that closes a cycle is not built: its operation ends with the cycle in the error",
        arguments: [false, true])
    func cycle(isOurs: Bool) async {
        let operations = (0..<3).map { index in
            let operation = HTTPRequestOperation.make()
            operation.name = "\(index)"
            return operation
        }
        operations[1].addDependency(operations[0] as Operation)
        operations[2].addDependency(operations[1] as Operation)
        operations[0].addDependency(operations[2] as Operation)
        let queue = isOurs ? RequestOperationQueue() : OperationQueue()
        queue.enqueue(operations)
        for operation in operations { await operation.completed() }
        #expect((operations[0].error as? OperationDependencyError)?.path == ["0", "2", "1", "0"])
        #expect(operations.dropFirst().allSatisfy { ($0.error as? URLError)?.code == .unsupportedURL })
    }

    @Test("Whoever sees an operation finished finds its dependants ready, and may start them by hand")
    func readiness() async {
        let (upstream, dependant) = (HTTPRequestOperation.make(), HTTPRequestOperation.make())
        dependant.addDependency(upstream as Operation)
        let observation = upstream.observeState { _, new in
            guard new == .finished else { return }
            #expect(dependant.isReady)
            dependant.start()
        }
        #expect(!dependant.isReady)
        upstream.start()
        await dependant.completed()
        #expect(dependant.isFinished)
        observation.invalidate()
    }

    @Test("A subclass is started off the network thread by the end of what it waited for", arguments: [false, true])
    func subclassStart(cancels: Bool) async throws {
        final class Watched: HTTPRequestOperation, @unchecked Sendable {
            let onNetworkThread = Recorder<Bool>()
            override func start() {
                onNetworkThread.append(TransportEngine.shared.isCurrentThread)
                super.start()
            }
        }
        let server = try TestServer()
        server.respondToOthers { _ in cancels ? .script([.close]) : .ok("x") }
        let upstream = HTTPRequestOperation.make(server.url(), method: "POST")
        let operation = Watched(request: URLRequest(url: server.url("/next")))
        operation.completionQueue = DispatchQueue(label: "test")
        operation.dependencyFailurePolicy = cancels ? .cancel : .run
        operation.addDependency(upstream as Operation)
        operation.start()
        upstream.start()
        try await eventually("the end") { operation.isFinished }
        let threads = operation.onNetworkThread.values
        #expect(threads.count > 1 && !threads.contains(true))
        #expect(operation.isCancelledError == cancels)
    }

    @Test("The last upstream ends while a queue of Foundation's takes the dependant in: it is started")
    func endWhileEnqueueing() async {
        /// Does something after it answered that it is not ready.
        final class Crossing: HTTPRequestOperation, @unchecked Sendable {
            let afterNo = Recorder<@Sendable () -> Void>()
            override var isReady: Bool {
                let isReady = super.isReady
                let actions = afterNo.values
                if !isReady, !actions.isEmpty {
                    afterNo.removeAll()
                    for action in actions { action() }
                }
                return isReady
            }
        }
        // Many rounds: the end may come at any moment of the taking in.
        for round in 0..<2000 {
            let upstream = HTTPRequestOperation.make()
            let dependant = Crossing(request: URLRequest(url: unsupportedURL))
            dependant.completionQueue = DispatchQueue(label: "test")
            dependant.addDependency(upstream as Operation)
            dependant.afterNo.append {
                DispatchQueue.global().async { upstream.start() }
                // Not a wait for anything: it shifts the moment.
                for _ in 0..<round % 200 * 4 { _ = upstream.isCancelled }
            }
            OperationQueue().addOperation(dependant)
            await dependant.completed()
            #expect(upstream.isFinished && dependant.isFinished)
        }
    }

    @Test("Edges in opposite directions from two threads: one of them is refused, and nothing hangs")
    func opposite() async {
        for _ in 0..<300 {
            let pair = [HTTPRequestOperation.make(), HTTPRequestOperation.make()]
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                pair[index].addDependency(pair[1 - index] as Operation)
            }
            #expect(pair.map(\.dependencies.count).reduce(0, +) == 1)
            let queue = RequestOperationQueue()
            queue.enqueue(pair)
            for operation in pair { await operation.completed() }
            #expect(pair.filter { $0.error is OperationDependencyError }.count == 1)
        }
    }

    @Test(
        "A dependant that nobody holds or enqueues outlives its upstream's end, in both kinds of queue",
        arguments: [false, true])
    func unqueuedDependant(isOurs: Bool) async throws {
        let queue = isOurs ? RequestOperationQueue() : OperationQueue()
        for _ in 0..<200 {
            let upstream = HTTPRequestOperation.make()
            do {
                let dependent = HTTPRequestOperation.make()
                dependent.addDependency(upstream as Operation)
            }
            queue.addOperation(upstream)
            await upstream.completed()
            #expect(upstream.isFinished)
        }
    }

    @Test("A dependant enqueued only after its upstream started is kept alive and runs")
    func lateDependant() async throws {
        let server = try TestServer()
        let gate = Gate()
        server.respond(to: "/upstream", .ok("u").holding(gate, at: .beforeHead))
        server.respond(to: "/dependent", .ok("d"))
        let upstream = HTTPRequestOperation.make(server.url("/upstream"))
        weak var weakDependent: HTTPRequestOperation?
        do {
            let dependent = HTTPRequestOperation.make(server.url("/dependent"))
            dependent.addDependency(upstream as Operation)
            weakDependent = dependent
        }
        upstream.start()
        let dependent = HTTPRequestOperation.make(server.url("/dependent"))
        dependent.addDependency(upstream as Operation)
        RequestOperationQueue().addOperation(dependent)
        #expect(!dependent.isReady)
        gate.open()
        await dependent.completed()
        #expect(dependent.responseString == "d")
        try await eventually("the other dependant is released") { weakDependent == nil }
    }

    @Test(
        "A finished upstream is an edge that is met; edges can be taken back",
        // Who has been asked whether it is ready, and is not, counts as a queue's without it.
        .enabled(if: FoundationState.isReadable, "Foundation's record cannot be read"))
    func metAndRemoved() async {
        let upstream = HTTPRequestOperation.make()
        await upstream.run()
        let operation = HTTPRequestOperation.make()
        operation.addDependency(upstream as Operation)
        #expect(operation.isReady && operation.dependencies == [upstream])
        let open = HTTPRequestOperation.make()
        operation.addDependency(open as Operation)
        operation.start()
        #expect(!operation.isReady && operation.state == .ready)
        operation.removeDependency(open)
        // It was asked to start before it could.
        await operation.completed()
        #expect(operation.dependencies.isEmpty)
    }

    @Test("What is added to an operation that has begun and is paused closes no cycle: it goes on to its end")
    func addedWhilePaused() async throws {
        let server = try TestServer()
        let index = Tally()
        server.respondToOthers { _ in index.increment() == 1 ? .stalled() : .ok("x") }
        let first = HTTPRequestOperation.make(server.url())
        let second = HTTPRequestOperation.make(server.url())
        first.start()
        _ = try await server.nextRequest()
        first.pause()
        second.addDependency(first as Operation)
        first.addDependency(second as Operation)
        first.resume()
        await first.completed()
        #expect(first.error == nil && first.responseString == "x")
        await second.run()
        #expect(second.error == nil && second.responseString == "x")
    }

    @Test("Started by hand too early, and then put into a suspended queue of Foundation's: begins there, in its time")
    func startedThenEnqueued() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let (upstream, operation) = (HTTPRequestOperation.make(), HTTPRequestOperation.make(server.url()))
        let endings = Endings(operation)
        operation.addDependency(upstream as Operation)
        operation.start()
        // In no queue: begins when the upstream has ended, after what was said of the other one.
        let next = HTTPRequestOperation.make()
        next.addDependency(upstream as Operation)
        next.start()
        let queue = OperationQueue()
        queue.isSuspended = true
        queue.addOperation(operation)
        upstream.start()
        await next.completed()
        #expect(operation.state == .ready && queue.operationCount == 1 && server.requests.isEmpty)
        queue.isSuspended = false
        await operation.completed()
        await endings.reached()
        #expect(operation.responseString == "x" && server.requests.count == 1)
        #expect(endings.finishes.value == 1 && endings.completions.value == 1)
        try await eventually { queue.operationCount == 0 }
    }

    @Test("A finished operation holds neither its upstreams nor their data")
    func releasesUpstreams() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in ScriptedResponse(body: .pattern(count: 100_000)) }
        weak var weakUpstream: HTTPRequestOperation?
        let operation = HTTPRequestOperation.make(server.url())
        let queue = RequestOperationQueue()
        do {
            let upstream = HTTPRequestOperation.make(server.url())
            operation.addDependency(upstream) { upstream, request in
                request.setValue("\(upstream.responseData?.count ?? 0)", forHTTPHeaderField: "X-Upstream")
            }
            weakUpstream = upstream
            queue.enqueue([upstream, operation])
        }
        await operation.completed()
        #expect(server.requests.last?["X-Upstream"] == "100000")
        #expect(operation.dependencies.isEmpty)
        try await eventually { weakUpstream == nil }
    }

    @Test("A released chain of 100 000 operations does not overflow the stack", arguments: [false, true])
    func longChain(prepares: Bool) {
        var last: HTTPRequestOperation? = HTTPRequestOperation.make()
        weak let first = last
        for _ in 0..<100_000 {
            let next = HTTPRequestOperation.make(completionQueue: .main)
            if let last, prepares {
                next.addDependency(last) { _, _ in }
            } else if let last {
                next.addDependency(last as Operation)
            }
            last = next
        }
        #expect(first != nil)
        last = nil
        #expect(first == nil)
    }

    @Test("A chain of 20 000 operations that end at once runs through our queue", arguments: [false, true])
    func chainRuns(isCancelled: Bool) async {
        let queue = RequestOperationQueue()
        let delivery = DispatchQueue(label: "chain")
        var operations: [HTTPRequestOperation] = []
        for index in 0..<20_000 {
            let operation = HTTPRequestOperation.make(completionQueue: delivery)
            if let last = operations.last { operation.addDependency(last as Operation) }
            if isCancelled, index > 0 { operation.dependencyFailurePolicy = .cancel }
            operations.append(operation)
        }
        queue.enqueue(operations)
        for operation in operations { await operation.completed() }
        #expect(operations.allSatisfy { $0.isFinished && $0.isCancelled == (isCancelled && $0 !== operations[0]) })
    }

    @Test("A dependency that comes after a queue of Foundation's has decided neither counts nor blocks the queue")
    func afterDecision() async throws {
        final class Late: HTTPRequestOperation, @unchecked Sendable {
            nonisolated(unsafe) weak var upstream: HTTPRequestOperation?
            nonisolated(unsafe) var prepare: (@Sendable () -> Void)?
            override func start() {
                if let upstream, let prepare { addDependency(upstream) { _, _ in prepare() } }
                super.start()
            }
        }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let upstream = HTTPRequestOperation.make()
        let operation = Late(request: URLRequest(url: unsupportedURL))
        operation.completionQueue = upstream.completionQueue
        operation.upstream = upstream
        let calls = Tally()
        operation.prepare = { calls.increment() }
        queue.enqueue([operation])
        await operation.completed()
        #expect(!upstream.isFinished && calls.value == 0)
        // The one place in the queue is free again.
        queue.enqueue([upstream])
        await upstream.completed()
        #expect(operation.errorCode == URLError.unsupportedURL.rawValue)
    }
}
