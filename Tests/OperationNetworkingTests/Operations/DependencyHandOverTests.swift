// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import OperationNetworkingCore

@Suite(.timeLimit(.minutes(1))) struct DependencyHandOverTests {
    @Test("The blocks edit the request from the upstreams' results, in order, off the network thread")
    func edits() async throws {
        let server = try TestServer()
        server.respond(to: "/token", .ok("secret"))
        server.respond(to: "/id", .ok("42"))
        server.respondToOthers { .ok("\($0["Authorization"] ?? "") \($0.path)") }
        let (token, id) = (
            HTTPRequestOperation.make(server.url("/token")), HTTPRequestOperation.make(server.url("/id"))
        )
        let operation = HTTPRequestOperation.make(server.url("/items"))
        let log = Recorder<String>()
        operation.addDependency(token) { upstream, request in
            log.append("token")
            request.setValue("Bearer \(upstream.responseString ?? "")", forHTTPHeaderField: "Authorization")
        }
        operation.addDependency(id) { upstream, request in
            log.append("id")
            request.url = request.url?.appendingPathComponent(upstream.responseString ?? "")
        }
        RequestOperationQueue().enqueue([operation, token, id])
        await operation.completed()
        #expect(operation.responseString == "Bearer secret /items/42")
        #expect(operation.request.url?.path == "/items/42")
        #expect(log.values == ["token", "id"])
    }

    @Test("The hand-over works in a queue of Foundation's, and by hand", arguments: [false, true])
    func plainQueue(byHand: Bool) async throws {
        let server = try TestServer()
        server.respondToOthers { .ok($0["X"] ?? "none") }
        let (upstream, operation) = (HTTPRequestOperation.make(server.url()), HTTPRequestOperation.make(server.url()))
        operation.addDependency(upstream) { upstream, request in
            request.setValue(upstream.responseString, forHTTPHeaderField: "X")
        }
        if byHand {
            // Begins when the upstream has ended.
            operation.start()
            #expect(operation.state == .ready)
            await upstream.run()
        } else {
            OperationQueue().enqueue([operation, upstream])
        }
        await operation.completed()
        #expect(operation.responseString == "none")
        #expect(server.requests.last?["X"] == "none")
    }

    @Test("An error that a block throws is the operation's, and later blocks do not run")
    func throwing() async throws {
        struct Refusal: Error, Equatable {}
        let server = try TestServer()
        let (upstream, operation) = (HTTPRequestOperation.make(), HTTPRequestOperation.make(server.url()))
        let endings = Endings(operation)
        let later = Tally()
        operation.addDependency(upstream) { upstream, _ in
            #expect((upstream.error as? URLError)?.code == .unsupportedURL)
            throw Refusal()
        }
        operation.addDependency(upstream) { _, _ in later.increment() }
        RequestOperationQueue().enqueue([operation, upstream])
        await operation.completed()
        #expect(operation.error as? Refusal == Refusal())
        #expect(later.value == 0 && server.connectionCount == 0)
        await endings.reached()
        #expect(endings.finishes.value == 1 && endings.completions.value == 1)
    }

    @Test("Cancelled while a block runs: ends at once, and nothing is sent")
    func cancelled() async throws {
        let server = try TestServer()
        let (upstream, operation) = (HTTPRequestOperation.make(), HTTPRequestOperation.make(server.url()))
        let endings = Endings(operation)
        let (entered, gate, left) = (Gate(), Gate(), Gate())
        operation.addDependency(upstream) { _, _ in
            entered.open()
            _ = gate.wait(timeout: 10)
            left.open()
        }
        RequestOperationQueue().enqueue([operation, upstream])
        await entered.wait()
        operation.cancel()
        await operation.completed()
        #expect(operation.isCancelledError)
        gate.open()
        await left.wait()
        await endings.reached()
        #expect(endings.finishes.value == 1 && endings.completions.value == 1 && server.connectionCount == 0)
    }

    @Test("Paused and resumed while a block runs: the block runs once, one request is sent")
    func paused() async throws {
        let server = try TestServer()
        server.respondToOthers { .ok($0["X"] ?? "") }
        let (upstream, operation) = (HTTPRequestOperation.make(), HTTPRequestOperation.make(server.url()))
        let endings = Endings(operation)
        let calls = Tally()
        let (entered, gate) = (Gate(), Gate())
        operation.addDependency(upstream) { _, request in
            calls.increment()
            entered.open()
            _ = gate.wait(timeout: 10)
            request.setValue("edited", forHTTPHeaderField: "X")
        }
        RequestOperationQueue().enqueue([operation, upstream])
        await entered.wait()
        operation.pause()
        operation.resume()
        operation.pause()
        operation.resume()
        try await eventually { operation.isExecuting }
        gate.open()
        await operation.completed()
        #expect(calls.value == 1)
        #expect(operation.responseString == "edited")
        #expect(server.requests.count == 1)
        await endings.reached()
        #expect(endings.finishes.value == 1 && endings.completions.value == 1)
    }

    @Test("A block that throws while the operation is paused ends it when it is resumed")
    func throwingWhilePaused() async throws {
        struct Refusal: Error {}
        let (upstream, operation) = (HTTPRequestOperation.make(), HTTPRequestOperation.make())
        let (entered, gate) = (Gate(), Gate())
        let calls = Tally()
        operation.addDependency(upstream) { _, _ in
            calls.increment()
            entered.open()
            _ = gate.wait(timeout: 10)
            throw Refusal()
        }
        RequestOperationQueue().enqueue([operation, upstream])
        await entered.wait()
        operation.pause()
        gate.open()
        try await eventually { operation.isPaused }
        operation.resume()
        await operation.completed()
        #expect(operation.error is Refusal)
        #expect(calls.value == 1)
    }

    @Test("A block that closes a cycle is not run")
    func cycle() async {
        let (first, second) = (HTTPRequestOperation.make(), HTTPRequestOperation.make())
        let calls = Tally()
        first.addDependency(second as Operation)
        second.addDependency(first) { _, _ in calls.increment() }
        RequestOperationQueue().enqueue([first, second])
        await second.completed()
        await first.completed()
        #expect(second.error is OperationDependencyError && calls.value == 0)
    }

    @Test("An operation that begins while a dependency is added does not run its block: the upstream has no result")
    func begunMeanwhile() async throws {
        /// Begins when there is a block, and no edge yet.
        final class Hasty: HTTPRequestOperation, @unchecked Sendable {
            override func addDependency(_ operation: Operation) {
                start()
                super.addDependency(operation)
            }
        }
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let upstream = HTTPRequestOperation.make(server.url())
        let operation = Hasty(request: URLRequest(url: server.url()))
        operation.completionQueue = upstream.completionQueue
        let calls = Tally()
        operation.addDependency(upstream) { _, _ in calls.increment() }
        await operation.completed()
        #expect(operation.error == nil && calls.value == 0)
    }
}
