// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking
import TestServer
import Testing

@Suite("Verdicts of a policy's subclass that take their time", .timeLimit(.minutes(1)))
struct SlowVerdictTests {
    /// Answers when a gate opens.
    private final class PatientPolicy: SecurityPolicy, @unchecked Sendable {
        let gate = Locked(Gate())
        let asked = Locked(0)
        let isTrusted = Locked(true)

        override func evaluate(_ serverTrust: ServerTrust, forDomain domain: String?) -> Bool {
            asked.withLock { $0 += 1 }
            let gate = gate.withLock { $0 }
            return gate.wait(timeout: 20) && isTrusted.withLock { $0 }
        }
    }

    private static let versions = [TLSVersion.v1_2, .v1_3]

    private func server(_ version: TLSVersion = .v1_3) throws -> TestServer {
        let server = try TestServer(
            tls: TLSSettings(HandshakeTests.identity.get(), minimumVersion: version, maximumVersion: version))
        server.respondToOthers { _ in .ok("secret") }
        return server
    }

    @Test("Other requests go on, and the one that waits is sent with the verdict", arguments: versions)
    func others(version: TLSVersion) async throws {
        let (server, other) = (try server(version), try TestServer())
        other.respondToOthers { _ in .ok("x") }
        let policy = PatientPolicy(pinningMode: .none)
        async let attempts = withTaskGroup(of: Attempt.self) { group in
            for _ in 0..<4 { group.addTask { await Attempt.get(server.url("/"), policy) } }
            return await group.reduce(into: [Attempt]()) { $0.append($1) }
        }
        try await eventually("the question") { policy.asked.withLock { $0 } > 0 }
        let before = clock()
        for _ in 0..<50 { #expect(await Attempt.get(other.url("/")).status == 200) }
        // Nothing turns round and round meanwhile, nor was anything sent.
        let used = Double(clock() - before) / Double(CLOCKS_PER_SEC)
        #expect(used < 2 * Patience.factor && server.requests.isEmpty)
        policy.gate.withLock { $0 }.open()
        for attempt in await attempts { #expect(attempt.status == 200 && attempt.body == Data("secret".utf8)) }
        // A connection is there, and nobody is asked again.
        let asked = policy.asked.withLock { $0 }
        #expect(await Attempt.get(server.url("/"), policy).metrics?.reusedConnection == true)
        #expect(policy.asked.withLock { $0 } == asked)
    }

    /// Takes its time, whoever else is asked meanwhile.
    private final class SlowPolicy: SecurityPolicy, @unchecked Sendable {
        let asked = Locked(0)

        override func evaluate(_ serverTrust: ServerTrust, forDomain domain: String?) -> Bool {
            asked.withLock { $0 += 1 }
            Thread.sleep(forTimeInterval: 0.02)
            return domain == "127.0.0.1"
        }
    }

    @Test("640 requests, 64 at a time, by either version of HTTP", arguments: [false, true])
    func many(isHTTP2: Bool) async throws {
        let content = Data("content".utf8)
        let nginx = try NginxServer.start(
            portCount: 1, files: ["file": content], identity: HandshakeTests.identity.get()
        ) { layout in
            "server { listen 127.0.0.1:\(layout.ports[0]) ssl\(isHTTP2 ? " http2" : ""); root \(layout.root);"
                + " ssl_certificate \(layout.certificate); ssl_certificate_key \(layout.key); keepalive_requests 40; }"
        }
        defer { nginx.stop() }
        let policy = SlowPolicy(pinningMode: .none)
        let queue = RequestOperationQueue()
        queue.maxConcurrentOperationCount = 64
        let operations = (0..<640).map { _ in
            let operation = HTTPRequestOperation(request: URLRequest(url: nginx.url("/file", port: 0, scheme: "https")))
            operation.responseSerializer = HTTPResponseSerializer()
            operation.securityPolicy = policy
            return operation
        }
        queue.addOperations(operations, waitUntilFinished: false)
        for operation in operations { _ = try? await operation.value() }
        let failed = operations.filter { $0.responseData != content }
        #expect(failed.isEmpty, "\(failed.count): \(failed.first?.error.map { "\($0)" } ?? "")")
        // Once for each connection, of which there are sixteen or more with so many requests on each.
        #expect((16...640).contains(policy.asked.withLock { $0 }))
    }

    @Test("A rejection is what it is at once, and the server sees no request", arguments: versions)
    func rejection(version: TLSVersion) async throws {
        let server = try server(version)
        let policy = PatientPolicy(pinningMode: .none)
        policy.isTrusted.withLock { $0 = false }
        async let attempt = Attempt.get(server.url("/"), policy)
        try await eventually("the question") { policy.asked.withLock { $0 } == 1 }
        policy.gate.withLock { $0 }.open()
        let result = await attempt
        #expect(result.status == nil && result.trustError != nil && result.error?.code.isTrustFailure == true)
        #expect(server.requests.isEmpty)
        // Nor is it taken from what the handshake has left.
        #expect(await Attempt.get(server.url("/"), policy).trustError != nil)
        #expect(policy.asked.withLock { $0 } == 2)
    }

    @Test("A request that is cancelled or out of time ends without the verdict, which comes to nothing")
    func givenUp() async throws {
        let server = try server()
        let policy = PatientPolicy(pinningMode: .none)
        let operation = HTTPRequestOperation(request: URLRequest(url: server.url("/")))
        operation.securityPolicy = policy
        operation.start()
        try await eventually("the question") { policy.asked.withLock { $0 } == 1 }
        operation.cancel()
        _ = try? await operation.value()
        #expect((operation.error as? URLError)?.code == .cancelled)
        var request = URLRequest(url: server.url("/"))
        request.timeoutInterval = 0.2
        let late = HTTPRequestOperation(request: request)
        late.securityPolicy = policy
        _ = try? await late.value()
        #expect((late.error as? URLError)?.code == .timedOut)
        policy.gate.withLock { $0 }.open()
        let next = await Attempt.get(server.url("/"), policy)
        #expect(next.status == 200 && server.requests.count == 1)
    }

    @Test("The same through a proxy that speaks TLS, whose own policy waits, too")
    func proxy() async throws {
        let server = try server()
        let squid = try SquidServer.start(identity: HandshakeTests.identity.get())
        let (policy, proxyPolicy) = (PatientPolicy(pinningMode: .none), PatientPolicy(pinningMode: .none))
        var proxy = try ProxyServer("https://localhost:\(squid.securePort)")
        proxy.securityPolicy = proxyPolicy
        let operation = HTTPRequestOperation(request: URLRequest(url: server.url("/")))
        operation.responseSerializer = HTTPResponseSerializer()
        operation.securityPolicy = policy
        operation.proxyConfiguration = ProxyConfiguration(proxy)
        operation.start()
        try await eventually("the question about the proxy") { proxyPolicy.asked.withLock { $0 } == 1 }
        #expect(policy.asked.withLock { $0 } == 0)
        proxyPolicy.gate.withLock { $0 }.open()
        try await eventually("the question about the server") { policy.asked.withLock { $0 } == 1 }
        #expect(server.requests.isEmpty)
        policy.gate.withLock { $0 }.open()
        _ = try await operation.value()
        #expect(operation.response?.statusCode == 200)
    }
}

extension URLError.Code {
    fileprivate var isTrustFailure: Bool {
        [.serverCertificateUntrusted, .serverCertificateHasUnknownRoot, .secureConnectionFailed].contains(self)
    }
}
