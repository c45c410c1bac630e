// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// Responses that a program wants in memory only get into no file later either.
@Suite("Responses that are to stay in memory", .timeLimit(.minutes(1))) struct MemoryOnlyTests {
    private let server: TestServer
    private let directory: TemporaryDirectory
    private let manager: HTTPRequestOperationManager
    private let cache: OperationURLCache

    init() throws {
        server = try TestServer()
        directory = try TemporaryDirectory()
        cache = OperationURLCache(memoryCapacity: 1 << 20, diskCapacity: 4 << 20, diskPath: directory.file("c").path)
        manager = .offMain(nil)
        manager.urlCache = cache
        manager.responseSerializer = HTTPResponseSerializer()
    }

    private func request(_ kind: String? = nil) -> URLRequest {
        var request = URLRequest(url: server.url("/a"))
        request.setValue(kind, forHTTPHeaderField: "X-Kind")
        return request
    }

    @discardableResult
    private func send(_ kind: String? = nil, keepsInMemory: Bool = false) async -> HTTPRequestOperation {
        let operation = manager.httpRequestOperation(with: request(kind))
        if keepsInMemory {
            operation.setCacheResponseBlock { _, cached in
                CachedURLResponse(
                    response: cached.response, data: cached.data, userInfo: nil, storagePolicy: .allowedInMemoryOnly)
            }
        }
        _ = await operation.outcome()
        return operation
    }

    /// Returns the content that the next process finds.
    private func onDisk(_ kind: String? = nil) async -> String? {
        await ResponseCache.of(cache).settle()
        let next = OperationURLCache(
            memoryCapacity: 1 << 20, diskCapacity: 4 << 20, diskPath: directory.file("c").path)
        return next.cachedResponse(for: request(kind)).map { String(decoding: $0.data, as: UTF8.self) }
    }

    private func inMemory(_ kind: String? = nil) -> String? {
        guard let found = cache.cachedResponse(for: request(kind)), found.storagePolicy == .allowedInMemoryOnly else {
            return nil
        }
        return String(decoding: found.data, as: UTF8.self)
    }

    @Test("A 304 does not move it into a file")
    func confirmed() async {
        server.respondToOthers { request in
            request["If-None-Match"] == nil
                ? ScriptedResponse.ok("content").adding(header: "Cache-Control", "no-cache").adding(
                    header: "ETag", "\"e\"")
                : ScriptedResponse(status: 304, headers: [("ETag", "\"e\"")])
        }
        await send(keepsInMemory: true)
        for _ in 0..<2 {
            #expect(await send().metrics?.cacheOutcome == .validated)
            #expect(await onDisk() == nil)
            #expect(inMemory() == "content")
        }
    }

    @Test("Nor does a response with other fields that Vary names, which is written itself")
    func variants() async {
        server.respondToOthers { request in
            ScriptedResponse.ok("of \(request["X-Kind"] ?? "none")").adding(header: "Cache-Control", "max-age=1000")
                .adding(header: "Vary", "X-Kind")
        }
        await send("a", keepsInMemory: true)
        await send("b")
        #expect(await onDisk("b") == "of b")
        #expect(await onDisk("a") == nil)
        #expect(inMemory("a") == "of a")
        // The other way round: what was written stays so.
        await send("c", keepsInMemory: true)
        #expect(await onDisk("c") == nil)
        #expect(inMemory("c") == "of c")
        #expect(inMemory("b") == nil)
        #expect(await send("b").metrics?.cacheOutcome == .hit)
    }

    @Test("Nor does what is asked for in the background, which takes its place")
    func background() async throws {
        let count = Locked(0)
        server.respondToOthers { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return ScriptedResponse.ok("\(number)").adding(
                header: "Cache-Control", "max-age=0, stale-while-revalidate=1000"
            ).adding(header: "ETag", "\"\(number)\"")
        }
        await send(keepsInMemory: true)
        #expect(await send().responseString == "1")
        try await eventually("the new one") { inMemory() == "2" }
        try await eventually("the end of the revalidation") { !ResponseCache.of(cache).isRevalidating }
        #expect(await onDisk() == nil)
    }
}
