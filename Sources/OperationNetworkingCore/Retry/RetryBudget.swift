// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

/// Limits the retries of many operations to a share of their requests, so that a server in trouble does not get many
/// more than usual. It is a token bucket. One is shared by giving it to the ``RetryPolicy`` of a manager, or of the
/// members of a batch.
///
/// Every request adds `ratio` to what may be spent, every second `minimumPerSecond`, and a retry costs 1. An operation
/// that finds nothing left ends with its failure. At first there is what ten seconds bring; what is saved up is limited
/// to that of ten seconds and a thousand requests. What interceptors decide costs nothing.
///
/// ```swift
/// let budget = RetryBudget(ratio: 0.1)
/// for manager in managers {
///     manager.retryPolicy = RetryPolicy(budget: budget)
/// }
/// ```
public final class RetryBudget: Sendable {
    private struct Bucket {
        var tokens: Double
        /// The time of the last update, in seconds of the uptime; nil: there was none.
        var update: TimeInterval?
    }

    private let ratio: Double
    private let minimumPerSecond: Double
    private let capacity: Double
    private let bucket: Locked<Bucket>

    /// A budget. A value that is no number, or below 0, counts as 0.
    ///
    /// - Parameters:
    ///   - ratio: retries for each request. 0.2 by default: one in five.
    ///   - minimumPerSecond: retries in each second, however few requests there are. 1 by default.
    public init(ratio: Double = 0.2, minimumPerSecond: Double = 1) {
        let (ratio, minimum) = (Self.bounded(ratio), Self.bounded(minimumPerSecond))
        self.ratio = ratio
        self.minimumPerSecond = minimum
        capacity = 10 * minimum + 1000 * ratio
        bucket = Locked(Bucket(tokens: 10 * minimum))
    }

    private static func bounded(_ value: Double) -> Double { value > 0 ? min(value, 1e9) : 0 }

    /// An operation's first request is sent.
    func deposit(at now: TimeInterval) {
        bucket.withLock { bucket in
            refill(&bucket, at: now)
            bucket.tokens = min(capacity, bucket.tokens + ratio)
        }
    }

    /// Pays for one retry. False: there is nothing left.
    func withdraw(at now: TimeInterval) -> Bool {
        bucket.withLock { bucket in
            refill(&bucket, at: now)
            // Sums of tenths are not exact.
            guard bucket.tokens > 1 - 1e-9 else { return false }
            bucket.tokens = max(0, bucket.tokens - 1)
            return true
        }
    }

    private func refill(_ bucket: inout Bucket, at now: TimeInterval) {
        let passed = max(0, now - (bucket.update ?? now))
        bucket.tokens = min(capacity, bucket.tokens + passed * minimumPerSecond)
        bucket.update = max(now, bucket.update ?? now)
    }
}
