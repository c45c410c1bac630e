// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("Cookies of requests", .timeLimit(.minutes(2))) struct CookieRequestTests {
    private static let root = Result { try TestCertificateAuthority(name: "Cookie Root") }
    private let server: TestServer
    private let manager: HTTPRequestOperationManager
    private let storage: HTTPCookieStorage

    init() throws {
        server = try TestServer()
        server.respondToOthers { _ in .ok("fine") }
        storage = try HTTPCookieStorage.inMemory()
        manager = .offMain(nil)
        manager.cookieStorage = storage
        manager.responseSerializer = HTTPResponseSerializer()
    }

    /// Lets the server stand for all hosts: it is the proxy.
    private func standForAllHosts() throws {
        manager.proxyConfiguration = ProxyConfiguration(
            try ProxyServer(scheme: .http, host: "127.0.0.1", port: server.port))
    }

    /// Answers requests for an absolute URL.
    private func respond(to url: String, _ response: ScriptedResponse) { server.respond(to: url, response) }

    private static func setting(_ fields: String..., in response: ScriptedResponse = .ok("set")) -> ScriptedResponse {
        fields.reduce(response) { $0.adding(header: "Set-Cookie", $1) }
    }

    /// The `Cookie` field of the next request for a URL.
    private func cookie(for url: String) async -> String? {
        _ = await manager.getting(url)
        return server.requests.last?["Cookie"]
    }

    // MARK: Hostile fields

    @Test(
        "Fields that Foundation stops the program at, on any response",
        arguments: [
            "e\u{301}=; Path=/", "sid=abc; P\u{301}x=; Path=/", "\u{301}", "a=b;\u{301}",
            "a\u{301}\u{316}=\u{301};=\u{301}",
        ])
    func graphemes(field: String) async throws {
        for response in [ScriptedResponse.ok("x"), .status(404), .redirect(to: "/end")] {
            server.respond(to: "/start", Self.setting(field, "good=1; Path=/", in: response))
            let outcome = await manager.getting(server.url("/start").absoluteString)
            #expect(outcome.status == (response.status == 302 ? 200 : response.status))
            #expect(storage.names.contains("good"))
        }
    }

    @Test("A control character does not lock a host out")
    func controlCharacter() async throws {
        try standForAllHosts()
        respond(to: "http://www.example.com/set", Self.setting("k=\u{1}v; Domain=example.com", "a=b; Path=/"))
        #expect(await manager.getting("http://www.example.com/set").status == 200)
        #expect(await cookie(for: "http://www.example.com/") == "a=b")
        storage.setCookie(
            try #require(
                HTTPCookie(properties: [.name: "k", .value: "\u{1}v", .domain: ".example.com", .path: "/"])))
        let outcome = await manager.getting("http://www.example.com/")
        #expect(outcome.status == 200, "\(outcome.error as Any)")
        #expect(server.requests.last?["Cookie"] == "a=b")
    }

    @Test("A host sets cookies for itself and its own domain only, a redirect and an error response too")
    func otherSites() async throws {
        try standForAllHosts()
        let fields = ["com", "example", "co.uk", "victim.example", ".victim.example", "0.0.1"]
            .map { "evil=\($0); Path=/; Domain=\($0)" }
        let victims = ["http://victim.example/", "http://shop.co.uk/", "http://127.0.0.1/", "http://www.com/"]
        let responses = [ScriptedResponse.ok("x"), .status(500), .redirect(to: "http://victim.example/landing")]
        for response in responses {
            for evil in ["http://evil.example/set", "http://evil.co.uk/set", "http://10.0.0.1/set"] {
                respond(to: evil, fields.reduce(response) { $0.adding(header: "Set-Cookie", $1) })
                _ = await manager.getting(evil)
                if response.status == 302 {
                    #expect(server.requests.last?.target == "http://victim.example/landing")
                    #expect(server.requests.last?["Cookie"] == nil)
                }
            }
        }
        #expect(storage.cookies?.isEmpty == true, "\(storage.names)")
        for victim in victims { #expect(await cookie(for: victim) == nil) }
    }

    @Test("The cookie of a redirect belongs to the host that redirected, and goes there again")
    func redirects() async throws {
        try standForAllHosts()
        respond(
            to: "http://a.example/start",
            Self.setting("from=a; Path=/", in: .redirect(to: "http://b.example/middle")))
        respond(
            to: "http://b.example/middle", Self.setting("from=b; Path=/", in: .redirect(to: "http://a.example/end")))
        #expect(await manager.getting("http://a.example/start").status == 200)
        #expect(server.requests.map { $0["Cookie"] } == [nil, nil, "from=a"])
        #expect(await cookie(for: "http://b.example/") == "from=b")
    }

    @Test("A path's cookies stay with the path")
    func paths() async {
        let base = server.url("/").absoluteString
        server.respond(to: "/app/login", Self.setting("a=1", "b=2; Path=/other", "c=3; Path=/"))
        _ = await manager.getting(base + "app/login")
        #expect(await cookie(for: base + "app/x") == "a=1; c=3")
        #expect(await cookie(for: base + "apple") == "c=3")
        #expect(await cookie(for: base + "other/x") == "b=2; c=3")
    }

    @Test("Hundreds of large cookies do not make requests too large")
    func manyLargeCookies() async throws {
        try standForAllHosts()
        let value = String(repeating: "v", count: 3900)
        // libcurl takes 300 KB of header fields.
        for part in 0..<3 {
            let response = (0..<60).reduce(ScriptedResponse.ok("x")) {
                $0.adding(header: "Set-Cookie", "n\(part)-\($1)=\(value); Domain=example.com; Path=/")
            }
            respond(to: "http://evil.example.com/set", response)
            #expect(await manager.getting("http://evil.example.com/set").status == 200)
        }
        #expect(storage.cookies?.count == 50)
        let sent = try #require(await cookie(for: "http://www.example.com/"))
        #expect(sent.utf8.count <= 8190)
    }

    // MARK: While content comes

    @Test("A cookie is sent with the next request as soon as the head has come, whatever becomes of the content")
    func beforeContent() async throws {
        let gate = Gate()
        defer { gate.open() }
        server.respond(to: "/slow", Self.setting("a=1; Path=/").holding(gate, at: .beforeBody))
        let operation = manager.httpRequestOperation(with: URLRequest(url: server.url("/slow")))
        operation.start()
        try await eventually("the cookie", timeout: 2) { storage.names == ["a"] }
        #expect(await cookie(for: server.url("/x").absoluteString) == "a=1")
        operation.cancel()
        await operation.completed()
        #expect(operation.isCancelledError && storage.names == ["a"])
    }

    @Test("A response whose content takes long does not set its cookie back to what it was at its head")
    func setMeanwhile() async throws {
        let gate = Gate()
        defer { gate.open() }
        server.respond(to: "/slow", Self.setting("sid=1; Path=/").holding(gate, at: .beforeBody))
        server.respond(to: "/y", Self.setting("sid=2; Path=/"))
        let operation = manager.httpRequestOperation(with: URLRequest(url: server.url("/slow")))
        operation.start()
        // Its cookie is stored on another thread.
        try await eventually("the cookie", timeout: 2) { storage.names == ["sid"] }
        _ = await manager.getting(server.url("/y").absoluteString)
        gate.open()
        await operation.completed()
        #expect(operation.responseString == "set")
        #expect(storage.cookies?.map(\.value) == ["2"])
    }

    // MARK: Secure

    @Test("A secure cookie stays out of the clear, also over a redirect, and is not replaced from there")
    func secure() async throws {
        let secure = try TestServer(tls: TLSSettings(Self.root.get().issueForLocalhost()))
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [try Self.root.get().certificate.der]
        manager.securityPolicy = policy
        let plain = server.url("/plain", host: "localhost").absoluteString
        secure.respond(to: "/set", Self.setting("sid=good; Secure; Path=/", "free=1; Path=/", in: .redirect(to: plain)))
        secure.respondToOthers { _ in .ok("x") }
        server.respond(to: "/plain", Self.setting("sid=evil; Path=/", "other=2; Secure; Path=/"))
        #expect(await manager.getting(secure.url("/set", host: "localhost").absoluteString).status == 200)
        #expect(server.requests.last?["Cookie"] == "free=1")
        _ = await manager.getting(secure.url("/again", host: "localhost").absoluteString)
        #expect(secure.requests.last?["Cookie"] == "sid=good; free=1")
    }

    // MARK: Storages

    @Test("A manager's storage is its own, and an operation's comes before it")
    func storages() async throws {
        server.respond(to: "/set", Self.setting("a=b; Path=/"))
        let url = server.url("/set")
        _ = await manager.getting(url.absoluteString)
        let other = HTTPRequestOperationManager.offMain(nil)
        other.responseSerializer = HTTPResponseSerializer()
        other.cookieStorage = try HTTPCookieStorage.inMemory()
        _ = await other.getting(server.url("/").absoluteString)
        #expect(server.requests.last?["Cookie"] == nil)
        let copy = try #require(manager.copy() as? HTTPRequestOperationManager)
        #expect(copy.cookieStorage === storage)

        let operation = other.httpRequestOperation(with: URLRequest(url: server.url("/")))
        #expect(operation.cookieStorage == nil)
        operation.cookieStorage = storage
        #expect((operation.copy() as? HTTPRequestOperation)?.cookieStorage === storage)
        _ = await operation.outcome()
        #expect(server.requests.last?["Cookie"] == "a=b")
        let back = try #require(operation.copy() as? HTTPRequestOperation)
        back.cookieStorage = nil
        _ = await back.outcome()
        #expect(server.requests.last?["Cookie"] == nil, "the manager's again")

        other.cookieStorage = nil
        _ = await other.getting(url.absoluteString)
        #expect(other.cookieStorage == nil && server.requests.last?["Cookie"] == nil)
        #expect(HTTPRequestOperationManager().cookieStorage === HTTPCookieStorage.shared)
        #expect(HTTPCookieStorage.shared.cookies?.contains { $0.name == "a" && $0.domain == "127.0.0.1" } != true)
    }

    @Test("An operation that was told something before has its manager's storage nonetheless")
    func configuredLater() async {
        server.respond(to: "/set", Self.setting("a=b; Path=/"))
        let operation = HTTPRequestOperation(server.url("/set"))
        operation.userInfo = ["x": 1]
        manager.configure(operation)
        _ = await operation.outcome()
        #expect(storage.names == ["a"])
    }

    @Test("A dump shows no cookie")
    func dumps() async {
        server.respond(to: "/set", Self.setting("a=hunter2; Path=/"))
        let operation = manager.httpRequestOperation(with: URLRequest(url: server.url("/set")))
        operation.cookieStorage = storage
        _ = await operation.outcome()
        var text = ""
        dump(operation._configuration.value.storages.cookies, to: &text)
        dump(manager.withSettings { $0[\.storages.cookies] }, to: &text)
        #expect(storage.names == ["a"] && !text.contains("hunter2"))
    }

    @Test("The storage's policy and the request's own word are kept")
    func policies() async throws {
        try standForAllHosts()
        let url = "http://www.example.com/set"
        respond(to: url, Self.setting("a=b; Path=/"))
        storage.cookieAcceptPolicy = .never
        _ = await manager.getting(url)
        #expect(storage.cookies?.isEmpty == true)
        storage.cookieAcceptPolicy = .onlyFromMainDocumentDomain
        var request = URLRequest(url: try #require(URL(string: url)))
        request.mainDocumentURL = URL(string: "http://com/")
        _ = await manager.httpRequestOperation(with: request).outcome()
        request.mainDocumentURL = URL(string: "http://example.com.evil.example/www.example.com")
        _ = await manager.httpRequestOperation(with: request).outcome()
        #expect(storage.cookies?.isEmpty == true)
        request.httpShouldHandleCookies = false
        request.mainDocumentURL = URL(string: "https://shop.example.com/")
        _ = await manager.httpRequestOperation(with: request).outcome()
        #expect(storage.cookies?.isEmpty == true)
        request.httpShouldHandleCookies = true
        _ = await manager.httpRequestOperation(with: request).outcome()
        #expect(storage.names == ["a"])
        request.httpShouldHandleCookies = false
        _ = await manager.httpRequestOperation(with: request).outcome()
        #expect(server.requests.last?["Cookie"] == nil)
    }

    // MARK: The disk

    @Test("What comes in does not go to the file that Foundation writes for everybody")
    func foundationsFile() async throws {
        let value = UUID().uuidString
        server.respond(to: "/set", Self.setting("kept=\(value); Path=/; Expires=Fri, 31 Dec 2100 23:59:59 GMT"))
        let operation = HTTPRequestOperation(server.url("/set"))
        _ = await operation.outcome()
        let cookie = try #require(HTTPCookieStorage.shared.cookies?.first { $0.value == value })
        defer { HTTPCookieStorage.shared.deleteCookie(cookie) }
        let data = try #require(
            FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first)
        let files = FileManager.default.enumerator(at: data, includingPropertiesForKeys: nil)
        var found = 0
        for case let file as URL in files ?? FileManager.DirectoryEnumerator()
        where file.lastPathComponent == ".cookies.shared" {
            found += 1
            #expect(try Data(contentsOf: file).range(of: Data(value.utf8)) == nil, "\(file.path)")
        }
        #expect(found > 0, "this test looks in the wrong place")
    }
}
