// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import NetworkingTransport

/// Connections in HTTP/2 that the server ends, between requests or below one.
@Suite("HTTP/2, lost connections", .timeLimit(.minutes(1)), .serialized)
struct HTTP2LostTests {
    typealias Frame = HTTP2Frame

    /// Answers everything, except for the `number`th request: with that it does what `script` does.
    private static func server(
        except number: Int, _ script: @escaping @Sendable (ScriptedConnection, UInt32) -> Void
    ) -> ScriptedServer {
        let count = Locked(0)
        return ScriptedServer { connection in
            guard connection.beginHTTP2() else { return }
            while let stream = connection.nextRequestStream() {
                let isIt = count.withLock {
                    $0 += 1
                    return $0 == number
                }
                if isIt { return script(connection, stream) }
                connection.put(.ok(stream), .data(stream, "content", ends: true))
            }
        }
    }

    private static func request(_ server: ScriptedServer, method: String) -> TransferRequest {
        var request = HTTP2FrameTests.request(server, method: method)
        if method == "POST" { request.body = .data(Data("x".utf8)) }
        return request
    }

    @Test("A connection that ends below a request: the request is sent once more where that changes nothing")
    func hangUp() async {
        for method in ["GET", "POST"] {
            let server = Self.server(except: 2) { connection, _ in connection.shutDown() }
            let engine = TransportEngine()
            defer {
                engine.shutdown()
                server.stop()
            }
            #expect(await engine.run(Self.request(server, method: "GET")).text == "content")
            let record = await engine.run(Self.request(server, method: method))
            if method == "GET" {
                #expect(record.error == nil && record.text == "content", "\(String(describing: record.error))")
            } else {
                #expect(record.error?.kind == .connectionLost)
            }
            #expect(server.connectionCount == (method == "GET" ? 2 : 1))
        }
    }

    @Test("A connection that ends while nobody is on it is not used again", arguments: ["GET", "POST"])
    func idleEnd(method: String) async throws {
        let (answered, ended, hasEnded) = (Latch(), Latch(), Locked(false))
        let server = ScriptedServer { connection in
            guard connection.beginHTTP2(), let stream = connection.nextRequestStream() else { return }
            connection.put(.ok(stream), .data(stream, "content", ends: true))
            if hasEnded.withLock({ !$0 }) {
                answered.wait()
                connection.put(.ping(1))
                connection.shutDown()
                hasEnded.withLock { $0 = true }
                ended.open()
            }
            connection.waitForClient()
        }
        let engine = TransportEngine()
        defer {
            answered.open()
            engine.shutdown()
            server.stop()
        }
        #expect(await engine.run(Self.request(server, method: "GET")).text == "content")
        answered.open()
        ended.wait()
        while await !engine.watchedConnections().isEmpty { await Task.yield() }
        let record = await engine.run(Self.request(server, method: method))
        #expect(record.error == nil && record.text == "content", "\(String(describing: record.error))")
        #expect(!record.timings.reusedConnection)
    }
}
