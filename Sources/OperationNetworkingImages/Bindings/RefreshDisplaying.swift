// SPDX-License-Identifier: MIT

/// A view that shows that content is being loaded again. AF: a category on `UIRefreshControl`. See ``RefreshBinding``.
@MainActor
public protocol RefreshDisplaying: AnyObject {
    /// Content is being loaded.
    func beginRefreshing()
    /// No longer.
    func endRefreshing()
}
