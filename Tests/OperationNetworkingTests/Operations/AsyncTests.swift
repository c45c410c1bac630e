// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite(.timeLimit(.minutes(2))) struct AsyncTests {
    private func expectCode(
        _ code: URLError.Code, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: @Sendable () async throws -> Data?
    ) async {
        do {
            _ = try await body()
            Issue.record("no error", sourceLocation: sourceLocation)
        } catch {
            #expect((error as? URLError)?.code == code, "\(error)", sourceLocation: sourceLocation)
        }
    }

    @Test("value() starts an operation that nobody else does, and returns its object")
    func value() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .json("{\"a\": [1, 2]}") }
        let operation = HTTPRequestOperation(request: URLRequest(url: server.url()))
        operation.responseSerializer = JSONResponseSerializer()
        #expect((try await operation.value() as? [String: [Int]]) == ["a": [1, 2]])
        // Again, from the finished operation; no second request.
        #expect((try await operation.value() as? [String: [Int]]) == ["a": [1, 2]])
        #expect(server.requests.count == 1)
    }

    /// Swift holds the task's lock while it does: what ends by the cancellation of two tasks at once would wait for each
    /// other's.
    @Test("Cancelling a task cancels its operation on another thread", arguments: ["value", "bytes", "batch"])
    func cancellingThread(_ face: String) async throws {
        final class Recorder: HTTPRequestOperation, @unchecked Sendable {
            let threads = Locked<[UInt]>([])
            let isCancelling = Gate()

            override func cancel() {
                threads.withLock { $0.append(UInt(pthread_self())) }
                super.cancel()
                isCancelling.open()
            }
        }
        let server = try TestServer()
        server.respondToOthers { _ in .script([.stall]) }
        let operation = Recorder(request: URLRequest(url: server.url()))
        let task = Task {
            switch face {
            case "value": _ = try? await operation.value()
            case "bytes": for try await _ in operation.bytes {}
            default: _ = await OperationBatch([operation]).value()
            }
        }
        try await eventually("the request") { server.requests.count == 1 }
        let canceller = Locked<UInt>(0)
        let isDone = Gate()
        Thread.detachNewThread {
            canceller.withLock { $0 = UInt(pthread_self()) }
            task.cancel()
            isDone.open()
        }
        await isDone.wait()
        await operation.isCancelling.wait()
        _ = await task.result
        #expect(operation.isFinished && operation.isCancelled)
        let thread = canceller.withLock { $0 }
        #expect(operation.threads.withLock { !$0.isEmpty && !$0.contains(thread) })
    }

    @Test("value() does not start what is in a queue, of either kind", arguments: [false, true])
    func enqueued(isOurs: Bool) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let queue = isOurs ? RequestOperationQueue() : OperationQueue()
        queue.isSuspended = true
        let operation = HTTPRequestOperation.make(server.url())
        queue.addOperation(operation)
        let task = Task { try await operation.value() as? Data }
        try await eventually("value() waits") { operation.lock.withLock { !operation._atFinish.isEmpty } }
        // What it does next, in case it has not come to that.
        try operation.startIfUnclaimed()
        #expect(operation.state == .ready && server.connectionCount == 0)
        queue.isSuspended = false
        #expect(try await task.value == Data("x".utf8))
    }

    @Test("value() of an operation that waits for a batch starts the batch, if nobody has put it into a queue")
    func upstreamBatch() async throws {
        let server = try TestServer()
        server.respondToOthers { .ok($0.path) }
        let members = ["/a", "/b"].map { HTTPRequestOperation.make(server.url($0)) }
        let all = URLConnectionOperation.batchOfRequestOperations(members, progressBlock: nil, completionBlock: nil)
        let last = try #require(all.last)
        let operation = HTTPRequestOperation.make(server.url("/after"))
        operation.addDependency(last)
        #expect((try await operation.value() as? Data) == Data("/after".utf8))
        #expect(last.isFinished && members.allSatisfy { $0.error == nil && $0.isFinished })
    }

    @Test("value() throws the operation's error: the transport's, or the serializer's")
    func failures() async throws {
        let server = try TestServer()
        await expectCode(.unsupportedURL) { try await HTTPRequestOperation.make().value() as? Data }
        await #expect(throws: ResponseSerializationError.self) {
            try await HTTPRequestOperation.make(server.url("/missing")).value() as? Data
        }
    }

    @Test("Several tasks may wait for one operation")
    func several() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let operation = HTTPRequestOperation.make(server.url())
        let results = try await withThrowingTaskGroup(of: Data?.self) { group in
            for _ in 0..<50 { group.addTask { try await operation.value() as? Data } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results == Array(repeating: Data("x".utf8), count: 50))
        #expect(server.requests.count == 1)
    }

    @Test("decoded() decodes the content, and says where it cannot")
    func decoded() async throws {
        struct Item: Decodable, Equatable, Sendable { var id: Int }
        let server = try TestServer()
        server.respond(to: "/good", .json("{\"id\": 7}"))
        server.respond(to: "/bad", .json("{\"id\": \"seven\"}"))
        #expect(try await HTTPRequestOperation.make(server.url("/good")).decoded(Item.self) == Item(id: 7))
        do {
            _ = try await HTTPRequestOperation.make(server.url("/bad")).decoded(Item.self)
            Issue.record("decoded a string as a number")
        } catch let error as ResponseSerializationError {
            #expect(error.underlyingError is DecodingError)
            #expect(error.data == Data("{\"id\": \"seven\"}".utf8))
        }
        await #expect(throws: ResponseSerializationError.self) {
            try await HTTPRequestOperation.make(server.url("/missing")).decoded(Item.self)
        }
    }

    @Test("Cancelling the task cancels the operation, wherever it is")
    func cancel() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("0123456789").ending(.stall, afterBodyBytes: 5) }
        let running = HTTPRequestOperation.make(server.url())
        let task = Task { try await running.value() as? Data }
        try await eventually { running.response != nil }
        task.cancel()
        await expectCode(.cancelled) { try await task.value }
        #expect(running.isCancelled)

        let paused = HTTPRequestOperation.make(server.url())
        paused.pause()
        let other = Task { try await paused.value() as? Data }
        other.cancel()
        await expectCode(.cancelled) { try await other.value }

        let suspended = RequestOperationQueue()
        suspended.isSuspended = true
        let queued = HTTPRequestOperation.make(server.url())
        suspended.addOperation(queued)
        let third = Task { try await queued.value() as? Data }
        third.cancel()
        await expectCode(.cancelled) { try await third.value }
    }

    @Test("A task that was cancelled before it asks gets the error at once, without a connection")
    func cancelledBefore() async throws {
        let server = try TestServer()
        let operation = HTTPRequestOperation.make(server.url())
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await operation.value() as? Data
        }
        task.cancel()
        await expectCode(.cancelled) { try await task.value }
        #expect(server.connectionCount == 0)
    }

    @Test("Waiting for an operation in a suspended queue, cancelled before it was asked for: ends")
    func cancelledOperation() async throws {
        let operation = HTTPRequestOperation.make()
        operation.cancel()
        await expectCode(.cancelled) { try await operation.value() as? Data }
    }

    @Test("Cancelled at random moments, thousands of times: every continuation is resumed, once")
    func random() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let rounds = Stress.rounds(4000)
        let outcomes = Locked<[Int]>([0, 0, 0])
        for batch in 0..<(rounds / 100) {
            await withTaskGroup(of: Void.self) { group in
                for index in 0..<100 {
                    group.addTask {
                        var random = SeededRandom(seed: UInt64(batch * 100 + index))
                        let isReal = index % 10 == 0
                        let operation = HTTPRequestOperation.make(isReal ? server.url() : unsupportedURL)
                        let yields = Int.random(in: 0..<20, using: &random)
                        let isPaused = Int.random(in: 0..<4, using: &random) == 0
                        if isPaused { operation.pause() }
                        let task = Task { try await operation.value() as? Data }
                        for _ in 0..<yields { await Task.yield() }
                        if isPaused || index % 2 == 0 { task.cancel() }
                        do {
                            _ = try await task.value
                            outcomes.withLock { $0[0] += 1 }
                        } catch {
                            let isCancelled = (error as? URLError)?.code == .cancelled
                            outcomes.withLock { $0[isCancelled ? 1 : 2] += 1 }
                        }
                    }
                }
            }
        }
        let counts = outcomes.withLock { $0 }
        #expect(counts.reduce(0, +) == rounds / 100 * 100)
        #expect(counts.allSatisfy { $0 > 0 }, "\(counts)")
    }
}
