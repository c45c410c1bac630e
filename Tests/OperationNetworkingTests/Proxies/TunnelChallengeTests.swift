// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("A server that answers like a proxy, behind one", .timeLimit(.minutes(2))) struct TunnelChallengeTests {
    private static let root = Result { try TestCertificateAuthority(name: "Tunnel Root") }
    private static let challenges = ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"n\", qop=\"auth\"", "NTLM"]

    private func server(isSecure: Bool, challenge: String?) throws -> TestServer {
        let server = try isSecure ? TestServer(tls: TLSSettings(Self.root.get().issueForLocalhost())) : TestServer()
        server.respondToOthers { _ in
            ScriptedResponse(
                status: 407, headers: challenge.map { [("Proxy-Authenticate", $0)] } ?? [], body: .text("no"))
        }
        return server
    }

    private func pay(_ server: TestServer, through proxy: ProxyServer) async throws -> HTTPOutcome {
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [try Self.root.get().certificate.der]
        let operation = HTTPRequestOperation(
            server.url("/pay"), method: "POST", body: Data("amount=1".utf8), timeout: 20)
        operation.securityPolicy = policy
        operation.proxyConfiguration = ProxyConfiguration(proxy)
        return await operation.outcome()
    }

    @Test(
        "A 407 from within a tunnel is the response, and the POST reaches the server once",
        arguments: [.basic, .digest, [.basic, .digest], [.basic, .ntlm]] as [ProxyServer.AuthenticationSchemes])
    func tunnel(schemes: ProxyServer.AuthenticationSchemes) async throws {
        let squid = try SquidServer.start()
        var proxy = try ProxyServer(
            scheme: .http, host: "127.0.0.1", port: squid.port,
            credential: URLCredential(user: "user", password: "secret", persistence: .none))
        proxy.authenticationSchemes = schemes
        for challenge in Self.challenges {
            let secure = try server(isSecure: true, challenge: challenge)
            let outcome = try await pay(secure, through: proxy)
            #expect(outcome.status == 407)
            #expect(secure.requests.map(\.text) == ["amount=1"], "\(challenge)")
            #expect(secure.requests.allSatisfy { $0["Proxy-Authorization"] == nil })
        }
        // What libcurl does not answer comes whole.
        #expect(try await pay(server(isSecure: true, challenge: nil), through: proxy).text == "no")
    }

    @Test("Nor is one that came through SOCKS the proxy's", arguments: [false, true])
    func socks(isSecure: Bool) async throws {
        let socks = try SOCKSServer.start(user: "user", password: "secret")
        let proxy = try ProxyServer(
            scheme: .socks5, host: "127.0.0.1", port: socks.port,
            credential: URLCredential(user: "user", password: "secret", persistence: .none))
        for challenge in Self.challenges {
            let server = try server(isSecure: isSecure, challenge: challenge)
            let outcome = try await pay(server, through: proxy)
            #expect(outcome.status == 407 && outcome.text == "no", "\(challenge)")
            #expect(server.requests.map(\.text) == ["amount=1"], "\(challenge)")
        }
    }
}
