/// What shows an image: AFNetworking's category on `UIImageView`, for any kind of view. See ``ImageViewBinding``.
@MainActor
public protocol ImageDisplaying: AnyObject {
    /// Shows an image; nil: none.
    func display(_ image: Image?)
}
