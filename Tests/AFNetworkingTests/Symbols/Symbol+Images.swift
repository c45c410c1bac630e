// SPDX-License-Identifier: MIT
import AFNetworkingUIKit
import Foundation

// Images. In a module of their own, because they need an image library.

extension Symbol {
    static var images: [Symbol] { imageSerializer + imageCaches + imageDownloader }

    private static var imageSerializer: [Symbol] {
        [
            available("AFImageResponseSerializer", "AFImageResponseSerializer") { (_: AFImageResponseSerializer) in },
            available("AFImageResponseSerializer.imageScale", "imageScale") { (serializer: AFImageResponseSerializer) in
                serializer.imageScale = typed(Double.self, serializer.imageScale)
            },
            available(
                "AFImageResponseSerializer.automaticallyInflatesResponseImage", "automaticallyInflatesResponseImage"
            ) { (serializer: AFImageResponseSerializer) in
                serializer.automaticallyInflatesResponseImage = typed(
                    Bool.self, serializer.automaticallyInflatesResponseImage)
            },
        ]
    }

    private static var imageCaches: [Symbol] {
        [
            available("AFImageCache", "AFImageCache", note: "in 2.x another protocol: see AFImageRequestCache") {
                (_: any AFImageCache) in
            },
            available("-[AFImageCache addImage:withIdentifier:]", "addImage(_:withIdentifier:)") {
                (cache: any AFImageCache, image: Image) in cache.addImage(image, withIdentifier: "")
            },
            available("-[AFImageCache removeImageWithIdentifier:]", "removeImage(withIdentifier:)") {
                (cache: any AFImageCache) in _ = typed(Bool.self, cache.removeImage(withIdentifier: ""))
            },
            available("-[AFImageCache removeAllImages]", "removeAllImages()") {
                (cache: any AFImageCache) in _ = typed(Bool.self, cache.removeAllImages())
            },
            available("-[AFImageCache imageWithIdentifier:]", "image(withIdentifier:)") {
                (cache: any AFImageCache) in _ = typed(Image?.self, cache.image(withIdentifier: ""))
            },
            available("AFImageRequestCache", "AFImageRequestCache") { (_: any AFImageRequestCache) in },
            available(
                "-[AFImageRequestCache shouldCacheImage:forRequest:withAdditionalIdentifier:]",
                "shouldCache(_:for:withAdditionalIdentifier:)",
                "shouldCacheImage(_:forRequest:withAdditionalIdentifier:)"
            ) { (cache: any AFImageRequestCache, image: Image, request: URLRequest) in
                _ = typed(Bool.self, cache.shouldCache(image, for: request, withAdditionalIdentifier: nil))
                _ = cache.shouldCacheImage(image, forRequest: request, withAdditionalIdentifier: nil)
            },
            available(
                "-[AFImageRequestCache addImage:forRequest:withAdditionalIdentifier:]",
                "add(_:for:withAdditionalIdentifier:)", "addImage(_:forRequest:withAdditionalIdentifier:)"
            ) { (cache: any AFImageRequestCache, image: Image, request: URLRequest) in
                cache.addImage(image, forRequest: request, withAdditionalIdentifier: nil)
                cache.add(image, for: request, withAdditionalIdentifier: nil)
            },
            available(
                "-[AFImageRequestCache removeImageforRequest:withAdditionalIdentifier:]",
                "removeImage(for:withAdditionalIdentifier:)", "removeImageforRequest(_:withAdditionalIdentifier:)"
            ) { (cache: any AFImageRequestCache, request: URLRequest) in
                cache.removeImageforRequest(request, withAdditionalIdentifier: nil)
                _ = typed(Bool.self, cache.removeImage(for: request, withAdditionalIdentifier: nil))
            },
            available(
                "-[AFImageRequestCache imageforRequest:withAdditionalIdentifier:]",
                "image(for:withAdditionalIdentifier:)", "imageforRequest(_:withAdditionalIdentifier:)"
            ) { (cache: any AFImageRequestCache, request: URLRequest) in
                _ = cache.imageforRequest(request, withAdditionalIdentifier: nil)
                _ = typed(Image?.self, cache.image(for: request, withAdditionalIdentifier: nil))
            },
            available("AFAutoPurgingImageCache", "AFAutoPurgingImageCache") { (_: AFAutoPurgingImageCache) in },
            available("AFAutoPurgingImageCache.memoryCapacity", "memoryCapacity") {
                (cache: AFAutoPurgingImageCache) in _ = typed(UInt64.self, cache.memoryCapacity)
            },
            available(
                "AFAutoPurgingImageCache.preferredMemoryUsageAfterPurge", "preferredMemoryUsageAfterPurge"
            ) { (cache: AFAutoPurgingImageCache) in _ = typed(UInt64.self, cache.preferredMemoryUsageAfterPurge) },
            available("AFAutoPurgingImageCache.memoryUsage", "memoryUsage") {
                (cache: AFAutoPurgingImageCache) in _ = typed(UInt64.self, cache.memoryUsage)
            },
            available("-[AFAutoPurgingImageCache init]", "init()") {
                (_: Void) in _ = AFAutoPurgingImageCache()
            },
            available(
                "-[AFAutoPurgingImageCache initWithMemoryCapacity:preferredMemoryCapacity:]",
                "init(memoryCapacity:preferredMemoryCapacity:)"
            ) { (size: UInt64) in
                _ = AFAutoPurgingImageCache(memoryCapacity: size, preferredMemoryCapacity: size)
            },
        ]
    }

    private static var imageDownloader: [Symbol] {
        [
            available("AFImageDownloadPrioritization", "AFImageDownloadPrioritization") {
                (_: AFImageDownloadPrioritization) in
            },
            available("AFImageDownloadPrioritizationFIFO", "FIFO", "fifo") {
                (_: Void) in _ = [AFImageDownloadPrioritization.fifo, .FIFO]
            },
            available("AFImageDownloadPrioritizationLIFO", "LIFO", "lifo") {
                (_: Void) in _ = [AFImageDownloadPrioritization.lifo, .LIFO]
            },
            available("AFImageDownloadReceipt", "AFImageDownloadReceipt") { (_: AFImageDownloadReceipt) in },
            available("AFImageDownloadReceipt.receiptID", "receiptID") {
                (receipt: AFImageDownloadReceipt) in _ = typed(UUID.self, receipt.receiptID)
            },
            available("AFImageDownloader", "AFImageDownloader") { (_: AFImageDownloader) in },
            available("AFImageDownloader.imageCache", "imageCache") {
                (downloader: AFImageDownloader) in _ = typed((any AFImageRequestCache)?.self, downloader.imageCache)
            },
            available("AFImageDownloader.sessionManager", "sessionManager", note: "There is none over operations.") {
                (downloader: AFImageDownloader) in _ = typed(AFHTTPSessionManager.self, downloader.sessionManager)
            },
            available("AFImageDownloader.downloadPrioritization", "downloadPrioritization") {
                (downloader: AFImageDownloader) in downloader.downloadPrioritization = .lifo
            },
            available("AFImageDownloader.downloadPrioritizaton", "downloadPrioritizaton") {
                (downloader: AFImageDownloader) in downloader.downloadPrioritizaton = .lifo
            },
            available("+[AFImageDownloader defaultInstance]", "defaultInstance()", "default()") {
                (_: Void) in _ = [AFImageDownloader.defaultInstance(), AFImageDownloader.default()]
            },
            available("+[AFImageDownloader defaultURLCache]", "defaultURLCache()") {
                (_: Void) in _ = typed(URLCache.self, AFImageDownloader.defaultURLCache())
            },
            available("+[AFImageDownloader defaultURLSessionConfiguration]", "defaultURLSessionConfiguration()") {
                (_: Void) in
                _ = typed(URLSessionConfiguration.self, AFImageDownloader.defaultURLSessionConfiguration())
            },
            available("-[AFImageDownloader init]", "init()") { (_: Void) in _ = AFImageDownloader() },
            available("-[AFImageDownloader initWithSessionConfiguration:]", "init(sessionConfiguration:)") {
                (configuration: URLSessionConfiguration) in
                _ = AFImageDownloader(sessionConfiguration: configuration)
            },
            available(
                "-[AFImageDownloader initWithSessionManager:downloadPrioritization:maximumActiveDownloads:imageCache:]",
                "init(sessionManager:downloadPrioritization:maximumActiveDownloads:imageCache:)"
            ) { (manager: AFHTTPSessionManager) in
                _ = AFImageDownloader(
                    sessionManager: manager, downloadPrioritization: .fifo, maximumActiveDownloads: 4, imageCache: nil)
            },
            available(
                "-[AFImageDownloader downloadImageForURLRequest:success:failure:]",
                "downloadImageForURLRequest(_:success:failure:)", "downloadImage(for:success:failure:)"
            ) { (downloader: AFImageDownloader, request: URLRequest) in
                downloader.downloadImageForURLRequest(request, success: { _, _, _ in }, failure: nil)
                downloader.downloadImage(for: request, success: { _, _, _ in }, failure: { _, _, _ in })
            },
            available(
                "-[AFImageDownloader downloadImageForURLRequest:withReceiptID:success:failure:]",
                "downloadImageForURLRequest(_:withReceiptID:success:failure:)",
                "downloadImage(for:withReceiptID:success:failure:)"
            ) { (downloader: AFImageDownloader, request: URLRequest) in
                downloader.downloadImageForURLRequest(request, withReceiptID: UUID(), success: nil, failure: nil)
                downloader.downloadImage(for: request, withReceiptID: UUID(), success: nil, failure: nil)
            },
            available(
                "-[AFImageDownloader cancelTaskForImageDownloadReceipt:]", "cancelTask(for:)",
                "cancelTaskForImageDownloadReceipt(_:)"
            ) { (downloader: AFImageDownloader, receipt: AFImageDownloadReceipt) in
                downloader.cancelTask(for: receipt)
                downloader.cancelTaskForImageDownloadReceipt(receipt)
            },
        ]
    }
}
