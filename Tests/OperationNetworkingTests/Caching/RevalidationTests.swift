// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// What is asked in the background, when a stale response was the result.
@Suite("Revalidation in the background", .timeLimit(.minutes(2))) struct RevalidationTests {
    private let server: TestServer
    private let other: TestServer
    private let manager: HTTPRequestOperationManager
    private let cache = URLCache(memoryCapacity: 8 << 20, diskCapacity: 0, diskPath: nil)

    init() throws {
        server = try TestServer()
        other = try TestServer()
        manager = .offMain(server.url("/"))
        manager.urlCache = cache
        manager.responseSerializer = HTTPResponseSerializer()
        other.respondToOthers { _ in .ok("other") }
    }

    /// Stale at once, and good for a long time.
    private static func stale(_ text: String) -> ScriptedResponse {
        .ok(text).adding(header: "Cache-Control", "max-age=0, stale-while-revalidate=1000")
            .adding(header: "ETag", "\"\(text.prefix(8))\"")
    }

    @discardableResult
    private func send(
        _ path: String, _ change: (HTTPRequestOperation) -> Void = { _ in }
    ) async -> HTTPRequestOperation {
        let operation = manager.httpRequestOperation(with: URLRequest(url: server.url(path)))
        change(operation)
        _ = await operation.outcome()
        return operation
    }

    private func revalidated() async throws {
        try await eventually("the end of the revalidation") { !ResponseCache.of(cache).isRevalidating }
    }

    @Test("The operation's credential does not go to another origin")
    func credential() async throws {
        let target = other.url("/x").absoluteString
        server.respond(to: "/go") { _ in .redirect(to: target) }
        other.respond(to: "/x") { request in
            request["If-None-Match"] == nil
                ? Self.stale("content")
                : ScriptedResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"x\"")])
        }
        manager.credential = URLCredential(user: "alice", password: "secret", persistence: .none)
        await send("/go")
        #expect(await send("/go").metrics?.cacheOutcome == .hit)
        try await eventually("the question") { other.requests.count == 2 }
        try await revalidated()
        #expect(other.requests.count == 2)
        #expect(other.requests.allSatisfy { $0["Authorization"] == nil })
    }

    @Test("Within its origin the operation's credential answers, as in the operation")
    func ownCredential() async throws {
        server.respond(to: "/x") { request in
            if request["If-None-Match"] == nil { return Self.stale("content") }
            return request["Authorization"] == nil
                ? ScriptedResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"x\"")])
                : ScriptedResponse(status: 304)
        }
        manager.credential = URLCredential(user: "alice", password: "secret", persistence: .none)
        await send("/x")
        await send("/x")
        try await eventually("the answer") { server.requests.count == 3 }
        try await revalidated()
        #expect(server.requests.last?["Authorization"] != nil)
    }

    @Test("No redirect is followed: nobody is asked, and what interceptors have set stays")
    func redirects() async throws {
        let target = other.url("/elsewhere").absoluteString
        server.respond(to: "/x") { request in
            request["If-None-Match"] == nil ? Self.stale("content") : .redirect(301, to: target)
        }
        manager.interceptors = [Token()]
        let asked = Locked(0)
        let isRefusing: (HTTPRequestOperation) -> Void = { operation in
            operation.setRedirectResponseBlock { _, request, response in
                guard response != nil else { return request }
                asked.withLock { $0 += 1 }
                return nil
            }
        }
        await send("/x", isRefusing)
        for number in 2...3 {
            // What is stored stays as it is.
            let operation = await send("/x", isRefusing)
            #expect(operation.responseString == "content" && operation.metrics?.cacheOutcome == .hit)
            try await eventually("the question") { server.requests.count == number }
            try await revalidated()
        }
        #expect(other.requests.isEmpty)
        #expect(asked.withLock { $0 } == 0)
    }

    private struct Token: RequestInterceptor {
        func adapt(_ request: URLRequest, for operation: HTTPRequestOperation) async throws -> URLRequest {
            var request = request
            request.setValue("secret", forHTTPHeaderField: "X-Token")
            return request
        }
    }

    @Test(
        "A reader gets the stale content to its end, and the new one is stored all the same", arguments: [30, 300_000])
    func reader(length: Int) async throws {
        let count = Locked(0)
        server.respond(to: "/x") { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return Self.stale(String(repeating: number == 1 ? "a" : "b", count: length))
        }
        await send("/x")
        let operation = manager.httpRequestOperation(with: URLRequest(url: server.url("/x")))
        var text = ""
        for try await chunk in operation.chunks {
            text += String(decoding: chunk, as: UTF8.self)
            // The end of what is read comes after that of the revalidation.
            try await eventually("the question") { server.requests.count == 2 }
            try await revalidated()
        }
        #expect(text == String(repeating: "a", count: length))
        try await eventually("the new one") { await send("/x").responseString?.first == "b" }
        try await revalidated()
    }

    @Test("The operation's block about caching is not called for what is asked behind its back")
    func cacheBlock() async throws {
        server.respond(to: "/x") { _ in Self.stale("content") }
        let stored = Locked(0)
        for number in 1...2 {
            await send("/x") { operation in
                operation.setCacheResponseBlock { _, response in
                    stored.withLock { $0 += 1 }
                    return response
                }
            }
            try await eventually("the requests") { server.requests.count == number }
            try await revalidated()
        }
        #expect(stored.withLock { $0 } == 1)
    }
}
