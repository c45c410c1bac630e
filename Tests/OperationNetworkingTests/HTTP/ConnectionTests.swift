// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("Connections", .timeLimit(.minutes(2)), .serialized) struct ConnectionTests {
    private func run(_ count: Int, on server: TestServer) async {
        let operations = (0..<count).map { _ in HTTPRequestOperation(server.url("/")) }
        await withTaskGroup(of: String?.self) { group in
            for operation in operations { group.addTask { await operation.outcome().text } }
            for await text in group { #expect(text == "ok") }
        }
    }

    @Test("Forty requests to one host share at most six connections")
    func six() async throws {
        let server = try TestServer()
        server.respond(to: "/", ScriptedResponse.ok("ok").waiting(0.02, at: .beforeHead))
        await run(40, on: server)
        #expect(server.maximumSimultaneousConnections <= 6)
        #expect(server.requests.count == 40)
    }

    @Test("NetworkEngine.maximumConnectionsPerHost is honoured, and is at least 1")
    func setting() async throws {
        let before = NetworkEngine.maximumConnectionsPerHost
        defer { NetworkEngine.maximumConnectionsPerHost = before }
        #expect(before == 6)
        let server = try TestServer()
        server.respond(to: "/", ScriptedResponse.ok("ok").waiting(0.02, at: .beforeHead))
        NetworkEngine.maximumConnectionsPerHost = 2
        await run(12, on: server)
        #expect(server.maximumSimultaneousConnections == 2)
        NetworkEngine.maximumConnectionsPerHost = 0
        #expect(NetworkEngine.maximumConnectionsPerHost == 1)
    }

    @Test("What waits in a queue for a connection to its host begins as soon as more are allowed")
    func raisedWhileWaiting() async throws {
        let before = NetworkEngine.maximumConnectionsPerHost
        defer { NetworkEngine.maximumConnectionsPerHost = before }
        let server = try TestServer()
        let gate = Gate()
        server.respond(to: "/", ScriptedResponse.ok("ok").holding(gate, at: .beforeHead))
        NetworkEngine.maximumConnectionsPerHost = 2
        let operations = (0..<6).map { _ in HTTPRequestOperation.make(server.url("/")) }
        let queue = RequestOperationQueue()
        queue.enqueue(operations)
        try await eventually("two requests") { server.requests.count == 2 }
        NetworkEngine.maximumConnectionsPerHost = 6
        try await eventually("six requests") { server.requests.count == 6 }
        gate.open()
        for operation in operations {
            await operation.completed()
            #expect(operation.responseString == "ok")
        }
    }

    @Test("What waits in a queue for its host begins as soon as that is known to speak HTTP/2")
    func learnedHTTP2() async throws {
        let server = try HTTP2Server.start()
        defer { server.stop() }
        let operations = (0..<10).map { _ in
            let operation = HTTPRequestOperation.make(server.url("/ten"))
            operation.httpVersionPreference = .http2PriorKnowledge
            return operation
        }
        let queue = RequestOperationQueue()
        queue.enqueue(operations)
        try await eventually("ten requests") { server.log.count == 10 }
        for operation in operations {
            await operation.completed()
            #expect(operation.metrics?.httpVersion == "2", "\(String(describing: operation.error))")
        }
    }

    @Test("A connection is used again, and the metrics say so")
    func reuse() async throws {
        let server = try TestServer()
        server.respond(to: "/", .ok("ok"))
        let policy = try SecurityPolicy.ownPool()
        var reused: [Bool] = []
        for _ in 0..<5 {
            let operation = HTTPRequestOperation(server.url("/"))
            operation.securityPolicy = policy
            _ = await operation.outcome()
            reused.append(operation.metrics?.reusedConnection ?? false)
        }
        #expect(reused == [false, true, true, true, true])
        #expect(server.connectionCount == 1)
    }

    @Test("A connection that the server closed meanwhile is replaced without an error")
    func stale() async throws {
        let server = try TestServer()
        server.respond(to: "/", .ok("ok"))
        for _ in 0..<3 {
            #expect(await HTTPRequestOperation(server.url("/")).outcome().text == "ok")
            server.closeConnections()
        }
        #expect(
            await HTTPRequestOperation(server.url("/"), method: "POST", body: Data("x".utf8)).outcome().text == "ok")
        #expect(server.connectionCount == 4)
    }

    @Test("Hosts do not share the limit: a host that is busy holds up no other")
    func hosts() async throws {
        let busy = try TestServer()
        let idle = try TestServer()
        let gate = Gate()
        busy.respond(to: "/", ScriptedResponse.ok("ok").holding(gate, at: .beforeHead))
        idle.respond(to: "/", .ok("ok"))
        async let held: Void = run(20, on: busy)
        try await eventually("six requests") { busy.requests.count == 6 }
        await run(20, on: idle)
        #expect(busy.requests.count == 6)
        gate.open()
        await held
    }
}
