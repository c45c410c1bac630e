// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking
import TestServer
import Testing

@Suite("Handshakes that the challenge block answers", .timeLimit(.minutes(2))) struct HandshakeChallengeTests {
    private static let root = Result { try TestCertificateAuthority(name: "Challenge Root") }
    private static let clients = Result { try TestCertificateAuthority(name: "Challenge Clients") }

    private func server(_ settings: TLSSettings? = nil) throws -> TestServer {
        let server = try TestServer(tls: settings ?? TLSSettings(Self.root.get().issueForLocalhost()))
        server.respondToOthers { .ok($0.text) }
        return server
    }

    private func mutualServer(maximumVersion: TLSSessionInfo.Version? = nil) throws -> TestServer {
        var settings = try TLSSettings(
            Self.root.get().issueForLocalhost(),
            clientAuthentication: .required(roots: [Self.clients.get().certificate]))
        if let maximumVersion { settings.maximumVersion = maximumVersion }
        return try server(settings)
    }

    private func trusting() throws -> SecurityPolicy {
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [try Self.root.get().certificate.der]
        return policy
    }

    private func client(_ name: String = "alice", from root: TestCertificateAuthority? = nil) throws -> ClientIdentity {
        let identity = try (root ?? Self.clients.get()).issue(commonName: name, dnsNames: [name])
        return try ClientIdentity(
            certificateChainPEM: Data(identity.chainPEM.utf8), privateKeyPEM: Data(identity.key.pem.utf8))
    }

    /// What an operation came to, and what its block was asked.
    private struct Answered: Sendable {
        var status: Int?
        var text: String?
        var error: URLError?
        var reused: Bool?
        var methods: [String]
    }

    private func send(
        _ url: URL, _ policy: SecurityPolicy = .default(), identity: ClientIdentity? = nil, body: Data? = nil,
        answer: @escaping @Sendable (URLAuthenticationChallenge) -> AuthenticationDisposition
    ) async -> Answered {
        var request = URLRequest(url: url, timeoutInterval: 10)
        request.httpBody = body
        if body != nil { request.httpMethod = "POST" }
        let operation = HTTPRequestOperation(request: request)
        operation.responseSerializer = HTTPResponseSerializer()
        operation.securityPolicy = policy
        operation.clientIdentity = identity
        let methods = Locked<[String]>([])
        operation.setWillSendRequestForAuthenticationChallengeBlock { _, challenge in
            methods.withLock { $0.append(challenge.protectionSpace.authenticationMethod) }
            return answer(challenge)
        }
        _ = try? await operation.value()
        return Answered(
            status: operation.response?.statusCode, text: operation.responseString, error: operation.error as? URLError,
            reused: operation.metrics?.reusedConnection, methods: methods.withLock { $0 })
    }

    private static let trustMethod = "NSURLAuthenticationMethodServerTrust"
    private static let identityMethod = "NSURLAuthenticationMethodClientCertificate"

    // MARK: Server trust

    @Test("A server that the policy trusts is no question")
    func trusted() async throws {
        let server = try server()
        let answered = await send(server.url("/"), try trusting()) { _ in .cancel }
        #expect(answered.status == 200 && answered.methods.isEmpty)
    }

    @Test("The block sees an untrusted server's chain and reason before a byte is sent, and may accept it")
    func accepting() async throws {
        let server = try server()
        let leaf = Locked<Data?>(nil)
        let reason = Locked<String?>(nil)
        let answered = await send(server.url("/"), body: Data("content".utf8)) { challenge in
            #expect(server.requests.isEmpty)
            #expect(challenge.protectionSpace.host == "127.0.0.1" && challenge.protectionSpace.port == server.port)
            #expect(challenge.previousFailureCount == 0 && challenge.proposedCredential == nil)
            reason.withLock {
                $0 =
                    ((challenge.error as? URLError)?.userInfo[NSUnderlyingErrorKey] as? ServerTrustError)?.rule.rawValue
            }
            guard let trust = challenge.protectionSpace.untrustedServer else { return .performDefaultHandling }
            leaf.withLock { $0 = trust.certificates.first }
            return .useCredential(.accepting(trust))
        }
        #expect(answered.status == 200 && answered.text == "content" && answered.methods == [Self.trustMethod])
        #expect(server.requests.count == 1 && leaf.withLock { $0 } != nil)
        #expect(reason.withLock { $0 } == "chain")
    }

    @Test("What one operation accepted is nobody else's")
    func notShared() async throws {
        let server = try server()
        let accept: @Sendable (URLAuthenticationChallenge) -> AuthenticationDisposition = { challenge in
            challenge.protectionSpace.untrustedServer.map { .useCredential(.accepting($0)) } ?? .cancel
        }
        #expect(await send(server.url("/"), answer: accept).status == 200)
        // The connection is open.
        #expect(await Attempt.get(server.url("/")).trustError?.rule == .chain)
        let asked = await send(server.url("/")) { _ in .performDefaultHandling }
        #expect(asked.status == nil && asked.methods.count == 1)
        // Whoever answers the same may use it.
        let again = await send(server.url("/"), answer: accept)
        #expect(again.status == 200 && again.reused == true && again.methods.count == 1)
    }

    @Test("Other answers leave the policy's verdict")
    func notAccepting() async throws {
        let server = try server()
        let other = try ServerTrust(certificates: [Self.root.get().certificate.der])
        let identity = try client()
        let answers: [AuthenticationDisposition] = [
            .performDefaultHandling, .rejectProtectionSpace,
            .useCredential(URLCredential(user: "user", password: "password", persistence: .none)),
            .useCredential(.accepting(other)), .useCredential(.identity(identity)),
        ]
        for answer in answers {
            let answered = await send(server.url("/")) { _ in answer }
            #expect(answered.error?.code == .serverCertificateHasUnknownRoot && answered.methods.count == 1)
        }
        let cancelled = await send(server.url("/")) { _ in .cancel }
        #expect(cancelled.error?.code == .userCancelledAuthentication)
        #expect(server.requests.isEmpty)
    }

    @Test("What was accepted is one certificate of one host")
    func oneCertificate() async throws {
        let server = try server()
        let calls = Locked(0)
        let target = try self.server()
        server.respond(to: "/away", .redirect(to: target.url("/").absoluteString))
        let answered = await send(server.url("/away")) { challenge in
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            guard call == 1, let trust = challenge.protectionSpace.untrustedServer else {
                return .performDefaultHandling
            }
            return .useCredential(.accepting(trust))
        }
        #expect(answered.error?.code == .serverCertificateHasUnknownRoot)
        #expect(answered.methods.count == 2, "\(answered)")
        #expect(target.requests.isEmpty)
    }

    @Test("A wrong host is asked about too, and a policy that cannot work is not")
    func otherRules() async throws {
        let server = try server(TLSSettings(Self.root.get().issue(dnsNames: ["other.example"])))
        let answered = await send(server.url("/"), try trusting()) { challenge in
            challenge.protectionSpace.untrustedServer.map { .useCredential(.accepting($0)) } ?? .cancel
        }
        #expect(answered.status == 200)
        let broken = await send(server.url("/"), SecurityPolicy(pinningMode: .certificate)) { _ in .cancel }
        #expect(broken.error?.code == .secureConnectionFailed && broken.methods.isEmpty)
    }

    @Test("An answer about trust is no answer to a 401, and content from a stream is still there")
    func countedApart() async throws {
        let server = try server()
        server.respondToOthers { request in
            request["Authorization"] == nil
                ? ScriptedResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")]) : .ok("welcome")
        }
        let operation = HTTPRequestOperation(request: URLRequest(url: server.url("/"), timeoutInterval: 10))
        operation.responseSerializer = HTTPResponseSerializer()
        operation.credential = URLCredential(user: "user", password: "password", persistence: .none)
        let failures = Locked<[Int]>([])
        operation.setWillSendRequestForAuthenticationChallengeBlock { _, challenge in
            failures.withLock { $0.append(challenge.previousFailureCount) }
            return challenge.protectionSpace.untrustedServer.map { .useCredential(.accepting($0)) }
                ?? .performDefaultHandling
        }
        _ = try await operation.value()
        #expect(operation.responseString == "welcome" && failures.withLock { $0 } == [0, 0])

        let upload = try self.server()
        var request = URLRequest(url: upload.url("/"), timeoutInterval: 10)
        request.httpMethod = "PUT"
        request.httpBodyStream = InputStream(data: Data("once".utf8))
        let streamed = HTTPRequestOperation(request: request)
        streamed.responseSerializer = HTTPResponseSerializer()
        streamed.setWillSendRequestForAuthenticationChallengeBlock { _, challenge in
            challenge.protectionSpace.untrustedServer.map { .useCredential(.accepting($0)) } ?? .cancel
        }
        _ = try await streamed.value()
        #expect(streamed.responseString == "once")
    }

    // MARK: Client certificates

    @Test(
        "A server that wants a certificate is answered from the block", arguments: [nil, TLSSessionInfo.Version.v1_2])
    func identity(maximumVersion: TLSSessionInfo.Version?) async throws {
        let server = try mutualServer(maximumVersion: maximumVersion)
        let alice = try client()
        let answered = await send(server.url("/"), try trusting(), body: Data("content".utf8)) { challenge in
            challenge.protectionSpace.wantsClientIdentity ? .useCredential(.identity(alice)) : .cancel
        }
        #expect(answered.status == 200 && answered.text == "content" && answered.methods == [Self.identityMethod])
        #expect(server.requests.last?.tls?.clientCertificate != nil)
        let without = await Attempt.get(server.url("/"), try trusting())
        #expect(without.error?.code == .clientCertificateRequired)
        let refused = await send(server.url("/"), try trusting()) { _ in .performDefaultHandling }
        #expect(refused.error?.code == .clientCertificateRequired && refused.methods.count == 1)
        #expect(server.requests.count == 1)
    }

    @Test("A certificate that is refused is asked about again, and again, but not for ever")
    func refusedIdentity() async throws {
        let server = try mutualServer()
        let strangers = try TestCertificateAuthority(name: "Strangers")
        let stranger = try client("mallory", from: strangers)
        let alice = try client()
        let answered = await send(server.url("/"), try trusting(), identity: stranger) { challenge in
            #expect(challenge.protectionSpace.wantsClientIdentity)
            return .useCredential(.identity(alice))
        }
        #expect(answered.status == 200 && answered.methods.count == 1)
        let stubborn = await send(server.url("/"), try trusting()) { _ in .useCredential(.identity(stranger)) }
        #expect(stubborn.error?.code == .clientCertificateRejected)
        #expect((2...25).contains(stubborn.methods.count))
    }
}
