/// What shows that content is being loaded again: AFNetworking's category on `UIRefreshControl`, for any kind of view. See
/// ``RefreshBinding``.
@MainActor
public protocol RefreshDisplaying: AnyObject {
    /// Content is being loaded.
    func beginRefreshing()
    /// No longer.
    func endRefreshing()
}
