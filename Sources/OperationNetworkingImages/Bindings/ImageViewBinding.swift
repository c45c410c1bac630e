// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking

/// Loads images into a view, which keeps the binding. AF: `UIImageView+AFNetworking`.
///
/// Only the last request counts: what comes late for an earlier one is dropped. A request for the URL that is being
/// loaded joins it. An image in the downloader's memory cache is shown before the method returns.
@MainActor
public final class ImageViewBinding {
    /// A block that is called on the main queue with request, response and image. The response is `nil` when the image
    /// was in the memory cache.
    public typealias Success = @MainActor (URLRequest, HTTPURLResponse?, Image) -> Void
    /// Called on the main queue with request, response if there was one, and error.
    public typealias Failure = @MainActor (URLRequest, HTTPURLResponse?, any Error) -> Void

    private weak var view: (any ImageDisplaying)?
    private let slot = ImageRequestSlot()
    /// The downloader that images come from. The process's by default. AF: `sharedImageDownloader`.
    public var imageDownloader: ImageDownloader

    /// A binding for a view, which is not kept alive.
    ///
    /// - Parameters:
    ///   - view: what shows the images.
    ///   - imageDownloader: where images come from; the process's by default.
    public init(_ view: any ImageDisplaying, imageDownloader: ImageDownloader = .default()) {
        self.view = view
        self.imageDownloader = imageDownloader
    }

    /// The request that is being loaded. `nil` when nothing is loaded.
    public var activeRequest: URLRequest? { slot.activeRequest }

    /// Shows the image at a URL. The request has `Accept: image/*`. AF: `setImageWithURL:placeholderImage:`.
    ///
    /// - Parameters:
    ///   - url: where the image is.
    ///   - placeholderImage: what is shown meanwhile; nil by default: what there is.
    public func setImage(with url: URL, placeholderImage: Image? = nil) {
        var request = URLRequest(url: url)
        request.setValue("image/*", forHTTPHeaderField: "Accept")
        setImage(with: request, placeholderImage: placeholderImage)
    }

    /// Shows the image that a request brings. AF: `setImageWithURLRequest:placeholderImage:success:failure:`.
    ///
    /// - Parameters:
    ///   - request: what to ask for. One without URL fails at once with −1000.
    ///   - placeholderImage: what is shown meanwhile; nil by default: what there is.
    ///   - success: called in place of showing the image, which it has to do itself. Nil by default.
    ///   - failure: called when there is no image, but not after ``cancelImageDownloadTask()`` or another request.
    public func setImage(
        with request: URLRequest, placeholderImage: Image? = nil, success: Success? = nil,
        failure: Failure? = nil
    ) {
        slot.load(
            request, from: imageDownloader,
            showPlaceholder: { if let placeholderImage { view?.display(placeholderImage) } },
            success: success ?? { [weak view] _, _, image in view?.display(image) }, failure: failure)
    }

    /// Loads no longer. No block is called. AF: `cancelImageDownloadTask`, in 2.x `cancelImageRequestOperation`.
    public func cancelImageDownloadTask() { slot.cancel() }
}
