// SPDX-License-Identifier: MIT
public import OperationNetworking

/// Shows with a refresh control whether an operation is executing. AF: `UIRefreshControl+AFNetworking`.
@MainActor
public final class RefreshBinding {
    private weak var control: (any RefreshDisplaying)?
    private let follower = OperationFollower()

    /// A binding for a control, which is not kept alive, and keeps the binding.
    public init(_ control: any RefreshDisplaying) {
        self.control = control
    }

    /// Follows an operation in place of the one before. The control is refreshing while it is executing. AF:
    /// `setRefreshingWithStateOfOperation:`.
    ///
    /// - Parameter operation: the operation. Of nil, and of one that has finished, nothing is shown: the control stays as
    ///   it is.
    public func setRefreshingWithState(of operation: URLConnectionOperation?) {
        follower.follow(operation) { [weak control] isExecuting in
            if isExecuting { control?.beginRefreshing() } else { control?.endRefreshing() }
        }
    }
}
