// SPDX-License-Identifier: MIT
import Foundation
import Testing

@testable import TestServer

@Suite(.timeLimit(.minutes(2))) struct ExternalServerTests {
    private func get(_ target: String, port: Int, extra: String = "") throws -> String {
        let client = try RawClient(port: port)
        client.send("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\(extra)\r\n")
        return try client.receiveAll()
    }

    @Test("httpbin answers, and everybody gets the same one")
    func httpbin() throws {
        let server = try HTTPBinServer.shared()
        #expect(try get("/ip", port: server.port).contains(#""origin": "127.0.0.1""#))
        #expect(try HTTPBinServer.shared().port == server.port)
    }

    @Test("nginx serves files and goes away")
    func nginx() throws {
        let server = try NginxServer.serving(["a/b.txt": Data("content".utf8)])
        let port = server.layout.ports[0]
        #expect(try get("/a/b.txt", port: port).hasSuffix("content"))
        #expect(server.accessLog.contains("/a/b.txt"))
        server.stop()
        // The port may be somebody else's by now.
        let answer = try? get("/a/b.txt", port: port)
        #expect(answer?.hasSuffix("content") != true)
    }

    @Test("A configuration that nginx does not understand is an error that says why")
    func badConfiguration() {
        let error = #expect(throws: ServerProcess.DidNotStart.self) {
            try NginxServer.start(portCount: 1) { _ in "bogus;" }
        }
        #expect(error?.description.contains("unknown directive \"bogus\"") == true)
    }

    @Test("squid passes requests on, with the right password only")
    func squid() throws {
        let origin = try TestServer()
        origin.respondToOthers { _ in .ok("from the origin").ending(.close) }
        let target = origin.url("/").absoluteString
        let open = try SquidServer.start()
        #expect(try get(target, port: open.port).hasSuffix("from the origin"))
        let closed = try SquidServer.start(user: "user", password: "secret")
        #expect(try get(target, port: closed.port).hasPrefix("HTTP/1.1 407 "))
        let credentials = Data("user:secret".utf8).base64EncodedString()
        let field = "Proxy-Authorization: Basic \(credentials)\r\n"
        #expect(try get(target, port: closed.port, extra: field).hasSuffix("from the origin"))
        #expect(origin.requests.count == 2)
    }

    @Test("dante and openssl s_server come up")
    func others() throws {
        let dante = try DanteServer.start()
        _ = try RawClient(port: dante.port)
        let server = try OpenSSLServer.start(TestCertificateAuthority().makeIntermediate().issueForLocalhost())
        _ = try RawClient(port: server.port)
    }

    @Test("A program that is not installed is an error that names Scripts/test")
    func missing() {
        let error = #expect(throws: ExternalProgram.Missing.self) { try ExternalProgram("no-such-program") }
        #expect(error?.description.contains("Scripts/test") == true)
    }
}
