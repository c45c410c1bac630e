// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import FoundationNetworking
import NetworkingTransport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

/// What is removed from a cache stays away.
@Suite("Removing from the cache", .timeLimit(.minutes(2))) struct CacheRemovalTests {
    private let server: TestServer
    private let manager: HTTPRequestOperationManager
    private let session: OperationURLSession
    private let cache = URLCache(memoryCapacity: 8 << 20, diskCapacity: 0, diskPath: nil)

    init() throws {
        server = try TestServer()
        manager = .offMain(nil)
        manager.urlCache = cache
        manager.responseSerializer = HTTPResponseSerializer()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = cache
        session = OperationURLSession(configuration: configuration)
        server.respondToOthers { _ in Self.storable("content") }
    }

    private static func storable(_ text: String) -> ScriptedResponse {
        .ok(text).adding(header: "Cache-Control", "max-age=3600").adding(header: "ETag", "\"\(text)\"")
    }

    @discardableResult
    private func send(_ path: String = "/a", method: String = "GET") async -> HTTPRequestOperation {
        var request = URLRequest(url: server.url(path))
        request.httpMethod = method
        let operation = manager.httpRequestOperation(with: request)
        _ = await operation.outcome()
        return operation
    }

    private func reset(_ begun: () -> Void = {}) async {
        await withCheckedContinuation { continuation in
            session.reset { continuation.resume() }
            begun()
        }
    }

    private func stored(_ path: String = "/a") async -> CachedURLResponse? {
        await ResponseCache.of(cache).settle()
        return cache.cachedResponse(for: URLRequest(url: server.url(path)))
    }

    @Test("What waits for its place when a session is reset does not get there")
    func waiting() async throws {
        let isHeld = DispatchSemaphore(value: 0)
        Runtime.current.onCachingThread { isHeld.wait() }
        await send()
        #expect(await send().metrics?.cacheOutcome == .hit)
        await reset { isHeld.signal() }
        #expect(await stored() == nil)
        #expect(await send().metrics?.cacheOutcome == .miss)
        #expect(server.requests.count == 2)
        // What comes later is stored as ever.
        #expect(await send().metrics?.cacheOutcome == .hit)
    }

    @Test("What was asked for before a session is reset is not stored after it")
    func underWay() async throws {
        let gate = Gate()
        server.respondToOthers { _ in Self.storable("old").holding(gate) }
        async let old = send().responseString
        try await eventually("the request") { server.requests.count == 1 }
        await reset()
        gate.open()
        #expect(await old == "old")
        #expect(await stored() == nil)
    }

    @Test("What a program removes is gone, although it holds the entry", arguments: [true, false])
    func held(isAll: Bool) async throws {
        await send()
        _ = await stored()
        #expect(await send().metrics?.cacheOutcome == .hit)
        let entry = try #require(await stored())
        if isAll {
            cache.removeAllCachedResponses()
        } else {
            cache.removeCachedResponse(for: URLRequest(url: server.url("/a")))
        }
        #expect(await send().metrics?.cacheOutcome == .miss)
        withExtendedLifetime(entry) {}
    }

    @Test("A GET that is under way while its URL is changed does not store what it brings")
    func invalidated() async throws {
        let gate = Gate()
        server.respondToOthers { $0.method == "GET" ? Self.storable("old").holding(gate) : .ok("changed") }
        async let old = send().responseString
        async let beside = send("/b").responseString
        try await eventually("the requests") { server.requests.count == 2 }
        await send(method: "POST")
        gate.open()
        #expect(await old == "old")
        #expect(await beside == "old")
        #expect(await stored() == nil)
        #expect(await stored("/b") != nil)
    }

    @Test("What a program has stored itself for a URL with a query is removed by what changes it, too")
    func foreign() async throws {
        let path = "/p?x=1"
        let response = try #require(
            HTTPURLResponse(
                url: server.url(path), statusCode: 200, httpVersion: nil,
                headerFields: ["Cache-Control": "max-age=1000", "Date": CacheCaseRun.httpDate(Date())]))
        cache.storeCachedResponse(
            CachedURLResponse(response: response, data: Data("mine".utf8)), for: URLRequest(url: server.url(path)))
        let hit = await send(path)
        #expect(hit.responseString == "mine" && hit.metrics?.cacheOutcome == .hit)
        await send(path, method: "POST")
        #expect(await stored(path) == nil)
        #expect(await send(path).responseString == "content")
        #expect(server.requests.map(\.method) == ["POST", "GET"])
    }

    @Test("What a process changes at the server is not answered with what an earlier process has stored")
    func earlierProcess() async throws {
        let directory = try TemporaryDirectory()
        OperationURLCache.defaultDirectory = directory.file("own")
        defer { OperationURLCache.defaultDirectory = nil }
        let disk = URLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, diskPath: directory.path)
        manager.urlCache = disk
        await send()
        await ResponseCache.of(disk).settle()
        let program = try ExternalProgram(path: FixtureProgram.url("NetworkFixture").path)
        /// Sends from another process. Returns the methods of all requests that the server got so far.
        func methods(after sent: String...) async throws -> [String] {
            let arguments = ["send", directory.path, server.url("/a").absoluteString] + sent
            _ = try await blocking { Result { try program.run(arguments) } }.get()
            return server.requests.map(\.method)
        }
        #expect(try await methods(after: "GET") == ["GET"])
        #expect(try await methods(after: "POST", "GET") == ["GET", "POST", "GET"])
    }

    @Test("What was found before a removal does not come back as one of several")
    func variants() async throws {
        let responses = ResponseCache.of(cache)
        let target = try RequestTarget("http://example.com/x")
        let key = try #require(CacheKey(target, trust: ""))
        let url = try #require(URL(string: target.url))
        var first = StoredResponse(
            head: CacheRuleTests.head("Cache-Control: max-age=60", "Vary: x"), content: Data("1".utf8), requestTime: 1,
            responseTime: 2)
        first.selecting = [.init(name: "x", value: "1")]
        var second = first
        second.selecting = [.init(name: "x", value: "2")]
        let moment = responses.moment
        responses.store(first, replacing: nil, for: key, url: url, policy: .allowed, since: moment)
        let primary = try #require(responses.response(for: key, url: target.url))
        responses.remove(key)
        responses.store(second, replacing: primary, for: key, url: url, policy: .allowed, since: moment)
        await responses.settle()
        #expect(responses.response(for: key, url: target.url) == nil)
        #expect(cache.currentMemoryUsage == 0)
        responses.store(second, replacing: nil, for: key, url: url, policy: .allowed, since: responses.moment)
        #expect(responses.response(for: key, url: target.url) != nil)
    }
}

extension ScriptedResponse {
    fileprivate func holding(_ gate: Gate) -> ScriptedResponse {
        var response = self
        response.inserted[.beforeHead] = [.gate(gate)]
        return response
    }
}
