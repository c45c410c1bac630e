// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

/// HTTP/2 servers, as public reports about other clients have them.
@Suite("Reports: HTTP/2", .timeLimit(.minutes(2)), .serialized) struct HTTP2Reports {
    private static func manager() -> HTTPRequestOperationManager {
        let manager = HTTPRequestOperationManager(baseURL: nil)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.urlCache = nil
        manager.cookieStorage = URLSessionConfiguration.ephemeral.httpCookieStorage
        manager.completionQueue = DispatchQueue(label: "reports")
        manager.httpVersionPreference = .http2PriorKnowledge
        return manager
    }

    private static func request(_ url: URL, _ method: String = "GET", _ body: Data? = nil) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.httpBody = body
        request.timeoutInterval = 10 * Patience.factor
        return request
    }

    /// Sends a request and waits for its end.
    @discardableResult
    private static func run(
        _ manager: HTTPRequestOperationManager, _ request: URLRequest
    ) async -> HTTPRequestOperation {
        let operation = manager.httpRequestOperation(with: request)
        manager.enqueue(operation)
        _ = try? await operation.value()
        return operation
    }

    /// The errors of as many requests at a time.
    private static func errors(
        of count: Int, _ manager: HTTPRequestOperationManager, _ request: URLRequest
    ) async -> [String] {
        await withTaskGroup(of: String?.self) { group in
            for _ in 0..<count {
                group.addTask { await run(manager, request).error.map { "\($0)" } }
            }
            var errors: [String] = []
            for await error in group { if let error { errors.append(error) } }
            return errors
        }
    }

    // MARK: Frames

    /// Frames (RFC 9113, section 4) that answer the first request of a connection.
    enum Frame {
        static let settings = make(4, 0, on: 0, [])

        /// A head (section 6.2), or fields behind the content.
        static func head(_ fields: [(String, String)], ends: Bool = false) -> [UInt8] {
            let block = fields.flatMap { name, value -> [UInt8] in
                // RFC 7541, section 6.2.2: a literal, by a name that is one. Lengths are below 127.
                let prefix = [0, UInt8(name.utf8.count)] + Array(name.utf8)
                return prefix + [UInt8(value.utf8.count)] + Array(value.utf8)
            }
            return make(1, ends ? 5 : 4, on: 1, block)
        }

        static func content(_ text: String, ends: Bool = false) -> [UInt8] {
            make(0, ends ? 1 : 0, on: 1, Array(text.utf8))
        }

        /// Section 6.4.
        static func reset(_ code: UInt8) -> [UInt8] { make(3, 0, on: 1, [0, 0, 0, code]) }

        /// Section 6.8, without an error.
        static func goodbye(last: [UInt8]) -> [UInt8] { make(7, 0, on: 0, last + [0, 0, 0, 0]) }

        private static func make(_ kind: UInt8, _ flags: UInt8, on stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
            [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), kind, flags, 0, 0, 0, stream] + payload
        }
    }

    /// What a server sends in answer to one request, and what comes of it.
    struct Play: Sendable, CustomTestStringConvertible {
        enum Outcome: Sendable {
            case text(String)
            case status(Int)
            /// Some error, and no success.
            case failure
        }

        let reference: String
        let what: String
        var method = "GET"
        var fields: [String: String] = [:]
        let frames: [[UInt8]]
        let outcome: Outcome
        /// Fields behind the content.
        var trailers: [String: String] = [:]

        var testDescription: String { "\(reference): \(what)" }
    }

    static let plays: [Play] = [
        // Section 8.1.1: 204, 304 and what answers HEAD have no content, whatever length they name.
        // Of 204 nghttp2 (1.52) takes a length of 0 only.
        Play(
            reference: "nghttp2#2873", what: "204 with a length",
            frames: [Frame.head([(":status", "204"), ("content-length", "5")], ends: true)], outcome: .failure),
        Play(
            reference: "cowlib#140", what: "204 with a length of 0",
            frames: [Frame.head([(":status", "204"), ("content-length", "0")], ends: true)], outcome: .status(204)),
        Play(
            reference: "okhttp#5968", what: "304 with a length", fields: ["If-None-Match": "\"x\""],
            frames: [Frame.head([(":status", "304"), ("content-length", "57")], ends: true)],
            outcome: .status(304)),
        Play(
            reference: "servicetalk#1360", what: "the answer to HEAD has the length that GET would bring",
            method: "HEAD", frames: [Frame.head([(":status", "200"), ("content-length", "57")], ends: true)],
            outcome: .status(200)),
        Play(
            reference: "nghttp2#1408", what: "less content than its length is no response",
            frames: [Frame.head([(":status", "200"), ("content-length", "9")]), Frame.content("short", ends: true)],
            outcome: .failure),
        // Section 8.3.2.
        Play(
            reference: "h2#958", what: "a head without a status is not 200",
            frames: [Frame.head([], ends: true)], outcome: .failure),
        // Section 8.2.2: must be treated as malformed.
        Play(
            reference: "nghttp2#1674", what: "a field of the connection makes a response malformed",
            frames: [
                Frame.head([(":status", "200"), ("keep-alive", "timeout=3")]), Frame.content("x", ends: true),
            ], outcome: .failure),
        // Section 8.1: fields behind the content end a response, and content does where there are none.
        Play(
            reference: "http4s#7582", what: "fields behind the content end the stream",
            frames: [
                Frame.head([(":status", "200")]), Frame.content("content"),
                Frame.head([("grpc-status", "0")], ends: true),
            ], outcome: .text("content"), trailers: ["grpc-status": "0"]),
        Play(
            reference: "grpc-go#252", what: "fields that were announced and do not come",
            frames: [
                Frame.head([(":status", "200"), ("trailer", "grpc-status")]), Frame.content("content", ends: true),
            ], outcome: .text("content")),
        Play(
            reference: "vert.x#6319", what: "an empty list of fields behind the content",
            frames: [Frame.head([(":status", "200")]), Frame.content("content"), Frame.head([], ends: true)],
            outcome: .text("content")),
        // "Clients MUST NOT discard responses" for it.
        Play(
            reference: "hyper#2872", what: "a reset without an error behind a whole response",
            frames: [
                Frame.head([(":status", "200")]), Frame.content("content", ends: true), Frame.reset(0),
            ], outcome: .text("content")),
        // Content that ends by a reset has no end; the code says only whose fault it is not.
        Play(
            reference: "boxel#5874", what: "a reset without an error in place of the end is an error",
            frames: [Frame.head([(":status", "200")]), Frame.content("cont"), Frame.reset(0)], outcome: .failure),
        // Section 6.8: streams that it counts go on.
        Play(
            reference: "async-http#245", what: "a goodbye before the response that it counts",
            frames: [
                Frame.goodbye(last: [0x7F, 0xFF, 0xFF, 0xFF]), Frame.goodbye(last: [0, 0, 0, 1]),
                Frame.head([(":status", "200")]), Frame.content("content", ends: true),
            ], outcome: .text("content")),
    ]

    /// Sends settings and, when the client has had the time to open its stream, the frames.
    private static func server(_ frames: [[UInt8]]) throws -> TestServer {
        try TestServer(greeting: [
            .send(Data(Frame.settings)), .wait(seconds: 0.3 * Patience.factor), .send(Data(frames.joined())), .stall,
        ])
    }

    @Test("Frames", arguments: plays)
    func play(_ play: Play) async throws {
        let server = try Self.server(play.frames)
        var request = Self.request(server.url(), play.method)
        for (name, value) in play.fields { request.setValue(value, forHTTPHeaderField: name) }
        let operation = await Self.run(Self.manager(), request)
        let comment = Comment(rawValue: "\(play.testDescription) (\(operation.error.map { "\($0)" } ?? "no error"))")
        switch play.outcome {
        case .text(let text): #expect(operation.error == nil && operation.responseString == text, comment)
        case .status(let status): #expect(operation.response?.statusCode == status, comment)
        case .failure: #expect(operation.error is URLError, comment)
        }
        for (name, value) in play.trailers { #expect(operation.responseTrailers[name] == value, comment) }
    }

    // libcurl 7.88 loses such a response, as the README says.
    @Test("A refusal that ends its stream before all of the request has come is the response (corefx#40513)")
    func earlyRefusal() async throws {
        let server = try Self.server([Frame.head([(":status", "413")], ends: true), Frame.reset(0)])
        // More than a window, which does not become wider.
        let request = Self.request(server.url(), "POST", Data(count: 1 << 20))
        let operation = await Self.run(Self.manager(), request)
        let isLost = (operation.error as? URLError)?.code == .networkConnectionLost
        #expect(operation.response?.statusCode == 413 || isLost, "\(String(describing: operation.error))")
    }

    @Test("Cookies of several fields are all kept (helidon#11544)")
    func cookies() async throws {
        let later = "; Path=/; Expires=Wed, 21 Oct 2099 07:28:00 GMT"
        let fields = [(":status", "200"), ("set-cookie", "a=1" + later), ("set-cookie", "b=2" + later)]
        let server = try Self.server([Frame.head(fields, ends: true)])
        let manager = Self.manager()
        await Self.run(manager, Self.request(server.url()))
        #expect(Set(manager.cookieStorage?.cookies?.map { "\($0.name)=\($0.value)" } ?? []) == ["a=1", "b=2"])
    }

    // MARK: Servers

    @Test("Fields of the connection that the caller has set do not go out (hackney#935, httpie-http2#8)")
    func connectionFields() async throws {
        // h2 ends a connection on which they come.
        let server = try HTTP2Server.start()
        defer { server.stop() }
        var request = Self.request(server.url())
        request.setValue("keep-alive", forHTTPHeaderField: "Connection")
        request.setValue("timeout=5", forHTTPHeaderField: "Keep-Alive")
        request.setValue("keep-alive", forHTTPHeaderField: "Proxy-Connection")
        request.setValue("h2c", forHTTPHeaderField: "Upgrade")
        request.setValue("1", forHTTPHeaderField: "X-UPPER-Case")
        let operation = await Self.run(Self.manager(), request)
        #expect(operation.response?.statusCode == 200, "\(String(describing: operation.error))")
    }

    @Test(
        "The first stream of a connection is refused (dotnet/runtime#44669, reqwest#2081)", arguments: ["GET", "POST"])
    func refused(method: String) async throws {
        let server = try HTTP2Server.start()
        defer { server.stop() }
        let request = Self.request(server.url("/refuse-once"), method, method == "POST" ? Data("x".utf8) : nil)
        let operation = await Self.run(Self.manager(), request)
        #expect(operation.error == nil, "\(String(describing: operation.error))")
        #expect(server.log.count == 2)
    }

    // On a connection that was in use before, where libcurl takes a refusal for a connection that died.
    @Test("Streams of a connection are refused again and again (http-2#109)", arguments: ["GET", "POST"], [1, 3, 8])
    func refusedOften(method: String, times: Int) async throws {
        let server = try HTTP2Server.start()
        defer { server.stop() }
        let manager = Self.manager()
        #expect(await Self.run(manager, Self.request(server.url("/"))).error == nil)
        let request = Self.request(server.url("/refuse/\(times)"), method, method == "POST" ? Data("x".utf8) : nil)
        let operation = await Self.run(manager, request)
        #expect(operation.error == nil, "\(String(describing: operation.error))")
        #expect(server.log.count == times + 2)
    }

    @Test("A goodbye that leaves the request out (k6#1091, got#2156)", arguments: ["GET", "POST"])
    func leftOut(method: String) async throws {
        let server = try HTTP2Server.start()
        defer { server.stop() }
        let request = Self.request(server.url("/goaway-before"), method, method == "POST" ? Data("x".utf8) : nil)
        let operation = await Self.run(Self.manager(), request)
        #expect(operation.error == nil, "\(String(describing: operation.error))")
    }

    /// nginx, HTTP/2 without TLS, with settings of its server.
    private static func nginx(_ settings: String, content: Data = Data("content".utf8)) throws -> NginxServer {
        try NginxServer.start(portCount: 2, files: ["file": content]) { layout in
            // Another server answers, so that content is read: see `earlyRefusal` for one that answers before.
            "server { listen 127.0.0.1:\(layout.ports[0]) http2; root \(layout.root); \(settings)\n"
                + "location /post { proxy_pass http://127.0.0.1:\(layout.ports[1]); } }\n"
                + "server { listen 127.0.0.1:\(layout.ports[1]); return 200 posted; }"
        }
    }

    @Test(
        "nginx ends a connection after some requests, one after the other (curl#11859, curl#1618)", arguments: [1, 10])
    func requestsPerConnection(limit: Int) async throws {
        let nginx = try Self.nginx("keepalive_requests \(limit);")
        defer { nginx.stop() }
        let manager = Self.manager()
        for number in 0..<30 {
            // curl#8809: GET and POST in turns.
            let isPost = number % 2 == 1
            let request = Self.request(
                nginx.url(isPost ? "/post" : "/file"), isPost ? "POST" : "GET", isPost ? Data("x".utf8) : nil)
            let operation = await Self.run(manager, request)
            #expect(operation.error == nil, "request \(number): \(String(describing: operation.error))")
        }
    }

    // RFC 9113, section 6.8: streams behind the last one that it names can be sent again, as often as that happens.
    @Test(
        "nginx ends a connection after some requests while more are under way (curl#5611, golang/go#18112)",
        arguments: [150, 20])
    func requestsPerConnectionAtOnce(limit: Int) async throws {
        let nginx = try Self.nginx("keepalive_requests \(limit);")
        defer { nginx.stop() }
        let errors = await Self.errors(of: 200, Self.manager(), Self.request(nginx.url("/file")))
        #expect(errors.isEmpty, "\(errors.count) errors: \(errors.first ?? "")")
    }

    @Test(
        "A server that takes four streams at a time, and 100 requests (http-2#109, corefx#39005)",
        arguments: ["GET", "POST"])
    func fewStreams(method: String) async throws {
        let nginx = try Self.nginx("http2_max_concurrent_streams 4;")
        defer { nginx.stop() }
        let request = Self.request(
            nginx.url(method == "GET" ? "/file" : "/post"), method, method == "GET" ? nil : Data("x".utf8))
        let errors = await Self.errors(of: 100, Self.manager(), request)
        #expect(errors.isEmpty, "\(errors.count) errors: \(errors.first ?? "")")
    }

    @Test("Downloads that are given up leave the connection's window as it was (okhttp#3915, curl#11052)")
    func givenUp() async throws {
        let nginx = try Self.nginx("", content: ScriptedResponse.pattern(count: 1 << 20))
        defer { nginx.stop() }
        let manager = Self.manager()
        // Together more than a window of libcurl's, which is 32 MiB.
        for _ in 0..<80 {
            let operation = manager.httpRequestOperation(with: Self.request(nginx.url("/file")))
            for try await _ in operation.chunks { break }
        }
        let last = await Self.run(manager, Self.request(nginx.url("/file")))
        #expect(last.error == nil && last.responseData?.count == 1 << 20, "\(String(describing: last.error))")
    }

    @Test("The content of bad responses leaves the connection's window as it was (HTTP.jl#1371)")
    func badResponses() async throws {
        let nginx = try Self.nginx("error_page 404 /file; ", content: ScriptedResponse.pattern(count: 1 << 16))
        defer { nginx.stop() }
        let manager = Self.manager()
        for _ in 0..<60 {
            let errors = await Self.errors(of: 10, manager, Self.request(nginx.url("/none")))
            // Each is that of a status that is not accepted.
            #expect(errors.count == 10)
        }
        let last = await Self.run(manager, Self.request(nginx.url("/file")))
        #expect(last.error == nil && last.responseData?.count == 1 << 16, "\(String(describing: last.error))")
    }
}
