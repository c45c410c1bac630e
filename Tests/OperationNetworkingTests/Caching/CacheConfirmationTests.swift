// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import NetworkingTransport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// What a 304 makes of a stored response (RFC 9111, section 4.3.4).
@Suite("304 and the cache", .timeLimit(.minutes(2))) struct CacheConfirmationTests {
    private let server: TestServer
    private let cache = URLCache(memoryCapacity: 8 << 20, diskCapacity: 0, diskPath: nil)

    init() throws { server = try TestServer() }

    /// Answers the first request with content, and the others by `next`.
    private func script(
        _ fields: [(String, String)], _ next: @escaping @Sendable (RecordedRequest) -> ScriptedResponse
    ) {
        let isFirst = Locked(true)
        server.respondToOthers { request in
            let first = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return first ? ScriptedResponse(headers: fields, body: .text("content")) : next(request)
        }
    }

    private static func confirmation(_ fields: (String, String)...) -> ScriptedResponse {
        ScriptedResponse(status: 304, headers: fields)
    }

    private func send(_ fields: [String: String] = [:], user: String? = nil) async -> HTTPRequestOperation {
        let manager = HTTPRequestOperationManager.offMain(nil)
        manager.urlCache = cache
        manager.responseSerializer = HTTPResponseSerializer()
        manager.credential = user.map { URLCredential(user: $0, password: "secret", persistence: .none) }
        var request = URLRequest(url: server.url("/a"))
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        let operation = manager.httpRequestOperation(with: request)
        _ = await operation.outcome()
        return operation
    }

    private var stored: StoredResponse? {
        get async throws {
            let responses = ResponseCache.of(cache)
            await responses.settle()
            let target = try RequestTarget(server.url("/a"))
            return responses.response(for: try #require(CacheKey(target, trust: "")), url: target.url)
        }
    }

    @Test(
        "A response that must not be stored any more is the result once, and removed",
        arguments: [("Cache-Control", "no-store"), ("Vary", "*")])
    func removed(by field: (String, String)) async throws {
        script([("ETag", "\"1\""), ("Cache-Control", "no-cache")]) { request in
            request["If-None-Match"] == nil ? .ok("new") : Self.confirmation(("ETag", "\"1\""), field)
        }
        _ = await send()
        let operation = await send()
        #expect(operation.metrics?.cacheOutcome == .validated && operation.responseString == "content")
        #expect(try await stored == nil)
        #expect(await send().responseString == "new")
    }

    @Test("A request with no-store validates, and stores nothing of the answer")
    func requestWithNoStore() async throws {
        script([("ETag", "\"1\""), ("Cache-Control", "max-age=1000")]) { _ in
            Self.confirmation(("ETag", "\"1\""), ("X-User", "alice"))
        }
        _ = await send()
        let operation = await send(["Cache-Control": "no-store"])
        #expect(operation.response?.value(forHTTPHeaderField: "X-User") == "alice")
        #expect(try await stored?.head.string.contains("X-User") == false)
    }

    @Test("A new Vary counts for the request that was confirmed")
    func newVary() async throws {
        script([("ETag", "\"1\""), ("Cache-Control", "max-age=0")]) { request in
            request["X-Who"] == "alice"
                ? Self.confirmation(("ETag", "\"1\""), ("Vary", "X-Who"), ("Cache-Control", "max-age=100"))
                : ScriptedResponse(headers: [("ETag", "\"2\""), ("Vary", "X-Who")], body: .text("for others"))
        }
        _ = await send(["X-Who": "alice"])
        #expect(await send(["X-Who": "alice"]).metrics?.cacheOutcome == .validated)
        #expect(await send(["X-Who": "alice"]).metrics?.cacheOutcome == .hit)
        #expect(await send(["X-Who": "bob"]).responseString == "for others")
    }

    @Test("What confirms it to somebody with a credential is not kept for those without")
    func challenge() async throws {
        script([("ETag", "\"1\""), ("Cache-Control", "max-age=0")]) { request in
            request["Authorization"] == nil
                ? ScriptedResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"x\"")])
                : Self.confirmation(("ETag", "\"1\""), ("X-User", "alice"), ("Cache-Control", "max-age=1000"))
        }
        _ = await send()
        let operation = await send(user: "alice")
        #expect(operation.responseString == "content" && operation.metrics?.cacheOutcome == .validated)
        #expect(operation.response?.value(forHTTPHeaderField: "X-User") == "alice")
        #expect(try await stored?.head.string.contains("X-User") == false)
        #expect(await send().response?.statusCode == 401)
    }

    @Test("A strong tag does not confirm a response that has none: it is asked for again, without a condition")
    func foreignTag() async throws {
        let date = "Mon, 01 Jan 2024 00:00:00 GMT"
        script([("Last-Modified", date), ("Cache-Control", "max-age=0")]) { request in
            request["If-Modified-Since"] == nil ? .ok("new") : Self.confirmation(("ETag", "\"another\""))
        }
        _ = await send()
        let operation = await send()
        #expect(operation.responseString == "new" && operation.metrics?.cacheOutcome == .miss)
        let without = StoredResponse(
            head: CacheRuleTests.head("Last-Modified: \(date)"), content: Data(), requestTime: 1, responseTime: 1)
        #expect(!StorageRules.confirms(CacheRuleTests.head("ETag: \"a\""), without))
        #expect(StorageRules.confirms(CacheRuleTests.head("ETag: W/\"a\""), without))
        #expect(StorageRules.confirms(CacheRuleTests.head("Date: \(date)"), without))
    }

    @Test("An entry that says no-store is none, whoever has stored it")
    func storedAgainstTheRules() async throws {
        let url = server.url("/a")
        let target = try RequestTarget(url)
        let key = try #require(CacheKey(target, trust: ""))
        for (control, isUsed) in [("no-store, max-age=60", false), ("max-age=60", true)] {
            let entry = StoredResponse(
                head: CacheRuleTests.head("Cache-Control: \(control)"), content: Data("stored".utf8), requestTime: 1,
                responseTime: 2)
            let cached = try #require(entry.cached(under: key, url: url, policy: .allowed))
            #expect((StoredResponse(cached, key: key) != nil) == isUsed)
        }
    }
}

extension ResponseHead {
    fileprivate var string: String { String(decoding: rawFields, as: UTF8.self) }
}
