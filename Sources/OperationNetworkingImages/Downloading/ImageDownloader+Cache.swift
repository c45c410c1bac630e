// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking

/// The memory cache, before and after a transfer.
extension ImageDownloader {
    func cachedImage(for request: URLRequest, thumbnailSize: Int?) -> Image? {
        guard let imageCache, (request.httpMethod ?? "GET") == "GET" else { return nil }
        switch request.cachePolicy {
        case .useProtocolCachePolicy, .returnCacheDataElseLoad, .returnCacheDataDontLoad:
            return imageCache.image(
                for: request, withAdditionalIdentifier: Self.identifier(thumbnailSize: thumbnailSize))
        default:
            return nil
        }
    }

    func cache(_ image: Image, for key: Key) {
        guard let imageCache, (key.request.httpMethod ?? "GET") == "GET" else { return }
        let identifier = Self.identifier(thumbnailSize: key.thumbnailSize)
        guard imageCache.shouldCache(image, for: key.request, withAdditionalIdentifier: identifier) else { return }
        imageCache.add(image, for: key.request, withAdditionalIdentifier: identifier)
    }

    /// Behind a character that no URL has.
    private static func identifier(thumbnailSize: Int?) -> String? { thumbnailSize.map { " thumbnail \($0)" } }
}
