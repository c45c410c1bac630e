// SPDX-License-Identifier: MIT
internal import Foundation
public import FoundationNetworking

/// Loads images into a button, one for each state and as many backgrounds. AF: `UIButton+AFNetworking`.
///
/// Each of these eight is a separate place, with the rules of ``ImageViewBinding``.
@MainActor
public final class ButtonBinding {
    private struct Place: Hashable {
        let state: ButtonState
        let isBackground: Bool
    }

    private weak var button: (any ButtonImageDisplaying)?
    private var slots: [Place: ImageRequestSlot] = [:]
    /// The downloader that images come from. The process's by default. AF: `sharedImageDownloader`.
    public var imageDownloader: ImageDownloader

    /// A binding for a button, which is not kept alive.
    ///
    /// - Parameters:
    ///   - button: what shows the images.
    ///   - imageDownloader: where images come from; the process's by default.
    public init(_ button: any ButtonImageDisplaying, imageDownloader: ImageDownloader = .default()) {
        self.button = button
        self.imageDownloader = imageDownloader
    }

    /// Shows the image that a request brings. AF: `setImageForState:withURLRequest:placeholderImage:success:failure:`.
    ///
    /// - Parameters:
    ///   - state: the state it is for.
    ///   - request: what to ask for. One without URL fails at once with −1000.
    ///   - placeholderImage: what is shown meanwhile; nil by default: what there is.
    ///   - success: called on the main queue in place of showing the image. Nil by default.
    ///   - failure: called on the main queue when there is no image, but not after a cancel or another request.
    public func setImage(
        for state: ButtonState, with request: URLRequest, placeholderImage: Image? = nil,
        success: ImageViewBinding.Success? = nil, failure: ImageViewBinding.Failure? = nil
    ) {
        load(Place(state: state, isBackground: false), request, placeholderImage, success, failure)
    }

    /// Shows the background image that a request brings.
    /// AF: `setBackgroundImageForState:withURLRequest:placeholderImage:success:failure:`.
    ///
    /// - Parameters:
    ///   - state: the state it is for.
    ///   - request: what to ask for. One without URL fails at once with −1000.
    ///   - placeholderImage: what is shown meanwhile; nil by default: what there is.
    ///   - success: called on the main queue in place of showing the image. Nil by default.
    ///   - failure: called on the main queue when there is no image, but not after a cancel or another request.
    public func setBackgroundImage(
        for state: ButtonState, with request: URLRequest, placeholderImage: Image? = nil,
        success: ImageViewBinding.Success? = nil, failure: ImageViewBinding.Failure? = nil
    ) {
        load(Place(state: state, isBackground: true), request, placeholderImage, success, failure)
    }

    /// Loads the image of a state no longer. No block is called. AF: `cancelImageDownloadTaskForState:`.
    public func cancelImageDownloadTask(for state: ButtonState) {
        slots[Place(state: state, isBackground: false)]?.cancel()
    }

    /// Loads the background image of a state no longer. No block is called.
    /// AF: `cancelBackgroundImageDownloadTaskForState:`.
    public func cancelBackgroundImageDownloadTask(for state: ButtonState) {
        slots[Place(state: state, isBackground: true)]?.cancel()
    }

    private func load(
        _ place: Place, _ request: URLRequest, _ placeholder: Image?,
        _ success: ImageViewBinding.Success?,
        _ failure: ImageViewBinding.Failure?
    ) {
        let slot = slots[place] ?? ImageRequestSlot()
        slots[place] = slot
        let show: @MainActor (Image) -> Void = { [weak button] image in
            if place.isBackground {
                button?.displayBackground(image, for: place.state)
            } else {
                button?.display(image, for: place.state)
            }
        }
        slot.load(
            request, from: imageDownloader, showPlaceholder: { if let placeholder { show(placeholder) } },
            success: success ?? { _, _, image in show(image) }, failure: failure)
    }
}
