// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("Retries and the cache", .timeLimit(.minutes(2))) struct RetryCacheTests {
    private let server: TestServer
    private let manager: HTTPRequestOperationManager

    init() throws {
        server = try TestServer()
        manager = .offMain(server.url("/"))
        manager.urlCache = URLCache(memoryCapacity: 8 << 20, diskCapacity: 0, diskPath: nil)
        manager.responseSerializer = HTTPResponseSerializer()
    }

    /// Answers the first request with `first`, and all others with `last`.
    private func answer(_ first: ScriptedResponse, then last: ScriptedResponse = Self.done) {
        let count = Tally()
        server.respondToOthers { _ in count.increment() == 1 ? first : last }
    }

    private static func busy(_ control: String = "max-age=60") -> ScriptedResponse {
        ScriptedResponse(status: 503, headers: [("Cache-Control", control)], body: .text("busy"))
    }

    private static let done = ScriptedResponse.ok("done").adding(header: "Cache-Control", "max-age=60")
    private static let quick = RetryPolicy(backoff: .constant(0.01))

    private func operation(
        _ cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, _ policy: RetryPolicy? = Self.quick
    ) -> HTTPRequestOperation {
        let operation = manager.httpRequestOperation(
            with: URLRequest(url: server.url("/a"), cachePolicy: cachePolicy), success: nil, failure: nil)
        operation.retryPolicy = policy
        return operation
    }

    @Test(
        "A failure that was stored does not answer the next attempt, whose response takes its place",
        arguments: ["max-age=60", "public, max-age=0, stale-while-revalidate=60"])
    func policy(control: String) async {
        answer(Self.busy(control))
        let operation = operation()
        let outcome = await operation.outcome()
        #expect(outcome.error == nil && outcome.text == "done")
        #expect(operation.retryCount == 1 && operation.metrics?.cacheOutcome == .miss)
        #expect(server.requests.count == 2)
        let next = self.operation()
        #expect(await next.outcome().text == "done" && next.metrics?.cacheOutcome == .hit)
        #expect(server.requests.count == 2)
    }

    @Test("A failure that was stored before is the first attempt's only, unless the server must not be asked")
    func storedBefore() async {
        answer(Self.busy())
        #expect(await operation(.useProtocolCachePolicy, nil).outcome().status == 503)
        for cachePolicy in [URLRequest.CachePolicy.returnCacheDataDontLoad, .returnCacheDataElseLoad] {
            let bound = operation(cachePolicy)
            #expect(await bound.outcome().status == 503 && bound.retryCount == 2)
        }
        var only = URLRequest(url: server.url("/a"))
        only.setValue("only-if-cached", forHTTPHeaderField: "Cache-Control")
        let bound = manager.httpRequestOperation(with: only, success: nil, failure: nil)
        bound.retryPolicy = Self.quick
        #expect(await bound.outcome().status == 503 && bound.retryCount == 2)
        #expect(server.requests.count == 1)
        let free = operation()
        #expect(await free.outcome().text == "done" && free.retryCount == 1)
        #expect(free.metrics?.attempts.map(\.statusCode) == [503, 200] && server.requests.count == 2)
    }

    @Test("Content that did not parse does not answer the attempt that an interceptor wants")
    func interceptor() async {
        answer(
            ScriptedResponse.json("{").adding(header: "Cache-Control", "max-age=60"),
            then: ScriptedResponse.json("[1]").adding(header: "Cache-Control", "max-age=60"))
        manager.responseSerializer = JSONResponseSerializer()
        manager.interceptors = [Once()]
        let outcome = await manager.getting("a")
        #expect(outcome.error == nil && outcome.object as? [Int] == [1])
        #expect(outcome.operation?.retryCount == 1 && server.requests.count == 2)
    }

    private struct Once: RequestInterceptor {
        func retry(_ operation: HTTPRequestOperation, dueTo error: any Error) async -> RetryDecision {
            operation.retryCount == 0 ? .retry : .doNotRetry
        }
    }

    @Test("After a pause between the attempts, too; what came for somebody else meanwhile answers", arguments: [0, 1])
    func paused(others: Int) async throws {
        answer(Self.busy())
        let operation = operation(.useProtocolCachePolicy, RetryPolicy(backoff: .constant(1)))
        let endings = Endings(operation)
        operation.start()
        try await eventually("the first attempt's end") { operation.retryCount == 1 }
        operation.pause()
        for _ in 0..<others {
            #expect(await self.operation(.reloadIgnoringLocalCacheData, nil).outcome().text == "done")
        }
        operation.resume()
        await endings.reached()
        #expect(operation.responseString == "done" && operation.retryCount == 1)
        #expect(operation.metrics?.cacheOutcome == (others == 0 ? .miss : .hit))
        #expect(server.requests.count == 2)
    }
}
