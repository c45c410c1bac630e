// SPDX-License-Identifier: MIT
public import Foundation

/// The decisions that all stores make in the same way, as pure values.
public enum RecordRules {
    /// Returns the state of a request that comes into the store.
    ///
    /// - Parameters:
    ///   - verdicts: what is known of each dependency; nil for one that is open.
    ///   - delay: seconds before it may be sent.
    public static func firstState(
        _ verdicts: some Sequence<DurableRequest.Dependency.Verdict?>, delay: TimeInterval
    ) -> (state: DurableRequest.State, openDependencies: Int) {
        var open = 0
        for verdict in verdicts {
            switch verdict {
            case .skipped: return (.skipped, 0)
            case .satisfied: break
            case nil: open += 1
            }
        }
        return (open > 0 ? .waiting : stateWhenDue(in: delay), open)
    }

    /// `ready`, or `scheduled` while there is a time to wait for.
    public static func stateWhenDue(in delay: TimeInterval) -> DurableRequest.State { delay > 0 ? .scheduled : .ready }

    /// The change of a running request by an outcome.
    public struct Next: Sendable, Equatable {
        /// The next state.
        public var state: DurableRequest.State
        /// Seconds before the next attempt.
        public var delay: TimeInterval = 0
        /// True if the attempt counts as a failure.
        public var isFailure = false
        /// A reason of the store's own for the end.
        public var reason: StoreEndReason?
        /// The result to keep. Nil: what there is stays.
        public var result: StoredResult?
    }

    /// Returns the change of a running request by an outcome.
    ///
    /// - Parameters:
    ///   - disposition: what the worker says.
    ///   - isCancelling: true if the request was cancelled while it was running.
    ///   - timeToDeadline: seconds that are left; nil: there is no deadline.
    public static func next(
        after disposition: AttemptOutcome.Disposition, isCancelling: Bool, timeToDeadline: TimeInterval?
    ) -> Next {
        switch disposition {
        case .succeeded(let result): Next(state: .succeeded, result: result)
        // One that was cancelled fails by that, whatever the worker saw of it.
        case .failed(let result): Next(state: isCancelling ? .cancelled : .failed, isFailure: true, result: result)
        case .cancelled(let result): Next(state: .cancelled, result: result)
        case .retry(let delay, let result):
            if isCancelling {
                Next(state: .cancelled, isFailure: true, result: result)
            } else if let timeToDeadline, bounded(delay) >= timeToDeadline {
                Next(state: .failed, isFailure: true, reason: .deadline, result: result)
            } else {
                Next(state: stateWhenDue(in: delay), delay: bounded(delay), isFailure: true, result: result)
            }
        case .released: Next(state: isCancelling ? .cancelled : .ready)
        }
    }

    /// Returns the change of a request whose lease has run out.
    ///
    /// - Parameters:
    ///   - losses: the number of leases of the request that ran out before this one.
    ///   - maximumLosses: the number after which it fails.
    ///   - isCancelling: true if the request was cancelled while it was running.
    public static func afterLoss(losses: Int, maximumLosses: Int, isCancelling: Bool) -> Next {
        if isCancelling { return Next(state: .cancelled) }
        return losses >= maximumLosses
            ? Next(state: .failed, reason: .lostTooOften) : Next(state: .ready)
    }

    /// The longest span of time, ten years.
    public static let longestSpan: TimeInterval = 315_360_000

    /// The largest number of requests that one call leases. A worker that wants more asks again.
    static let leaseLimit = 10_000

    /// Returns the seconds within the limits, and 0 for a value that is no time.
    public static func bounded(_ seconds: TimeInterval) -> TimeInterval {
        seconds > 0 ? min(seconds, longestSpan) : 0
    }
}
