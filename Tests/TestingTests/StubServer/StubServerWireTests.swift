// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworkingTestServer
import OperationNetworkingTesting
import TestServer
import Testing

/// What clients that are not this library get.
@Suite("Stub server on the wire", .timeLimit(.minutes(1)))
struct StubServerWireTests {
    let stubs = HTTPStubs()

    @Test("Requests in one piece are answered in order, and one that closes is the last")
    func pipeline() throws {
        stubs.on("GET", "/{name}") { .text($0.url?.lastPathComponent ?? "") }
        let server = try HTTPStubServer(stubs)
        let client = try RawClient(port: server.port)
        client.send(
            "GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET http://y.example/b?c HTTP/1.1\r\n\r\n"
                + "GET /d HTTP/1.1\r\nConnection: close\r\n\r\nGET /e HTTP/1.1\r\n\r\n")
        let texts = try client.receiveAll().components(separatedBy: "\r\n\r\n")
        #expect(
            texts.map { String($0.prefix(16)) }
                == ["HTTP/1.1 200 OK\r\n", "aHTTP/1.1 200 OK", "bHTTP/1.1 200 OK", "d"])
        #expect(
            stubs.requests.map(\.url.absoluteString)
                == ["http://x/a", "http://y.example/b?c", "http://127.0.0.1:\(server.port)/d"])
    }

    @Test("Content that is announced is asked for")
    func expectation() throws {
        stubs.on("PUT", "/") { .text($0.httpBody.map { String(decoding: $0, as: UTF8.self) } ?? "") }
        let server = try HTTPStubServer(stubs)
        let client = try RawClient(port: server.port)
        client.send("PUT / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n")
        #expect(try client.receive(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        client.send("four")
        #expect(try client.receive(through: "four").hasSuffix("Content-Length: 4\r\n\r\nfour"))
    }

    @Test("After a request that is refused no other is looked at")
    func refusedFirst() throws {
        stubs.on("GET", "/x", respond: .text("never"))
        let server = try HTTPStubServer(stubs)
        let client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: a b\r\n\r\nGET /x HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try client.receiveAll().hasPrefix("HTTP/1.1 400 "))
        #expect(stubs.requests.isEmpty)
    }

    @Test("A 204 has no content, whatever its fields say, and an old client no informational response")
    func withoutContent() throws {
        stubs.on("GET", "/none", respond: StubResponse(status: 204, headers: ["Transfer-Encoding": "chunked"]))
        stubs.on("GET", "/x", respond: .text("x").preceded(by: 103, headers: ["Link": "</a.css>"]))
        let server = try HTTPStubServer(stubs)
        var client = try RawClient(port: server.port)
        client.send("GET /none HTTP/1.1\r\n\r\nGET /x HTTP/1.1\r\nConnection: close\r\n\r\n")
        let text = try client.receiveAll()
        #expect(text.contains("Transfer-Encoding: chunked\r\n\r\nHTTP/1.1 103 \r\n"))
        client = try RawClient(port: server.port)
        client.send("GET /x HTTP/1.0\r\n\r\n")
        #expect(try client.receiveAll().hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test("The response says whether the connection stays, and an old client gets no chunks")
    func connection() throws {
        stubs.on("GET", "/", respond: .text("x"))
        let chunked = StubResponse(headers: ["Transfer-Encoding": "chunked"], body: Data("x".utf8))
        stubs.on("GET", "/chunks", respond: chunked)
        let server = try HTTPStubServer(stubs)
        var client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try !client.receive(through: "\r\n\r\nx").contains("Connection"))
        client.send("GET /chunks HTTP/1.1\r\nConnection: close\r\n\r\n")
        #expect(try client.receiveAll().hasSuffix("Connection: close\r\n\r\n1\r\nx\r\n0\r\n\r\n"))
        client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(try client.receive(through: "\r\n\r\nx").contains("Connection: keep-alive\r\n"))
        client.send("GET /chunks HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        #expect(try client.receiveAll() == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nx")
    }

    @Test("What is not HTTP is told so, and what HTTP/2 does not begin with ends there")
    func nonsense() throws {
        let server = try HTTPStubServer(stubs)
        var client = try RawClient(port: server.port)
        client.send("nonsense\r\n\r\n")
        #expect(try client.receiveAll().hasPrefix("HTTP/1.1 400 "))
        client = try RawClient(port: server.port)
        client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nnonsense is longer than a frame's head")
        // SETTINGS and GOAWAY, which are no text.
        _ = try client.receiveAll()
        client = try RawClient(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: a b\r\n\r\n")
        #expect(try client.receiveAll().hasPrefix("HTTP/1.1 400 "))
        let only2 = try HTTPStubServer(stubs, protocols: [.http2])
        client = try RawClient(port: only2.port)
        client.send("GET / HTTP/1.1\r\n\r\n")
        #expect((try? client.receiveAll()) == "")
        #expect(stubs.requests.isEmpty)
    }

    @Test("curl, with everything that it speaks")
    func curl() async throws {
        stubs.on("POST", "/{name}", respond: .json(["ok": true]))
        let plain = try HTTPStubServer(stubs)
        let secure = try HTTPStubServer(stubs, identity: HTTPStubServer.Identity())
        let directory = try TemporaryDirectory()
        let authority = try directory.write(try #require(secure.identity).authorityPEM, to: "root.pem")
        let content = try directory.write(Data(count: 2 << 20), to: "content")
        for (server, options, version) in [
            (plain, ["--http1.0"], "1.1"), (plain, ["--http1.1"], "1.1"), (plain, ["--http2-prior-knowledge"], "2"),
            (secure, ["--http1.1"], "1.1"), (secure, ["--http2"], "2"),
            (secure, ["--http2", "-H", "Transfer-Encoding: chunked"], "2"),
            (plain, ["--http1.1", "-H", "Transfer-Encoding: chunked"], "1.1"),
        ] {
            let output = try ExternalProgram("curl").run(
                options + [
                    "--silent", "--show-error", "--cacert", authority.path, "--data-binary", "@\(content.path)",
                    "--write-out", "%{http_version} %{http_code}", "\(server.baseURL)x",
                ])
            #expect(String(decoding: output, as: UTF8.self) == "{\"ok\":true}\(version) 200")
        }
        #expect(stubs.requests.count == 7)
        #expect(stubs.requests.allSatisfy { $0.body == Data(count: 2 << 20) })
    }

    @Test("Foundation's URLSession")
    func urlSession() async throws {
        stubs.on("POST", "/", respond: .text("to Foundation"))
        let server = try HTTPStubServer(stubs)
        var request = URLRequest(url: server.baseURL)
        request.httpMethod = "POST"
        request.httpBody = Data("from Foundation".utf8)
        let (data, response) = try await URLSession.shared.data(for: request)
        #expect(String(decoding: data, as: UTF8.self) == "to Foundation")
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(stubs.requests.first?.bodyText == "from Foundation")
    }
}
