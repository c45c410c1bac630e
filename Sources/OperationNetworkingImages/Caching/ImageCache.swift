// SPDX-License-Identifier: MIT

/// A cache of images under identifiers. AF 3: `AFImageCache`.
///
/// Called from any thread. After an image was added, every caller finds it, until it is removed or thrown out.
public protocol ImageCache: AnyObject, Sendable {
    /// Adds an image, in place of the one with the same identifier. AF: `addImage:withIdentifier:`.
    func add(_ image: Image, withIdentifier identifier: String)

    /// Removes an image. True if there was one. AF: `removeImageWithIdentifier:`.
    @discardableResult func removeImage(withIdentifier identifier: String) -> Bool

    /// Removes all images. True if there was one. AF: `removeAllImages`.
    @discardableResult func removeAllImages() -> Bool

    /// The image, which counts as used now. AF: `imageWithIdentifier:`.
    func image(withIdentifier identifier: String) -> Image?
}
