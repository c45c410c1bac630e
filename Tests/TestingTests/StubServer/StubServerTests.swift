// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworkingTestServer
import OperationNetworkingTesting
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// How a client reaches a stub server.
enum StubServerWay: CaseIterable, CustomTestStringConvertible {
    case http1, http2, tls1, tls2

    var usesTLS: Bool { self == .tls1 || self == .tls2 }
    var isHTTP2: Bool { self == .http2 || self == .tls2 }

    var testDescription: String {
        (isHTTP2 ? "HTTP/2" : "HTTP/1.1") + (usesTLS ? " over TLS" : "")
    }

    func makeServer(_ stubs: HTTPStubs) throws -> HTTPStubServer {
        try HTTPStubServer(stubs, identity: usesTLS ? HTTPStubServer.Identity() : nil)
    }

    /// A manager that trusts the server, and asks it in this way.
    func makeManager(_ server: HTTPStubServer) -> HTTPRequestOperationManager {
        let manager = HTTPRequestOperationManager(baseURL: server.baseURL)
        manager.completionQueue = DispatchQueue(label: "TestingTests")
        manager.urlCache = nil
        manager.cookieStorage = nil
        manager.responseSerializer = HTTPResponseSerializer()
        if let identity = server.identity { manager.securityPolicy.anchorCertificates = [identity.authority] }
        manager.httpVersionPreference = isHTTP2 ? (usesTLS ? .http2 : .http2PriorKnowledge) : .http1
        return manager
    }
}

/// Rules behind a socket.
@Suite("Stub server", .timeLimit(.minutes(2)))
struct StubServerTests {
    let stubs = HTTPStubs()

    @Test("A request is answered by the rules, recorded, and the connection kept", arguments: StubServerWay.allCases)
    func answers(_ way: StubServerWay) async throws {
        stubs.on("POST", "/v1/books/{id}", respond: .json(["id": 7], status: 201))
        let server = try way.makeServer(stubs)
        let manager = way.makeManager(server)
        for _ in 0..<3 {
            let operation = try manager.makeOperation(
                method: "POST", "v1/books/7?a=b%20c", parameters: ["title": "Lathe"])
            let (data, response) = try await operation.data()
            #expect(data == Data(#"{"id":7}"#.utf8))
            #expect(response.statusCode == 201)
            #expect(response.value(forHTTPHeaderField: "content-type") == "application/json")
            #expect(operation.metrics?.httpVersion == (way.isHTTP2 ? "2" : "1.1"))
        }
        let request = try #require(stubs.requests.last)
        #expect(request.description == "POST \(server.baseURL)v1/books/7?a=b%20c")
        #expect(request.bodyText == "title=Lathe")
        #expect(request.value(forHTTPHeaderField: "Content-Length") == "11")
        #expect(request.value(forHTTPHeaderField: "Host") == "127.0.0.1:\(server.port)")
        #expect(stubs.requests.count == 3)
        #expect(server.acceptedConnectionCount == 1)
    }

    @Test("What no rule fits is 501 with the reason, what a rule throws 500", arguments: StubServerWay.allCases)
    func unmatched(_ way: StubServerWay) async throws {
        struct Broken: LocalizedError {
            var errorDescription: String? { "the rule is broken" }
        }
        stubs.on("GET", "/known") { _ in throw Broken() }
        stubs.on("GET", "/field", respond: StubResponse(headers: ["a b": "c"]))
        stubs.on("GET", "/through", respond: .passthrough)
        let server = try way.makeServer(stubs)
        for (path, status, part) in [
            ("unknown", 501, "no stub for GET \(server.baseURL)unknown: the nearest of 3 rules"),
            ("known", 500, "the rule is broken"), ("field", 500, "no name of a header field"),
            ("through", 500, "no engine"),
        ] {
            let operation = way.makeManager(server).request(path)
            _ = await operation.failure()
            #expect(operation.response?.statusCode == status)
            #expect(operation.responseString?.contains(part) == true, "\(operation.responseString ?? "")")
        }
        #expect(stubs.unmatchedRequests.count == 1)
    }

    @Test("Content of any size goes both ways", arguments: StubServerWay.allCases, [0, 1, 100_000, 5 << 20])
    func content(_ way: StubServerWay, _ size: Int) async throws {
        let content = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) })
        stubs.on("PUT", "/echo") { StubResponse(body: $0.httpBody ?? Data()) }
        let server = try way.makeServer(stubs)
        let manager = way.makeManager(server)
        var request = URLRequest(url: server.baseURL.appendingPathComponent("echo"))
        request.httpMethod = "PUT"
        request.httpBody = content
        #expect(try await manager.httpRequestOperation(with: request).data().0 == content)
        // Of no length that is known before: chunked, or frames.
        request.httpBody = nil
        request.httpBodyStream = InputStream(data: content)
        #expect(try await manager.httpRequestOperation(with: request).data().0 == content)
        #expect(stubs.requests.count == 2)
    }

    @Test("Two hundred at once", arguments: StubServerWay.allCases)
    func many(_ way: StubServerWay) async throws {
        stubs.on("GET", "/{number}") { .text($0.url?.lastPathComponent ?? "") }
        let server = try way.makeServer(stubs)
        let manager = way.makeManager(server)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                let operation = manager.request("\(number)")
                manager.operationQueue.addOperation(operation)
                group.addTask {
                    let (data, _) = try await operation.data()
                    #expect(String(decoding: data, as: UTF8.self) == "\(number)")
                }
            }
            try await group.waitForAll()
        }
        #expect(stubs.requests.count == 200)
        // A session of another test may have raised it.
        #expect(server.acceptedConnectionCount <= (way.isHTTP2 ? 2 : NetworkEngine.maximumConnectionsPerHost))
    }

    @Test("HEAD, 204, 304, fields that come twice, and interim responses", arguments: StubServerWay.allCases)
    func shapes(_ way: StubServerWay) async throws {
        stubs.on("HEAD", "/x", respond: .text("four"))
        stubs.on("GET", "/none", respond: StubResponse(status: 204))
        stubs.on("GET", "/old", respond: StubResponse(status: 304, headers: ["ETag": "\"1\""]))
        stubs.on(
            "GET", "/x",
            respond: .text("four").withField("Set-Cookie", "a=1").withField("Set-Cookie", "b=2")
                .preceded(by: 103, headers: ["Link": "</a.css>"]))
        let server = try way.makeServer(stubs)
        let manager = way.makeManager(server)
        let head = manager.httpRequestOperation(with: try makeRequest("\(server.baseURL)x", method: "HEAD"))
        let (data, response) = try await head.data()
        #expect(data.isEmpty)
        #expect(response.value(forHTTPHeaderField: "Content-Length") == "4")
        let (none, noneResponse) = try await manager.request("none").data()
        #expect(none.isEmpty && noneResponse.statusCode == 204)
        let old = manager.request("old")
        _ = await old.failure()
        #expect(old.response?.statusCode == 304)
        let get = manager.request("x")
        let interims = Locked([Int]())
        get.setInformationalResponseBlock { _, response in interims.withLock { $0.append(response.statusCode) } }
        #expect(try await get.data().0 == Data("four".utf8))
        // On the main queue, which nobody waits for.
        try await eventually("the block is called") { interims.withLock { $0 } == [103] }
        #expect(get.response?.value(forHTTPHeaderField: "Set-Cookie") == "a=1, b=2")
        #expect(server.acceptedConnectionCount == 1)
    }

    @Test("Delays, drips and sequences take place on the wire", arguments: StubServerWay.allCases)
    func pace(_ way: StubServerWay) async throws {
        stubs.on("GET", "/slow", respond: .text("0123456789").dripping(pieces: 2, every: 0.05).delayed(by: 0.1))
        stubs.on("GET", "/turns", respond: .sequence([StubResponse(status: 503), .text("now")]))
        let server = try way.makeServer(stubs)
        let manager = way.makeManager(server)
        let start = ContinuousClock.now
        #expect(try await manager.request("slow").data().0 == Data("0123456789".utf8))
        #expect(ContinuousClock.now - start >= .milliseconds(300))
        let first = manager.request("turns")
        _ = await first.failure()
        #expect(first.response?.statusCode == 503)
        #expect(try await manager.request("turns").data().0 == Data("now".utf8))
    }

    @Test("Drips pile up before a client that does not read, and all arrive", arguments: StubServerWay.allCases)
    func slowReader(_ way: StubServerWay) async throws {
        let content = Array(0..<(12 << 20) / 8).withUnsafeBytes { Data($0) }
        stubs.on("GET", "/", respond: StubResponse(body: content).dripping(pieces: 5_000, every: 0.0001))
        let server = try way.makeServer(stubs)
        let operation = way.makeManager(server).request("")
        var received = Data()
        for try await chunk in operation.chunks {
            // All pieces are due meanwhile, and the sockets full.
            if received.isEmpty { try await Task.sleep(for: .seconds(1)) }
            received.append(chunk)
        }
        #expect(received == content)
    }

    @Test("Content that the stubs have in a file, and a chunked response")
    func chunked() async throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(Data(count: 300_000), to: "content")
        stubs.on("GET", "/file", respond: .file(file, headers: ["Transfer-Encoding": "chunked"]))
        let server = try HTTPStubServer(stubs)
        let manager = StubServerWay.http1.makeManager(server)
        for _ in 0..<2 { #expect(try await manager.request("file").data().0 == Data(count: 300_000)) }
        #expect(server.acceptedConnectionCount == 1)
    }
}
