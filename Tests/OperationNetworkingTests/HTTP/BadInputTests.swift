// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("Bad input ends an operation once, with an error that says why", .timeLimit(.minutes(3))) struct BadInputTests {
    let server: TestServer

    init() throws {
        server = try TestServer()
        server.respond(to: "/fine", .ok("fine"))
    }

    private func expectNothingElseDisturbed(sourceLocation: SourceLocation = #_sourceLocation) async {
        #expect(
            await HTTPRequestOperation(server.url("/fine")).outcome().text == "fine", sourceLocation: sourceLocation)
    }

    /// Runs an operation, and checks where its one completion arrives.
    private func outcome(_ operation: HTTPRequestOperation) async -> HTTPOutcome {
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "test")
        queue.setSpecific(key: key, value: true)
        operation.completionQueue = queue
        let calls = Journal<Bool>()
        let outcome: HTTPOutcome = await withCheckedContinuation { continuation in
            operation.setCompletionBlockWithSuccess(
                { operation, object in
                    calls.append(DispatchQueue.getSpecific(key: key) ?? false)
                    continuation.resume(returning: HTTPOutcome(operation: operation, object: object, error: nil))
                },
                failure: { operation, error in
                    calls.append(DispatchQueue.getSpecific(key: key) ?? false)
                    continuation.resume(returning: HTTPOutcome(operation: operation, object: nil, error: error))
                })
            operation.start()
        }
        await blocking { queue.sync {} }
        #expect(calls.all == [true])
        #expect(operation.isFinished)
        return outcome
    }

    // MARK: Requests

    @Test("A request without a URL")
    func noURL() async {
        var request = URLRequest(url: server.url("/"))
        request.url = nil
        let error = await outcome(HTTPRequestOperation(request: request)).urlError
        #expect(error?.code == .badURL)
        await expectNothingElseDisturbed()
    }

    @Test(
        "A URL that is relative, has another scheme, no host, or a port that is none",
        arguments: [
            ("relative/path", URLError.Code.badURL), ("//127.0.0.1/x", .badURL), ("ftp://127.0.0.1/", .unsupportedURL),
            ("file:///etc/passwd", .unsupportedURL), ("data:text/plain,x", .unsupportedURL),
            ("HTTPX://127.0.0.1/", .unsupportedURL), ("http:///path", .badURL), ("http:path", .badURL),
            ("http://", .badURL), ("http://:80/", .badURL), ("http://?a", .badURL), ("http://#a", .badURL),
            ("http://127.0.0.1:99999/", .badURL), ("http://127.0.0.1:65536/", .badURL),
        ])
    func badURLs(string: String, code: URLError.Code) async throws {
        // What Foundation does not take as a URL cannot get into a request.
        guard let url = URL(string: string) else { return }
        let error = try #require(await outcome(HTTPRequestOperation(url)).urlError)
        #expect(error.code == code)
        #expect(error.userInfo[NSURLErrorFailingURLErrorKey] is URL)
        await expectNothingElseDisturbed()
    }

    @Test("Port 0 is an error, and an empty port is the scheme's own")
    func oddPorts() async throws {
        let zero = try #require(URL(string: "http://127.0.0.1:0/"))
        #expect(await outcome(HTTPRequestOperation(zero)).urlError != nil)
        let empty = try #require(URL(string: "http://127.0.0.1:/"))
        let operation = HTTPRequestOperation(empty, timeout: 5)
        _ = await outcome(operation)
        #expect(operation.isFinished)
    }

    @Test(
        "Method and header fields that would break the request line or the head are refused, and nothing is sent",
        arguments: [
            ("GET", "X-A", "a\r\nX-Evil: 1"), ("GET", "X-A", "a\nX-Evil: 1"), ("GET", "X-A", "a\u{0}b"),
            ("GET", "X-A: 1\r\nX-Evil", "1"), ("GET", "X A", "1"), ("GET", "", "1"), ("GET", "Ü", "1"),
            ("GET /x HTTP/1.1\r\nX-Evil: 1\r\n\r\n", "X-A", "1"), ("GE T", "X-A", "1"), ("", "X-A", "1"),
            ("GET\u{0}", "X-A", "1"),
        ])
    func injection(method: String, name: String, value: String) async {
        let operation = HTTPRequestOperation(server.url("/"), method: method, headers: [name: value])
        // Foundation may have dropped or replaced what is not allowed; what it kept must be refused.
        let request = operation.request
        let isKept = request.httpMethod == method && request.allHTTPHeaderFields?[name] == value
        let outcome = await outcome(operation)
        if isKept { #expect(outcome.urlError?.code == .badURL) }
        #expect(server.requests.allSatisfy { $0["X-Evil"] == nil && $0.target != "/x" })
        #expect(server.connections.allSatisfy { $0.errors.isEmpty })
        await expectNothingElseDisturbed()
    }

    // MARK: Connections

    @Test("A refused connection: -1004, with libcurl's code, its message and errno underneath")
    func refused() async throws {
        let port = try RefusedPort()
        let url = try #require(URL(string: port.urlString))
        let error = try #require(await outcome(HTTPRequestOperation(url)).urlError)
        #expect(error.code == .cannotConnectToHost && error.errorCode == -1004)
        #expect((error as NSError).domain == NSURLErrorDomain)
        #expect(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == url)
        #expect(error.userInfo["NSErrorFailingURLStringKey"] as? String == url.absoluteString)
        let underlying = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(underlying.domain == "libcurl.CURLcode" && underlying.code == 7)
        #expect(underlying.localizedDescription.contains("127.0.0.1"))
        let system = try #require(underlying.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(system.domain == NSPOSIXErrorDomain && system.code == Int(POSIXErrorCode.ECONNREFUSED.rawValue))
        await expectNothingElseDisturbed()
    }

    @Test("An unknown host: -1003")
    func unknownHost() async throws {
        let url = try #require(URL(string: "http://no-such-host.invalid/"))
        let error = try #require(await outcome(HTTPRequestOperation(url)).urlError)
        #expect(error.code == .cannotFindHost)
        #expect((error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == 6)
        await expectNothingElseDisturbed()
    }

    @Test("HTTPS to a server that speaks HTTP: -1200")
    func plainServer() async throws {
        let plain = try TestServer(greeting: [.send("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")])
        let operation = HTTPRequestOperation(plain.url("/", scheme: "https"), timeout: 10)
        let error = await outcome(operation).urlError
        #expect(error?.code == .secureConnectionFailed, "\(error as Any)")
        await expectNothingElseDisturbed()
    }

    @Test("A certificate that nobody vouches for: -1202 with the failing rule")
    func untrusted() async throws {
        let secure = try TestServer(tls: TLSSettings(TestCertificateAuthority.selfSigned()))
        let error = try #require(await outcome(HTTPRequestOperation(secure.url("/"))).urlError)
        #expect((-1204 ... -1201).contains(error.errorCode))
        #expect(error.userInfo[NSUnderlyingErrorKey] != nil)
        #expect(secure.requests.isEmpty)
        await expectNothingElseDisturbed()
    }

    // MARK: Responses

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let response: ScriptedResponse
        let code: Int
        var testDescription: String { name }
    }

    private static func head(_ fields: String) -> ScriptStep { .send("HTTP/1.1 200 OK\r\n\(fields)\r\n") }

    static let cases: [Case] = [
        Case(name: "reset before the head", response: .script([.reset]), code: -1005),
        Case(name: "closed before the head", response: .script([.close]), code: -1005),
        Case(name: "closed within the head", response: .script([.send("HTTP/1.1 200 OK\r\nX-"), .close]), code: -1005),
        Case(
            name: "reset after the head",
            response: .script([head("Content-Length: 5\r\n"), .wait(seconds: 0.05), .reset]), code: -1005),
        Case(
            name: "reset within the content",
            response: ScriptedResponse(body: .text("0123456789")).ending(.reset, afterBodyBytes: 4), code: -1005),
        Case(
            name: "closed within the content",
            response: ScriptedResponse(body: .text("0123456789")).ending(.closeUnannounced, afterBodyBytes: 4),
            code: -1005),
        Case(
            name: "closed within a chunk",
            response: ScriptedResponse(body: .chunks(["0123456789"])).ending(.closeUnannounced, afterBodyBytes: 4),
            code: -1005),
        Case(
            name: "closed before the last chunk",
            response: .script([head("Transfer-Encoding: chunked\r\n"), .send("1\r\na\r\n"), .close]), code: -1005),
        Case(
            name: "Content-Length too large",
            response: ScriptedResponse(body: .text("0123456789")).claiming(contentLength: 20).ending(.closeUnannounced),
            code: -1005),
        Case(name: "a chunk size that is no number", response: .badChunk, code: -1017),
        Case(
            name: "a chunk size beyond all bounds",
            response: .script([
                head("Transfer-Encoding: chunked\r\n"), .send("FFFFFFFFFFFFFFFFFFFFF\r\nabc\r\n"), .close,
            ]), code: -1017),
        Case(name: "garbage in place of a status line", response: .garbageStatusLine, code: -1017),
        Case(name: "HTTP/0.9", response: .script([.send("<html>hello</html>"), .close]), code: -1017),
        Case(name: "an unknown version", response: .script([.send("HTTP/7.3 200 OK\r\n\r\n"), .close]), code: -1017),
        Case(
            name: "a status code of letters", response: .script([.send("HTTP/1.1 abc OK\r\n\r\n"), .close]), code: -1017
        ),
        Case(
            name: "a Content-Length that is no number",
            response: .script([head("Content-Length: many\r\n"), .send("abc"), .close]), code: -1017),
        Case(
            name: "a negative Content-Length",
            response: .script([head("Content-Length: -5\r\n"), .send("abc"), .close]), code: -1017),
        Case(name: "a huge head", response: .hugeHeaders(bytes: 2 << 20), code: -1103),
        Case(
            name: "one huge header field",
            response: .script([.send("HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 1 << 20) + "\r\n\r\n")]),
            code: -1103),
        Case(
            name: "interim responses without end",
            response: .script(
                Array(
                    repeating: .send(String(repeating: "HTTP/1.1 103 Early Hints\r\nX: 1\r\n\r\n", count: 1000)),
                    count: 60)
                    + [.stall]), code: -1103),
        Case(
            name: "gzip that is none",
            response: ScriptedResponse(headers: [("Content-Encoding", "gzip")], body: .text("this is not gzip")),
            code: -1016),
        Case(
            name: "a coding that nobody knows",
            response: ScriptedResponse(headers: [("Content-Encoding", "zip")], body: .text("abc")), code: -1016),
    ]

    @Test("What a server sends wrongly has its code", arguments: cases)
    func badResponse(each: Case) async throws {
        server.respond(to: "/bad", each.response)
        for method in ["GET", "POST"] {
            let operation = HTTPRequestOperation(
                server.url("/bad"), method: method, body: method == "POST" ? Data("x".utf8) : nil, timeout: 10)
            let outcome = await outcome(operation)
            let error = try #require(outcome.urlError)
            #expect(error.errorCode == each.code)
            #expect(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == server.url("/bad"))
            #expect(!error.localizedDescription.isEmpty)
            #expect(operation.responseData == nil && operation.responseObject == nil)
            await expectNothingElseDisturbed()
        }
    }

    @Test("Content beyond Content-Length is not part of the response, and does not reach the next one")
    func longerThanAnnounced() async {
        server.respond(to: "/long", ScriptedResponse(body: .text("0123456789")).claiming(contentLength: 4))
        for _ in 0..<3 {
            let outcome = await outcome(HTTPRequestOperation(server.url("/long"), timeout: 10))
            #expect(outcome.text == "0123")
            await expectNothingElseDisturbed()
        }
    }

    @Test("Content in a response that must not have any does not reach the next one", arguments: [204, 304])
    func contentWhereNoneBelongs(status: Int) async {
        server.respond(
            to: "/odd", .script([.send("HTTP/1.1 \(status) X\r\nContent-Length: 5\r\n\r\nhello")]))
        for _ in 0..<3 {
            let outcome = await outcome(HTTPRequestOperation(server.url("/odd"), timeout: 10))
            #expect(outcome.status == status && outcome.data == Data())
            await expectNothingElseDisturbed()
        }
    }

    // MARK: Places for the content

    @Test("Content over maximumResponseBodySize: -1103", arguments: [true, false])
    func tooMuchForMemory(chunked: Bool) async throws {
        let data = Data(count: 1001)
        server.respond(to: "/big", ScriptedResponse(body: chunked ? .chunked([data]) : .data(data)))
        let operation = HTTPRequestOperation(server.url("/big"))
        operation.maximumResponseBodySize = 1000
        let error = try #require(await outcome(operation).urlError)
        #expect(error.code == .dataLengthExceedsMaximum && error.errorCode == -1103)
        #expect(error.localizedDescription.contains("1000"))
        let enough = HTTPRequestOperation(server.url("/big"))
        enough.maximumResponseBodySize = 1001
        #expect(await outcome(enough).data == data)
        await expectNothingElseDisturbed()
    }

    @Test("An output stream that cannot be opened", arguments: ["/no/such/directory/file", "/"])
    func unwritable(path: String) async throws {
        server.respond(to: "/content", ScriptedResponse(body: .pattern(count: 100_000)))
        let operation = HTTPRequestOperation(server.url("/content"))
        operation.outputStream = OutputStream(toFileAtPath: path, append: false)
        let error = try #require(await outcome(operation).urlError)
        #expect(error.code == .cannotWriteToFile)
        #expect(error.userInfo[NSUnderlyingErrorKey] is NSError)
        await expectNothingElseDisturbed()
    }

    @Test("An output stream that is full: a device, and a buffer")
    func full() async throws {
        server.respond(to: "/content", ScriptedResponse(body: .pattern(count: 3 << 20)))
        let capacity = 100
        let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        defer { buffer.deallocate() }
        let streams = [
            OutputStream(toFileAtPath: "/dev/full", append: false),
            OutputStream(toBuffer: buffer, capacity: capacity),
        ]
        for stream in streams {
            let operation = HTTPRequestOperation(server.url("/content"))
            operation.outputStream = stream
            let error = try #require(await outcome(operation).urlError)
            #expect(error.code == .cannotWriteToFile)
            #expect(error.userInfo[NSUnderlyingErrorKey] is NSError)
            await expectNothingElseDisturbed()
        }
    }

    @Test("An output stream that was closed before")
    func closedStream() async {
        server.respond(to: "/content", .ok("x"))
        let operation = HTTPRequestOperation(server.url("/content"))
        let stream = OutputStream.toMemory()
        stream.open()
        stream.close()
        operation.outputStream = stream
        #expect(await outcome(operation).urlError?.code == .cannotWriteToFile)
        await expectNothingElseDisturbed()
    }
}
