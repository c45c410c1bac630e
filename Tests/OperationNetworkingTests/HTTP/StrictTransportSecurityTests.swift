// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import NetworkingTransport
@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// RFC 6797, as an option.
@Suite("Strict transport security", .timeLimit(.minutes(1))) struct StrictTransportSecurityTests {
    private static let now = Date(timeIntervalSince1970: 1_700_000_000)

    @Test(
        "Values of the field",
        arguments: [
            ("max-age=31536000", 31_536_000, false), ("Max-Age=1 ; includeSubDomains", 1, true),
            ("includesubdomains;max-age=\"5\";", 5, true), ("max-age=0", 0, false), (" max-age = 7 ;preload", 7, false),
            ("max-age=99999999999999999999", 3_155_760_000, false),
            ("max-age=100; foo=\"a;b\"", 100, false), ("foo=\"\\\";max-age=1\";max-age=2;includeSubDomains", 2, true),
        ] as [(String, Int64, Bool)])
    func values(text: String, maximumAge: Int64, includesSubdomains: Bool) {
        let field = StrictTransportSecurityField(text.utf8)
        #expect(field?.maximumAge == maximumAge && field?.includesSubdomains == includesSubdomains)
    }

    @Test(
        "Values that are not taken",
        arguments: [
            "", "includeSubDomains", "max-age", "max-age=", "max-age=-1", "max-age=1;max-age=1", "max-age=1x",
            "max-age=1;includeSubDomains;includeSubDomains", "max-age=1; b\u{fc}cher", "max-age=\"1",
            "max-age=1; foo=\"a;b",
            "max-age=1, max-age=2",
            "max-age=1;includeSubDomains=1", String(repeating: "a", count: 2000) + ";max-age=1",
        ])
    func badValues(text: String) {
        #expect(StrictTransportSecurityField(text.utf8) == nil)
    }

    private func head(_ fields: String) -> ResponseHead {
        ResponseHead(statusCode: 200, httpVersion: "HTTP/1.1", rawFields: Array(fields.utf8))
    }

    @Test("Which URLs are asked over TLS")
    func urls() throws {
        let security = StrictTransportSecurity()
        func secure(_ url: String, after seconds: TimeInterval = 0) throws -> String? {
            security.secureURL(for: try #require(URL(string: url)), now: Self.now + seconds)?.absoluteString
        }
        func note(_ fields: String, _ url: String) throws {
            security.note(head(fields), from: try #require(URL(string: url)), now: Self.now)
        }
        try note("Strict-Transport-Security: max-age=100\r\n", "http://plain.test/")
        for address in ["192.0.2.1", "127.1", "2130706433", "0x7f.1", "[::1]", "127.0.0.1."] {
            try note("Strict-Transport-Security: max-age=100; includeSubDomains\r\n", "https://\(address)/")
        }
        #expect(security.hosts.isEmpty)
        try note(
            "strict-transport-security: max-age=100\r\nStrict-Transport-Security: max-age=0\r\n", "https://A.test./")
        try note("Strict-Transport-Security: max-age=100; includeSubDomains\r\n", "https://b.test:8443/")
        #expect(try secure("http://a.test/x?y#z") == "https://a.test/x?y#z")
        #expect(try secure("HTTP://u:p@A.TEST:80/") == "https://u:p@A.TEST/")
        #expect(try secure("http://a.test:8080/") == "https://a.test:8080/")
        #expect(try secure("https://a.test/") == nil)
        #expect(try secure("http://x.a.test/") == nil)
        #expect(try secure("http://y.x.b.test/") == "https://y.x.b.test/")
        #expect(try secure("http://bb.test/") == nil)
        #expect(try secure("http://a.test/", after: 100) == nil)
        try note("Strict-Transport-Security: max-age=0\r\n", "https://a.test/")
        #expect(try secure("http://a.test/") == nil)
        #expect(security.hosts.map(\.name) == ["b.test"])
    }

    @Test("Hosts are kept between runs; what is no name is left out; no more than ten thousand are kept")
    func hosts() throws {
        let date = Date() + 1000
        let first = StrictTransportSecurity(hosts: [
            .init(name: "A.test", expires: date), .init(name: "192.0.2.1", expires: date),
            .init(name: "", expires: date),
        ])
        let data = try JSONEncoder().encode(first.hosts)
        let second = StrictTransportSecurity(
            hosts: try JSONDecoder().decode([StrictTransportSecurity.Host].self, from: data))
        #expect(second.hosts.map(\.name) == ["a.test"])
        second.hosts = (0..<10_000).map { .init(name: "h\($0).test", expires: date + Double($0)) }
        second.note(
            head("Strict-Transport-Security: max-age=5000\r\n"), from: try #require(URL(string: "https://new.test/")))
        #expect(second.hosts.count == 10_000)
        #expect(second.hosts.contains { $0.name == "new.test" } && !second.hosts.contains { $0.name == "h0.test" })
    }

    @Test("Who has ten thousand names gets nobody else's out", .timeLimit(.minutes(1)))
    func flood() throws {
        let security = StrictTransportSecurity()
        let field = head("Strict-Transport-Security: max-age=100\r\n")
        // It expires before all others.
        for host in ["victim.test", "www.victim.test"] {
            security.note(field, from: try #require(URL(string: "https://\(host)/")), now: Self.now)
        }
        let long = head("Strict-Transport-Security: max-age=1000000; includeSubDomains\r\n")
        let start = ContinuousClock.now
        for number in 0..<30_000 {
            let url = try #require(URL(string: "https://h\(number).evil.co.uk/"))
            security.note(long, from: url, now: Self.now)
        }
        // A look through all of them for each takes minutes.
        #expect(ContinuousClock.now - start < .seconds(15 * Patience.factor))
        #expect(security.hosts.count == 10_000)
        for host in ["victim.test", "www.victim.test", "h29999.evil.co.uk"] {
            let url = try #require(URL(string: "http://\(host)/"))
            #expect(security.secureURL(for: url, now: Self.now)?.scheme == "https", "\(host)")
        }
    }

    @Test("A host that said so once is asked over TLS, also after a redirect; without the option it is not")
    func requests() async throws {
        let root = try TestCertificateAuthority(name: "Strict Root")
        let server = try TestServer(tls: TLSSettings(root.issueForLocalhost()))
        let port = server.port
        server.respondToOthers { request in
            request.path == "/away"
                ? ScriptedResponse(status: 302, headers: [("Location", "http://localhost:\(port)/back")])
                : ScriptedResponse(
                    status: 200, headers: [("Strict-Transport-Security", "max-age=1000")],
                    body: .data(Data("fine".utf8)))
        }
        let manager = HTTPRequestOperationManager.offMain(nil)
        manager.responseSerializer = HTTPResponseSerializer()
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [root.certificate.der]
        manager.securityPolicy = policy
        let plain = "http://localhost:\(port)/x"
        #expect(await manager.getting(server.url("/", host: "localhost").absoluteString).text == "fine")
        #expect(await manager.getting(plain).error != nil)
        let security = StrictTransportSecurity()
        manager.strictTransportSecurity = security
        #expect(await manager.getting(plain).error != nil)
        #expect(await manager.getting(server.url("/", host: "localhost").absoluteString).text == "fine")
        #expect(security.hosts.map(\.name) == ["localhost"])
        let upgraded = await manager.getting(plain)
        #expect(upgraded.text == "fine" && upgraded.operation?.response?.url?.scheme == "https")
        // What came without TLS before is no answer any more.
        let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        let response = try #require(
            HTTPURLResponse(
                url: server.url("/x", host: "localhost", scheme: "http"), statusCode: 200, httpVersion: "HTTP/1.1",
                headerFields: ["Cache-Control": "max-age=1000"]))
        cache.storeCachedResponse(
            CachedURLResponse(response: response, data: Data("forged".utf8)),
            for: URLRequest(url: try #require(response.url)))
        manager.urlCache = cache
        manager.requestSerializer.cachePolicy = .returnCacheDataElseLoad
        #expect(await manager.getting(plain).text == "fine")
        let redirected = await manager.getting("http://localhost:\(port)/away")
        #expect(redirected.text == "fine" && redirected.operation?.metrics?.redirectCount == 1)
        #expect(redirected.operation?.response?.url?.absoluteString == "https://localhost:\(port)/back")
    }

    @Test(
        "A redirect to http of a known host goes to https, and takes along what https takes", arguments: [false, true])
    func redirects(hasPins: Bool) async throws {
        let root = try TestCertificateAuthority(name: "Strict Root")
        let server = try TestServer(tls: TLSSettings(root.issueForLocalhost()))
        let port = server.port
        server.respondToOthers { request in
            request.path == "/away" ? .redirect(to: "http://localhost:\(port)/back") : .ok("fine")
        }
        let policy =
            hasPins
            ? SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: [root.certificate.der]) : .default()
        policy.anchorCertificates = [root.certificate.der]
        let operation = HTTPRequestOperation(
            server.url("/away", host: "localhost"), headers: ["Authorization": "Bearer t", "X-Key": "k"])
        operation.securityPolicy = policy
        operation.strictTransportSecurity = StrictTransportSecurity(hosts: [
            .init(name: "localhost", expires: Date() + 1000)
        ])
        let asked = Journal<String>()
        operation.setRedirectResponseBlock { _, request, response in
            if response != nil { asked.append(request.url?.scheme ?? "") }
            return request
        }
        #expect(await operation.outcome().text == "fine")
        #expect(asked.all == ["https"])
        let last = try #require(server.requests.last)
        #expect(last["Authorization"] == "Bearer t" && last["X-Key"] == "k")
    }

    @Test(
        "What an unverified server says is not taken, also when the policy has become strict meanwhile",
        arguments: [false, true])
    func unverified(becomesStrict: Bool) async throws {
        let server = try TestServer(tls: TLSSettings(TestCertificateAuthority(name: "Unknown").issueForLocalhost()))
        let gate = Gate()
        server.respondToOthers { _ in
            ScriptedResponse(status: 200, headers: [("Strict-Transport-Security", "max-age=1000")])
                .holding(gate, at: .beforeHead)
        }
        let operation = HTTPRequestOperation(server.url("/", host: "localhost"))
        let policy = SecurityPolicy.default()
        policy.allowInvalidCertificates = true
        policy.validatesDomainName = false
        operation.securityPolicy = policy
        operation.responseSerializer = HTTPResponseSerializer()
        let security = StrictTransportSecurity()
        operation.strictTransportSecurity = security
        async let outcome = operation.outcome()
        _ = try await server.nextRequest()
        if becomesStrict {
            policy.allowInvalidCertificates = false
            policy.validatesDomainName = true
        }
        gate.open()
        #expect(await outcome.status == 200)
        #expect(security.hosts.isEmpty)
    }
}
