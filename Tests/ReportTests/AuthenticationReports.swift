// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

/// Authentication and proxies, as public reports about other clients have them.
@Suite("Reports: authentication and proxies", .timeLimit(.minutes(2))) struct AuthenticationReports {
    @Test("Exchanges", arguments: exchanges)
    func exchange(_ exchange: Exchange) async throws { try await exchange.run() }

    private static let ok = Exchange.Answer.bytes("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")

    private static func denied(_ challenges: String...) -> Exchange.Answer {
        let lines = challenges.map { "WWW-Authenticate: \($0)\r\n" }.joined()
        return .bytes("HTTP/1.1 401 Unauthorized\r\n\(lines)Content-Length: 0\r\n\r\n")
    }

    /// Puts a user name and a password into the URL, percent-encoded as they have to be there.
    private static func asUser(_ information: String) -> @Sendable (inout URLRequest) -> Void {
        { request in
            let url = request.url?.absoluteString.replacingOccurrences(of: "//", with: "//\(information)@") ?? ""
            request.url = URL(string: url)
        }
    }

    static let exchanges: [Exchange] = [
        Exchange(
            reference: "axios#1492", what: "a password that is not ASCII goes in UTF-8",
            answers: [denied("Basic realm=\"x\""), ok], change: asUser("user:p%C3%A4ssw%C3%B6rd%E2%82%AC"),
            outcome: .text("x"), requests: ["GET /", "GET /"],
            sent: ["Authorization": "Basic dXNlcjpww6Rzc3fDtnJk4oKs"]),
        Exchange(
            reference: "basic_auth#28", what: "a colon in the password", answers: [denied("Basic realm=\"x\""), ok],
            change: asUser("user:a%3Ab"), outcome: .text("x"), requests: ["GET /", "GET /"],
            sent: ["Authorization": "Basic dXNlcjphOmI="]),
        Exchange(
            reference: "app-restconsole#69", what: "a colon in the user name cannot be sent (RFC 7617, 2)",
            answers: [denied("Basic realm=\"x\""), ok], change: asUser("us%3Aer:secret"),
            outcome: .failure(.userAuthenticationRequired), requests: ["GET /"]),
        Exchange(
            reference: "httpx#568", what: "the caller's field goes before other credentials", answers: [ok],
            fields: ["Authorization": "Bearer 1"], change: asUser("user:secret"), outcome: .text("x"),
            requests: ["GET /"], sent: ["Authorization": "Bearer 1"]),
        Exchange(
            reference: "poco#478", what: "schemes that nobody knows come first",
            answers: [denied("AWS4-HMAC-SHA256 a=\"b, Basic\", c", "Own", "Basic realm=\"x\""), ok],
            change: asUser("user:secret"), outcome: .text("x"), requests: ["GET /", "GET /"],
            sent: ["Authorization": "Basic dXNlcjpzZWNyZXQ="]),
        Exchange(
            reference: "curl#23002", what: "a 407 of a server that no proxy is before is only a response",
            answers: [
                .bytes(
                    "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"x\"\r\n"
                        + "WWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n"), ok,
            ], change: asUser("user:secret"), outcome: .status(407), requests: ["GET /"],
            sent: ["Authorization": nil, "Proxy-Authorization": nil]),
    ]

    // MARK: Digest

    /// A challenge, and parameters of the answer as they are written.
    struct Answering: Sendable, CustomTestStringConvertible {
        let reference: String
        let what: String
        let challenges: [String]
        var path = "/"
        /// nil: there must be none.
        let parameters: [String: String?]
        var testDescription: String { "\(reference): \(what)" }
    }

    static let answers: [Answering] = [
        Answering(
            reference: "resty#861", what: "an algorithm in quotes",
            challenges: [
                "Digest realm=\"DS-TCG405-E\", domain=\"::\", qop=\"auth\", nonce=\"4d6b\", opaque=\"\", "
                    + "algorithm=\"MD5\", stale=\"FALSE\""
            ],
            parameters: [
                "realm": "\"DS-TCG405-E\"", "nonce": "\"4d6b\"", "opaque": "\"\"", "algorithm": "MD5", "qop": "auth",
                "nc": "00000001",
            ]),
        Answering(
            reference: "http-auth-utils#27", what: "algorithm, qop and nc go without quotes (RFC 7616, 3.4)",
            challenges: ["Digest realm=\"x\", nonce=\"n\", qop=\"auth\", algorithm=MD5"],
            parameters: ["algorithm": "MD5", "qop": "auth", "nc": "00000001"]),
        Answering(
            reference: "needle#340", what: "brackets in the realm",
            challenges: ["Digest qop=\"auth\", realm=\"IP Camera(F5390)\", nonce=\"21485f\", stale=\"FALSE\""],
            parameters: ["realm": "\"IP Camera(F5390)\"", "algorithm": nil, "opaque": nil]),
        Answering(
            reference: "lal#104", what: "neither algorithm nor qop: as in RFC 2069",
            challenges: ["Digest realm=\"IP Camera(F5390)\", nonce=\"21485f\", stale=\"FALSE\""],
            parameters: [
                "response": "\"327073dafc4b12dcf0822c9ee615d4c5\"", "algorithm": nil, "qop": nil, "nc": nil,
                "cnonce": nil,
            ]),
        Answering(
            reference: "go2rtc#2344", what: "SHA-256 without qop",
            challenges: ["Digest realm=\"IP Camera(GH455)\", nonce=\"21485f\", algorithm=\"SHA-256\", stale=\"FALSE\""],
            parameters: [
                "response": "\"0a6d2305bd53f51c322fa62986bd76a08ae0b2d0f2a5f077855439b879e6fcd5\"",
                "algorithm": "SHA-256", "nc": nil, "cnonce": nil,
            ]),
        Answering(
            reference: "cpython#17045", what: "one of several qualities is chosen",
            challenges: ["Digest realm=\"onvif\", qop=\"auth,auth-int\", nonce=\"5dcd\", opaque=\"528e\""],
            parameters: ["qop": "auth", "opaque": "\"528e\""]),
        Answering(
            reference: "postman-app-support#9075", what: "no quotes anywhere",
            challenges: ["Digest realm=x, nonce=n, qop=auth, algorithm=MD5, opaque=o"],
            parameters: ["realm": "\"x\"", "nonce": "\"n\"", "opaque": "\"o\"", "qop": "auth"]),
        Answering(
            reference: "gortsplib#1155", what: "opaque and nonce come back as they are",
            challenges: ["Digest realm=\"x\", nonce=\"a\\\"b==\", opaque=\"a/b+c==\", qop=\"auth\""],
            parameters: ["nonce": "\"a\\\"b==\"", "opaque": "\"a/b+c==\""]),
        Answering(
            reference: "twinkle#163", what: "of two algorithms the first one that is known is the server's choice",
            challenges: [
                "Digest realm=\"x\", nonce=\"n\", algorithm=SHA3-256, qop=\"auth\"",
                "Digest realm=\"x\", nonce=\"n\", algorithm=SHA-256, qop=\"auth\"",
                "Digest realm=\"x\", nonce=\"n\", algorithm=MD5, qop=\"auth\"",
            ],
            parameters: ["algorithm": "SHA-256"]),
        Answering(
            reference: "requests#2426", what: "a URL without a path is asked for as a slash",
            challenges: ["Digest realm=\"x\", nonce=\"n\", qop=\"auth\""], path: "", parameters: ["uri": "\"/\""]),
        Answering(
            reference: "mongoose#620", what: "the query is part of uri",
            challenges: ["Digest realm=\"x\", nonce=\"n\", qop=\"auth\""], path: "/a?b=c&d=%20",
            parameters: ["uri": "\"/a?b=c&d=%20\""]),
    ]

    @Test("The answer to a Digest challenge", arguments: answers)
    func digest(_ answering: Answering) async throws {
        let server = try TestServer()
        server.respondToOthers { request in
            guard request["Authorization"] == nil else { return .ok("x") }
            return ScriptedResponse(status: 401, headers: answering.challenges.map { ("WWW-Authenticate", $0) })
        }
        let operation = await Self.get(server.url(answering.path))
        #expect(operation.responseString == "x", "\(answering)")
        let sent = try #require(server.requests.last.map(Self.parameters))
        for (name, value) in answering.parameters { #expect(sent[name] == value, "\(answering): \(name)") }
    }

    // RFC 7616, section 3.5, would have it taken. The request behind a redirect is the next one.
    @Test(
        "The next nonce that the server names is taken when it finds the present one stale (httpcomponents-client#596)")
    func nextNonce() async throws {
        let server = try TestServer()
        server.respond(to: "/a") { request in
            guard request["Authorization"] != nil else { return Self.denial(nonce: "one") }
            return ScriptedResponse.redirect(to: "/b").adding(header: "Authentication-Info", "nextnonce=\"two\"")
        }
        server.respond(to: "/b") { request in
            guard Self.parameters(of: request)["nonce"] == "\"two\"" else {
                return Self.denial(nonce: "two", isStale: true)
            }
            return .ok("x")
        }
        #expect(await Self.get(server.url("/a")).responseString == "x")
        #expect(server.requests.map { Self.parameters(of: $0)["nonce"] } == [nil, "\"one\"", "\"one\"", "\"two\""])
    }

    @Test("A server that wants a nonce for each request, and does not call the old one stale, gets it (curl#2136)")
    func changedNonce() async throws {
        let server = try TestServer()
        server.respond(to: "/a") { request in
            request["Authorization"] == nil ? Self.denial(nonce: "one") : .redirect(to: "/b")
        }
        server.respond(to: "/b") { request in
            Self.parameters(of: request)["nonce"] == "\"two\"" ? .ok("x") : Self.denial(nonce: "two")
        }
        #expect(await Self.get(server.url("/a")).responseString == "x")
        #expect(server.requests.last.map { Self.parameters(of: $0)["nc"] } == "00000001")
    }

    private static func denial(nonce: String, isStale: Bool = false) -> ScriptedResponse {
        let challenge = "Digest realm=\"x\", nonce=\"\(nonce)\", qop=\"auth\"" + (isStale ? ", stale=true" : "")
        return ScriptedResponse(status: 401, headers: [("WWW-Authenticate", challenge)])
    }

    /// The parameters of the `Authorization` field, as they are written.
    private static func parameters(of request: RecordedRequest) -> [String: String] {
        var result: [String: String] = [:]
        for parameter in request["Authorization"]?.dropFirst("Digest ".count).components(separatedBy: ", ") ?? [] {
            guard let equals = parameter.firstIndex(of: "=") else { continue }
            result[String(parameter[..<equals])] = String(parameter[parameter.index(after: equals)...])
        }
        return result
    }

    /// Asks for a URL as "user" with the password "secret".
    private static func get(
        _ url: URL, fields: [String: String] = [:], proxy: ProxyConfiguration? = nil
    ) async -> HTTPRequestOperation {
        var request = URLRequest(url: url)
        request.timeoutInterval = 5 * Patience.factor
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        let manager = HTTPRequestOperationManager(baseURL: nil)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.cookieStorage = nil
        manager.completionQueue = DispatchQueue(label: "reports")
        manager.proxyConfiguration = proxy
        let operation = manager.httpRequestOperation(with: request)
        operation.credential = URLCredential(user: "user", password: "secret", persistence: .none)
        manager.enqueue(operation)
        _ = try? await operation.value()
        return operation
    }

    // MARK: Tunnels

    /// A proxy that gives every CONNECT the same answer, and how to go through it.
    private static func proxy(
        answering response: ScriptedResponse, information: String = ""
    ) throws -> (TestServer, ProxyConfiguration) {
        let server = try TestServer()
        server.respondToOthers { _ in response }
        return (server, ProxyConfiguration(try ProxyServer("http://\(information)127.0.0.1:\(server.port)")))
    }

    @Test("CONNECT has the proxy's credential, and nothing that is for the server (cpp-httplib#2579)")
    func tunnelFields() async throws {
        let (server, configuration) = try Self.proxy(answering: .status(403), information: "me:hunter2@")
        let url = try #require(URL(string: "https://origin.test:8443/path"))
        let fields = ["Authorization": "Bearer 1", "Cookie": "a=1", "X-Own": "1"]
        let operation = await Self.get(url, fields: fields, proxy: configuration)
        #expect(operation.error != nil && operation.response == nil)
        let request = try #require(server.requests.first)
        #expect(request.method == "CONNECT" && request.target == "origin.test:8443")
        #expect(request["Proxy-Authorization"] == "Basic bWU6aHVudGVyMg==")
        for name in ["Authorization", "Cookie", "X-Own"] { #expect(request[name] == nil, "\(name)") }
    }

    @Test("CONNECT has an IPv6 address in brackets (mint#493)")
    func tunnelAddress() async throws {
        let (server, configuration) = try Self.proxy(answering: .status(403))
        _ = await Self.get(try #require(URL(string: "https://[::1]:8443/")), proxy: configuration)
        #expect(server.requests.map { "\($0.method) \($0.target)" } == ["CONNECT [::1]:8443"])
    }

    @Test("A proxy that answers CONNECT with 401 refuses it, and gets no credential for the server (wstunnel#545)")
    func unauthorizedTunnel() async throws {
        let denial = ScriptedResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"x\"")])
        let (server, configuration) = try Self.proxy(answering: denial)
        let operation = await Self.get(try #require(URL(string: "https://origin.test/")), proxy: configuration)
        #expect(operation.error != nil && operation.response == nil)
        #expect(server.requests.count == 1)
        #expect(server.requests.allSatisfy { $0["Authorization"] == nil && $0["Proxy-Authorization"] == nil })
    }

    // RFC 9110, section 9.3.6. This proxy takes no TLS, but what comes behind the request is the beginning of it.
    @Test(
        "A length or coding in the answer to CONNECT means nothing (curl#1317, martian#209)",
        arguments: ["Transfer-Encoding: chunked", "Content-Length: 0", "Content-Length: 5"])
    func tunnelLength(field: String) async throws {
        let answer = ScriptedResponse.script(
            [.send("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n"), .wait(seconds: 0.5), .close])
        let (server, configuration) = try Self.proxy(answering: answer)
        let operation = await Self.get(try #require(URL(string: "https://origin.test/")), proxy: configuration)
        #expect(operation.error != nil && operation.response == nil)
        let request = try #require(server.requests.first)
        let line = "\(request.method) \(request.target) \(request.version)\r\n"
        let head = line + request.headers.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n"
        let received = try #require(server.connections.first?.receivedBytes)
        #expect(received > head.utf8.count, "the handshake has begun")
    }

    // MARK: Which proxy, and for what

    /// A list of exceptions, a URL, and whether it is reached without the proxy.
    struct Exception: Sendable, CustomTestStringConvertible {
        let reference: String
        let list: String
        let url: String
        let isExcluded: Bool
        var testDescription: String { "\(reference): \(list) and \(url)" }

        init(_ reference: String, _ list: String, _ url: String, _ isExcluded: Bool) {
            (self.reference, self.list, self.url, self.isExcluded) = (reference, list, url, isExcluded)
        }
    }

    static let exceptions: [Exception] = [
        Exception("curl#2353", "localhost,127.0.0.1,::1", "http://[::1]/", true),
        Exception("undici#5616", "[::1]", "http://[::1]:56806/", true),
        Exception("undici#5616", "[::1]:56806", "http://[::1]:56806/", true),
        Exception("undici#5616", "[::1]:56807", "http://[::1]:56806/", false),
        Exception("curl#5745", "::1", "http://[0:0:0:0:0:0:0:1]:5672/", true),
        Exception("curl#5745", "0:0:0:0:0:0:7f00:0001", "http://[::7f00:1]/", true),
        Exception("curl#5745", "::7f00:1", "http://[::127.0.0.1]/", true),
        Exception("curl#19828", "::1/64", "http://[::1]/", true),
        Exception("curl#18891", "2001:db8::/33", "http://[2001:db8:7fff::1]/", true),
        Exception("curl#18891", "2001:db8::/33", "http://[2001:db8:8000::1]/", false),
        Exception("curl#9773", ".domain1,.domain2,127.0.0.1,10.0.0.0/8", "http://10.10.20.1/", true),
        Exception("kubernetes-client-javascript#233", "10.96.0.0/12", "https://10.111.255.1/", true),
        Exception("kubernetes-client-javascript#233", "10.96.0.0/12", "https://10.112.0.1/", false),
        Exception("curl#9822", "localhost,.example.com,.example.de", "http://www.example.com./", true),
        Exception("curl#9822", "localhost,.example.com.,.example.de", "http://www.example.com/", true),
        Exception("curl#9822", "localhost,www.example.com.", "http://www.example.com/", true),
        Exception("curl#9822", ".example.com", "http://example.com/", true),
        Exception("libwww-perl#433", ".example.com", "http://www.example.com/", true),
        Exception("libwww-perl#433", ".ample.com", "http://www.example.com/", false),
        Exception("libwww-perl#433", "ample.com", "http://www.example.com/", false),
        Exception("httpclient#110", "localhost,.corp", "https://a.b.corp/", true),
        Exception("global-agent#14", "a.test .example.com", "https://www.example.com/", true),
        Exception("dotnet-runtime#61840", "*.example.com", "https://www.example.com/", true),
        Exception("request#2194", "*.cnn.com", "http://cnn.com.evil.test/", false),
        // As in libcurl, an asterisk stands for a part of neither a name nor an address.
        Exception("httpclient#301", "192.168.*,*.ourdomain.com", "http://192.168.1.1/", false),
        Exception("httpclient#301", "192.168.*,*.ourdomain.com", "http://a.ourdomain.com/", true),
    ]

    @Test("Exceptions in no_proxy", arguments: exceptions)
    func exception(_ exception: Exception) throws {
        let configuration = try ProxyConfiguration.environment([
            "http_proxy": "http://proxy.test:1", "https_proxy": "http://proxy.test:1", "no_proxy": exception.list,
        ])
        let url = try #require(URL(string: exception.url))
        #expect((configuration.proxy(for: url) == nil) == exception.isExcluded)
    }

    @Test(
        "User name and password in a proxy's URL (got-scraping#55, proxy-chain#108, netdata#19469, pypac#49)",
        arguments: [
            ("http://user:a6%6qgx12345@proxy.test:1", "user", "a6%6qgx12345"),
            ("http://user:a:b@proxy.test:1", "user", "a:b"),
            ("http://user%20name:pass%20word@proxy.test:1", "user name", "pass word"),
            ("http://user name:pass word@proxy.test:1", "user name", "pass word"),
            ("http://user:p@ss@proxy.test:1", "user", "p@ss"), ("http://user:%2540@proxy.test:1", "user", "%40"),
        ])
    func proxyCredential(text: String, user: String, password: String) throws {
        let proxy = try ProxyServer(text)
        #expect(proxy.credential?.user == user && proxy.credential?.password == password)
        #expect(proxy.host == "proxy.test" && proxy.port == 1)
    }

    @Test("A number sign in a proxy's password has to be escaped, and the error does not show it (postman#6227)")
    func numberSign() throws {
        let error = try #require(throws: ProxyConfigurationError.self) {
            try ProxyServer("http://user:hunter2#rest@proxy.test:1")
        }
        #expect(!"\(error)".contains("hunter2"))
        #expect(try ProxyServer("http://user:hunter2%23rest@proxy.test:1").credential?.password == "hunter2#rest")
    }

    // A CGI server sets HTTP_PROXY to what a client sent.
    @Test("HTTP_PROXY is not read, HTTPS_PROXY and NO_PROXY are (global-tunnel#12)")
    func upperCase() throws {
        let configuration = try ProxyConfiguration.environment([
            "HTTP_PROXY": "http://proxy.test:1", "HTTPS_PROXY": "http://proxy.test:2", "NO_PROXY": "a.test",
        ])
        #expect(configuration.http == nil && configuration.https?.port == 2)
        #expect(configuration.excludedHosts == ["a.test"])
    }
}
