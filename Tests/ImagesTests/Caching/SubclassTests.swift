// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import OperationNetworkingImages
import Testing

/// Subclasses that a program makes: no `@testable` here.
@Suite("Subclasses of the image classes") struct SubclassTests {
    private final class SmallImages: AutoPurgingImageCache, @unchecked Sendable {
        let limit: Int

        init(limit: Int) {
            self.limit = limit
            super.init(memoryCapacity: 1000, preferredMemoryUsageAfterPurge: 500)
        }

        override func shouldCache(_ image: Image, for request: URLRequest, withAdditionalIdentifier: String?) -> Bool {
            image.width <= limit
        }
    }

    private final class InheritingCache: AutoPurgingImageCache, @unchecked Sendable {}

    private final class NamedDownloader: ImageDownloader, @unchecked Sendable {
        let name: String

        init(name: String, manager: HTTPRequestOperationManager) {
            self.name = name
            super.init(manager: manager, maximumActiveDownloads: 2, imageCache: nil)
        }
    }

    private final class InheritingDownloader: ImageDownloader, @unchecked Sendable {}

    @Test("A cache's subclass has initializers, of its own or inherited")
    func cache() {
        #expect(SmallImages(limit: 5).memoryCapacity == 1000)
        #expect(InheritingCache(memoryCapacity: 10).preferredMemoryUsageAfterPurge == 10)
    }

    @Test("So has a downloader's")
    func downloader() {
        let downloader = NamedDownloader(name: "icons", manager: HTTPRequestOperationManager())
        #expect(downloader.maximumActiveDownloads == 2 && downloader.sessionManager == nil)
        #expect(InheritingDownloader(sessionManager: HTTPSessionManager(), imageCache: nil).sessionManager != nil)
    }
}
