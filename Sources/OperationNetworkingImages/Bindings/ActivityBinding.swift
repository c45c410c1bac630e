// SPDX-License-Identifier: MIT
public import OperationNetworking

/// Shows with an indicator whether an operation is executing. AF: `UIActivityIndicatorView+AFNetworking`.
@MainActor
public final class ActivityBinding {
    private weak var indicator: (any ActivityDisplaying)?
    private let follower = OperationFollower()

    /// A binding for an indicator, which is not kept alive, and keeps the binding.
    public init(_ indicator: any ActivityDisplaying) {
        self.indicator = indicator
    }

    /// Follows an operation in place of the one before. The indicator is animated while it is executing, not while it
    /// waits or is paused. AF: `setAnimatingWithStateOfOperation:`.
    ///
    /// - Parameter operation: the operation. Of nil, and of one that has finished, nothing is shown: the indicator stays as
    ///   it is.
    public func setAnimatingWithState(of operation: URLConnectionOperation?) {
        follower.follow(operation) { [weak indicator] isExecuting in
            if isExecuting { indicator?.startAnimating() } else { indicator?.stopAnimating() }
        }
    }
}
