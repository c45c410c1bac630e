// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("What an operation's error says", .timeLimit(.minutes(2)))
struct ErrorReportTests {
    @Test("A refused status: method, URL, status, and nothing of the response's fields", arguments: [404, 401, 503])
    func status(code: Int) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in
            ScriptedResponse(status: code, headers: [("Set-Cookie", "session=hunter2"), ("X-Secret", "hunter2")])
        }
        var request = URLRequest(url: server.url("/a"))
        request.httpMethod = "DELETE"
        // The shared storage is other tests', too.
        request.httpShouldHandleCookies = false
        let operation = HTTPRequestOperation(request: request)
        let error = try #require(await operation.outcome().error)
        ErrorLineTests.expectLine(error)
        #expect("\(error)".hasPrefix("Request failed: ") && "\(error)".contains("(\(code)): DELETE http://127.0.0.1"))
        #expect(code == 404 || "\(error)".contains(code == 401 ? "credential" : "retryPolicy"))
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!dumped.contains("hunter2"))
    }

    @Test("No connection: the system's reason, and what to check")
    func refused() async throws {
        let port = try RefusedPort()
        let url = try #require(URL(string: port.urlString + "?api_key=hunter2"))
        let error = try #require(await HTTPRequestOperation(url, method: "POST").outcome().urlError)
        ErrorLineTests.expectLine(error)
        #expect("\(error)".hasPrefix("POST http://127.0.0.1:") && "\(error)".contains("api_key=***"))
        #expect("\(error)".contains("(Connection refused); check host and port"))
        #expect(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == url, "a program has the whole URL")
    }

    @Test("A cancelled operation, and one that takes too long")
    func cancelled() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .stalled() }
        let cancelled = HTTPRequestOperation(server.url("/a"), method: "PATCH")
        cancelled.cancel()
        let error = try #require(await cancelled.outcome().urlError)
        ErrorLineTests.expectLine(error)
        #expect(error.code == .cancelled && "\(error)".hasPrefix("PATCH http://127.0.0.1"))
        let late = HTTPRequestOperation(server.url("/b"), method: "PATCH")
        late.totalTimeout = 0.2
        let timeout = try #require(await late.outcome().urlError)
        ErrorLineTests.expectLine(timeout)
        #expect("\(timeout)".hasPrefix("PATCH http://127.0.0.1") && "\(timeout)".contains("totalTimeout"))
    }

    @Test("An untrusted server's error names the host, the rule and what to set")
    func untrusted() async throws {
        let server = try TestServer(tls: TLSSettings(TestCertificateAuthority().issueForLocalhost()))
        let error = try #require(await HTTPRequestOperation(server.url("/")).outcome().urlError)
        ErrorLineTests.expectLine(error)
        let host = try #require(server.url("/").host)
        #expect("\(error)".contains("not trusted as \(host)") && "\(error)".contains("anchorCertificates"))
        #expect((error.userInfo[NSUnderlyingErrorKey] as? ServerTrustError)?.host == host)
    }

    @Test("TLS spoken to a port that does not speak it")
    func plainPort() async throws {
        let server = try AnsweringPort("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        let url = try #require(URL(string: "https://127.0.0.1:\(server.port)/"))
        let error = try #require(await HTTPRequestOperation(url).outcome().urlError)
        ErrorLineTests.expectLine(error)
        #expect(error.code == .secureConnectionFailed && "\(error)".contains("does not speak TLS on this port"))
    }

    @Test("What the system said of an earlier transfer on the same handle is not beneath a later error")
    func staleErrno() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .script([.send("this is not HTTP\r\n\r\n"), .close]) }
        let policy = try SecurityPolicy.ownPool()
        let refused = try #require(URL(string: RefusedPort().urlString))
        func underlying(_ url: URL) async throws -> NSError {
            let operation = HTTPRequestOperation(url)
            operation.securityPolicy = policy
            let error = try #require(await operation.outcome().urlError)
            return try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
        }
        let first = try await underlying(refused)
        #expect((first.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == Int(ECONNREFUSED))
        let second = try await underlying(server.url("/"))
        #expect(second.domain == "libcurl.CURLcode" && second.userInfo[NSUnderlyingErrorKey] == nil)
    }
}
