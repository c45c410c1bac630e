// SPDX-License-Identifier: MIT
import AFNetworkingUIKit
import Testing

/// Uses the names as a client of AFNetworking does, who imports nothing else.
@Suite("AFNetworking's names for images")
struct NameTests {
    @Test("The names stand for the types")
    func names() throws {
        let manager = AFHTTPRequestOperationManager()
        let serializer = AFImageResponseSerializer()
        serializer.imageScale = 2
        manager.responseSerializer = serializer
        let cache = AFAutoPurgingImageCache(memoryCapacity: UInt64.max, preferredMemoryCapacity: 1000)
        #expect(cache.memoryCapacity == UInt64(Int.max) && cache.preferredMemoryUsageAfterPurge == 1000)
        let image = try Image(width: 1, height: 1, pixels: Data([1, 2, 3, 4]))
        cache.addImage(image, withIdentifier: "a")
        #expect(cache.imageWithIdentifier("a") == image && cache.removeImageWithIdentifier("a"))
        let downloader = AFImageDownloader(
            manager: manager, downloadPrioritization: AFImageDownloadPrioritization.lifo, imageCache: cache)
        downloader.downloadPrioritizaton = .fifo
        #expect(downloader.downloadPrioritization == .fifo)
        #expect(AFImageDownloader.defaultInstance() === AFImageDownloader.default())
        _ = AFImageDownloader(
            sessionManager: AFHTTPSessionManager(), downloadPrioritization: .lifo, maximumActiveDownloads: 2,
            imageCache: cache)
        let request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:1/")))
        let identifier = UUID()
        let receipt: AFImageDownloadReceipt? = downloader.downloadImage(
            for: request, withReceiptID: identifier, success: nil, failure: nil)
        #expect(receipt?.receiptID == identifier)
        receipt.map(downloader.cancelTaskForImageDownloadReceipt)
    }
}
