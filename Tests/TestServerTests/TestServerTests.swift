// SPDX-License-Identifier: MIT
import Foundation
import Testing

@testable import TestServer

@Suite(.timeLimit(.minutes(1))) struct TestServerTests {
    private let get = "GET /x HTTP/1.1\r\nHost: h\r\n\r\n"

    @Test("Two requests on one connection are answered and recorded in order")
    func keepAlive() async throws {
        let server = try TestServer()
        server.respond(to: "/x") { .ok("\($0.method) \($0.target) \($0.text)") }
        let client = try RawClient(port: server.port)
        client.send("GET /x?a=1 HTTP/1.1\r\nHost: h\r\n\r\nPOST /x HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi")
        let text = try client.receive(through: "POST /x hi")
        #expect(text.components(separatedBy: "HTTP/1.1 200 OK\r\n").count == 3)
        #expect(text.contains("GET /x?a=1 "))
        #expect(server.connectionCount == 1)
        #expect(try await server.nextRequest().target == "/x?a=1")
        #expect(try server.waitForNextRequest().body == Data("hi".utf8))
    }

    @Test("Queued responses are used up before 404 begins")
    func queue() throws {
        let server = try TestServer()
        server.enqueue(.status(201), .status(202))
        let client = try RawClient(port: server.port)
        for status in [201, 202, 404] {
            client.send(get)
            #expect(try client.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    @Test("A gate holds the response until the test opens it")
    func gate() async throws {
        let server = try TestServer()
        let (reached, gate) = (Gate(), Gate())
        server.enqueue(.ok("after").inserting([.open(reached), .gate(gate)], at: .beforeBody))
        let client = try RawClient(port: server.port)
        client.send(get)
        await reached.wait()
        #expect(try client.receive().hasSuffix("\r\n\r\n"))
        gate.open()
        #expect(try client.receive() == "after")
    }

    @Test("Writes that all succeed at once are played one after the other, not each within the one before")
    func manyPieces() throws {
        let server = try TestServer()
        let pieces = (0..<50_000).map { _ in ScriptStep.send("x") }
        server.enqueue(.script([.send("HTTP/1.1 200 OK\r\nContent-Length: 50000\r\n\r\n")] + pieces + [.send("y")]))
        let client = try RawClient(port: server.port)
        client.send(get)
        #expect(try client.receive(through: "xy").hasSuffix("xxxy"))
    }

    @Test("A reset comes after the bytes before it")
    func reset() throws {
        let server = try TestServer()
        server.enqueue(.ok("0123456789").ending(.reset, afterBodyBytes: 4))
        let client = try RawClient(port: server.port)
        client.send(get)
        #expect(try client.receive(through: "0123").contains("Content-Length: 10"))
        #expect(throws: POSIXError(.ECONNRESET)) { try client.receive() }
    }

    @Test("A client that is not read from comes to a standstill")
    func backPressure() async throws {
        let server = try TestServer()
        let (reached, gate) = (Gate(), Gate())
        let response = ScriptedResponse.neverReading(until: gate, then: .ok("done"))
        server.enqueue(response.inserting([.open(reached)], at: .beforeHead))
        let client = try RawClient(port: server.port)
        client.send("POST /x HTTP/1.1\r\nContent-Length: 10\r\n\r\n")
        try await eventually { server.requests.count == 1 }
        client.send("0123456789")
        #expect(server.requests.first?.isComplete == false)
        gate.open()
        await reached.wait()
        #expect(try client.receive(through: "done").contains("200 OK"))
        #expect(try await server.nextRequest().bodyLength == 10)
    }

    @Test("Stopping ends stalled connections and refuses new ones")
    func stop() throws {
        let server = try TestServer()
        server.enqueue(.stalled())
        let client = try RawClient(port: server.port)
        client.send(get)
        _ = try server.waitForNextRequest()
        server.stop()
        server.stop()
        #expect((try? client.receive()) ?? "" == "")
        #expect(server.openConnectionCount == 0)
        #expect(throws: POSIXError(.ECONNREFUSED)) { try RawClient(port: server.port) }
    }

    @Test("A server that nobody holds any more stops")
    func release() throws {
        var server: TestServer? = try TestServer()
        server?.enqueue(.stalled())
        let client = try RawClient(port: try #require(server).port)
        client.send(get)
        _ = try server?.waitForNextRequest()
        server = nil
        #expect(try client.receive() == "")
    }

    @Test("Connections are counted")
    func counts() async throws {
        let server = try TestServer()
        var clients = try (0..<5).map { _ in try RawClient(port: server.port) }
        try await eventually { server.openConnectionCount == 5 }
        clients.removeAll()
        try await eventually { server.openConnectionCount == 0 }
        #expect(server.connectionCount == 5)
        #expect(server.maximumSimultaneousConnections == 5)
    }

    @Test("What is not HTTP is answered with 400 and recorded")
    func malformed() throws {
        let server = try TestServer()
        let client = try RawClient(port: server.port)
        client.send("nonsense\r\n\r\n")
        #expect(try client.receiveAll().hasPrefix("HTTP/1.1 400 "))
        #expect(server.connections.first?.errors.count == 1)
    }

    @Test("Nobody listens at a refused port")
    func refused() throws {
        let port = try RefusedPort()
        #expect(throws: POSIXError(.ECONNREFUSED)) { try RawClient(port: port.port) }
    }
}
