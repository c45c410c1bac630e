// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// What decides who answers, beside the URL.
@Suite("The cache and the way of a request", .timeLimit(.minutes(2))) struct CacheRouteTests {
    private let server: TestServer
    private let proxy: TestServer
    private let cache = URLCache(memoryCapacity: 8 << 20, diskCapacity: 0, diskPath: nil)

    init() throws {
        server = try TestServer()
        proxy = try TestServer()
        server.respondToOthers { request in
            let host = request["Host"] ?? ""
            return Self.storable(host.hasPrefix("127.0.0.1") ? "server" : host)
        }
        proxy.respondToOthers { _ in Self.storable("proxy") }
    }

    private static func storable(_ text: String) -> ScriptedResponse {
        .ok(text).adding(header: "Cache-Control", "max-age=3600")
    }

    private func send(by proxy: ProxyServer? = nil, host: String? = nil, method: String = "GET") async
        -> HTTPRequestOperation
    {
        let manager = HTTPRequestOperationManager.offMain(nil)
        manager.urlCache = cache
        manager.responseSerializer = HTTPResponseSerializer()
        manager.proxyConfiguration = proxy.map { ProxyConfiguration($0) }
        var request = URLRequest(url: server.url("/a"))
        request.httpMethod = method
        if proxy?.scheme == .https { request.timeoutInterval = 0.3 }
        if let host { request.setValue(host, forHTTPHeaderField: "Host") }
        let operation = manager.httpRequestOperation(with: request)
        _ = await operation.outcome()
        return operation
    }

    @Test("What a proxy says of an http URL is for requests by that proxy")
    func proxies() async throws {
        var way = try ProxyServer(scheme: .http, host: "127.0.0.1", port: proxy.port)
        #expect(await send(by: way).responseString == "proxy")
        #expect(await send().responseString == "server")
        #expect(await send(by: way).metrics?.cacheOutcome == .hit)
        #expect(await send(by: way).responseString == "proxy")
        let direct = await send()
        #expect(direct.metrics?.cacheOutcome == .hit && direct.responseString == "server")
        // Who we are to the proxy is not who answers.
        way.credential = URLCredential(user: "alice", password: "secret", persistence: .none)
        #expect(await send(by: way).metrics?.cacheOutcome == .hit)
        // What has effects removes what came by any way.
        _ = await send(by: way, method: "DELETE")
        #expect(await send(by: way).metrics?.cacheOutcome == .miss)
        #expect(await send().metrics?.cacheOutcome == .miss)
        // An https proxy at the same place may be another one; this one has no TLS at all.
        let lax = SecurityPolicy()
        lax.allowInvalidCertificates = true
        for policy in [lax, SubclassedPolicy()] {
            var secure = try ProxyServer(scheme: .https, host: "127.0.0.1", port: proxy.port)
            secure.securityPolicy = policy
            #expect(await send(by: secure).error != nil)
        }
    }

    private final class SubclassedPolicy: SecurityPolicy, @unchecked Sendable {}

    @Test("After an answered challenge a redirect does not bring what is stored for those without a credential")
    func answeredChallenge() async {
        server.respond(to: "/home") { Self.storable($0["Authorization"] == nil ? "anonymous" : "known") }
        server.respond(to: "/login") { request in
            request["Authorization"] == nil
                ? ScriptedResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")])
                : .redirect(to: "/home")
        }
        let manager = HTTPRequestOperationManager.offMain(nil)
        manager.urlCache = cache
        manager.responseSerializer = HTTPResponseSerializer()
        let anonymous = manager.httpRequestOperation(with: URLRequest(url: server.url("/home")))
        #expect(await anonymous.outcome().text == "anonymous")
        let known = manager.httpRequestOperation(with: URLRequest(url: server.url("/login")))
        known.credential = URLCredential(user: "a", password: "b", persistence: .none)
        #expect(await known.outcome().text == "known")
        #expect(server.requests.map(\.target) == ["/home", "/login", "/login", "/home"])
    }

    @Test("What came under laxer trust than the policy has by then is not stored for those who trust less")
    func trustMeanwhile() async throws {
        let authority = try TestCertificateAuthority(name: "Unknown")
        let secure = try TestServer(tls: TLSSettings(authority.issueForLocalhost()))
        let gate = Gate()
        secure.respondToOthers { _ in Self.storable("forged").holding(gate, at: .beforeHead) }
        func make(_ policy: SecurityPolicy) -> HTTPRequestOperation {
            let manager = HTTPRequestOperationManager.offMain(nil)
            manager.urlCache = cache
            manager.responseSerializer = HTTPResponseSerializer()
            let operation = manager.httpRequestOperation(with: URLRequest(url: secure.url("/a")))
            operation.securityPolicy = policy
            return operation
        }
        let policy = SecurityPolicy.default()
        policy.allowInvalidCertificates = true
        policy.validatesDomainName = false
        let first = make(policy)
        async let outcome = first.outcome()
        _ = try await secure.nextRequest()
        policy.allowInvalidCertificates = false
        policy.validatesDomainName = true
        gate.open()
        #expect(await outcome.text == "forged")
        let second = make(.default())
        let code = await second.outcome().urlError?.code
        #expect(code == .serverCertificateHasUnknownRoot || code == .serverCertificateUntrusted)
        #expect(second.metrics?.cacheOutcome != .hit)
        #expect(secure.requests.count == 1)
    }

    @Test("A request with a Host field of its own passes the cache by")
    func hosts() async {
        let other = await send(host: "other.example")
        #expect(other.responseString == "other.example" && other.metrics?.cacheOutcome == CacheOutcome.none)
        #expect(await send().responseString == "server")
        #expect(await send(host: "other.example").responseString == "other.example")
        #expect(await send().metrics?.cacheOutcome == .hit)
        #expect(server.requests.count == 3)
    }
}
