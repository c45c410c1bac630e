/// What shows errors: AFNetworking's category on `UIAlertView`, for any kind of view. See ``ErrorBinding``.
@MainActor
public protocol ErrorDisplaying: AnyObject {
    /// Shows an error.
    ///
    /// - Parameters:
    ///   - title: what went wrong, or "Error".
    ///   - message: why, or what to do.
    func displayError(title: String, message: String)
}
