// SPDX-License-Identifier: MIT
internal import Foundation

/// The end of an attempt, as its operation receives it.
struct AttemptEnd: Sendable {
    /// The state of the response's content.
    enum Content {
        /// It is where it was: partial, or that of an error response, which did not go to its place.
        case kept
        /// It was in memory, and is `data` now.
        case read
        /// It was written where it belongs.
        case written
    }

    /// The reason that there is no response; nil: there is one.
    var error: (any Error)?
    var data: Data?
    /// The measurements of the attempt; nil: nothing was sent, nor served from the cache.
    var measured: MeasuredAttempt?
    var content = Content.kept
    /// The attempt was never started: if the operation is paused, its next start makes another.
    var isUnsent = false
    /// Another attempt may follow, as far as content and request can be repeated.
    var isRepeatable = false
    /// The time when the attempt began.
    var startDate: Date?
    /// The same by the monotonic clock.
    var startTime: UInt64?
}
