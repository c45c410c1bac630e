// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import Testing

@testable import NetworkingTransport

@Suite("Failures", .timeLimit(.minutes(1)))
struct FailureTests {
    /// What a server does after it has read the request, and the kind of error that comes of it.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let kind: TransferError.Kind
        let script: ScriptedServer.Script
        var testDescription: String { name }
    }

    static func bytes(_ text: String) -> ScriptedServer.Script {
        { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(text)
        }
    }

    static let cases: [Case] = [
        Case(name: "closes without a word", kind: .connectionLost, script: bytes("")),
        Case(name: "resets", kind: .connectionLost) { connection in
            guard connection.readRequest() != nil else { return }
            connection.reset()
        },
        Case(name: "closes inside the head", kind: .connectionLost, script: bytes("HTTP/1.1 200 OK\r\nX: 1\r\n")),
        Case(
            name: "body shorter than announced", kind: .connectionLost,
            script: bytes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")),
        Case(name: "resets inside the body", kind: .connectionLost) { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            connection.pause(milliseconds: 50)
            connection.reset()
        },
        Case(
            name: "closes inside a chunk", kind: .connectionLost,
            script: bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab")),
        Case(
            name: "bad chunk size", kind: .badResponse,
            script: bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n0\r\n\r\n")),
        Case(
            name: "chunk longer than it says", kind: .badResponse,
            script: bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabcdef\r\n0\r\n\r\n")),
        Case(
            name: "chunk size beyond all numbers", kind: .badResponse,
            script: bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffffffffff\r\nab")),
        Case(name: "garbage for a status line", kind: .badResponse, script: bytes("SSH-2.0-OpenSSH_9.2\r\n\r\n")),
        Case(name: "binary garbage", kind: .badResponse, script: bytes("\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}\r\n")),
        Case(name: "unknown version", kind: .badResponse, script: bytes("HTTP/7.3 200 OK\r\n\r\n")),
        Case(name: "status of two digits", kind: .badResponse, script: bytes("HTTP/1.1 20 OK\r\n\r\n")),
        Case(
            name: "NUL in a field", kind: .badResponse,
            script: bytes("HTTP/1.1 200 OK\r\nX: a\u{0}b\r\nContent-Length: 0\r\n\r\n")),
        Case(
            name: "negative length", kind: .badResponse,
            script: bytes("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n")),
        Case(name: "a line of 300 kB", kind: .tooLarge) { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nX: " + String(repeating: "a", count: 300_000) + "\r\n\r\n")
            connection.waitForEnd()
        },
        Case(name: "2 MB of fields", kind: .tooLarge) { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\n")
            for _ in 0..<40 { connection.write("X: " + String(repeating: "a", count: 50_000) + "\r\n") }
            connection.waitForEnd()
        },
        Case(name: "interim responses without end", kind: .tooLarge) { connection in
            guard connection.readRequest() != nil else { return }
            while connection.write("HTTP/1.1 100 Continue\r\nX: \(String(repeating: "a", count: 1000))\r\n\r\n") {}
        },
        Case(
            name: "gzip that is none", kind: .cannotDecodeContent,
            script: bytes("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\nnot gzip!")),
    ]

    @Test("A server that misbehaves ends one transfer, once, with the right kind of error", arguments: cases)
    func misbehaviour(_ testCase: Case) async {
        await withEngine(server: { connection in
            // The healthy request is told by its target.
            testCase.script(connection)
        }) { engine, server in
            let healthy = ScriptedServer { $0.respondToAll("fine") }
            defer { healthy.stop() }
            let other = RecordingHandler()
            engine.start(Transfer(request: TransferRequest(healthy.url), handler: other))
            var request = TransferRequest(server.url)
            request.idleTimeout = 5
            let record = await engine.run(request)
            #expect(record.error?.kind == testCase.kind, "\(String(describing: record.error))")
            #expect(record.error?.message.isEmpty == false)
            #expect(record.outcomes.count == 1)
            #expect(record.heads.count <= 1)
            #expect(await other.finished().text == "fine")
            #expect(await engine.run(TransferRequest(healthy.url)).text == "fine")
        }
    }

    @Test("A body longer than announced is cut where it was announced to end")
    func longBody() async {
        await withEngine(server: Self.bytes("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef")) { engine, server in
            let record = await engine.run(TransferRequest(server.url))
            #expect(record.error == nil)
            #expect(record.text == "abc")
        }
    }

    @Test("A refused connection and an unknown host are told apart")
    func unreachable() async {
        let engine = TransportEngine()
        defer { engine.shutdown() }
        let server = ScriptedServer { _ in }
        server.stop()
        let refused = await engine.run(TransferRequest(server.url))
        #expect(refused.error?.kind == .cannotConnect)
        #expect(refused.error?.systemErrno == ECONNREFUSED)
        let unknown = await engine.run(TransferRequest("http://no-such-host.invalid/"))
        #expect(unknown.error?.kind == .cannotFindHost)
    }

    @Test(
        "A request that cannot be sent is refused with a typed error",
        arguments: [
            ("", .badURL), ("no scheme", .badURL), ("relative/path", .badURL), ("http:/x", .badURL),
            ("http://", .badURL), ("http://a b/", .badURL), ("http://host:99999/", .badURL),
            ("http://[::1/", .badURL), ("http://x/\u{0}y", .badURL), ("http://x/\r\nA: b", .badURL),
            ("ftp://x/", .unsupportedScheme), ("file:///etc/passwd", .unsupportedScheme),
            ("gopher://x/", .unsupportedScheme), ("javascript:x", .unsupportedScheme),
        ] as [(String, TransferError.Kind)])
    func badURL(url: String, kind: TransferError.Kind) async {
        let engine = TransportEngine()
        defer { engine.shutdown() }
        let record = await engine.run(TransferRequest(url))
        #expect(record.error?.kind == kind, "\(String(describing: record.error))")
        #expect(record.outcomes.count == 1)
    }

    @Test(
        "Nothing can be smuggled through fields or the method",
        arguments: [
            ("GET", HeaderField("X", "a\r\nY: b")), ("GET", HeaderField("X\r\nY", "b")),
            ("GET", HeaderField("X", "a\u{0}b")),
            ("GET", HeaderField("", "b")), ("GET", HeaderField("X:", "b")), ("GET", HeaderField("X Y", "b")),
            ("GET / HTTP/1.1\r\nX:", HeaderField("X", "b")), ("", HeaderField("X", "b")),
            ("G T", HeaderField("X", "b")),
            ("GET", HeaderField("Content-Length", "5")), ("GET", HeaderField("X", "a\nb")),
        ])
    func smuggling(method: String, field: HeaderField) async {
        await withEngine(server: { $0.respondToAll() }) { engine, server in
            var request = TransferRequest(server.url, method: method)
            request.headers = [field]
            let record = await engine.run(request)
            #expect(record.error?.kind == .badRequest)
            #expect(server.connectionCount == 0)
        }
    }

    @Test("A connection that died while idle is replaced without the caller noticing")
    func deadConnection() async {
        await withEngine(server: { connection in
            guard connection.readRequest() != nil else { return }
            connection.respond("\(connection.number)")
        }) { engine, server in
            for index in 1...3 {
                let record = await engine.run(TransferRequest(server.url))
                #expect(record.error == nil)
                #expect(record.text == "\(index)")
            }
        }
    }

    @Test("A TLS handshake with a server that speaks none fails as such")
    func noTLS() async {
        await withEngine(server: { connection in
            _ = connection.readSome()
            connection.write("HTTP/1.1 400 Bad Request\r\n\r\n")
        }) { engine, server in
            let record = await engine.run(
                TransferRequest("https" + server.url.dropFirst(4)))
            #expect(record.error?.kind == .secureConnectionFailed)
        }
    }
}
