// SPDX-License-Identifier: MIT
import NetworkingSupport
import TestServer
import Testing

@testable import NetworkingTransport

/// What a proxy says before there is a tunnel is none of the server's answer, however often it is asked for one.
@Suite("Tunnels", .timeLimit(.minutes(1))) struct TunnelTests {
    /// Asks twice through a proxy. The tunnel ends with the second request, unanswered, and the proxy answers the request for
    /// another one with `answer`.
    private func recordAfterLostTunnel(_ answer: String) async throws -> RecordingHandler.Record {
        let server = try TestServer(tls: TLSSettings(FrontServer.identity.get()))
        server.enqueue(.ok("first"), .script([.close]), .ok("second"))
        let proxy = Relay(to: server.port) { connection in
            guard connection.readHead() != nil else { return false }
            let text = connection.number == 1 ? "HTTP/1.1 200 OK\r\n\r\n" : answer
            connection.write(text)
            return text.hasPrefix("HTTP/1.1 2")
        }
        let engine = TransportEngine()
        defer {
            engine.shutdown()
            proxy.stop()
            server.stop()
        }
        var request = TransferRequest("https://127.0.0.1:\(server.port)/")
        request.proxy = TransferProxy(scheme: .http, host: "127.0.0.1", port: proxy.port)
        #expect(await engine.run(request).text == "first")
        let record = await engine.run(request)
        #expect(proxy.connectionCount == 2)
        return record
    }

    @Test("A refusal of a tunnel in place of one that was lost is not the server's answer", arguments: [302, 404, 407])
    func refusal(status: Int) async throws {
        let record = try await recordAfterLostTunnel(
            "HTTP/1.1 \(status) X\r\nLocation: http://127.0.0.1:1/\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n")
        #expect(record.heads.isEmpty)
        #expect(record.error?.kind == (status == 407 ? .proxyAuthentication : .proxy))
    }

    @Test("What comes with a tunnel in place of one that was lost is not the server's answer")
    func anotherTunnel() async throws {
        let record = try await recordAfterLostTunnel("HTTP/1.1 200 OK\r\nX-Proxy: yes\r\nSet-Cookie: a=b\r\n\r\n")
        #expect(record.error == nil)
        #expect(record.heads.count == 1)
        #expect(record.heads.first?.firstValue(for: "X-Proxy") == nil)
        #expect(record.text == "second")
    }

    @Test("An answer to CONNECT may have no more header lines than a response", arguments: [200, 404, 407])
    func endlessHead(status: Int) async {
        let proxy = ScriptedServer { connection in
            guard connection.readHead() != nil, connection.write("HTTP/1.1 \(status) X\r\n") else { return }
            let lines = String(repeating: "X: y\r\n", count: 100)
            while connection.write(lines) {}
        }
        let engine = TransportEngine(maximumHeaderBytes: 4096)
        defer {
            engine.shutdown()
            proxy.stop()
        }
        var request = TransferRequest("https://127.0.0.1:1/")
        request.proxy = TransferProxy(scheme: .http, host: "127.0.0.1", port: proxy.port)
        let record = await engine.run(request)
        #expect(record.error?.kind == .tooLarge, "\(String(describing: record.error))")
        // Not libcurl's own limit, which not every libcurl has.
        #expect(record.error?.message.contains("4096 bytes") == true, "\(String(describing: record.error))")
        #expect(record.heads.isEmpty && record.outcomes.count == 1)
    }
}
