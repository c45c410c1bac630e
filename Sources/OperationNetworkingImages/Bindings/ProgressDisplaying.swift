/// What shows how much of something is done: AFNetworking's category on `UIProgressView`, for any kind of view. See
/// ``ProgressBinding``.
@MainActor
public protocol ProgressDisplaying: AnyObject {
    /// Shows a progress from 0 to 1.
    func setProgress(_ progress: Double, animated: Bool)
}
