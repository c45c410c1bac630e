// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

/// What a request came to.
struct Attempt: Sendable {
    var status: Int?
    var error: URLError?
    var trustError: ServerTrustError?
    var body: Data?
    var metrics: TransferMetrics?

    /// Sends a GET under a policy. A request has 10 seconds.
    static func get(
        _ url: URL, _ policy: SecurityPolicy? = nil, identity: ClientIdentity? = nil
    ) async -> Attempt {
        var request = URLRequest(url: url)
        request.timeoutInterval = 10
        let operation = HTTPRequestOperation(request: request)
        operation.responseSerializer = HTTPResponseSerializer()
        if let policy { operation.securityPolicy = policy }
        operation.clientIdentity = identity
        _ = try? await operation.value()
        let error = operation.error as? URLError
        return Attempt(
            status: operation.response?.statusCode, error: error,
            trustError: error?.userInfo[NSUnderlyingErrorKey] as? ServerTrustError, body: operation.responseData,
            metrics: operation.metrics)
    }
}

@Suite("Handshakes with real servers", .timeLimit(.minutes(2)))
struct HandshakeTests {
    static let root = Result { try TestCertificateAuthority(name: "Handshake Root") }
    static let intermediate = Result { try root.get().makeIntermediate(name: "Handshake Intermediate") }
    static let identity = Result { try intermediate.get().issueForLocalhost() }

    private func server(_ settings: TLSSettings? = nil) throws -> TestServer {
        let server = try TestServer(tls: settings ?? TLSSettings(Self.identity.get()))
        server.respondToOthers { _ in .ok("secret") }
        return server
    }

    /// Trusts the handshake root.
    private func trusting(_ mode: SSLPinningMode = .none, _ pins: [TestCertificate] = []) throws -> SecurityPolicy {
        let policy = SecurityPolicy(pinningMode: mode, pinnedCertificates: Set(pins.map(\.der)))
        policy.anchorCertificates = [try Self.root.get().certificate.der]
        return policy
    }

    private func permissive() -> SecurityPolicy {
        let policy = SecurityPolicy.default()
        policy.allowInvalidCertificates = true
        policy.validatesDomainName = false
        return policy
    }

    @Test("A trusted server answers, by name and by address", arguments: ["localhost", "127.0.0.1"])
    func trusted(host: String) async throws {
        let server = try server()
        let attempt = await Attempt.get(server.url("/", host: host), try trusting())
        #expect(attempt.status == 200 && attempt.error == nil && attempt.body == Data("secret".utf8))
        let rejected = await Attempt.get(server.url("/", host: host))
        #expect(rejected.error?.code == .serverCertificateHasUnknownRoot)
    }

    /// A server's identity and a policy that must not let a request through to it.
    struct Rejection: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var code: URLError.Code
        var rule: ServerTrustError.Rule
        var identity: @Sendable () throws -> TestIdentity = { try HandshakeTests.identity.get() }
        var pins: (@Sendable () throws -> (SSLPinningMode, TestCertificate))?
    }

    static let rejections: [Rejection] = [
        Rejection(testDescription: "expired", code: .serverCertificateHasBadDate, rule: .validityPeriod) {
            try root.get().issue(dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"], validity: .expired)
        },
        Rejection(testDescription: "not yet valid", code: .serverCertificateNotYetValid, rule: .validityPeriod) {
            try root.get().issue(dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"], validity: .notYetValid)
        },
        Rejection(testDescription: "other host", code: .serverCertificateUntrusted, rule: .hostName) {
            try root.get().issue(dnsNames: ["other.example"])
        },
        Rejection(testDescription: "self-signed", code: .serverCertificateUntrusted, rule: .chain) {
            try TestCertificateAuthority.selfSigned()
        },
        Rejection(testDescription: "intermediate missing", code: .serverCertificateHasUnknownRoot, rule: .chain) {
            var identity = try HandshakeTests.identity.get()
            identity.chain.removeLast()
            return identity
        },
        Rejection(
            testDescription: "other certificate pinned", code: .serverCertificateUntrusted, rule: .pinnedCertificate,
            pins: { (.certificate, try TestChains.unrelated.get().certificate) }),
        Rejection(
            testDescription: "other key pinned", code: .serverCertificateUntrusted, rule: .pinnedPublicKey,
            pins: { (.publicKey, try TestChains.unrelated.get().certificate) }),
    ]

    @Test("An untrusted server never sees a byte of the request", arguments: rejections)
    func rejected(_ rejection: Rejection) async throws {
        let server = try server(TLSSettings(rejection.identity()))
        let pins = try rejection.pins?()
        let policy = try trusting(pins?.0 ?? .none, pins.map { [$0.1] } ?? [])
        let attempt = await Attempt.get(server.url("/"), policy)
        #expect(attempt.status == nil && attempt.error?.code == rejection.code)
        #expect(attempt.trustError?.rule == rejection.rule && attempt.trustError?.host == "127.0.0.1")
        #expect(attempt.trustError?.subject != nil)
        #expect(server.requests.isEmpty)
    }

    @Test("nginx and openssl s_server are rejected likewise", arguments: rejections)
    func rejectedElsewhere(_ rejection: Rejection) async throws {
        let identity = try rejection.identity()
        let pins = try rejection.pins?()
        let policy = try trusting(pins?.0 ?? .none, pins.map { [$0.1] } ?? [])
        let nginx = try NginxServer.serving(["file": Data("secret".utf8)], identity: identity)
        let openssl = try OpenSSLServer.start(identity)
        for url in [nginx.url("/file", port: 1), openssl.url("/")] {
            let attempt = await Attempt.get(url, policy)
            #expect(attempt.status == nil && attempt.error?.code == rejection.code)
            #expect(attempt.trustError?.rule == rejection.rule)
        }
        #expect(nginx.accessLog.isEmpty)
    }

    @Test("A connection made under a permissive policy is not used under a stricter one")
    func permissiveThenPinned() async throws {
        let server = try server()
        let lax = permissive()
        #expect(await Attempt.get(server.url("/"), lax).status == 200)
        let again = await Attempt.get(server.url("/"), lax)
        #expect(again.status == 200 && again.metrics?.reusedConnection == true && server.connectionCount == 1)

        let wrongPin = try trusting(.certificate, [TestChains.unrelated.get().certificate])
        let rejected = await Attempt.get(server.url("/"), wrongPin)
        #expect(rejected.trustError?.rule == .pinnedCertificate && rejected.metrics?.reusedConnection != true)
        #expect(await Attempt.get(server.url("/"), .default()).error != nil)
        #expect(server.requests.count == 2)

        let rightPin = try trusting(.publicKey, [Self.intermediate.get().certificate])
        let accepted = await Attempt.get(server.url("/"), rightPin)
        #expect(accepted.status == 200 && accepted.metrics?.reusedConnection == false)
        let copy = try #require(rightPin.copy() as? SecurityPolicy)
        let equal = await Attempt.get(server.url("/"), copy)
        #expect(equal.status == 200 && equal.metrics?.reusedConnection == true)
        copy.pinnedCertificates = [try TestChains.unrelated.get().certificate.der]
        #expect(await Attempt.get(server.url("/"), copy).trustError?.rule == .pinnedPublicKey)
        #expect(await Attempt.get(server.url("/"), rightPin).metrics?.reusedConnection == true)
    }

    @Test("A policy that changes between two requests changes what the second may use")
    func changedInPlace() async throws {
        let server = try server()
        let policy = permissive()
        #expect(await Attempt.get(server.url("/"), policy).status == 200)
        policy.allowInvalidCertificates = false
        #expect(await Attempt.get(server.url("/"), policy).error?.code == .serverCertificateHasUnknownRoot)
        #expect(server.requests.count == 1)
    }

    @Test("A TLS session is resumed under the same policy only")
    func sessions() async throws {
        let server = try server()
        let lax = permissive()
        #expect(await Attempt.get(server.url("/"), lax).status == 200)
        server.closeConnections()
        #expect(await Attempt.get(server.url("/"), lax).status == 200)
        #expect(server.connections.last?.tls?.isResumed == true)
        server.closeConnections()
        let rejected = await Attempt.get(
            server.url("/"), try trusting(.certificate, [TestChains.unrelated.get().certificate]))
        #expect(rejected.trustError?.rule == .pinnedCertificate)
        #expect(server.requests.count == 2)
        #expect(server.connections.last?.tls?.isResumed != true)
        #expect(await Attempt.get(server.url("/"), .default()).error?.code == .serverCertificateHasUnknownRoot)
        #expect(server.requests.count == 2)
    }

    @Test("HTTP/2 connections are kept apart likewise")
    func http2() async throws {
        let server = try NginxServer.serving(["file": Data("content".utf8)], identity: Self.identity.get())
        let url = server.url("/file", port: 1)
        let lax = permissive()
        let first = await Attempt.get(url, lax)
        #expect(first.status == 200 && first.metrics?.httpVersion == "2")
        #expect(await Attempt.get(url, lax).metrics?.reusedConnection == true)
        let wrongPin = try trusting(.publicKey, [TestChains.unrelated.get().certificate])
        #expect(await Attempt.get(url, wrongPin).trustError?.rule == .pinnedPublicKey)
        #expect(await Attempt.get(url, .default()).error?.code == .serverCertificateHasUnknownRoot)
        let rightPin = try trusting(.certificate, [Self.root.get().certificate])
        let accepted = await Attempt.get(url, rightPin)
        #expect(accepted.status == 200 && accepted.metrics?.reusedConnection == false)
        #expect(server.accessLog.split(separator: "\n").count <= 3)
    }

    @Test("openssl s_server, with TLS 1.2 and 1.3 and every kind of key", arguments: TestKey.Kind.allCases)
    func opensslServer(kind: TestKey.Kind) async throws {
        let identity = try Self.intermediate.get().issueForLocalhost(key: TestKey(kind))
        for option in ["-tls1_2", "-tls1_3"] {
            let server = try OpenSSLServer.start(identity, options: [option])
            #expect(await Attempt.get(server.url("/"), try trusting()).status == 200)
            #expect(
                await Attempt.get(server.url("/"), try trusting(.certificate, [identity.certificate])).status == 200)
            #expect(
                await Attempt.get(server.url("/"), .default()).error?.code == .serverCertificateHasUnknownRoot)
            let policy = try trusting()
            policy.minimumTLSVersion = .v1_3
            let attempt = await Attempt.get(server.url("/"), policy)
            #expect(option == "-tls1_3" ? attempt.status == 200 : attempt.error?.code == .secureConnectionFailed)
        }
    }

    @Test("A policy that cannot work fails its request before anything connects")
    func contradictory() async throws {
        let server = try server()
        let policy = SecurityPolicy.default()
        policy.allowInvalidCertificates = true
        for policy in [policy, SecurityPolicy(pinningMode: .certificate)] {
            let attempt = await Attempt.get(server.url("/"), policy)
            #expect(attempt.error?.code == .secureConnectionFailed && attempt.trustError?.rule == .settings)
        }
        #expect(server.connectionCount == 0)
    }

    /// Trusts whom it likes.
    final class OwnPolicy: SecurityPolicy, @unchecked Sendable {
        override func evaluate(_ serverTrust: ServerTrust, forDomain domain: String?) -> Bool { domain == "localhost" }
    }

    @Test("A subclass's verdict counts inside the handshake")
    func subclass() async throws {
        let server = try server()
        let policy = OwnPolicy(pinningMode: .none)
        #expect(await Attempt.get(server.url("/", host: "localhost"), policy).status == 200)
        #expect(await Attempt.get(server.url("/"), policy).trustError != nil)
        #expect(await Attempt.get(server.url("/", host: "localhost"), .default()).trustError != nil)
        #expect(server.requests.count == 1)
    }

    /// Trusts for as long as it likes.
    final class ChangingPolicy: SecurityPolicy, @unchecked Sendable {
        let answers = Locked((trusts: true, count: 0))
        override func evaluate(_ serverTrust: ServerTrust, forDomain domain: String?) -> Bool {
            answers.withLock { answers in
                answers.count += 1
                return answers.trusts
            }
        }
    }

    @Test("A subclass is asked in every handshake: none goes on with an earlier session")
    func subclassAgain() async throws {
        let server = try server()
        server.respondToOthers { _ in .ok().adding(header: "Connection", "close") }
        let policy = ChangingPolicy(pinningMode: .none)
        for _ in 0..<2 { #expect(await Attempt.get(server.url("/"), policy).status == 200) }
        policy.answers.withLock { $0.trusts = false }
        let attempt = await Attempt.get(server.url("/"), policy)
        #expect(attempt.status == nil && attempt.trustError != nil)
        #expect(policy.answers.withLock { $0.count } == 3)
        #expect(server.requests.count == 2)
    }

    @Test("A client certificate is shown, and its connection is nobody else's")
    func clientIdentity() async throws {
        let clientRoot = try TestCertificateAuthority(name: "Clients")
        let server = try server(
            TLSSettings(Self.identity.get(), clientAuthentication: .required(roots: [clientRoot.certificate])))
        let policy = try trusting()
        var seen: [Data?] = []
        for name in ["alice", "bob", "alice"] {
            let identity = try clientRoot.issue(commonName: name, dnsNames: [name])
            let client = try ClientIdentity(
                certificateChainPEM: Data(identity.chainPEM.utf8), privateKeyPEM: Data(identity.key.pem.utf8))
            let packed = try ClientIdentity(pkcs12: identity.pkcs12(password: "p"), password: "p")
            #expect(await Attempt.get(server.url("/"), policy, identity: client).status == 200)
            // The same identity, however it was read, has the same connection.
            let attempt = await Attempt.get(server.url("/"), policy, identity: packed)
            #expect(attempt.status == 200 && attempt.metrics?.reusedConnection == true)
            seen.append(server.requests.last?.tls?.clientCertificate)
            #expect(seen.last == identity.certificate.der)
        }
        #expect(Set(seen).count == 3)
        let served = server.requests.count
        let without = await Attempt.get(server.url("/"), policy)
        #expect(without.error != nil && without.status == nil)
        #expect(server.requests.count == served)
    }
}
