// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking
import TestServer
import Testing

@testable import OperationNetworkingImages

/// What callers were told, in order.
private final class Told: Sendable {
    private let lines = Locked<[String]>([])
    var values: [String] { lines.withLock { $0 } }

    func success(_ name: String) -> ImageDownloader.Success {
        { [self] request, response, image in
            lines.withLock { $0.append("\(name) \(image.width) \(response == nil ? "cached" : "loaded")") }
        }
    }

    func failure(_ name: String) -> ImageDownloader.Failure {
        { [self] _, _, error in lines.withLock { $0.append("\(name) \((error as NSError).code)") } }
    }
}

@Suite("Image downloads", .timeLimit(.minutes(1)))
struct ImageDownloaderTests {
    private let queue = DispatchQueue(label: "blocks")
    private let told = Told()

    private func request(_ path: String) throws -> URLRequest {
        URLRequest(url: try #require(URL(string: "http://example.com/\(path)")))
    }

    private func make(
        _ transport: any ImageTransport, _ prioritization: ImageDownloadPrioritization = .fifo, maximum: Int = 4,
        cache: (any ImageRequestCache)? = AutoPurgingImageCache()
    ) -> ImageDownloader {
        let downloader = ImageDownloader(
            transport: transport, downloadPrioritization: prioritization, maximumActiveDownloads: maximum,
            imageCache: cache)
        downloader.completionQueue = queue
        return downloader
    }

    @discardableResult
    private func ask(_ downloader: ImageDownloader, _ name: String, _ request: URLRequest, size: Int? = nil)
        -> ImageDownloadReceipt?
    {
        downloader.downloadImage(
            for: request, thumbnailSize: size, success: told.success(name), failure: told.failure(name))
    }

    private func settle() { queue.sync {} }

    private func image(_ width: Int = 1) throws -> Result<ImageTransferResult, any Error> {
        let url = try #require(URL(string: "http://example.com/"))
        let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
        return .success(ImageTransferResult(image: try .plain(width, 1), response: response))
    }

    @Test("Equal requests are one transfer, each with its own blocks and its own cancel")
    func merging() throws {
        let transport = ScriptedTransport()
        let downloader = make(transport)
        let receipts = try ["a", "b", "c"].map { ask(downloader, $0, try request("x")) }
        #expect(transport.transfers.count == 1 && Set(receipts).count == 3)
        downloader.cancelTask(for: try #require(receipts[1]))
        downloader.cancelTask(for: try #require(receipts[1]))
        #expect(!transport.transfers[0].isCancelled)
        transport.transfers[0].end(try image(7))
        downloader.cancelTask(for: try #require(receipts[0]))
        settle()
        #expect(told.values == ["b -999", "a 7 loaded", "c 7 loaded"])
    }

    @Test("A receipt of another downloader cancels nothing")
    func foreignReceipt() throws {
        let transports = [ScriptedTransport(), ScriptedTransport()]
        let downloaders = transports.map { make($0) }
        ask(downloaders[0], "own", try request("x"))
        let foreign = try #require(ask(downloaders[1], "foreign", try request("x")))
        downloaders[0].cancelTask(for: foreign)
        settle()
        #expect(told.values.isEmpty && !transports[0].transfers[0].isCancelled)
        transports[0].transfers[0].end(try image(5))
        downloaders[1].cancelTask(for: foreign)
        settle()
        #expect(told.values == ["own 5 loaded", "foreign -999"])
    }

    @Test("Requests that differ in what a server may answer to are not one transfer")
    func different() throws {
        let transport = ScriptedTransport()
        let downloader = make(transport, maximum: 10)
        var requests = [try request("x"), try request("y"), try request("x"), try request("x"), try request("x")]
        requests[2].httpMethod = "POST"
        requests[3].cachePolicy = .reloadIgnoringLocalCacheData
        requests[4].setValue("Bearer secret", forHTTPHeaderField: "Authorization")
        for request in requests { ask(downloader, "", request) }
        ask(downloader, "", requests[0], size: 10)
        #expect(transport.transfers.count == 6)
        for request in requests { ask(downloader, "", request) }
        #expect(transport.transfers.count == 6)
        for transfer in transport.transfers { transfer.end(try image()) }
        settle()
        #expect(told.values.count == 11)
    }

    @Test("The memory cache comes first, for the policies that allow it")
    func cache() throws {
        let transport = ScriptedTransport()
        let downloader = make(transport)
        ask(downloader, "first", try request("x"))
        transport.transfers[0].end(try image(3))
        settle()
        for policy in [
            URLRequest.CachePolicy.useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad,
        ] {
            var request = try request("x")
            request.cachePolicy = policy
            #expect(ask(downloader, "again", request) == nil)
        }
        #expect(transport.transfers.count == 1)
        for policy in [URLRequest.CachePolicy.reloadIgnoringLocalCacheData, .reloadRevalidatingCacheData] {
            var request = try request("x")
            request.cachePolicy = policy
            #expect(ask(downloader, "reload", request) != nil)
        }
        #expect(transport.transfers.count == 3)
        #expect(ask(downloader, "small", try request("x"), size: 1) != nil, "another size")
        var offline = try request("y")
        offline.cachePolicy = .returnCacheDataDontLoad
        #expect(ask(downloader, "offline", offline) == nil)
        settle()
        #expect(
            told.values == ["first 3 loaded", "again 3 cached", "again 3 cached", "again 3 cached", "offline -1008"])
        for transfer in transport.running { transfer.end(.failure(URLError(.timedOut))) }
        settle()
        #expect(told.values.suffix(3) == ["reload -1001", "reload -1001", "small -1001"])
    }

    @Test("A request without URL fails, later and with −1000")
    func noURL() throws {
        let downloader = make(ScriptedTransport())
        var request = try request("x")
        request.url = nil
        #expect(ask(downloader, "none", request) == nil)
        settle()
        #expect(told.values == ["none -1000"])
    }

    @Test("What the cache does not want is not kept")
    func refusingCache() throws {
        final class Picky: AutoPurgingImageCache, @unchecked Sendable {
            override func shouldCache(_ image: Image, for request: URLRequest, withAdditionalIdentifier: String?)
                -> Bool
            { image.width > 5 }
        }
        let cache = Picky(memoryCapacity: 1000, preferredMemoryUsageAfterPurge: 500)
        let transport = ScriptedTransport()
        let downloader = make(transport, cache: cache)
        for (index, width) in [3, 9].enumerated() {
            ask(downloader, "", try request("\(width)"))
            transport.transfers[index].end(try image(width))
        }
        #expect(try cache.image(for: request("3")) == nil)
        #expect(try cache.image(for: request("9")) != nil)
    }

    @Test("There are never more transfers than allowed, also while cancelled ones take their time to end")
    func maximum() throws {
        let transport = ScriptedTransport(endsWhenCancelled: false)
        let downloader = make(transport, maximum: 2)
        let receipts = try (0..<6).map { ask(downloader, "\($0)", try request("\($0)")) }
        #expect(transport.running.count == 2)
        for index in [0, 1, 3] { downloader.cancelTask(for: try #require(receipts[index])) }
        #expect(transport.running.count == 2 && transport.transfers.count == 2)
        #expect(transport.transfers.filter(\.isCancelled).count == 2)
        ask(downloader, "again", try request("0"))
        #expect(transport.transfers.count == 2, "not before there is room")
        transport.transfers[0].end(try image(9))
        #expect(transport.running.map(\.request.url?.lastPathComponent) == ["1", "2"])
        while let transfer = transport.running.first { transfer.end(try image(4)) }
        settle()
        #expect(
            told.values == ["0 -999", "1 -999", "3 -999", "2 4 loaded", "4 4 loaded", "5 4 loaded", "again 4 loaded"])
    }

    @Test("The last request goes first, if so wanted")
    func lifo() throws {
        let transport = ScriptedTransport()
        let downloader = make(transport, .lifo, maximum: 1)
        for name in ["a", "b", "c"] { ask(downloader, name, try request(name)) }
        while let transfer = transport.running.first { transfer.end(try image()) }
        settle()
        #expect(told.values == ["a 1 loaded", "c 1 loaded", "b 1 loaded"])
    }

    @Test("Cancelling a task cancels its request alone, whenever that is")
    func asynchronous() async throws {
        let transport = ScriptedTransport()
        let downloader = make(transport, cache: nil)
        let request = try request("x")
        let kept = Task { try await downloader.image(for: request) }
        try await eventually { transport.transfers.count == 1 }
        let other = Task { try await downloader.image(for: request) }
        try await eventually { downloader.state.withLock { $0.callers.count } == 2 }
        other.cancel()
        await #expect { try await other.value } throws: { ($0 as? URLError)?.code == .cancelled }
        #expect(!transport.transfers[0].isCancelled)
        transport.transfers[0].end(try image(5))
        #expect(try await kept.value.width == 5)

        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await downloader.image(for: request)
        }
        await #expect { try await early.value } throws: { ($0 as? URLError)?.code == .cancelled }
        #expect(transport.running.isEmpty)
    }

    @Test("Many threads ask and cancel: everyone is told once, and nothing is left")
    func threads() throws {
        let transport = ScriptedTransport()
        let downloader = make(transport, maximum: 3, cache: nil)
        let requests = try (0..<10).map { try request("\($0)") }
        let result = try image()
        let isOver = Locked(false)
        let ender = Thread {
            while !isOver.withLock({ $0 }) || !transport.running.isEmpty {
                let running = transport.running
                if running.count > 3 { Issue.record("\(running.count) transfers") }
                for transfer in running { transfer.end(result) }
            }
        }
        ender.start()
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for round in 0..<200 {
                let receipt = ask(downloader, "", requests[(thread + round) % 10])
                if round % 2 == 0, let receipt { downloader.cancelTask(for: receipt) }
            }
        }
        isOver.withLock { $0 = true }
        while !ender.isFinished { sched_yield() }
        settle()
        #expect(told.values.count == 800)
        downloader.state.withLock {
            #expect($0.callers.isEmpty && $0.transfers.isEmpty && $0.machine.activeCount == 0)
        }
    }

    @Test(
        "Over the network: one request for many callers, a decoded image, errors with their reasons",
        arguments: [false, true])
    func network(hasSession: Bool) async throws {
        let server = try TestServer()
        let gate = Gate()
        let png = ScriptedResponse(headers: [("Content-Type", "image/png")], body: .data(try file("rgba.png")))
        server.respond(to: "/image.png", png.holding(gate, at: .beforeBody))
        server.respond(to: "/page", .ok("hello"))
        server.respond(to: "/bad.png", png.with { $0.body = .data(Data("no image at all, but enough".utf8)) })
        let downloader =
            hasSession
            ? ImageDownloader(sessionManager: HTTPSessionManager())
            : ImageDownloader(manager: HTTPRequestOperationManager())
        let request = URLRequest(url: server.url("/image.png"))
        async let first = downloader.image(for: request)
        async let second = downloader.image(for: request)
        try await eventually { downloader.state.withLock { $0.callers.count } == 2 }
        gate.open()
        #expect(try await first == Image(data: file("rgba.png")))
        #expect(try await second.width == 37)
        #expect(try await downloader.image(for: request).width == 37)
        #expect(try await downloader.image(for: request, thumbnailSize: 8).width == 8)
        #expect(server.requests.count == 2, "from memory, but for the small one")
        await #expect { try await downloader.image(for: URLRequest(url: server.url("/page"))) } throws: {
            ($0 as? ResponseSerializationError)?.code == .cannotDecodeContentData
        }
        await #expect { try await downloader.image(for: URLRequest(url: server.url("/bad.png"))) } throws: {
            ($0 as? ResponseSerializationError)?.code == .cannotParseResponse
        }
        await #expect { try await downloader.image(for: URLRequest(url: server.url("/none"))) } throws: {
            ($0 as? ResponseSerializationError)?.code == .badServerResponse
        }
    }

    @Test(
        "The serializer's size of thumbnails holds, also when it leaves decoding to the downloader",
        arguments: [false, true], [false, true])
    func serializersThumbnails(hasSession: Bool, inflates: Bool) async throws {
        let server = try TestServer()
        server.respond(
            to: "/image.png",
            ScriptedResponse(headers: [("Content-Type", "image/png")], body: .data(try file("rgba.png"))))
        let serializer = ImageResponseSerializer()
        serializer.automaticallyInflatesResponseImage = inflates
        serializer.thumbnailSize = 10
        let (sessionManager, manager) = (HTTPSessionManager(), HTTPRequestOperationManager())
        sessionManager.responseSerializer = serializer
        manager.responseSerializer = serializer
        let downloader =
            hasSession
            ? ImageDownloader(sessionManager: sessionManager, imageCache: nil)
            : ImageDownloader(manager: manager, imageCache: nil)
        let request = URLRequest(url: server.url("/image.png"))
        for size in [nil, 8, 20] {
            #expect(try await downloader.image(for: request, thumbnailSize: size).width == size ?? 10)
        }
    }

    @Test(
        "The session's or manager's cache is asked where the memory has nothing, also without the network",
        arguments: [false, true])
    func disk(hasSession: Bool) async throws {
        let server = try TestServer()
        server.respond(
            to: "/image.png",
            ScriptedResponse(
                headers: [("Content-Type", "image/png"), ("Cache-Control", "max-age=60")],
                body: .data(try file("rgba.png"))))
        let configuration = URLSessionConfiguration.default
        configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        let manager = HTTPRequestOperationManager()
        manager.urlCache = configuration.urlCache
        let downloader =
            hasSession
            ? ImageDownloader(
                sessionManager: HTTPSessionManager(baseURL: nil, sessionConfiguration: configuration), imageCache: nil)
            : ImageDownloader(manager: manager, imageCache: nil)
        var request = URLRequest(url: server.url("/image.png"))
        request.cachePolicy = .returnCacheDataDontLoad
        await #expect { try await downloader.image(for: request) } throws: {
            ($0 as? URLError)?.code == .resourceUnavailable
        }
        request.cachePolicy = .useProtocolCachePolicy
        for size in [nil, 8, nil] {
            #expect(try await downloader.image(for: request, thumbnailSize: size).width == size ?? 37)
        }
        request.cachePolicy = .returnCacheDataDontLoad
        #expect(try await downloader.image(for: request).width == 37)
        #expect(server.requests.count == 1)
    }

    @Test("A cancelled request leaves the server alone, and its room goes to the next")
    func cancelledTransfer() async throws {
        let server = try TestServer()
        server.respond(to: "/slow", .stalled())
        server.respond(
            to: "/image.png",
            ScriptedResponse(headers: [("Content-Type", "image/png")], body: .data(try file("rgba.png"))))
        let downloader = ImageDownloader(maximumActiveDownloads: 1)
        let slow = Task { [url = server.url("/slow")] in try await downloader.image(for: URLRequest(url: url)) }
        _ = try await server.nextRequest()
        let next = Task { [url = server.url("/image.png")] in try await downloader.image(for: URLRequest(url: url)) }
        try await eventually { downloader.state.withLock { $0.machine.waitingCount } == 1 }
        slow.cancel()
        #expect(try await next.value.width == 37)
        await #expect { try await slow.value } throws: { ($0 as? URLError)?.code == .cancelled }
        try await eventually("the connection to end") { server.openConnectionCount == 1 }
    }
}
