// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import NetworkingTransport

/// What requests share, and what becomes of them when a server ends a stream or the connection.
@Suite("HTTP/2", .timeLimit(.minutes(2)), .serialized)
struct HTTP2Tests {
    private static func priorKnowledge(_ url: URL, method: String = "GET") -> TransferRequest {
        var request = TransferRequest(url.absoluteString, method: method)
        var route = ConnectionRoute()
        route.httpVersion = .http2PriorKnowledge
        request.origin = route.countedOrigin(request.origin)
        request.route = route
        if method == "POST" { request.body = .data(Data("content".utf8)) }
        return request
    }

    @Test("100 requests at once to a host never asked before use one connection")
    func burst() async throws {
        let front = try FrontServer(http2: true)
        let engine = TransportEngine()
        defer {
            engine.shutdown()
            front.stop()
        }
        let handlers = (0..<100).map { _ in RecordingHandler() }
        for handler in handlers { engine.start(Transfer(request: front.request(), handler: handler)) }
        for handler in handlers {
            let record = await handler.finished()
            #expect(record.text == "content" && record.timings.httpVersion == "2")
        }
        #expect(front.relay.connectionCount == 1)
    }

    @Test("Those that wait join the connection as soon as it stands, not when the first response comes")
    func joining() async throws {
        let (gate, arrived) = (Latch(), Latch())
        let backend = ScriptedServer.holding(30, arrived: arrived, until: gate)
        let front = try FrontServer(http2: true, backend: backend)
        let engine = TransportEngine()
        defer {
            gate.open()
            engine.shutdown()
            front.stop()
            backend.stop()
        }
        let handlers = (0..<30).map { _ in RecordingHandler() }
        for handler in handlers { engine.start(Transfer(request: front.request("/script"), handler: handler)) }
        // All of them are there before any is answered.
        arrived.wait()
        gate.open()
        for handler in handlers { #expect(await handler.finished().text == "slow") }
        #expect(front.relay.connectionCount == 1)
    }

    @Test("A host that speaks HTTP/1.1 over TLS gets connections of its own for each, up to the limit")
    func withoutHTTP2() async throws {
        let front = try FrontServer(http2: false)
        let engine = TransportEngine()
        defer {
            engine.shutdown()
            front.stop()
        }
        let handlers = (0..<40).map { _ in RecordingHandler() }
        for handler in handlers { engine.start(Transfer(request: front.request(), handler: handler)) }
        for handler in handlers { #expect(await handler.finished().timings.httpVersion == "1.1") }
        #expect((1...6).contains(front.relay.connectionCount))
    }

    @Test("HTTP/1.1 when it is preferred, though the server has HTTP/2")
    func preferringHTTP1() async throws {
        let front = try FrontServer(http2: true)
        let engine = TransportEngine()
        defer {
            engine.shutdown()
            front.stop()
        }
        var request = front.request()
        var route = ConnectionRoute()
        route.httpVersion = .http1
        request.origin = route.countedOrigin(request.origin)
        request.route = route
        #expect(await engine.run(front.request()).timings.httpVersion == "2")
        #expect(await engine.run(request).timings.httpVersion == "1.1")
        #expect(front.relay.connectionCount == 2)
    }

    @Test("With prior knowledge 100 requests without TLS share a connection of nginx's")
    func priorKnowledge() async throws {
        let nginx = try NginxServer.start(portCount: 1, files: ["file": Data("content".utf8)]) { layout in
            "server { listen 127.0.0.1:\(layout.ports[0]) http2; root \(layout.root); add_header X-C $connection; }"
        }
        let engine = TransportEngine()
        defer {
            engine.shutdown()
            nginx.stop()
        }
        let handlers = (0..<100).map { _ in RecordingHandler() }
        for handler in handlers {
            engine.start(Transfer(request: Self.priorKnowledge(nginx.url("/file")), handler: handler))
        }
        var connections: Set<String?> = []
        for handler in handlers {
            let record = await handler.finished()
            #expect(record.text == "content" && record.timings.httpVersion == "2")
            connections.insert(record.heads.first?.firstValue(for: "x-c"))
        }
        #expect(connections.count == 1)
    }

    @Test(
        "A refused stream is asked for again, on another connection", arguments: ["/refuse-once", "/goaway-before"],
        ["GET", "POST"])
    func refusedStream(path: String, method: String) async throws {
        let server = try HTTP2Server.start()
        let engine = TransportEngine()
        defer {
            engine.shutdown()
            server.stop()
        }
        let record = await engine.run(Self.priorKnowledge(server.url(path), method: method))
        #expect(record.status == 200, "\(String(describing: record.error))")
        #expect(server.log.count == 2 && server.log.allSatisfy { $0.hasPrefix("\(method) \(path)") })
        #expect(await engine.run(Self.priorKnowledge(server.url(path), method: method)).status == 200)
    }

    @Test("A stream that is reset ends its own request only", arguments: ["/reset", "/half"])
    func resetStream(path: String) async throws {
        let server = try HTTP2Server.start()
        let engine = TransportEngine()
        defer {
            engine.shutdown()
            server.stop()
        }
        #expect(await engine.run(Self.priorKnowledge(server.url("/"))).status == 200)
        let lost = await engine.run(Self.priorKnowledge(server.url(path)))
        #expect(lost.error?.kind == .badResponse, "\(String(describing: lost.error))")
        #expect(await engine.run(Self.priorKnowledge(server.url("/"))).status == 200)
        #expect(server.log.filter { $0.contains(path) }.count == 1)
    }

    @Test(
        "GOAWAY: what is answered is answered, what comes next goes over a new connection", arguments: ["GET", "POST"])
    func goAway(method: String) async throws {
        let server = try HTTP2Server.start()
        let engine = TransportEngine()
        defer {
            engine.shutdown()
            server.stop()
        }
        let first = await engine.run(Self.priorKnowledge(server.url("/")))
        #expect(await engine.run(Self.priorKnowledge(server.url("/goaway"), method: method)).text == "last")
        let next = await engine.run(Self.priorKnowledge(server.url("/"), method: method))
        #expect(next.status == 200 && next.text != first.text, "\(String(describing: next.error))")
        #expect(server.log.count == 3)
    }
}
