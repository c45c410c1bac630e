// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingTransport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("URLCache as the library uses it", .timeLimit(.minutes(2))) struct ResponseCacheTests {
    private static func key(_ url: String, trust: String = "") throws -> CacheKey {
        try #require(CacheKey(try RequestTarget(url), trust: trust))
    }

    private static func stored(_ content: String) -> StoredResponse {
        StoredResponse(
            head: CacheRuleTests.head("Cache-Control: max-age=60", "ETag: \"\(content)\""), content: Data(content.utf8),
            requestTime: 1, responseTime: 2)
    }

    private static func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test("Scheme, port, query, trust and user make different entries; fragment and case of the host do not")
    func keys() throws {
        let texts = [
            "http://a/x", "https://a/x", "http://a:81/x", "http://a/x?", "http://a/x?1", "http://a/x?2", "http://a/y",
            "http://a/%78", "http://b/x",
        ]
        let keys = try texts.map { try Self.key($0) } + [try Self.key("https://a/x", trust: "t")]
        #expect(Set(keys).count == keys.count)
        #expect(try Self.key("http://u:p@A:80/x#f") == Self.key("http://a/x"))
        // Foundation's own key for what it can tell apart.
        #expect(try Self.key("http://a/x").url == Self.url("http://a/x"))
        #expect(try Self.key("http://a/x").plainURL == Self.url("http://a/x"))
        #expect(try Self.key("http://a/x?1").plainURL == nil)
        #expect(try Self.key("http://a/x?1").foreignURL == Self.url("http://a/x?1"))
        #expect(try Self.key("https://a/x", trust: "t").foreignURL == nil)
        // Names of files have 255 bytes.
        let long = try Self.key("http://a/" + String(repeating: "x", count: 500))
        #expect(long.plainURL == nil)
        #expect(try #require(long.url).absoluteString.utf8.count < 160)
    }

    @Test(
        "The port that a scheme has anyway makes no other entry: either spelling finds it, and removes it",
        arguments: [("http://a:80/x", "http://a/x"), ("https://a:443/x", "https://a/x")])
    func ownPort(text: String, plainText: String) async throws {
        let (key, plain) = (try Self.key(text), try Self.key(plainText))
        #expect(key == plain && key.digest == plain.digest && key.url == plain.url)
        #expect(Set([key, plain]).count == 1)
        let cache = ResponseCache.of(URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil))
        cache.store(Self.stored("x"), for: key, url: try Self.url(text))
        await cache.settle()
        #expect(cache.response(for: plain, url: plainText)?.content == Data("x".utf8))
        cache.remove(plain)
        await cache.settle()
        #expect(cache.response(for: key, url: text) == nil)
    }

    @Test("An entry that is stored again and again does not stop the program when Foundation makes room")
    func storedTwice() async throws {
        let storage = URLCache(memoryCapacity: 20_000, diskCapacity: 0, diskPath: nil)
        let cache = ResponseCache.of(storage)
        for number in 0..<100 {
            let url = "http://example.com/\(number % 7)"
            var response = Self.stored("\(number)")
            response.content = Data(count: 4000)
            cache.store(response, for: try Self.key(url), url: try Self.url(url))
            if number % 3 == 0 { await cache.settle() }
        }
        await cache.settle()
        #expect(storage.currentMemoryUsage <= 20_000)
    }

    @Test(
        "What is stored is found by the next process, from the disk, with all that the rules need",
        arguments: [true, false])
    func disk(isOwn: Bool) async throws {
        let directory = try TemporaryDirectory()
        OperationURLCache.defaultDirectory = directory.file("own")
        defer { OperationURLCache.defaultDirectory = nil }
        func make() -> URLCache {
            isOwn
                ? OperationURLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, diskPath: directory.path)
                : URLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, diskPath: directory.path)
        }
        var urls = ["http://example.com/plain", "http://example.com/q?a=b", "https://example.com/plain"]
        urls.append("http://example.com/" + String(repeating: "long/", count: 100))
        let first = make()
        for url in urls.prefix(2) + urls.suffix(1) {
            var response = Self.stored(url)
            response.selecting = [.init(name: "x", value: "y"), .init(name: "z", value: nil)]
            response.generation = "g1"
            ResponseCache.of(first).store(response, for: try Self.key(url), url: try Self.url(url))
        }
        await ResponseCache.of(first).settle()
        let second = make()
        let cache = ResponseCache.of(second)
        #expect(cache.mayHold(try Self.key(urls[0])))
        for url in urls.prefix(2) + urls.suffix(1) {
            #expect(cache.recentResponse(for: try Self.key(url)) == nil)
            let found = try #require(cache.response(for: try Self.key(url), url: url))
            #expect(found.content == Data(url.utf8))
            #expect(found.entityTag == Array("\"\(url)\"".utf8))
            #expect(found.selecting == [.init(name: "x", value: "y"), .init(name: "z", value: nil)])
            #expect(found.generation == "g1" && found.requestTime == 1 && found.responseTime == 2)
            // In memory now.
            #expect(cache.recentResponse(for: try Self.key(url)) != nil)
        }
        #expect(cache.response(for: try Self.key(urls[2]), url: urls[2]) == nil)
        #expect(!cache.mayHold(try Self.key("http://other.example/plain")))
        cache.remove(try Self.key(urls[1]))
        #expect(cache.response(for: try Self.key(urls[1]), url: urls[1]) == nil)
        await cache.settle()
        #expect(cache.response(for: try Self.key(urls[1]), url: urls[1]) == nil)
        // Emptied by the program, for all that come after.
        second.removeAllCachedResponses()
        // What Foundation's class does is seen with the next look.
        if isOwn { #expect(!cache.mayHold(try Self.key(urls[0]))) }
        #expect(cache.response(for: try Self.key(urls[0]), url: urls[0]) == nil)
        await cache.settle()
        #expect(ResponseCache.of(make()).response(for: try Self.key(urls[0]), url: urls[0]) == nil)
    }

    @Test("Caches of Foundation's class with different folders have different responses, one emptied before has none")
    func folders() async throws {
        let directory = try TemporaryDirectory()
        OperationURLCache.defaultDirectory = directory.file("own")
        defer { OperationURLCache.defaultDirectory = nil }
        func make(_ folder: String) -> URLCache {
            URLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, diskPath: directory.file(folder).path)
        }
        let url = "http://example.com/plain"
        let key = try Self.key(url)
        for folder in ["a", "b", "c"] {
            let cache = ResponseCache.of(make(folder))
            cache.store(Self.stored(folder), for: key, url: try Self.url(url))
            await cache.settle()
        }
        for folder in ["c", "a", "b", "a"] {
            #expect(ResponseCache.of(make(folder)).response(for: key, url: url)?.content == Data(folder.utf8))
        }
        // By a program that does not use the library at all.
        make("a").removeAllCachedResponses()
        #expect(ResponseCache.of(make("a")).response(for: key, url: url) == nil)
        #expect(ResponseCache.of(make("b")).response(for: key, url: url)?.content == Data("b".utf8))
    }

    @Test("Whatever becomes of Foundation's files, they are not read")
    func damaged() async throws {
        let directory = try TemporaryDirectory()
        OperationURLCache.defaultDirectory = directory.file("own")
        defer { OperationURLCache.defaultDirectory = nil }
        let url = "http://example.com/plain"
        func make() -> URLCache {
            URLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, diskPath: directory.file("cache").path)
        }
        // What an earlier version has left there, or Foundation's own sessions.
        let response = try #require(
            HTTPURLResponse(
                url: try Self.url(url), statusCode: 200, httpVersion: nil,
                headerFields: ["Cache-Control": "max-age=60"]))
        make().storeCachedResponse(
            CachedURLResponse(response: response, data: Data("foreign".utf8)),
            for: URLRequest(url: try Self.url(url)))
        ResponseCache.of(make()).store(
            Self.stored("x"), for: try Self.key("http://example.com/other"), url: try Self.url(url))
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.file("cache").path)
        #expect(!names.isEmpty)
        for name in names { try directory.write("bplist00 not an archive", to: "cache/" + name) }
        let cache = ResponseCache.of(make())
        #expect(cache.response(for: try Self.key(url), url: url) == nil)
        cache.store(Self.stored("x"), for: try Self.key(url), url: try Self.url(url))
        await cache.settle()
        #expect(cache.response(for: try Self.key(url), url: url)?.content == Data("x".utf8))
    }

    @Test("Damaged entries of a program's own class of caches are none")
    func damagedInfo() throws {
        let url = "http://example.com/plain"
        let key = try Self.key(url)
        let good = try #require(Self.stored("x").cached(under: key, url: try Self.url(url), policy: .allowed))
        #expect(StoredResponse(good, key: key)?.content == Data("x".utf8))
        let info = try #require(good.userInfo?["OperationNetworking.StoredResponse"] as? Data)
        for damaged in [Data("{}".utf8), Data(repeating: 0x5B, count: 100_000), Data(count: 2 << 20), info.dropLast()] {
            let cached = CachedURLResponse(
                response: good.response, data: good.data, userInfo: ["OperationNetworking.StoredResponse": damaged],
                storagePolicy: .allowed)
            #expect(StoredResponse(cached, key: key) == nil)
            #expect(StoredResponse(foreign: cached, url: url) == nil)
        }
    }

    @Test("A program's own class of caches is called, and Foundation writes no file for it")
    func subclass() async throws {
        final class Own: URLCache, @unchecked Sendable {
            let stored = Journal<String>()
            override func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {
                stored.append(request.url?.path ?? "")
                super.storeCachedResponse(cachedResponse, for: request)
            }
        }
        let directory = try TemporaryDirectory()
        let own = Own(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, diskPath: directory.path)
        let url = "http://example.com/plain"
        let cache = ResponseCache.of(own)
        cache.store(Self.stored("x"), for: try Self.key(url), url: try Self.url(url))
        await cache.settle()
        #expect(own.stored.all == ["/plain"])
        #expect(cache.response(for: try Self.key(url), url: url)?.content == Data("x".utf8))
        #expect(own.cachedResponse(for: URLRequest(url: try Self.url(url)))?.data == Data("x".utf8))
        #expect(own.currentDiskUsage == 0)
        own.removeAllCachedResponses()
        #expect(cache.response(for: try Self.key(url), url: url) == nil)
    }

    @Test("What a program puts into the cache itself is used for that very URL")
    func foreign() async throws {
        // Foundation's usual folder has files of other tests.
        let directory = try TemporaryDirectory()
        let storage = URLCache(
            memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: directory.file("foundation").path)
        for url in ["http://example.com/plain", "http://example.com/q?a=b"] {
            let response = try #require(
                HTTPURLResponse(
                    url: try Self.url(url), statusCode: 200, httpVersion: nil,
                    headerFields: ["X": "y", "ETag": "\"e\""]))
            storage.storeCachedResponse(
                CachedURLResponse(response: response, data: Data("mine".utf8)),
                for: URLRequest(url: try Self.url(url)))
            let found = try #require(ResponseCache.of(storage).response(for: try Self.key(url), url: url))
            #expect(found.content == Data("mine".utf8))
            #expect(found.entityTag == Array("\"e\"".utf8))
            #expect(!Freshness(found, CacheControl(found.head), at: Date().timeIntervalSince1970).isFresh)
        }
        let cache = ResponseCache.of(storage)
        for other in ["https://example.com/plain", "http://example.com/q?a=c", "http://example.com/q"] {
            #expect(cache.response(for: try Self.key(other), url: other) == nil)
        }
        #expect(
            cache.response(for: try Self.key("http://example.com/plain", trust: "t"), url: "http://example.com/plain")
                == nil)
    }
}
