// SPDX-License-Identifier: MIT
internal import Foundation

/// How an attempt ended, as its operation is told.
struct AttemptEnd: Sendable {
    /// What became of the response's content.
    enum Content {
        /// It is where it was: partial, or that of an error response, which did not go to its place.
        case kept
        /// It was in memory, and is `data` now.
        case read
        /// It was written where it belongs.
        case written
    }

    /// Why there is no response; nil: there is one.
    var error: (any Error)?
    var data: Data?
    /// What the attempt took; nil: nothing was sent, nor served from the cache.
    var measured: MeasuredAttempt?
    var content = Content.kept
    /// Nobody knows of the attempt yet: should the operation be paused, its next start makes another.
    var isUnsent = false
    /// Another attempt may follow, as far as content and request can be repeated.
    var isRepeatable = false
    /// When the attempt began.
    var startDate: Date?
}
