// SPDX-License-Identifier: MIT

extension DurableRequest {
    /// The state of a request in a store.
    ///
    /// ```text
    ///             added
    ///    ┌──────────┼───────────┐
    /// waiting → scheduled → ready ⇄ running → succeeded
    ///    │          ↑                │  │      failed
    ///    ↓          └── (retry) ─────┘  └────→ cancelled
    /// skipped
    /// ```
    /// The raw values are what stores keep; they never change their meaning.
    public enum State: Int, Sendable, Codable, CaseIterable {
        /// It waits for requests that it depends on.
        case waiting = 0
        /// It waits for its earliest start, or the end of a back-off.
        case scheduled = 1
        /// It may be leased by a worker, as far as the limits for its host allow that.
        case ready = 2
        /// A worker has a lease on it.
        case running = 3
        /// It ended with a response that the manager's serializer accepts.
        case succeeded = 4
        /// It ended with an error, of its last attempt or because its deadline was over.
        case failed = 5
        /// It was not sent, because a request that had to succeed first did not.
        case skipped = 6
        /// It was cancelled.
        case cancelled = 7

        /// True for a request that has ended. It is not sent again.
        public var isEnd: Bool {
            switch self {
            case .waiting, .scheduled, .ready, .running: false
            case .succeeded, .failed, .skipped, .cancelled: true
            }
        }

        /// Returns true if a request in this state may come into the other one. An end is the last state.
        public func canBecome(_ next: State) -> Bool {
            switch (self, next) {
            case (.waiting, .scheduled), (.waiting, .ready), (.waiting, .skipped): true
            case (.scheduled, .ready), (.ready, .running): true
            // A lease that was given back or ran out; another attempt after a back-off.
            case (.running, .ready), (.running, .scheduled): true
            case (.running, .succeeded): true
            // The deadline is over, or the last attempt failed.
            case (.waiting, .failed), (.scheduled, .failed), (.ready, .failed), (.running, .failed): true
            case (.waiting, .cancelled), (.scheduled, .cancelled), (.ready, .cancelled), (.running, .cancelled): true
            default: false
            }
        }
    }
}
