// SPDX-License-Identifier: MIT

/// A view that shows an image. AF: a category on `UIImageView`. See ``ImageViewBinding``.
@MainActor
public protocol ImageDisplaying: AnyObject {
    /// Shows an image. `nil` shows none.
    func display(_ image: Image?)
}
