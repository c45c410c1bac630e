// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import NetworkingTransport
@testable import OperationNetworkingImages

@Suite("The memory cache of images", .timeLimit(.minutes(1)))
struct AutoPurgingImageCacheTests {
    private func request(_ path: String) throws -> URLRequest {
        URLRequest(url: try #require(URL(string: "http://example.com/\(path)")))
    }

    @Test("The defaults are AFNetworking's; what is to be left is never more than the capacity")
    func defaults() {
        let cache = AutoPurgingImageCache()
        #expect(cache.memoryCapacity == 104_857_600 && cache.preferredMemoryUsageAfterPurge == 62_914_560)
        #expect(cache.memoryUsage == 0)
        let small = AutoPurgingImageCache(memoryCapacity: 10, preferredMemoryUsageAfterPurge: 20)
        #expect(small.preferredMemoryUsageAfterPurge == 10)
    }

    @Test("When it is too much, those go that were not used for longest")
    func purge() throws {
        let cache = AutoPurgingImageCache(memoryCapacity: 1000, preferredMemoryUsageAfterPurge: 500)
        for name in ["a", "b", "c", "d", "e"] { cache.add(try .plain(5, 10), withIdentifier: name) }
        #expect(cache.memoryUsage == 1000)
        #expect(cache.image(withIdentifier: "a") != nil)
        cache.add(try .plain(5, 10), withIdentifier: "f")
        #expect(cache.memoryUsage == 400)
        #expect(cache.image(withIdentifier: "a") != nil && cache.image(withIdentifier: "f") != nil)
        #expect(cache.image(withIdentifier: "b") == nil)
        cache.add(try .plain(1, 1), withIdentifier: "a")
        #expect(cache.memoryUsage == 204, "an image in place of another")
        cache.add(try .plain(20, 20), withIdentifier: "a")
        #expect(cache.memoryUsage == 200 && cache.image(withIdentifier: "a") == nil, "larger than the cache")
        #expect(cache.removeImage(withIdentifier: "f") && !cache.removeImage(withIdentifier: "f"))
        #expect(!cache.removeAllImages() && cache.memoryUsage == 0)
    }

    @Test("Requests and additional identifiers tell images apart")
    func requests() throws {
        let cache = AutoPurgingImageCache()
        let (first, second) = (try Image.plain(1, 1), try Image.plain(2, 2))
        cache.add(first, for: try request("a"))
        cache.add(second, for: try request("a"), withAdditionalIdentifier: "-small")
        #expect(try cache.image(for: request("a")) == first)
        #expect(try cache.image(for: request("a"), withAdditionalIdentifier: "-small") == second)
        #expect(cache.image(withIdentifier: "http://example.com/a") == first)
        #expect(try cache.image(for: request("b")) == nil)
        #expect(try cache.removeImage(for: request("a")))
        #expect(try cache.image(for: request("a")) == nil)
        #expect(try cache.shouldCache(first, for: request("a")))
    }

    @Test("Identifiers that look alike are not the same")
    func bytes() throws {
        let cache = AutoPurgingImageCache()
        cache.add(try .plain(1, 1), withIdentifier: "caf\u{e9}")
        #expect(cache.image(withIdentifier: "cafe\u{301}") == nil)
    }

    @Test("What a thread added it finds at once, whatever others do, and the sum is right in the end")
    func threads() throws {
        let cache = AutoPurgingImageCache(memoryCapacity: 1 << 30, preferredMemoryUsageAfterPurge: 1 << 29)
        let images = try (1...8).map { try Image.plain($0, 1) }
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<2000 {
                let name = "\(thread) \(round % 7)"
                let image = images[round % 8]
                cache.add(image, withIdentifier: name)
                if cache.image(withIdentifier: name) != image { Issue.record("\(name) is not there") }
                _ = cache.image(withIdentifier: "\((thread + 1) % 8) \(round % 7)")
                if round % 3 == 0, !cache.removeImage(withIdentifier: name) { Issue.record("\(name) was not there") }
                if cache.memoryUsage < 0 { Issue.record("less than nothing") }
            }
        }
        var sum = 0
        for thread in 0..<8 {
            for round in 0..<7 { sum += cache.image(withIdentifier: "\(thread) \(round)")?.memorySize ?? 0 }
        }
        #expect(cache.memoryUsage == sum && sum > 0)
        #expect(cache.removeAllImages() && cache.memoryUsage == 0)
    }

    @Test("When the system is short of memory, images go; and a cache can go while it is told")
    func pressure() async throws {
        let engine = TransportEngine()
        defer { engine.shutdown() }
        let (trigger, fire) = try PressureTrigger.scripted()
        let monitor = MemoryPressureMonitor(engine: engine) { trigger }
        let cache = AutoPurgingImageCache(
            memoryCapacity: 1000, preferredMemoryUsageAfterPurge: 500, pressure: monitor)
        for round in 0..<3 {
            cache.add(try .plain(1, 1), withIdentifier: "\(round)")
            fire()
            try await eventually("the images to go") { cache.memoryUsage == 0 }
        }
        withExtendedLifetime(cache) {}
    }
}
