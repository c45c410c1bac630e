// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSessions

/// What `httpMaximumConnectionsPerHost` limits.
@Suite("Connections of a session to one host", .timeLimit(.minutes(1))) struct ConnectionLimitTests {
    private let configuration: URLSessionConfiguration

    init() {
        configuration = .ephemeral
        configuration.httpMaximumConnectionsPerHost = 2
    }

    /// Resumes ten tasks; their contents, as they come.
    private func resumeTasks(of session: URLSession, _ url: URL) -> Notes<String?> {
        let texts = Notes<String?>()
        for _ in 0..<10 {
            session.dataTask(with: url) { data, _, _ in
                texts.add(data.map { String(decoding: $0, as: UTF8.self) })
            }.resume()
        }
        return texts
    }

    @Test("Over HTTP/1.1 there are no more requests under way than connections")
    func http1() async throws {
        let server = try TestServer()
        let gate = Gate()
        defer { gate.open() }
        server.respondToOthers { _ in ScriptedResponse.ok("held").holding(gate, at: .beforeHead) }
        let session = OperationURLSession(configuration: configuration)
        let texts = resumeTasks(of: session, server.url())
        try await eventually("the first requests") { server.requests.count >= 2 }
        #expect(session.operationQueue.queuedOperations.count(where: \.isExecuting) == 2)
        gate.open()
        try await eventually("the ends") { texts.all.count == 10 }
        #expect(texts.all.allSatisfy { $0 == "held" })
        #expect(server.maximumSimultaneousConnections <= 2)
    }

    @Test("Over HTTP/2 a connection has many requests under way")
    func http2() async throws {
        let authority = try TestCertificateAuthority()
        let backend = try TestServer()
        let gate = Gate()
        backend.respond(to: "/", .ok("first"))
        backend.respond(to: "/held", ScriptedResponse.ok("held").holding(gate, at: .beforeHead))
        let proxy = try NghttpxServer.start(identity: authority.issueForLocalhost(), backendPort: backend.port)
        defer {
            gate.open()
            proxy.stop()
        }
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [authority.certificate.der]
        let session = OperationURLSession(configuration: configuration, securityPolicy: policy)
        // From its answer it is known what the host speaks.
        #expect(await session.outcome(proxy.url).text == "first")
        let texts = resumeTasks(of: session, proxy.url.appendingPathComponent("held"))
        try await eventually("all requests are there") { backend.requests.count(where: { $0.path == "/held" }) == 10 }
        gate.open()
        try await eventually("the ends") { texts.all.count == 10 }
        #expect(texts.all.allSatisfy { $0 == "held" })
        #expect(try proxy.connections.count <= 2)
    }
}
