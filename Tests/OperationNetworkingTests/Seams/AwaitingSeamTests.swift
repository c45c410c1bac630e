// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore

/// Awaiting operations that wait for each other, and requests that must not go out twice.
@Suite(.timeLimit(.minutes(1))) struct AwaitingSeamTests {
    @Test(
        "Awaiting an operation and its upstream starts both, and awaiting it alone as well", arguments: [false, true])
    func upstream(awaitsBoth: Bool) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let (upstream, operation) = (HTTPRequestOperation.make(server.url()), HTTPRequestOperation.make(server.url()))
        operation.addDependency(upstream as Operation)
        async let second = operation.value() as? Data
        if awaitsBoth { #expect(try await upstream.value() as? Data == Data("x".utf8)) }
        #expect(try await second == Data("x".utf8))
        #expect(upstream.isFinished)
    }

    @Test("An upstream that is nobody's and not the library's is an error that names it", .needsFoundationState)
    func unstarted() async throws {
        let block = BlockOperation {}
        block.name = "the block"
        let operation = HTTPRequestOperation.make()
        operation.addDependency(block)
        await #expect {
            _ = try await operation.value() as? Data
        } throws: { error in
            "\(error)".contains("the block") && error is OperationDependencyError
        }
        #expect(operation.state == .ready)
        OperationQueue().addOperation(block)
        await #expect(throws: URLError.self) { try await operation.value() as? Data }
    }

    @Test("An upstream that is not the library's and waits in a RequestOperationQueue is waited for")
    func foreignInQueue() async throws {
        let queue = RequestOperationQueue()
        queue.isSuspended = true
        let block = BlockOperation {}
        queue.addOperation(block)
        let operation = HTTPRequestOperation.make()
        operation.addDependency(block)
        let task = Task { try await operation.value() as? Data }
        try await eventually("value() waits") { operation.lock.withLock { !operation._atFinish.isEmpty } }
        queue.isSuspended = false
        await #expect(throws: URLError.self) { try await task.value }
    }

    @Test("start() before the dependencies are met begins the operation when they are")
    func wanted() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let (upstream, operation) = (HTTPRequestOperation.make(server.url()), HTTPRequestOperation.make(server.url()))
        operation.addDependency(upstream as Operation)
        operation.start()
        operation.pause()
        operation.resume()
        #expect(operation.state == .ready)
        upstream.start()
        await operation.completed()
        #expect(operation.responseString == "x")
    }

    @Test(
        "A POST that is paused and resumed reaches the server once, and its response comes", arguments: [false, true])
    func pausedPost(isCancelled: Bool) async throws {
        let server = try TestServer()
        let gate = Gate()
        server.respondToOthers { _ in .ok("0123456789").holding(gate, at: .beforeHead) }
        let operation = HTTPRequestOperation.make(server.url(), method: "POST")
        operation.start()
        _ = try await server.nextRequest()
        operation.pause()
        #expect(operation.isPaused)
        gate.open()
        if isCancelled {
            operation.cancel()
            await operation.completed()
            #expect(operation.isCancelledError)
        } else {
            operation.resume()
            await operation.completed()
            #expect(operation.responseString == "0123456789")
        }
        #expect(server.requests.count <= 1)
    }
}
