// SPDX-License-Identifier: MIT
internal import Foundation
public import FoundationNetworking

/// A cache of images under requests. AF 3: `AFImageRequestCache`.
///
/// Your own cache needs the methods of ``ImageCache`` only: all methods for requests are there, and use the identifier
/// that ``identifier(for:withAdditionalIdentifier:)`` makes.
public protocol ImageRequestCache: ImageCache {
    /// Returns true if an image that was downloaded is to be kept. AF:
    /// `shouldCacheImage:forRequest:withAdditionalIdentifier:`.
    func shouldCache(_ image: Image, for request: URLRequest, withAdditionalIdentifier identifier: String?) -> Bool

    /// Adds an image. AF: `addImage:forRequest:withAdditionalIdentifier:`.
    func add(_ image: Image, for request: URLRequest, withAdditionalIdentifier identifier: String?)

    /// Removes an image. True if there was one. AF: `removeImageforRequest:withAdditionalIdentifier:`.
    @discardableResult
    func removeImage(for request: URLRequest, withAdditionalIdentifier identifier: String?) -> Bool

    /// The image, which counts as used now. AF: `imageforRequest:withAdditionalIdentifier:`.
    func image(for request: URLRequest, withAdditionalIdentifier identifier: String?) -> Image?
}

extension ImageRequestCache {
    /// The absolute URL, and what is to be told apart under one URL, such as sizes.
    public func identifier(for request: URLRequest, withAdditionalIdentifier identifier: String?) -> String {
        (request.url?.absoluteString ?? "") + (identifier ?? "")
    }

    /// True.
    public func shouldCache(
        _ image: Image, for request: URLRequest, withAdditionalIdentifier identifier: String? = nil
    ) -> Bool { true }

    /// Adds an image under the identifier of the request.
    public func add(_ image: Image, for request: URLRequest, withAdditionalIdentifier identifier: String? = nil) {
        add(image, withIdentifier: self.identifier(for: request, withAdditionalIdentifier: identifier))
    }

    /// Removes the image under the identifier of the request. True if there was one.
    @discardableResult
    public func removeImage(for request: URLRequest, withAdditionalIdentifier identifier: String? = nil) -> Bool {
        removeImage(withIdentifier: self.identifier(for: request, withAdditionalIdentifier: identifier))
    }

    /// The image under the identifier of the request.
    public func image(for request: URLRequest, withAdditionalIdentifier identifier: String? = nil) -> Image? {
        image(withIdentifier: self.identifier(for: request, withAdditionalIdentifier: identifier))
    }
}
