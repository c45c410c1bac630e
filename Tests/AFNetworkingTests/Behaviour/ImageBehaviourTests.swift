// SPDX-License-Identifier: MIT
import AFNetworkingUIKit
import TestServer
import Testing

/// What clients of AFNetworking expect of its image cache and downloader, in its spellings.
@Suite("Images as AFNetworking caches and loads them", .timeLimit(.minutes(1))) struct ImageBehaviourTests {
    private let image: Image

    init() throws {
        image = try Image(width: 85, height: 40, pixels: Data(count: 85 * 40 * 4))
    }

    private func request(_ text: String = "http://example.com/image") throws -> URLRequest {
        URLRequest(url: try #require(URL(string: text)))
    }

    @Test("Images are found and removed by request and by what is added to it")
    func requests() throws {
        let cache = AFAutoPurgingImageCache(
            memoryCapacity: 100 * 1024 * 1024, preferredMemoryCapacity: 60 * 1024 * 1024)
        let request = try request()
        cache.add(image, for: request, withAdditionalIdentifier: "filter")
        #expect(cache.imageforRequest(request, withAdditionalIdentifier: "filter") == image)
        #expect(cache.imageforRequest(request, withAdditionalIdentifier: nil) == nil)
        #expect(cache.imageforRequest(try self.request("http://example.com/b"), withAdditionalIdentifier: nil) == nil)
        #expect(!cache.removeImageforRequest(request, withAdditionalIdentifier: nil))
        #expect(!cache.removeImageforRequest(request, withAdditionalIdentifier: "none"))
        #expect(cache.removeImageforRequest(request, withAdditionalIdentifier: "filter"))
        #expect(!cache.removeImageforRequest(request, withAdditionalIdentifier: "filter"))
        cache.addImage(image, forRequest: request, withAdditionalIdentifier: nil)
        let other = try Image(width: 1, height: 1, pixels: Data([1, 2, 3, 4]))
        cache.addImage(other, forRequest: request, withAdditionalIdentifier: nil)
        #expect(cache.image(for: request, withAdditionalIdentifier: nil) == other)
        #expect(cache.shouldCacheImage(other, forRequest: request, withAdditionalIdentifier: nil))
    }

    @Test("Images count their pixels, and those used least recently go when there are too many")
    func purging() {
        let imageSize: UInt64 = 13600
        let cache = AFAutoPurgingImageCache(memoryCapacity: 10 * imageSize, preferredMemoryCapacity: 6 * imageSize)
        #expect(cache.memoryUsage == UInt64(0) && cache.memoryCapacity == 10 * imageSize)
        #expect(cache.preferredMemoryUsageAfterPurge == 6 * imageSize)
        for index in 0..<10 {
            cache.add(image, withIdentifier: "image-\(index)")
            let usage: UInt64 = cache.memoryUsage
            #expect(usage == UInt64(index + 1) * imageSize)
        }
        #expect(cache.image(withIdentifier: "image-0") != nil)
        cache.add(image, withIdentifier: "image-10")
        #expect(cache.memoryUsage == 6 * imageSize)
        for index in 0...10 {
            #expect((cache.image(withIdentifier: "image-\(index)") != nil) == (index == 0 || index >= 6))
        }
    }

    @Test("A request without a URL has no receipt, and fails with a bad URL")
    func badURL() async throws {
        var request = try request()
        request.url = nil
        let failure = Box<NSError>()
        let receipt = AFImageDownloader().downloadImage(
            for: request, success: nil, failure: { _, _, error in failure.value = error as NSError })
        #expect(receipt == nil)
        try await eventually("the failure") { failure.value != nil }
        #expect(failure.value?.domain == NSURLErrorDomain && failure.value?.code == NSURLErrorBadURL)
    }

    @Test("Callers of one image share response and image; later ones get it from the cache, without a receipt")
    func downloads() async throws {
        let server = try TestServer()
        let data = try image.encoded(as: .png)
        let gate = Gate()
        server.respondToOthers { _ in
            ScriptedResponse(headers: [("Content-Type", "image/png")], body: .data(data)).holding(gate, at: .beforeHead)
        }
        let downloader = AFImageDownloader(
            sessionManager: AFImageDownloader().sessionManager, downloadPrioritization: .FIFO,
            maximumActiveDownloads: 4, imageCache: AFAutoPurgingImageCache())
        downloader.sessionManager.session.configuration.urlCache?.removeAllCachedResponses()
        defer { downloader.sessionManager.invalidateSessionCancelingTasks(true, resetSession: false) }
        let request = URLRequest(url: server.url("/image/png"))
        let responses = Log()
        let note: AFImageDownloader.Success = { _, response, image in
            responses.add("\(response?.statusCode ?? 0) \(image.width)")
        }
        let first = downloader.downloadImageForURLRequest(request, success: note, failure: nil)
        downloader.downloadImage(for: request, success: note, failure: nil)
        gate.open()
        try await eventually("both") { responses.all == ["200 85", "200 85"] }
        let cached = downloader.downloadImage(for: request, success: note, failure: nil)
        try await eventually("the third") { responses.all.last == "0 85" }
        #expect(first != nil && cached == nil && server.requests.count == 1)
        var fresh = request
        fresh.cachePolicy = .reloadIgnoringLocalCacheData
        let again = downloader.downloadImage(for: fresh, success: note, failure: nil)
        try await eventually("the fourth") { responses.all.count == 4 }
        #expect(again != nil && again != first && responses.all.last == "200 85")
    }

    @Test("A cancelled request fails with -999, another for the same image goes on, and it can be asked for again")
    func cancelling() async throws {
        let server = try TestServer()
        let data = try image.encoded(as: .png)
        let gate = Gate()
        server.respondToOthers { _ in
            ScriptedResponse(headers: [("Content-Type", "image/png")], body: .data(data)).holding(gate, at: .beforeHead)
        }
        let downloader = AFImageDownloader()
        let request = URLRequest(url: server.url("/image/cancelled"))
        let log = Log()
        let success: AFImageDownloader.Success = { _, _, _ in log.add("success") }
        let failure: AFImageDownloader.Failure = { _, _, error in log.add("\((error as NSError).code)") }
        let identifier = UUID()
        let alone = downloader.downloadImage(
            for: request, withReceiptID: identifier, success: success, failure: failure)
        #expect(alone?.receiptID == identifier)
        alone.map(downloader.cancelTask)
        try await eventually("the cancel") { log.all == ["-999"] }
        downloader.downloadImage(for: request, success: success, failure: failure)
        let second = downloader.downloadImage(for: request, success: success, failure: failure)
        second.map(downloader.cancelTaskForImageDownloadReceipt)
        try await eventually("the second cancel") { log.all == ["-999", "-999"] }
        gate.open()
        try await eventually("the image") { log.all == ["-999", "-999", "success"] }
    }
}
