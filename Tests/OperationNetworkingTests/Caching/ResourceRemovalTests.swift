// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingTransport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// Removals of all that a URL has: for all users, policies and variants.
@Suite("Removing all that a URL has", .timeLimit(.minutes(1))) struct ResourceRemovalTests {
    enum Kind: CaseIterable, Sendable { case own, plain, subclass }

    private final class Subclass: URLCache, @unchecked Sendable {}

    private let server: TestServer
    private let directory: TemporaryDirectory
    private let manager: HTTPRequestOperationManager

    init() throws {
        server = try TestServer()
        directory = try TemporaryDirectory()
        manager = .offMain(nil)
        manager.responseSerializer = HTTPResponseSerializer()
        server.respondToOthers { $0.method == "GET" ? Self.storable("content") : .ok("changed") }
    }

    private static func storable(_ text: String) -> ScriptedResponse {
        .ok(text).adding(header: "Cache-Control", "max-age=3600")
    }

    private func own() -> OperationURLCache {
        OperationURLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, diskPath: directory.file("c").path)
    }

    private func make(_ kind: Kind) -> URLCache {
        switch kind {
        case .own: own()
        case .plain: URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        case .subclass: Subclass(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        }
    }

    private func outcome(
        _ url: URL, method: String = "GET", by user: String? = nil, kind: String? = nil, policy: SecurityPolicy? = nil
    ) async -> CacheOutcome? {
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.setValue(user, forHTTPHeaderField: "Authorization")
        request.setValue(kind, forHTTPHeaderField: "X-Kind")
        let operation = manager.httpRequestOperation(with: request)
        if let policy { operation.securityPolicy = policy }
        _ = await operation.outcome()
        return operation.metrics?.cacheOutcome
    }

    @Test("A request with effects removes what others have got, whoever sends it", arguments: Kind.allCases)
    func otherUsers(kind: Kind) async {
        manager.urlCache = make(kind)
        let (url, other) = (server.url("/a"), server.url("/b"))
        let users: [String?] = ["Bearer a", "Bearer c", nil]
        for user in users {
            #expect(await outcome(url, by: user) == .miss)
            #expect(await outcome(url, by: user) == .hit)
        }
        _ = await outcome(other, by: "Bearer a")
        _ = await outcome(url, method: "PUT", by: "Bearer b")
        for user in users { #expect(await outcome(url, by: user) == .miss) }
        #expect(await outcome(other, by: "Bearer a") == .hit)
    }

    @Test("What a program removes is gone for all users and policies, from the files, too")
    func program() async throws {
        let authority = try TestCertificateAuthority(name: "Unknown")
        let secure = try TestServer(tls: TLSSettings(authority.issueForLocalhost()))
        secure.respondToOthers { _ in Self.storable("secure") }
        let lax = SecurityPolicy.default()
        lax.allowInvalidCertificates = true
        lax.validatesDomainName = false
        let cache = own()
        manager.urlCache = cache
        for expected in [CacheOutcome.miss, .hit] {
            #expect(await outcome(secure.url("/a"), policy: lax) == expected)
            #expect(await outcome(server.url("/a"), by: "Bearer a") == expected)
        }
        await ResponseCache.of(cache).settle()
        cache.removeCachedResponse(for: URLRequest(url: secure.url("/a")))
        cache.removeCachedResponse(for: URLRequest(url: server.url("/a")))
        for present in [own(), cache] {
            manager.urlCache = present
            #expect(await outcome(secure.url("/a"), policy: lax) == .miss)
            #expect(await outcome(server.url("/a"), by: "Bearer a") == .miss)
            await ResponseCache.of(present).settle()
            present.removeAllCachedResponses()
        }
    }

    @Test("Responses that Vary tells apart go together, from the files, too")
    func variants() async {
        server.respondToOthers { request in
            Self.storable("content of \(request["X-Kind"] ?? "nothing")").adding(header: "Vary", "X-Kind")
        }
        let cache = own()
        manager.urlCache = cache
        /// The number of responses in the files.
        func count() async -> Int {
            await ResponseCache.of(cache).settle()
            let disk = own().store.disk
            disk.look()
            return disk.state.withLock { $0.places.count }
        }
        let kinds = ["one", "two", "three"]
        for kind in kinds { #expect(await outcome(server.url("/a"), kind: kind) == .miss) }
        #expect(await count() == 3)
        _ = await outcome(server.url("/a"), method: "DELETE")
        #expect(await count() == 0)
        for kind in kinds { #expect(await outcome(server.url("/a"), kind: kind) == .miss) }
    }

    // MARK: Keys

    private static func key(_ url: String, trust: String = "") throws -> CacheKey {
        try #require(CacheKey(try RequestTarget(url), trust: trust))
    }

    @Test("What is under way to any key of a URL does not get there, and what is asked for later does")
    func underWay() throws {
        let responses = ResponseCache.of(own())
        let url = try #require(URL(string: "http://example.com/x"))
        let response = StoredResponse(
            head: CacheRuleTests.head("Cache-Control: max-age=60"), content: Data("x".utf8), requestTime: 1,
            responseTime: 2)
        let keys = try ["", " a", " b"].map { try Self.key("http://example.com/x", trust: $0) }
        let beside = try Self.key("http://example.com/y", trust: " a")
        let moment = responses.moment
        responses.remove(keys[1])
        for key in keys + [beside] { responses.store(response, for: key, url: url, since: moment) }
        #expect(keys.allSatisfy { responses.recentResponse(for: $0) == nil })
        #expect(responses.recentResponse(for: beside) != nil)
        for key in keys { responses.store(response, for: key, url: url, since: responses.moment) }
        #expect(keys.allSatisfy { responses.recentResponse(for: $0) != nil })
    }

    @Test("Half of a key is the URL's alone; keys are found by it")
    func keys() throws {
        let url = "http://a/x"
        let field = StoredResponse.SelectingField(name: "accept", value: "a")
        let plain = try Self.key(url)
        let all = [plain, try Self.key(url, trust: "t"), try #require(plain.variant("g", [field]))]
        #expect(Set(all).count == 3 && Set(all.map(\.resource)).count == 1)
        #expect(all.allSatisfy { $0.plain == plain })
        let others = try ["https://a/x", "http://a/x?", "http://a:81/x", "http://b/x"].map { try Self.key($0) }
        #expect(Set((others + all).map(\.resource)).count == 5)
        var keys = KeysByResource<CacheKey>()
        for key in all + others + all { keys.insert(key) }
        #expect(keys.count == 7)
        let (taken, again) = (keys.take(plain.resource), keys.take(plain.resource))
        #expect(taken.count == 3 && Set(taken) == Set(all) && again.isEmpty && keys.count == 4)
        // Many of what is gone are too many.
        for number in 0..<1024 { keys.insert(try Self.key("http://a/\(number)")) }
        #expect(keys.isOvergrown(for: 1) && !keys.isOvergrown(for: 2))
    }
}
