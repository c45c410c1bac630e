// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

/// nghttp2's own proxy, in front of a scripted server.
@Suite("Against nghttpx", .timeLimit(.minutes(2)), .serialized) struct NghttpxTests {
    private let authority: TestCertificateAuthority
    private let backend: TestServer
    private let proxy: NghttpxServer

    init() throws {
        authority = try TestCertificateAuthority()
        backend = try TestServer()
        backend.respondToOthers { .ok("\($0.method) \($0.path) \($0.body.count)") }
        proxy = try NghttpxServer.start(identity: authority.issueForLocalhost(), backendPort: backend.port)
    }

    private func makeManager() -> HTTPRequestOperationManager {
        let manager = HTTPRequestOperationManager.offMain(proxy.url)
        manager.responseSerializer = HTTPResponseSerializer()
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [authority.certificate.der]
        manager.securityPolicy = policy
        return manager
    }

    @Test("100 operations at once use one connection, over TLS and without", arguments: [true, false])
    func burst(overTLS: Bool) async throws {
        defer { proxy.stop() }
        let manager = makeManager()
        if !overTLS { manager.httpVersionPreference = .http2PriorKnowledge }
        let base = overTLS ? proxy.url : proxy.plainURL
        await withTaskGroup(of: Bool.self) { group in
            for index in 0..<100 {
                group.addTask {
                    let outcome = await manager.getting("\(base)\(index)")
                    return outcome.text == "GET /\(index) 0" && outcome.operation?.metrics?.httpVersion == "2"
                }
            }
            for await isFine in group { #expect(isFine) }
        }
        #expect(try proxy.connections.count == 1)
    }

    @Test("An upload larger than every window arrives whole")
    func upload() async throws {
        defer { proxy.stop() }
        let manager = makeManager()
        var request = URLRequest(url: proxy.url.appendingPathComponent("up"))
        request.httpMethod = "PUT"
        request.httpBody = ScriptedResponse.pattern(count: 8 << 20)
        let operation = manager.httpRequestOperation(with: request)
        let (data, _) = try await operation.data()
        #expect(String(decoding: data, as: UTF8.self) == "PUT /up \(8 << 20)")
    }

    @Test("A stream that nobody reads holds back its server, and no other stream of its connection")
    func slowReader() async throws {
        defer { proxy.stop() }
        let size = 96 << 20
        backend.respond(to: "/large", ScriptedResponse(body: .pattern(count: size)))
        let manager = makeManager()
        let large = manager.httpRequestOperation(with: URLRequest(url: proxy.url.appendingPathComponent("large")))
        var chunks = large.chunks.makeAsyncIterator()
        var received = try #require(await chunks.next()).count
        let sent = try await backend.bytesSentAtStandstill()
        // What libcurl lets a server send ahead, 32 MiB, and what lies in the proxy's buffers and the kernel's.
        #expect(sent < 48 << 20)
        for index in 0..<20 { #expect(await manager.getting("\(index)").text == "GET /\(index) 0") }
        #expect(try proxy.connections.count == 1)
        while let chunk = try await chunks.next() { received += chunk.count }
        #expect(received == size)
    }

    @Test("A response that is too large ends at the server, too", arguments: [true, false], [true, false])
    func tooLarge(isAnnounced: Bool, overTLS: Bool) async throws {
        defer { proxy.stop() }
        let never = Gate()
        let content = ScriptedResponse.pattern(count: 1_000)
        let response = ScriptedResponse(body: isAnnounced ? .data(content) : .chunked([content]))
        let begun = isAnnounced ? response.claiming(contentLength: 1 << 30) : response
        backend.respond(to: "/large", begun.holding(never, at: .afterBody))
        let manager = makeManager()
        if !overTLS { manager.httpVersionPreference = .http2PriorKnowledge }
        let base = overTLS ? proxy.url : proxy.plainURL
        let operation = manager.httpRequestOperation(with: URLRequest(url: base.appendingPathComponent("large")))
        operation.maximumResponseBodySize = 100
        #expect(await operation.outcome().code == URLError.Code.dataLengthExceedsMaximum.rawValue)
        try await eventually("the server knows") { backend.openConnectionCount == 0 }
        #expect(await manager.getting("\(base)next").text == "GET /next 0")
    }

    @Test("A server that ends gracefully answers what it has; later requests say that it is gone")
    func goAway() async throws {
        defer { proxy.stop() }
        let gate = Gate()
        backend.respond(to: "/slow", ScriptedResponse.ok("whole").holding(gate, at: .beforeBody))
        let manager = makeManager()
        #expect(await manager.getting("first").text == "GET /first 0")
        async let slow = manager.getting("slow")
        try await eventually("the request is there") { backend.requests.contains { $0.path == "/slow" } }
        proxy.endGracefully()
        // Once its port is closed it has said GOAWAY on the connection, too.
        try await eventually("it takes no connections") {
            let other = makeManager()
            return await other.getting("other").code == URLError.Code.cannotConnectToHost.rawValue
        }
        gate.open()
        #expect(await slow.text == "whole")
        #expect(await manager.getting("late").code == URLError.Code.cannotConnectToHost.rawValue)
    }
}
