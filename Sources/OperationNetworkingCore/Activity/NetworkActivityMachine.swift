// SPDX-License-Identifier: MIT
internal import Foundation

/// The decision when the user sees that the network is in use: AFNetworking 3's state machine, as a pure value.
///
/// The owner calls an input with its lock held, releases the lock, and does what the answer says. Timers have numbers:
/// one that comes with another number is ignored.
///
/// | input    | not active              | delaying start      | active                | delaying end |
/// |----------|-------------------------|---------------------|-----------------------|--------------|
/// | activity | delaying start          | –                   | –                     | active       |
/// | none     | –                       | – (1)               | delaying end          | –            |
/// | timer    | –                       | active, not active  | –                     | not active   |
/// | disabled | –                       | not active          | not active            | not active   |
///
/// 1. The timer runs out in any case: requests in quick succession are one activity.
struct NetworkActivityMachine: Equatable {
    enum State: Equatable { case notActive, delayingStart, active, delayingEnd }

    enum Action: Equatable {
        case none
        /// Come back with this number in so many seconds.
        case wait(TimeInterval, UInt)
    }

    private(set) var state = State.notActive
    private(set) var isEnabled = false
    /// Seconds; AFNetworking's.
    var activationDelay: TimeInterval = 1
    var completionDelay: TimeInterval = 0.17
    private var number: UInt = 0

    /// True if the user sees the activity.
    var isVisible: Bool { state == .active || state == .delayingEnd }

    mutating func setEnabled(_ isEnabled: Bool, isOccurring: Bool) -> Action {
        self.isEnabled = isEnabled
        guard isEnabled else {
            enter(.notActive)
            return .none
        }
        return update(isOccurring: isOccurring)
    }

    /// There may be activity now where there was none, or the other way round.
    mutating func update(isOccurring: Bool) -> Action {
        guard isEnabled else { return .none }
        switch (state, isOccurring) {
        case (.notActive, true):
            return delay(.delayingStart, activationDelay, then: .active)
        case (.active, false):
            return delay(.delayingEnd, completionDelay, then: .notActive)
        case (.delayingEnd, true):
            enter(.active)
            return .none
        case (.notActive, false), (.delayingStart, _), (.active, true), (.delayingEnd, false):
            return .none
        }
    }

    mutating func timerFired(_ number: UInt, isOccurring: Bool) -> Action {
        guard number == self.number else { return .none }
        switch state {
        case .delayingStart: enter(isOccurring ? .active : .notActive)
        case .delayingEnd: enter(.notActive)
        case .notActive, .active: break
        }
        return update(isOccurring: isOccurring)
    }

    /// Enters a state that lasts for `seconds`, or the one after it when these are 0 or less.
    private mutating func delay(_ delaying: State, _ seconds: TimeInterval, then next: State) -> Action {
        guard seconds > 0 else {
            enter(next)
            return .none
        }
        enter(delaying)
        return .wait(seconds, number)
    }

    private mutating func enter(_ state: State) {
        self.state = state
        number &+= 1
    }
}
