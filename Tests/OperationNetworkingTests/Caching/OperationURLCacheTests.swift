// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import FoundationNetworking
import NetworkingSupport
import NetworkingTransport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("Caches of the library's class", .timeLimit(.minutes(3))) struct OperationURLCacheTests {
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
        server.respondToOthers { request in
            ScriptedResponse.ok(request.target).adding(header: "Cache-Control", "max-age=3600")
                .adding(header: "ETag", "\"\(request.target)\"")
        }
    }

    /// As the next process would have it.
    private func again(_ memory: Int = 1 << 20) -> OperationURLCache {
        OperationURLCache(memoryCapacity: memory, diskCapacity: 4 << 20, diskPath: directory.file("c").path)
    }

    @discardableResult
    private func send(_ path: String, _ change: (inout URLRequest) -> Void = { _ in }) async -> HTTPRequestOperation {
        var request = URLRequest(url: server.url(path))
        change(&request)
        let operation = manager.httpRequestOperation(with: request)
        _ = await operation.outcome()
        return operation
    }

    private func request(_ path: String) -> URLRequest { URLRequest(url: server.url(path)) }

    @Test("The folder of a program has a name that a folder may have, another for each program")
    func folderNames() {
        #expect(CacheFolders.folderName(ofProgram: "tool") == "tool-responses")
        #expect(CacheFolders.folderName(ofProgram: "a/b") == "a_b-responses")
        let names = ["x", "y"].map { CacheFolders.folderName(ofProgram: String(repeating: "é", count: 126) + $0) }
        #expect(names.allSatisfy { $0.utf8.count <= 255 } && names[0] != names[1])
    }

    @Test("A hit on the disk is one in memory after that, however many ask at once: it is read once")
    func diskBecomesMemory() async throws {
        await send("/a")
        await ResponseCache.of(cache).settle()
        let next = again()
        manager.urlCache = next
        await withTaskGroup(of: CacheOutcome?.self) { group in
            for _ in 0..<64 { group.addTask { await send("/a").metrics?.cacheOutcome } }
            for await outcome in group { #expect(outcome == .hit) }
        }
        #expect(next.store.disk.state.withLock { $0.reads } == 1)
        #expect(server.requests.count == 1)
        #expect(next.currentMemoryUsage > 0)
    }

    @Test("What is nowhere is answered on the thread that asks, and what is in memory, too")
    func noHop() async throws {
        await send("/a")
        await send("/b")
        await ResponseCache.of(cache).settle()
        #expect(cache.store.disk.holds(try #require(CacheKeyOf.plain(server.url("/c"))).digest) == .absent)
        // The thread for caches is not to be had.
        let isHeld = DispatchSemaphore(value: 0)
        Runtime.current.onCachingThread { isHeld.wait() }
        defer { isHeld.signal() }
        #expect(await send("/c").metrics?.cacheOutcome == .miss)
        #expect(await send("/a").metrics?.cacheOutcome == .hit)
        // And waits for the disk no more than the others.
        #expect(await send("/c").metrics?.cacheOutcome == .hit)
    }

    @Test("The program finds what was stored, with queries, fields that Vary names, and its own additions")
    func cachedResponse() async throws {
        server.respondToOthers { request in
            ScriptedResponse.ok("\(request.target) \(request["X-Kind"] ?? "-")")
                .adding(header: "Cache-Control", "max-age=3600").adding(header: "Vary", "X-Kind")
        }
        await send("/q?a=1")
        await send("/q?a=2")
        await send("/q?a=2") { $0.setValue("k", forHTTPHeaderField: "X-Kind") }
        await ResponseCache.of(cache).settle()
        for cache in [cache, again(), again(0)] {
            let first = try #require(cache.cachedResponse(for: request("/q?a=1")))
            #expect(String(decoding: first.data, as: UTF8.self).hasSuffix("-"))
            #expect((first.response as? HTTPURLResponse)?.statusCode == 200)
            #expect(first.response.url == server.url("/q?a=1"))
            var kind = request("/q?a=2")
            #expect(
                cache.cachedResponse(for: kind).map { String(decoding: $0.data, as: UTF8.self) }?.hasSuffix("-") == true
            )
            kind.setValue("k", forHTTPHeaderField: "X-Kind")
            #expect(
                cache.cachedResponse(for: kind).map { String(decoding: $0.data, as: UTF8.self) }?.hasSuffix("k") == true
            )
            kind.setValue("other", forHTTPHeaderField: "X-Kind")
            #expect(cache.cachedResponse(for: kind) == nil)
            #expect(cache.cachedResponse(for: request("/q?a=3")) == nil)
        }
    }

    @Test("What the program stores is used, as what a server sent")
    func stored() async throws {
        let response = try #require(
            HTTPURLResponse(
                url: server.url("/mine?x"), statusCode: 200, httpVersion: nil,
                headerFields: ["Cache-Control": "max-age=1000", "Date": CacheCaseRun.httpDate(Date())]))
        cache.storeCachedResponse(
            CachedURLResponse(
                response: response, data: Data("mine".utf8), userInfo: ["note": "n"], storagePolicy: .allowed),
            for: request("/mine?x"))
        #expect(await send("/mine?x").responseString == "mine")
        #expect(await send("/mine?y").responseString?.contains("y") == true)
        await ResponseCache.of(cache).settle()
        #expect(again().cachedResponse(for: request("/mine?x"))?.userInfo?["note"] as? String == "n")
        // In memory only, or not at all.
        for (policy, path) in [(URLCache.StoragePolicy.allowedInMemoryOnly, "/memory"), (.notAllowed, "/none")] {
            cache.storeCachedResponse(
                CachedURLResponse(response: response, data: Data("x".utf8), userInfo: nil, storagePolicy: policy),
                for: request(path))
        }
        await ResponseCache.of(cache).settle()
        #expect(cache.cachedResponse(for: request("/memory")) != nil)
        #expect(again().cachedResponse(for: request("/memory")) == nil)
        #expect(cache.cachedResponse(for: request("/none")) == nil)
    }

    @Test("What the program removes is gone at once, from the files, too; what is under way does not come back")
    func removed() async throws {
        let paths = ["/a", "/b?c", "/d"]
        for path in paths { await send(path) }
        cache.removeCachedResponse(for: request("/b?c"))
        #expect(cache.cachedResponse(for: request("/b?c")) == nil)
        await ResponseCache.of(cache).settle()
        #expect(again().cachedResponse(for: request("/b?c")) == nil)
        #expect(again().cachedResponse(for: request("/a")) != nil)
        cache.removeCachedResponses(since: Date(timeIntervalSinceNow: 60))
        #expect(cache.cachedResponse(for: request("/a")) != nil)
        cache.removeCachedResponses(since: .distantPast)
        #expect(cache.cachedResponse(for: request("/a")) == nil)
        await send("/a")
        let gate = Gate()
        server.respondToOthers { _ in
            var response = ScriptedResponse.ok("old").adding(header: "Cache-Control", "max-age=3600")
            response.inserted[.beforeHead] = [.gate(gate)]
            return response
        }
        async let old = send("/slow").responseString
        try await eventually("the request") { server.requests.contains { $0.target == "/slow" } }
        cache.removeAllCachedResponses()
        gate.open()
        #expect(await old == "old")
        await ResponseCache.of(cache).settle()
        #expect(cache.currentMemoryUsage == 0 && cache.currentDiskUsage == 0)
        #expect(again().cachedResponse(for: request("/a")) == nil)
    }

    @Test("Capacities count: what is too much goes, and none means no tier")
    func capacities() async throws {
        for number in 0..<20 { await send("/\(number)") }
        await ResponseCache.of(cache).settle()
        let usage = cache.currentMemoryUsage
        #expect(usage > 0 && cache.currentDiskUsage > 0)
        cache.memoryCapacity = usage / 2
        #expect(cache.memoryCapacity == usage / 2 && cache.currentMemoryUsage <= usage / 2)
        #expect(cache.cachedResponse(for: request("/0")) != nil)
        cache.memoryCapacity = 0
        #expect(cache.currentMemoryUsage == 0)
        #expect(await send("/1").metrics?.cacheOutcome == .hit)
        cache.diskCapacity = 0
        #expect(cache.cachedResponse(for: request("/1")) == nil)
        #expect(await send("/1").metrics?.cacheOutcome == .miss)
        let folder = directory.file("memory").path
        let memory = OperationURLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: folder)
        manager.urlCache = memory
        await send("/1")
        #expect(await send("/1").metrics?.cacheOutcome == .hit)
        await ResponseCache.of(memory).settle()
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test("Where no file can be written, requests go on, and memory serves")
    func noFiles() async throws {
        let file = try directory.write("", to: "file")
        let broken = OperationURLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, diskPath: file.path + "/folder")
        manager.urlCache = broken
        #expect(await send("/a").responseString == "/a")
        #expect(await send("/a").metrics?.cacheOutcome == .hit)
        await ResponseCache.of(broken).settle()
        #expect(await send("/b").error == nil)
    }

    @Test("On a disk without space nothing is stored, and no request fails")
    func noSpace() async throws {
        let program = try ExternalProgram(path: FixtureProgram.url("NetworkFixture").path)
        let arguments = ["send-full", directory.path, server.url("/a").absoluteString, "GET", "GET"]
        _ = try await blocking { Result { try program.run(arguments) } }.get()
        // From memory the second time.
        #expect(server.requests.count == 1)
    }

    @Test("What another process removes or replaces is not served for longer than a moment")
    func processes() async throws {
        await send("/a")
        await ResponseCache.of(cache).settle()
        let other = again()
        #expect(other.cachedResponse(for: request("/a")) != nil)
        other.removeCachedResponse(for: request("/a"))
        // A look at the files is due after a second, and made although memory has what somebody asks for.
        #expect(await send("/a").metrics?.cacheOutcome == .hit)
        try await eventually("the look") { await send("/a").metrics?.cacheOutcome == .miss }
    }

    @Test("What could not be written is not replaced, in the next process, by what was there before")
    func unwritten() async throws {
        await send("/a")
        await ResponseCache.of(cache).settle()
        #expect(again().cachedResponse(for: request("/a")) != nil)
        // As after a failure.
        cache.store.disk.state.withLock { $0.pauseEnd = .infinity }
        server.respondToOthers { _ in .ok("new").adding(header: "Cache-Control", "max-age=3600") }
        await send("/a") { $0.cachePolicy = .reloadIgnoringLocalCacheData }
        await ResponseCache.of(cache).settle()
        #expect(await send("/a").responseString == "new")
        #expect(again().cachedResponse(for: request("/a")) == nil)
    }

    @Test("A look-up takes no thread each: 64 at a time, on entries of an earlier process")
    func threads() async throws {
        let program = try ExternalProgram(path: FixtureProgram.url("NetworkFixture").path)
        func run(_ count: Int) async throws -> [Int] {
            let arguments = ["cached", directory.path, server.url("/a").absoluteString, "\(count)"]
            let output = try await blocking { Result { try program.run(arguments) } }.get()
            return String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        }
        // So that it is stored, and written when the process ends.
        _ = try await blocking {
            Result { try program.run(["send", directory.path, server.url("/a").absoluteString, "GET", "GET"]) }
        }.get()
        let figures = try await run(2000)
        try #require(figures.count == 2)
        #expect(figures[0] <= 12)
        #expect(figures[1] >= 1)
    }

    @Test("Secrets of requests are kept as digests, and tell responses apart all the same")
    func secrets() async throws {
        server.respondToOthers { request in
            ScriptedResponse.ok(request["Cookie"] ?? "-").adding(header: "Cache-Control", "max-age=3600")
                .adding(header: "Vary", "Cookie, Authorization")
        }
        for value in ["a=secret-1", "a=secret-2"] {
            await send("/a") {
                $0.setValue(value, forHTTPHeaderField: "Cookie")
                $0.setValue("Bearer hidden-token", forHTTPHeaderField: "Authorization")
            }
        }
        await ResponseCache.of(cache).settle()
        let folder = directory.file("c")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let all = try files.reduce(into: Data()) { try $0.append(Data(contentsOf: folder.appendingPathComponent($1))) }
        // The content says it.
        #expect(all.range(of: Data("secret-1".utf8)) != nil)
        #expect(all.range(of: Data("hidden-token".utf8)) == nil && all.range(of: Data("127.0.0.1".utf8)) == nil)
        manager.urlCache = again()
        for value in ["a=secret-1", "a=secret-2"] {
            let operation = await send("/a") {
                $0.setValue(value, forHTTPHeaderField: "Cookie")
                $0.setValue("Bearer hidden-token", forHTTPHeaderField: "Authorization")
            }
            #expect(operation.responseString == value && operation.metrics?.cacheOutcome == .hit)
        }
        #expect(await send("/a").metrics?.cacheOutcome == .miss)
    }

    @Test("What a URLCache of Foundation's class has is known as long as it lives, whoever asked")
    func lifetime() async throws {
        let plain = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: directory.file("p").path)
        func ask() async -> CacheOutcome? {
            let manager = HTTPRequestOperationManager.offMain(nil)
            manager.urlCache = plain
            manager.responseSerializer = HTTPResponseSerializer()
            let operation = manager.httpRequestOperation(with: request("/a?b"))
            _ = await operation.outcome()
            return operation.metrics?.cacheOutcome
        }
        #expect(await ask() == .miss)
        #expect(await ask() == .hit)
        plain.removeAllCachedResponses()
        #expect(await ask() == .miss)
    }

    @Test("A 304 is not written to the disk each time")
    func revalidations() async throws {
        server.respondToOthers { request in
            request["If-None-Match"] == nil
                ? ScriptedResponse.ok("content").adding(header: "Cache-Control", "no-cache").adding(
                    header: "ETag", "\"e\"")
                : ScriptedResponse(status: 304, headers: [("ETag", "\"e\"")])
        }
        await send("/a")
        for _ in 0..<20 { #expect(await send("/a").metrics?.cacheOutcome == .validated) }
        await ResponseCache.of(cache).settle()
        #expect(cache.store.disk.state.withLock { $0.writes } <= 3)
        #expect(again().cachedResponse(for: request("/a")) != nil)
    }
}

/// Keys as tests name them.
enum CacheKeyOf {
    static func plain(_ url: URL) -> CacheKey? {
        RequestTarget(ifRequestable: url).flatMap { CacheKey($0, trust: "") }
    }
}
