// SPDX-License-Identifier: MIT
public import Foundation

/// Rules for further attempts of a durable request, which the store keeps over restarts and machines.
///
/// They are about attempts that the queue makes, each with an operation of its own. The manager's `retryPolicy`, if it
/// has one, holds within an attempt. An attempt whose worker was killed is none that failed: the request is sent again.
/// POST and PATCH are sent again as other methods are, under the same `Idempotency-Key`.
public struct DurableRetryPolicy: Sendable, Codable, Equatable {
    /// Attempts in all. 5 by default; 1 or less: no other one.
    public var maximumAttempts: Int
    /// The longest wait after the first failure, in seconds, of which a random part is taken. 1 by default.
    public var initialDelay: TimeInterval
    /// The factor from each longest wait to the next. 2 by default.
    public var factor: Double
    /// Seconds that no wait is longer than, but for a `Retry-After`. 300 by default.
    public var maximumDelay: TimeInterval
    /// Statuses that another attempt may do better than. 408, 425, 429, 500, 502, 503 and 504 by default.
    public var statusCodes: Set<Int>
    /// The longest `Retry-After` that is waited for, in seconds, by the request, and, after 429 and 503, by all
    /// requests to its host. A longer one counts as this. An hour by default; 0: none is waited for.
    public var maximumRetryAfter: TimeInterval

    /// Makes rules. A rule that is left out has its default.
    public init(
        maximumAttempts: Int = 5, initialDelay: TimeInterval = 1, factor: Double = 2,
        maximumDelay: TimeInterval = 300, statusCodes: Set<Int> = [408, 425, 429, 500, 502, 503, 504],
        maximumRetryAfter: TimeInterval = 3600
    ) {
        self.maximumAttempts = maximumAttempts
        self.initialDelay = initialDelay
        self.factor = factor
        self.maximumDelay = maximumDelay
        self.statusCodes = statusCodes
        self.maximumRetryAfter = maximumRetryAfter
    }

    /// Seconds before another attempt; nil: there is none.
    ///
    /// - Parameters:
    ///   - failures: the number of attempts that failed, this one included.
    ///   - chance: from 0 up to 1.
    ///   - retryAfter: what the server asked for, in seconds.
    func delay(afterFailures failures: Int, chance: Double, retryAfter: TimeInterval?) -> TimeInterval? {
        guard failures < maximumAttempts else { return nil }
        // Infinite after many failures, which the maximum takes care of.
        let longest = RecordRules.bounded(initialDelay) * pow(factor > 1 ? factor : 1, Double(max(failures - 1, 0)))
        let backOff = chance * min(longest, RecordRules.bounded(maximumDelay))
        return backOff + min(RecordRules.bounded(retryAfter ?? 0), RecordRules.bounded(maximumRetryAfter))
    }
}
