// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import OperationNetworkingImages

extension Faces {
    static let imageFaces: [(name: String, make: Maker)] = [
        ("images-session", { ImageFace($0, isSession: true, isAsync: false) }),
        ("images-operations", { ImageFace($0, isSession: false, isAsync: false) }),
        ("images-async", { ImageFace($0, isSession: true, isAsync: true) }),
    ]
}

/// `ImageDownloader`, which joins requests for one image.
struct ImageFace: Face {
    let downloader: ImageDownloader
    let isAsync: Bool

    init(_ context: CellContext, isSession: Bool, isAsync: Bool) {
        self.isAsync = isAsync
        let cache = context.cell.cache == .none ? nil : AutoPurgingImageCache()
        if isSession {
            let manager = HTTPSessionManager(sessionConfiguration: context.makeConfiguration())
            manager.securityPolicy = context.securityPolicy
            manager.responseSerializer = ImageResponseSerializer()
            downloader = ImageDownloader(
                sessionManager: manager, maximumActiveDownloads: context.cell.concurrency, imageCache: cache
            )
        } else {
            let manager = context.makeManager()
            manager.responseSerializer = ImageResponseSerializer()
            downloader = ImageDownloader(
                manager: manager, maximumActiveDownloads: context.cell.concurrency, imageCache: cache)
        }
        downloader.completionQueue = context.completionQueue
    }

    var kind: CellContext.Kind { .image }
    func expected(_ call: Call) -> Data { Data() }

    private static func check(_ image: Image, _ call: Call) -> Reply {
        let pixels = Content.pixels(call.seed)
        guard image.width == Content.edge, image.height == Content.edge else {
            return .failure(Unexpected("an image of \(image.width) × \(image.height)"))
        }
        let found = image.pixels
        for row in 0..<Content.edge {
            for column in 0..<Content.edge {
                let (here, there) = (
                    row * image.bytesPerRow + column * 4, (row * Content.edge + column) * 3
                )
                for channel in 0..<3
                where found[found.startIndex + here + channel] != pixels[there + channel] {
                    return .failure(Unexpected("another pixel at \(column), \(row)"))
                }
            }
        }
        return .checked(bytes: found.count)
    }

    /// A request to the downloader, and its receipt.
    private final class Request: Sendable {
        let receipt: ImageDownloadReceipt?
        init(_ receipt: ImageDownloadReceipt?) { self.receipt = receipt }
    }

    func reply(to call: Call) async -> Reply {
        let (downloader, answer) = (downloader, call.answer)
        if isAsync {
            return await call.run { Self.check(try await downloader.image(for: call.request), call) }
        }
        let request = Request(
            downloader.downloadImage(
                for: call.request, success: { _, _, image in answer.give(Self.check(image, call)) },
                failure: { _, _, error in answer.give(error) }))
        // It has begun by now, and cannot be paused.
        return await call.drive(
            request,
            Call.Controls(
                start: { _ in },
                cancel: { if let receipt = $0.receipt { downloader.cancelTask(for: receipt) } },
                pause: { _ in }, resume: { _ in }))
    }
}
