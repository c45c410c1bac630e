// SPDX-License-Identifier: MIT
public import Foundation

/// An interceptor's decision about a failed attempt.
public enum RetryDecision: Sendable {
    /// Send the request again, now.
    case retry
    /// Send it again after so many seconds. A value that is no number, or below 0, counts as 0; a year at most.
    case retryAfter(TimeInterval)
    /// No decision. The next interceptor is asked, and after the last one the `retryPolicy`.
    case doNotRetry
    /// The operation fails, with this error in place of its own. It becomes `error` as it is.
    case doNotRetryWithError(any Error)
}
