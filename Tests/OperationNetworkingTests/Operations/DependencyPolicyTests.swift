// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite(.timeLimit(.minutes(1))) struct DependencyPolicyTests {
    @Test("By default a dependant runs whatever became of its upstream")
    func run() async throws {
        let server = try TestServer()
        server.respond(to: "/ok", .ok("x"))
        for isCancelled in [false, true] {
            let upstream = HTTPRequestOperation.make(server.url("/missing"))
            let operation = HTTPRequestOperation.make(server.url("/ok"))
            #expect(operation.dependencyFailurePolicy == .run)
            operation.addDependency(upstream as Operation)
            if isCancelled { upstream.cancel() }
            RequestOperationQueue().enqueue([upstream, operation])
            await operation.completed()
            #expect(operation.responseString == "x")
        }
    }

    @Test(
        "With .cancel the failure goes down the chain, each error over the one before, and takes no slot",
        arguments: [false, true])
    func cascade(isSetLate: Bool) async throws {
        let server = try TestServer()
        let gate = Gate()
        server.respond(to: "/fails", ScriptedResponse(status: 500).holding(gate, at: .beforeHead))
        server.respond(to: "/slow", .stalled())
        let queue = RequestOperationQueue()
        queue.maxConcurrentOperationCount = 2
        let failing = HTTPRequestOperation.make(server.url("/fails"))
        let slow = (0..<2).map { _ in HTTPRequestOperation.make(server.url("/slow")) }
        var chain = [failing]
        for index in 1...5 {
            let operation = HTTPRequestOperation.make(server.url("/chain\(index)"))
            if !isSetLate { operation.dependencyFailurePolicy = .cancel }
            operation.addDependency(chain[index - 1] as Operation)
            if isSetLate { operation.dependencyFailurePolicy = .cancel }
            chain.append(operation)
        }
        queue.enqueue([slow[0], failing, slow[1]] + chain.dropFirst())
        gate.open()
        for operation in chain { await operation.completed() }
        for (upstream, operation) in zip(chain, chain.dropFirst()) {
            #expect(operation.isCancelled && operation.isCancelledError)
            let underlying = operation.underlyingError
            #expect(underlying?.code == upstream.errorCode)
        }
        #expect(failing.error is ResponseSerializationError)
        #expect(!server.requests.contains { $0.path.hasPrefix("/chain") })
        for operation in slow { operation.cancel() }
        for operation in slow { await operation.completed() }
    }

    @Test("With .cancel a failed upstream cancels a dependant in a queue of Foundation's, and an un-enqueued one")
    func elsewhere() async throws {
        let upstream = HTTPRequestOperation.make()
        let (queued, loose) = (HTTPRequestOperation.make(), HTTPRequestOperation.make())
        for operation in [queued, loose] {
            operation.dependencyFailurePolicy = .cancel
            operation.addDependency(upstream as Operation)
        }
        OperationQueue().enqueue([queued, upstream])
        await queued.completed()
        #expect(queued.isCancelled && queued.isCancelledError)
        try await eventually { loose.isCancelled }
        #expect(!loose.isFinished)
        await loose.run()
        #expect(loose.isCancelledError)
    }

    @Test("Set, or added, after the upstream failed: cancels as well")
    func afterwards() async {
        let upstream = HTTPRequestOperation.make()
        await upstream.run()
        let (set, added) = (HTTPRequestOperation.make(), HTTPRequestOperation.make())
        set.addDependency(upstream as Operation)
        set.dependencyFailurePolicy = .cancel
        added.dependencyFailurePolicy = .cancel
        added.addDependency(upstream as Operation)
        for operation in [set, added] {
            await operation.run()
            #expect(operation.isCancelled && operation.isCancelledError)
        }
    }

    @Test("What is added once the operation has begun does not cancel it", arguments: [false, true])
    func afterBeginning(isOpenThen: Bool) async throws {
        let server = try TestServer()
        let gate = Gate()
        server.respondToOthers { _ in .ok("x").holding(gate, at: .beforeHead) }
        let (upstream, operation) = (HTTPRequestOperation.make(), HTTPRequestOperation.make(server.url()))
        operation.dependencyFailurePolicy = .cancel
        operation.start()
        _ = try await server.nextRequest()
        if !isOpenThen { await upstream.run() }
        operation.addDependency(upstream as Operation)
        if isOpenThen { await upstream.run() }
        #expect(upstream.error != nil && !operation.isCancelled)
        gate.open()
        await operation.completed()
        #expect(operation.error == nil && operation.responseString == "x")
    }

    @Test("The policy itself, set once the operation has begun, does not cancel it")
    func setAfterBeginning() async throws {
        let server = try TestServer()
        let gate = Gate()
        server.respondToOthers { _ in .ok("x").holding(gate, at: .beforeHead) }
        let (upstream, operation) = (HTTPRequestOperation.make(), HTTPRequestOperation.make(server.url()))
        operation.addDependency(upstream as Operation)
        await upstream.run()
        operation.start()
        _ = try await server.nextRequest()
        operation.dependencyFailurePolicy = .cancel
        #expect(upstream.error != nil && !operation.isCancelled)
        gate.open()
        await operation.completed()
        #expect(operation.error == nil && operation.responseString == "x")
    }

    @Test(
        "A bare value that a decoder has of an upstream is no failure; what is no JSON is",
        arguments: [("\"abc\"", true), ("nonsense", false)])
    func decodedUpstream(content: String, isValue: Bool) async throws {
        let server = try TestServer()
        server.respond(to: "/login", .json(content))
        server.respond(to: "/", .ok("x"))
        let (login, operation) = (
            HTTPRequestOperation.make(server.url("/login")), HTTPRequestOperation.make(server.url())
        )
        login.responseSerializer = JSONResponseSerializer()
        operation.dependencyFailurePolicy = .cancel
        operation.addDependency(login as Operation)
        let queue = RequestOperationQueue()
        queue.enqueue([operation])
        async let token = login.decoded(String.self)
        let value = try? await token
        #expect(value == (isValue ? "abc" : nil))
        await operation.completed()
        #expect(operation.isCancelledError == !isValue && (operation.responseString == "x") == isValue)
    }

    @Test("A foreign upstream that was cancelled counts as failed; one that ran does not", arguments: [false, true])
    func foreign(isCancelled: Bool) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let queue = RequestOperationQueue()
        let block = BlockOperation {}
        let operation = HTTPRequestOperation.make(server.url())
        operation.dependencyFailurePolicy = .cancel
        operation.addDependency(block)
        if isCancelled { block.cancel() }
        queue.enqueue([block, operation])
        await operation.completed()
        #expect(operation.isCancelledError == isCancelled)
        #expect(server.requests.count == (isCancelled ? 0 : 1))
    }

    @Test("An upstream that succeeded does not cancel")
    func success() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let (upstream, operation) = (HTTPRequestOperation.make(server.url()), HTTPRequestOperation.make(server.url()))
        operation.dependencyFailurePolicy = .cancel
        operation.addDependency(upstream as Operation)
        RequestOperationQueue().enqueue([operation, upstream])
        await operation.completed()
        #expect(operation.error == nil && operation.responseString == "x")
    }

    @Test("Neither the start of a long chain in no queue nor a failure that passes down it needs a deep stack")
    func longChains() async {
        for policy in [DependencyFailurePolicy.run, .cancel] {
            let chain = (0..<4000).map { _ in HTTPRequestOperation.make() }
            for (upstream, operation) in zip(chain, chain.dropFirst()) {
                operation.dependencyFailurePolicy = policy
                operation.addDependency(upstream as Operation)
            }
            for operation in chain.reversed() { operation.start() }
            for operation in chain { await operation.finished() }
            #expect(chain.dropFirst().allSatisfy { $0.isCancelledError == (policy == .cancel) })
            var depth = 0
            var error = chain.last?.error as NSError?
            while let cause = error?.underlying {
                error = cause
                depth += 1
            }
            #expect(depth < 100)
        }
    }
}
