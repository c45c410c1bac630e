// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

/// Messages on the wire, as public reports about other clients have them.
@Suite("Reports: messages on the wire", .timeLimit(.minutes(2))) struct WireReports {
    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
    private static let gzippedHello = "1f8b0800000000000203cb48cdc9c9070086a6103605000000"
    private static let hello = ok + "Content-Length: 5\r\n\r\nhello"

    /// Octets, two hexadecimal digits each, as Latin-1 text.
    private static func octets(_ digits: String) -> String {
        let digits = Array(digits.utf8)
        var text = String.UnicodeScalarView()
        for index in stride(from: 0, to: digits.count - 1, by: 2) {
            let pair = String(decoding: digits[index...index + 1], as: UTF8.self)
            text.append(Unicode.Scalar(UInt8(pair, radix: 16) ?? 0))
        }
        return String(text)
    }

    // MARK: Chunks

    static let chunks: [Exchange] = [
        Exchange(
            reference: "undici#5286, grizzly#1684", what: "spaces behind a chunk's size",
            answers: [.bytes(chunked + "5  \r\nhello\r\n0 \r\n\r\n")], outcome: .text("hello")),
        Exchange(
            reference: "vibe.d#274", what: "chunk extensions, also of the last chunk",
            answers: [.bytes(chunked + "5;a=b;c=\"d\"\r\nhello\r\n0;e\r\n\r\n")], outcome: .text("hello")),
        // RFC 9112, section 7.1, has no such sizes. libcurl (7.88) skips whatever follows the digits.
        Exchange(
            reference: "pekko-http#1257", what: "a chunk's size in two parts is the first",
            answers: [.last(chunked + "5 0\r\nhello\r\n0\r\n\r\n")], outcome: .text("hello")),
        Exchange(
            reference: "hyper#228, picohttpparser#78", what: "a letter behind a chunk's size is skipped",
            answers: [.last(chunked + "5x\r\nhello\r\n0\r\n\r\n")], outcome: .text("hello")),
        Exchange(
            reference: "frp#1192", what: "the connection ends before the last chunk",
            answers: [.last(chunked + "5\r\nhello\r\n")], outcome: .failure(.networkConnectionLost)),
        Exchange(
            reference: "grizzly#1833, quicklisp-client#29, curl#7649", what: "chunks count, not a length beside them",
            answers: [
                .bytes(ok + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
            ], outcome: .text("hello")),
        Exchange(
            reference: "haproxy#2677, kubo#2385", what: "chunked is said twice, and applied once",
            answers: [
                .bytes(
                    ok + "Transfer-Encoding: chunked\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "5\r\nhello\r\n0\r\n\r\n")
            ], outcome: .text("hello")),
        Exchange(
            reference: "aiohttp#1619, http-kit#523", what: "what follows trailer fields is the next response",
            answers: [
                .bytes(
                    ok + "Trailer: ETag\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "5\r\nfirst\r\n0\r\nETag: \"a\"\r\nX: y\r\n\r\n"), .bytes(hello),
            ], paths: ["/1", "/2"], outcome: .text("hello"), requests: ["GET /1", "GET /2"],
            received: ["ETag": nil]),
        Exchange(
            reference: "http-parser#516", what: "a transfer coding that nobody asked for",
            answers: [.last(ok + "Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")],
            outcome: .failure(.cannotDecodeContentData)),
    ]

    @Test("Chunks", arguments: chunks) func chunk(_ exchange: Exchange) async throws { try await exchange.run() }

    // MARK: Lengths

    static let lengths: [Exchange] = [
        Exchange(
            reference: "node#6517, dart-sdk#45679", what: "the same length in two lines",
            answers: [.bytes(ok + "Content-Length: 5\r\nPragma: x\r\nContent-Length: 5\r\n\r\nhello")],
            outcome: .text("hello")),
        Exchange(
            reference: "dotnet-runtime#116856", what: "the same length twice in one line",
            answers: [.bytes(ok + "Content-Length: 5, 5\r\n\r\nhello")], outcome: .text("hello")),
        Exchange(
            reference: "fasthttp#2294", what: "two lengths",
            answers: [.last(ok + "Content-Length: 5\r\nContent-Length: 10\r\n\r\nhello")],
            outcome: .failure(.cannotParseResponse)),
        Exchange(
            reference: "servicetalk#1427, ureq-proto#39", what: "a length with a sign",
            answers: [.last(ok + "Content-Length: +5\r\n\r\nhello")], outcome: .failure(.cannotParseResponse)),
        Exchange(
            reference: "moonbit-async#616", what: "a negative length",
            answers: [.last(ok + "Content-Length: -1\r\n\r\n")], outcome: .failure(.cannotParseResponse)),
        Exchange(
            reference: "curl#18921", what: "something behind the number",
            answers: [.last(ok + "Content-Length: 5Bad, Worse\r\n\r\nhello")], outcome: .failure(.cannotParseResponse)),
        Exchange(
            reference: "urllib3#311, requests#4956", what: "less content than announced",
            answers: [.last(ok + "Content-Length: 20\r\n\r\n12345")], outcome: .failure(.networkConnectionLost)),
        Exchange(
            reference: "reqwest#1808, glaze#2684", what: "more content than announced",
            answers: [.bytes(ok + "Content-Length: 3\r\n\r\nabcdef")], outcome: .text("abc")),
        Exchange(
            reference: "glaze#2684", what: "what was too much does not begin the next response",
            answers: [.bytes(ok + "Content-Length: 3\r\n\r\nabcdef"), .bytes(hello)], paths: ["/1", "/2"],
            outcome: .text("hello"), requests: ["GET /1", "GET /2"]),
        Exchange(
            reference: "node#37580", what: "HTTP/1.0 with a length and the transfer coding identity",
            answers: [
                .last("HTTP/1.0 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: identity\r\n\r\nhello")
            ], outcome: .text("hello")),
    ]

    @Test("Lengths", arguments: lengths) func length(_ exchange: Exchange) async throws { try await exchange.run() }

    // MARK: Heads

    static let heads: [Exchange] = [
        // RFC 9112, appendix C.1.1: as malformed today as it is old.
        Exchange(
            reference: "hyper#2468, wpull#291", what: "HTTP/0.9, content without a head",
            answers: [.last("<html>hello</html>")], outcome: .failure(.cannotParseResponse)),
        // RFC 3986, section 6.2.2.3, does not ask for it, and what a server does about them is its own matter.
        Exchange(
            reference: "okhttp#8657, request#2981", what: "dot segments of a path are sent as they are",
            answers: [.bytes(hello)], paths: ["/a/../b/./c"], outcome: .text("hello"), requests: ["GET /a/../b/./c"]),
        // RFC 9110, section 9.3.2: it means nothing. Said, not dropped or sent.
        Exchange(
            reference: "aiohttp#2192, clj-http#614", what: "HEAD with content", answers: [.bytes(hello)],
            method: "HEAD", body: "hello", outcome: .failure(.badURL), requests: []),
        Exchange(
            reference: "ureq#327, aiosonic#591", what: "no reason, and no space for one",
            answers: [.bytes("HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello")], outcome: .text("hello")),
        Exchange(
            reference: "aiohttp#7494", what: "some lines end in a line feed alone",
            answers: [
                .last("HTTP/1.0 200 OK\nServer: a\r\nPragma: no-cache\nSet-Cookie: userid=1; path=/;\n\nhello")
            ], outcome: .text("hello"), received: ["Pragma": "no-cache", "Server": "a"]),
        Exchange(
            reference: "node#27711, erlang-otp#798", what: "a folded field is one value with a space",
            answers: [
                .bytes(
                    ok + "ETag: \"a8fd\"\r\n     viewport=;mobile=false\r\nX-After: b\r\n"
                        + "Content-Length: 5\r\n\r\nhello")
            ], outcome: .text("hello"), received: ["ETag": "\"a8fd\" viewport=;mobile=false", "X-After": "b"]),
        // RFC 9112, section 5.2, wants a space there.
        Exchange(
            reference: "net-http#348", what: "a line of blanks behind the length is a fold, not the head's end",
            answers: [.bytes(ok + "Content-Length: 5\r\n \t\r\nX-After: value\r\n\r\nhello")], outcome: .text("hello"),
            received: ["X-After": "value"]),
        Exchange(
            reference: "net-http#348", what: "a line of blanks behind another field",
            answers: [.bytes(ok + "Content-Length: 5\r\nX: a\r\n \t\r\nX-After: value\r\n\r\nhello")],
            outcome: .text("hello"), received: ["X": "a", "X-After": "value"]),
        Exchange(
            reference: "aiohttp#262", what: "a field name with a space in it spoils that field only",
            answers: [.bytes(ok + "X-Echo-set JSON-USER-AGENT: \"a\"\r\nX: b\r\nContent-Length: 5\r\n\r\nhello")],
            outcome: .text("hello"), received: ["X": "b"]),
        Exchange(
            reference: "aiohttp#5269", what: "a control character in a cookie does not spoil the response",
            answers: [.bytes(ok + "Set-Cookie: a=b\u{1}c\r\nContent-Length: 5\r\n\r\nhello")], outcome: .text("hello")),
        // Browsers skip such a line; curl does not.
        Exchange(
            reference: "curl#11802, icecast-kh#395", what: "a line without a colon",
            answers: [.last(ok + "Server: a\r\nno colon\r\nContent-Length: 5\r\n\r\nhello")],
            outcome: .failure(.cannotParseResponse)),
    ]

    @Test("Heads", arguments: heads) func head(_ exchange: Exchange) async throws { try await exchange.run() }

    // MARK: Interim responses

    private static let early = "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"

    static let hints: [Exchange] = [
        Exchange(
            reference: "http-client#521, nginx#1241, httpcore#605", what: "two hints in a row, then the response",
            answers: [.bytes(early + early + hello)], outcome: .text("hello"), received: ["Link": nil]),
        Exchange(
            reference: "jetty.project#1878", what: "100 although nothing was expected",
            answers: [.bytes("HTTP/1.1 100 Continue\r\n\r\n" + hello)], outcome: .text("hello")),
        Exchange(
            reference: "xrootd#1120", what: "100 with a length, then content up to the end",
            answers: [
                .last("HTTP/1.1 100\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n" + ok + "\r\nhello")
            ], outcome: .text("hello")),
        Exchange(
            reference: "xrootd#1120", what: "100 with a length, then another length, on a connection that stays",
            answers: [.bytes("HTTP/1.1 100\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n" + hello)],
            paths: ["/1", "/2"], outcome: .text("hello"), requests: ["GET /1", "GET /2"]),
    ]

    @Test("Interim responses", arguments: hints) func hint(_ exchange: Exchange) async throws {
        try await exchange.run()
    }

    // MARK: Content codings

    /// "one " and "two", each in a gzip member of its own.
    private static let members = octets(
        "1f8b0800000000000203cbcf4b5500004961ac2304000000" + "1f8b08000000000002032b29cf0700668aca1103000000")
    /// The same in two frames of zstd.
    private static let frames = octets(
        "28b52ffd04582100006f6e652029923fd7" + "28b52ffd045819000074776f8b44f4ec")
    /// "hello", compressed, without zlib's header.
    private static let bare = octets("cb48cdc9c90700")

    private static func coded(_ coding: String, _ content: String) -> String {
        ok + "Content-Encoding: \(coding)\r\nContent-Length: \(content.unicodeScalars.count)\r\n\r\n\(content)"
    }

    static let codings: [Exchange] = [
        Exchange(
            reference: "urllib3#1285, bun#33708, curl#22156", what: "gzip of two members",
            answers: [.bytes(coded("gzip", members))], outcome: .text("one two")),
        Exchange(
            reference: "urllib3#3022, aiohttp#12234, reqwest#2583", what: "zstd of two frames",
            answers: [.bytes(coded("zstd", frames))], outcome: .text("one two")),
        Exchange(
            reference: "httpclient#244, clj-http#110", what: "deflate without zlib's header",
            answers: [.bytes(coded("deflate", bare))], outcome: .text("hello")),
        // As by gzip itself, whose manual speaks of tapes; what is not zero makes the content a bad one.
        Exchange(
            reference: "tornado#2714, nodejs/node#7502", what: "zeros behind the content's gzip",
            answers: [
                .last(ok + "Content-Encoding: gzip\r\n\r\n" + octets(gzippedHello) + octets("00000000000000000000"))
            ], outcome: .text("hello")),
        Exchange(
            reference: "nodejs/node#7502", what: "line ends behind the content's gzip",
            answers: [.last(ok + "Content-Encoding: gzip\r\n\r\n" + octets(gzippedHello) + "\r\n\r\n")],
            outcome: .failure(.cannotDecodeContentData)),
        Exchange(
            reference: "pydantic-ai#7159", what: "gzip that is cut off where the connection ends",
            answers: [.last(ok + "Content-Encoding: gzip\r\n\r\n" + octets("1f8b0800000000000203cbcf4b5500"))],
            outcome: .failure(.cannotDecodeContentData)),
        Exchange(
            reference: "httpx#3411, http4s#3452", what: "HEAD says the coding of content that does not come",
            answers: [.bytes(ok + "Content-Encoding: zstd\r\nContent-Length: 100\r\n\r\n")],
            paths: ["/1"], method: "HEAD", outcome: .status(200), requests: ["HEAD /1"],
            received: ["Content-Length": "100"]),
    ]

    @Test("Content codings", arguments: codings) func coding(_ exchange: Exchange) async throws {
        try await exchange.run()
    }

    // MARK: Connections

    static let connections: [Exchange] = [
        Exchange(
            reference: "hyper#1382, okhttp#220", what: "the server has closed the connection since",
            answers: [.last(ok + "Connection: keep-alive\r\nContent-Length: 1\r\n\r\na"), .bytes(hello)],
            paths: ["/1", "/2"], outcome: .text("hello"), requests: ["GET /1", "GET /2"]),
        Exchange(
            reference: "okhttp#2738, hyper#3553", what: "the server closes the connection when the next request comes",
            answers: [
                .bytes(ok + "Content-Length: 1\r\n\r\na"), .scripted(.script([.close])), .bytes(hello),
            ], paths: ["/1", "/2"], outcome: .text("hello"), requests: ["GET /1", "GET /2", "GET /2"]),
    ]

    @Test("Connections", arguments: connections) func connection(_ exchange: Exchange) async throws {
        try await exchange.run()
    }

    private func makeManager() -> HTTPRequestOperationManager {
        let manager = HTTPRequestOperationManager(baseURL: nil)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.urlCache = OperationURLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        manager.cookieStorage = URLSessionConfiguration.ephemeral.httpCookieStorage
        manager.completionQueue = DispatchQueue(label: "reports")
        return manager
    }

    private func send(
        _ url: URL, with manager: HTTPRequestOperationManager, body: String? = nil
    ) async -> HTTPRequestOperation {
        var request = URLRequest(url: url)
        request.timeoutInterval = 5 * Patience.factor
        if let body {
            request.httpMethod = "POST"
            request.httpBody = Data(body.utf8)
            request.setValue("100-continue", forHTTPHeaderField: "Expect")
        }
        let operation = manager.httpRequestOperation(with: request)
        manager.enqueue(operation)
        _ = try? await operation.value()
        return operation
    }

    @Test("A connection is good for the next request behind trailer fields (aiohttp#1619)")
    func trailers() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in
            .script([.send(Self.chunked + "5\r\nhello\r\n0\r\nETag: \"a\"\r\nX: y\r\n\r\n")])
        }
        let manager = makeManager()
        for path in ["/1", "/2", "/3"] {
            let operation = await send(server.url(path), with: manager)
            #expect(operation.responseString == "hello")
        }
        #expect(server.connectionCount == 1)
    }

    @Test(
        "A response that nobody asked for is not the next request's (jetty.project#5152, openshift-release#378)",
        arguments: [true, false])
    func unsolicited(closes: Bool) async throws {
        let server = try TestServer()
        let (gate, sent) = (Gate(), Gate())
        let late: [ScriptStep] = [
            .gate(gate),
            .send("HTTP/1.0 408 Request Time-out\r\nConnection: close\r\nContent-Length: 4\r\n\r\nlate"), .open(sent),
        ]
        server.respondToOthers { request in
            guard request.path == "/1" else { return .ok("second") }
            return .script([.send(Self.ok + "Content-Length: 5\r\n\r\nfirst")] + late + (closes ? [.close] : []))
        }
        let manager = makeManager()
        #expect(await send(server.url("/1"), with: manager).responseString == "first")
        gate.open()
        await sent.wait()
        try await eventually("the connection is closed") { server.openConnectionCount == 0 }
        let second = await send(server.url("/2"), with: manager)
        #expect(second.error == nil && second.responseString == "second")
        #expect(server.requests.map(\.connection) == [1, 2])
    }

    // MARK: Expectations

    private func silentServer() throws -> TestServer {
        var limits = TestServer.Limits()
        limits.answersExpectContinue = false
        return try TestServer(limits: limits)
    }

    @Test("An answer instead of 100: no content is sent, and the connection is not used again (okhttp#3252)")
    func refusedExpectation() async throws {
        let server = try silentServer()
        server.respondToOthers(at: .afterHead) { request in
            request.expectsContinue ? ScriptedResponse(status: 403, body: .text("no")) : .ok("second")
        }
        let manager = makeManager()
        let first = await send(server.url("/1"), with: manager, body: "content")
        #expect(first.response?.statusCode == 403)
        let second = await send(server.url("/2"), with: manager)
        #expect(second.error == nil && second.responseString == "second")
        #expect(server.requests.first?.bodyLength == 0)
        #expect(server.requests.map(\.connection) == [1, 2])
    }

    @Test("417 to an expectation: once more, without it (curl#4949)")
    func failedExpectation() async throws {
        let server = try silentServer()
        server.respondToOthers(at: .afterHead) { request in
            request.expectsContinue ? ScriptedResponse(status: 417) : .ok("taken")
        }
        let operation = await send(server.url("/"), with: makeManager(), body: "content")
        #expect(operation.error == nil && operation.responseString == "taken")
        #expect(server.requests.map(\.expectsContinue) == [true, false])
        try await eventually("the content is there") { server.requests.last?.text == "content" }
    }

    @Test("A server that never says 100 gets the content all the same (ureq#679)")
    func ignoredExpectation() async throws {
        let server = try silentServer()
        server.respondToOthers { .ok($0.text) }
        let operation = await send(server.url("/"), with: makeManager(), body: "content")
        #expect(operation.error == nil && operation.responseString == "content")
        #expect(server.requests.count == 1)
    }

    @Test("White space before the first field: that line does not count, or the response is refused (curl#10319)")
    func blankFirstLine() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in
            .script([.send(Self.ok + " X-Content-Type-Options: nosniff\r\nContent-Length: 5\r\n\r\nhello"), .close])
        }
        let operation = await send(server.url("/"), with: makeManager())
        if let error = operation.error {
            #expect((error as? URLError)?.code == .cannotParseResponse)
        } else {
            #expect(operation.responseString == "hello")
            #expect(operation.response?.value(forHTTPHeaderField: "X-Content-Type-Options") == nil)
        }
    }
}
