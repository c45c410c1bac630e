// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("Requests through squid, dante and pproxy", .timeLimit(.minutes(3))) struct ProxyTests {
    private static let root = Result { try TestCertificateAuthority(name: "Proxy Root") }
    private let server: TestServer
    private let secure: TestServer

    init() throws {
        server = try TestServer()
        server.respondToOthers { request in .ok(request.text) }
        secure = try TestServer(tls: TLSSettings(Self.root.get().issueForLocalhost()))
        secure.respondToOthers { request in .ok(request.text) }
    }

    private func policy() throws -> SecurityPolicy {
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [try Self.root.get().certificate.der]
        return policy
    }

    private func proxy(
        _ scheme: ProxyServer.Scheme, _ port: Int, host: String = "127.0.0.1", _ user: String? = nil,
        _ password: String = "secret"
    ) throws -> ProxyServer {
        let credential = user.map { URLCredential(user: $0, password: password, persistence: .none) }
        return try ProxyServer(scheme: scheme, host: host, port: port, credential: credential)
    }

    private func send(
        _ url: URL, through proxy: ProxyServer?, except: [String] = [], method: String = "GET", body: Data? = nil,
        headers: [String: String] = [:]
    ) async throws -> HTTPOutcome {
        let operation = HTTPRequestOperation(url, method: method, body: body, headers: headers, timeout: 20)
        operation.securityPolicy = try policy()
        operation.proxyConfiguration = proxy.map { ProxyConfiguration($0, excludedHosts: except) }
        return await operation.outcome()
    }

    // MARK: The ways

    @Test("http URLs are asked of an HTTP proxy; https URLs go through a tunnel that shows it nothing")
    func http() async throws {
        let squid = try SquidServer.start()
        let through = try proxy(.http, squid.port)
        let plain = try await send(server.url("/plain"), through: through, method: "POST", body: Data("p".utf8))
        #expect(plain.status == 200 && plain.text == "p")
        #expect(server.requests.last?["Via"]?.contains("proxy.test") == true)
        let tunnelled = try await send(secure.url("/hidden"), through: through, method: "POST", body: Data("t".utf8))
        #expect(tunnelled.status == 200 && tunnelled.text == "t")
        #expect(secure.requests.last?["Via"] == nil)
        #expect(squid.accessLog.contains("/plain"))
        // squid writes a tunnel down when it is closed.
        secure.closeConnections()
        #expect(becomesTrue { squid.accessLog.contains("CONNECT 127.0.0.1:\(secure.port)") })
        #expect(!squid.accessLog.contains("/hidden"))
    }

    @Test("dante passes both on, whoever looks the name up", arguments: [ProxyServer.Scheme.socks5, .socks5h])
    func socks(scheme: ProxyServer.Scheme) async throws {
        let dante = try DanteServer.start()
        let through = try proxy(scheme, dante.port)
        for host in ["127.0.0.1", "localhost"] {
            let plain = try await send(
                server.url("/", host: host), through: through, method: "POST", body: Data("p".utf8))
            #expect(plain.text == "p", "\(plain.error as Any)")
            let tunnelled = try await send(secure.url("/", host: host), through: through)
            #expect(tunnelled.status == 200, "\(tunnelled.error as Any)")
        }
        #expect(dante.log.contains(".\(server.port)") && dante.log.contains(".\(secure.port)"))
    }

    @Test("A SOCKS proxy's user name and password")
    func socksAuthentication() async throws {
        let socks = try SOCKSServer.start(user: "user", password: "secret")
        for url in [server.url("/"), secure.url("/")] {
            #expect(try await send(url, through: proxy(.socks5, socks.port, "user")).status == 200)
            for refused in [try proxy(.socks5, socks.port, "user", "wrong"), try proxy(.socks5, socks.port)] {
                let outcome = try await send(url, through: refused)
                #expect(outcome.status == nil)
                #expect([.userAuthenticationRequired, .cannotConnectToHost].contains(outcome.urlError?.code))
            }
        }
        #expect(server.requests.count == 1 && secure.requests.count == 1)
    }

    @Test("An HTTP proxy's credential, in each scheme", arguments: SquidServer.Authentication.allCases)
    func authentication(_ authentication: SquidServer.Authentication) async throws {
        let squid = try SquidServer.start(user: "user", password: "secret", authentication)
        var right = try proxy(.http, squid.port, "user")
        right.authenticationSchemes =
            switch authentication {
            case .basic: .basic
            case .digest: .digest
            case .ntlm: .ntlm
            }
        for url in [server.url("/"), secure.url("/")] {
            for body in [nil, Data("content".utf8)] {
                let outcome = try await send(url, through: right, method: body == nil ? "GET" : "POST", body: body)
                #expect(outcome.status == 200 && outcome.text == body.map { _ in "content" } ?? "")
            }
        }
        #expect((server.requests + secure.requests).allSatisfy { $0["Proxy-Authorization"] == nil })
        #expect(server.requests.count == 2 && secure.requests.count == 2)
        guard authentication != .ntlm else { return }
        var wrong = right
        wrong.credential = URLCredential(user: "user", password: "wrong", persistence: .none)
        var none = right
        none.credential = nil
        for refused in [wrong, none] {
            // The proxy's answer is the response; in place of a tunnel there is none.
            #expect(try await send(server.url("/"), through: refused).status == 407)
            let outcome = try await send(secure.url("/"), through: refused)
            #expect(outcome.status == nil && outcome.urlError?.code == .userAuthenticationRequired)
            #expect(outcome.error?.localizedDescription.contains("407") == true)
        }
        #expect(server.requests.count == 2 && secure.requests.count == 2)
    }

    @Test(
        "A proxy that refuses a tunnel with content that has no end holds up nobody",
        arguments: [(nil, "Basic", .basic), ("user", "Basic", .basic), ("user", "Digest nonce=\"a\",", .digest)]
            as [(String?, String, ProxyServer.AuthenticationSchemes)])
    func endlessRefusal(
        user: String?, challenge: String, schemes: ProxyServer.AuthenticationSchemes
    ) async throws {
        let refusing = try TestServer()
        refusing.respondToOthers { _ in
            .script([
                .send(
                    "HTTP/1.1 407 No\r\nProxy-Authenticate: \(challenge) realm=\"x\"\r\nContent-Length: 9000000000\r\n\r\n"
                ),
                .sendPattern(count: 1 << 33), .stall,
            ])
        }
        var through = try proxy(.http, refusing.port, user)
        through.authenticationSchemes = schemes
        // On a busy machine the bystander waits for that, too; without the library's turns, for gigabytes.
        let limit = Duration.seconds(3 * Patience.factor)
        var (wait, tries) = (Duration.seconds(60), 0)
        while wait >= limit, tries < 3 {
            let (outcome, longest) = try await Bystander().longestWait { [through] in
                try await send(secure.url("/"), through: through)
            }
            #expect(outcome.urlError?.code == .userAuthenticationRequired)
            #expect(outcome.error?.localizedDescription.contains("407") == true)
            (wait, tries) = (longest, tries + 1)
        }
        #expect(wait < limit)
    }

    @Test(
        "A proxy that does not ask for the credential gets the content all the same",
        arguments: [ProxyServer.AuthenticationSchemes.digest, .ntlm, .negotiate, [.basic, .digest]])
    func unchallenged(schemes: ProxyServer.AuthenticationSchemes) async throws {
        let squid = try SquidServer.start()
        var through = try proxy(.http, squid.port, "user")
        through.authenticationSchemes = schemes
        for url in [server.url("/"), secure.url("/")] {
            let outcome = try await send(url, through: through, method: "POST", body: Data("content".utf8))
            #expect(outcome.text == "content")
        }
        #expect(server.requests.map(\.text) == ["content"])
    }

    @Test(
        "User name and password reach the proxy as they are", arguments: SquidServer.Authentication.allCases.prefix(2))
    func specialCharacters(_ authentication: SquidServer.Authentication) async throws {
        let password = "p%41+&@/ ?#%"
        let squid = try SquidServer.start(user: "us%25er", password: password, authentication)
        var through = try proxy(.http, squid.port, "us%25er", password)
        through.authenticationSchemes = authentication == .basic ? .basic : .digest
        for url in [server.url("/"), secure.url("/")] {
            #expect(try await send(url, through: through).status == 200)
            secure.closeConnections()
            #expect(try await send(url, through: through).status == 200)
        }
    }

    @Test("A Proxy-Authorization field goes to a proxy that has no credential of its own, and to nobody else")
    func field() async throws {
        let eavesdropper = try TestServer()
        eavesdropper.respondToOthers { _ in .ok("proxied") }
        let field = ["Proxy-Authorization": "Basic eDp5"]
        let without = try proxy(.http, eavesdropper.port)
        #expect(try await send(server.url("/"), through: without, headers: field).text == "proxied")
        let with = try proxy(.http, eavesdropper.port, "user")
        #expect(try await send(server.url("/"), through: with, headers: field).text == "proxied")
        let own = "Basic " + Data("user:secret".utf8).base64EncodedString()
        #expect(
            eavesdropper.requests.map {
                $0.headers.filter { $0.name.lowercased() == "proxy-authorization" }.map(\.value)
            }
                == [["Basic eDp5"], [own]])
        #expect(try await send(server.url("/"), through: without, except: ["127.0.0.1"], headers: field).status == 200)
        #expect(server.requests.map { $0["Proxy-Authorization"] } == [nil])
    }

    @Test("A proxy asked for several schemes takes the one it knows")
    func anyScheme() async throws {
        let squid = try SquidServer.start(user: "user", password: "secret", .digest)
        var through = try proxy(.http, squid.port, "user")
        through.authenticationSchemes = [.basic, .digest]
        #expect(try await send(server.url("/"), through: through, method: "PUT", body: Data("b".utf8)).text == "b")
        #expect(try await send(secure.url("/"), through: through).status == 200)
    }

    @Test("A proxy that is spoken to in TLS is verified by its own policy, and the server by the request's")
    func secureProxy() async throws {
        let proxyRoot = try TestCertificateAuthority(name: "Other Root")
        let squid = try SquidServer.start(user: "user", password: "secret", identity: proxyRoot.issueForLocalhost())
        var through = try proxy(.https, squid.securePort, host: "localhost", "user")
        through.securityPolicy = SecurityPolicy.default()
        through.securityPolicy?.anchorCertificates = [proxyRoot.certificate.der]
        for url in [server.url("/"), secure.url("/"), secure.url("/", host: "localhost")] {
            let outcome = try await send(url, through: through)
            #expect(outcome.status == 200, "\(outcome.error as Any)")
        }
        // The request's policy trusts the server's root, not the proxy's.
        let served = (server.requests.count, secure.requests.count)
        var untrusted = through
        untrusted.securityPolicy = nil
        for url in [server.url("/"), secure.url("/")] {
            let error = try await send(url, through: untrusted).urlError
            let reason = error?.userInfo[NSUnderlyingErrorKey] as? ServerTrustError
            #expect(reason?.host == "localhost" && reason?.rule == .chain)
        }
        // And the proxy's policy, which trusts the proxy's root, is not the server's.
        let stranger = HTTPRequestOperation(secure.url("/"), timeout: 20)
        stranger.proxyConfiguration = ProxyConfiguration(through)
        let reason = await stranger.outcome().urlError?.userInfo[NSUnderlyingErrorKey] as? ServerTrustError
        #expect(reason?.host == "127.0.0.1" && reason?.rule == .chain)
        // A proxy under another name is somebody else.
        var misnamed = try proxy(.https, squid.securePort, host: "127.0.0.2", "user")
        misnamed.securityPolicy = through.securityPolicy
        #expect(try await send(secure.url("/"), through: misnamed).status == nil)
        #expect((server.requests.count, secure.requests.count) == served)
    }

    // MARK: Whom it is for

    @Test("Excluded hosts are reached directly; each redirect is looked at anew")
    func exclusions() async throws {
        let squid = try SquidServer.start()
        let through = try proxy(.http, squid.port)
        server.respond(to: "/away", .redirect(to: server.url("/here", host: "localhost").absoluteString))
        let outcome = try await send(server.url("/away"), through: through, except: ["localhost"])
        #expect(outcome.status == 200)
        #expect(server.requests.map { $0["Via"] != nil } == [true, false])
        let direct = try await send(server.url("/"), through: through, except: ["127.0.0.0/8"])
        #expect(direct.status == 200 && server.requests.last?["Via"] == nil)
    }

    @Test("The environment's proxies are not used unless asked for")
    func environment() async throws {
        let squid = try SquidServer.start()
        setenv("http_proxy", "http://127.0.0.1:\(squid.port)", 1)
        defer { unsetenv("http_proxy") }
        #expect(try await send(server.url("/"), through: nil).status == 200)
        #expect(server.requests.last?["Via"] == nil)
        let operation = HTTPRequestOperation(server.url("/"))
        operation.proxyConfiguration = try .environment()
        #expect(await operation.outcome().status == 200)
        #expect(server.requests.last?["Via"] != nil)
        // Exceptions are the setting's, not the environment's of the moment.
        setenv("no_proxy", "*", 1)
        defer { unsetenv("no_proxy") }
        let again = HTTPRequestOperation(server.url("/"))
        again.proxyConfiguration = operation.proxyConfiguration
        #expect(await again.outcome().status == 200)
        #expect(server.requests.last?["Via"] != nil)
    }

    @Test("A connection through one proxy, or as one user, serves nobody else")
    func reuse() async throws {
        let squid = try SquidServer.start(user: "user", password: "secret")
        let right = try proxy(.http, squid.port, "user")
        #expect(try await send(secure.url("/"), through: right).status == 200)
        #expect(try await send(secure.url("/"), through: right).operation?.metrics?.reusedConnection == true)
        // An open tunnel is there, and is not for these.
        #expect(try await send(secure.url("/"), through: proxy(.http, squid.port)).status == nil)
        #expect(try await send(secure.url("/"), through: proxy(.http, squid.port, "user", "wrong")).status == nil)
        let direct = try await send(secure.url("/"), through: nil)
        #expect(direct.status == 200 && direct.operation?.metrics?.reusedConnection == false)
        let connections = secure.connectionCount
        #expect(try await send(secure.url("/"), through: right).operation?.metrics?.reusedConnection == true)
        #expect(secure.connectionCount == connections)
    }

    // MARK: What each side sees

    @Test("The proxy's credential is not the server's to see, nor the server's the proxy's")
    func separation() async throws {
        let eavesdropper = try TestServer()
        eavesdropper.respondToOthers { _ in ScriptedResponse(status: 502) }
        let through = try proxy(.http, eavesdropper.port, "user")
        let headers = ["Authorization": "Bearer token", "Cookie": "a=b", "Proxy-Authorization": "Basic eDp5"]
        let outcome = try await send(secure.url("/"), through: through, headers: headers)
        #expect(outcome.status == nil && outcome.urlError?.code == .cannotConnectToHost)
        #expect(outcome.error?.localizedDescription.contains("502") == true)
        let connect = try #require(eavesdropper.requests.last)
        #expect(connect.method == "CONNECT" && connect["Authorization"] == nil && connect["Cookie"] == nil)
        #expect(connect["Proxy-Authorization"] == "Basic " + Data("user:secret".utf8).base64EncodedString())
        // In a tunnel the field would reach the server.
        let squid = try SquidServer.start()
        let tunnelled = try await send(secure.url("/"), through: proxy(.http, squid.port), headers: headers)
        #expect(tunnelled.status == 200)
        let seen = try #require(secure.requests.last)
        #expect(seen["Proxy-Authorization"] == nil && seen["Authorization"] == "Bearer token")
    }

    @Test("A server behind a proxy challenges as any other, and its credential is not offered to the proxy")
    func serverChallenge() async throws {
        server.respond(to: "/private") { request in
            request["Authorization"] == nil
                ? ScriptedResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")], body: .text("no"))
                : .ok("welcome")
        }
        let squid = try SquidServer.start(user: "user", password: "secret")
        let operation = HTTPRequestOperation(server.url("/private"))
        operation.credential = URLCredential(user: "server", password: "hers", persistence: .none)
        operation.proxyConfiguration = ProxyConfiguration(try proxy(.http, squid.port, "user"))
        #expect(await operation.outcome().text == "welcome")
        let refused = HTTPRequestOperation(server.url("/private"))
        refused.credential = URLCredential(user: "user", password: "secret", persistence: .none)
        refused.proxyConfiguration = ProxyConfiguration(try proxy(.http, squid.port))
        #expect(await refused.outcome().status == 407)
    }

    // MARK: Failures

    @Test("A proxy that is not there, or has no address, is a clear error", arguments: ProxyServer.Scheme.allCases)
    func unreachable(scheme: ProxyServer.Scheme) async throws {
        let port = try RefusedPort()
        for url in [server.url("/"), secure.url("/")] {
            let refused = try await send(url, through: proxy(scheme, port.port, "user"))
            #expect(refused.urlError?.code == .cannotConnectToHost)
            let lost = try await send(url, through: proxy(scheme, 1, host: "no-such-proxy.invalid", "user"))
            #expect(lost.urlError?.code == .cannotFindHost)
            for error in [refused.error, lost.error].compactMap({ $0 }) {
                #expect(!"\(error) \((error as NSError).userInfo)".contains("secret"))
            }
        }
        #expect(server.requests.isEmpty && secure.requests.isEmpty)
    }

    @Test("A policy for the proxy that cannot work fails the request before anything connects")
    func badPolicy() async throws {
        let listener = try TestServer()
        var through = try proxy(.https, listener.port)
        through.securityPolicy = SecurityPolicy(pinningMode: .certificate)
        let error = try await send(server.url("/"), through: through).urlError
        #expect(error?.code == .secureConnectionFailed)
        #expect((error?.userInfo[NSUnderlyingErrorKey] as? ServerTrustError)?.rule == .settings)
        #expect(listener.connectionCount == 0 && server.connectionCount == 0)
    }

    @Test(
        "A credential with a control character that was set later fails the request before anything connects",
        arguments: ProxyServer.Scheme.allCases)
    func badCredential(scheme: ProxyServer.Scheme) async throws {
        let listener = try TestServer()
        for (user, password) in [("me\r\nX: 1", "hunter2"), ("me", "hunter2\r\nX: 1"), ("me", "hunter2\u{0}")] {
            for schemes: ProxyServer.AuthenticationSchemes in [.basic, .digest, [.basic, .digest, .ntlm]] {
                var through = try proxy(scheme, listener.port)
                through.authenticationSchemes = schemes
                through.credential = URLCredential(user: user, password: password, persistence: .none)
                for url in [server.url("/"), secure.url("/")] {
                    let error = try #require(try await send(url, through: through).urlError)
                    #expect(error.code == .badURL)
                    #expect(error.localizedDescription.contains("control character"))
                    #expect(!"\(error)".contains("hunter2") && !error.localizedDescription.contains("hunter2"))
                }
            }
        }
        #expect(listener.connectionCount == 0 && server.connectionCount == 0 && secure.connectionCount == 0)
    }

    @Test("Cancelling while a proxy is silent ends the operation")
    func cancelling() async throws {
        let silent = try TestServer()
        let gate = Gate()
        silent.respondToOthers { _ in .script([.open(gate), .stall]) }
        let operation = HTTPRequestOperation(secure.url("/"))
        operation.proxyConfiguration = ProxyConfiguration(try proxy(.http, silent.port))
        let outcome = await operation.outcome {
            $0.start()
            let operation = $0
            Task {
                await gate.wait()
                operation.cancel()
            }
        }
        #expect(outcome.urlError?.code == .cancelled)
    }
}
