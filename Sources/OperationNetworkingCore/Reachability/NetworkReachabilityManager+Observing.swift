// SPDX-License-Identifier: MIT
internal import NetworkingSupport

extension NetworkReachabilityManager {
    /// Calls `handler` like the block of `setReachabilityStatusChangeBlock(_:)`, after it. There may be any number of
    /// observers.
    ///
    /// - Returns: a token that ends the observation when it is invalidated or released.
    public func observeStatus(_ handler: @escaping @Sendable (Status) -> Void) -> NetworkReachabilityObservation {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.observers.append((state.lastNumber, handler))
            return state.lastNumber
        }
        return NetworkReachabilityObservation(self, number)
    }

    fileprivate func removeObserver(_ number: UInt64) {
        let removed = state.withLock { state in
            let index = state.observers.firstIndex { $0.number == number }
            return index.map { state.observers.remove(at: $0).handler }
        }
        withExtendedLifetime(removed) {}
    }

    /// A stream of the statuses, which begins with the present one. Each access makes a stream for one loop.
    ///
    /// Statuses come in order, and never twice in succession; of more than 64 that were not taken the oldest are left
    /// out. Monitoring is up to `startMonitoring()` and `stopMonitoring()`, after which nothing comes until the next
    /// start. The stream keeps the manager alive, and ends with the task that takes from it.
    ///
    /// ```swift
    /// reachability.startMonitoring()
    /// for await status in reachability.statuses where status != .unknown {
    ///     print(status.localizedString)
    /// }
    /// ```
    public var statuses: AsyncStream<Status> {
        let subscription = StatusSubscription(self)
        return AsyncStream(unfolding: { await subscription.next() }, onCancel: { subscription.end() })
    }
}

/// Keeps an observation of a reachability manager alive, until `invalidate()` is called or the token is released.
public final class NetworkReachabilityObservation: Sendable {
    private weak let manager: NetworkReachabilityManager?
    private let number: UInt64

    fileprivate init(_ manager: NetworkReachabilityManager, _ number: UInt64) {
        self.manager = manager
        self.number = number
    }

    deinit {
        invalidate()
    }

    /// Ends the observation. A call that another thread is making at this moment may still come to its end.
    public func invalidate() {
        manager?.removeObserver(number)
    }
}
