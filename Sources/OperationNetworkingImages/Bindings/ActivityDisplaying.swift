/// What shows that something is going on: AFNetworking's category on `UIActivityIndicatorView`, for any kind of view. See
/// ``ActivityBinding``.
@MainActor
public protocol ActivityDisplaying: AnyObject {
    /// Something is going on.
    func startAnimating()
    /// No longer.
    func stopAnimating()
}
