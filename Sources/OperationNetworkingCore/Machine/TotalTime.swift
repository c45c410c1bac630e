// SPDX-License-Identifier: MIT
internal import Foundation

/// The time that an operation has taken so far, of what it may take in all. The clock stands while the operation is
/// paused, and while its request waits for one of its origin's connections.
///
/// Not safe by itself: guarded by the lock of the operation that it belongs to.
final class TotalTime {
    /// The delay until the next look, and the number of that look.
    struct Alarm: Equatable {
        let delay: TimeInterval
        let number: UInt
    }

    /// Seconds, more than 0.
    let limit: TimeInterval
    private var spent: TimeInterval = 0
    /// The time when the clock began to run; nil: it stands.
    private var start: TimeInterval?
    private var isPaused = true
    private var isWaiting = false
    /// Distinguishes alarms: one that was made before the clock stood the last time says nothing.
    private var number: UInt = 0

    /// Nil for what is no limit: not a number, or not positive, or more than a century.
    init?(limit: TimeInterval?) {
        guard let limit, limit > 0, limit < 3_155_760_000 else { return nil }
        self.limit = limit
    }

    /// The operation was started, or resumed.
    func run(at now: TimeInterval) -> Alarm? {
        isPaused = false
        return update(now)
    }

    func pause(at now: TimeInterval) {
        isPaused = true
        _ = update(now)
    }

    /// The request waits for a connection, or has one.
    func wait(_ isWaiting: Bool, at now: TimeInterval) -> Alarm? {
        self.isWaiting = isWaiting
        return update(now)
    }

    /// The attempt is over, and another may follow: the clock runs, and an alarm that found nothing to end is made
    /// good.
    func runBetweenAttempts(at now: TimeInterval) -> Alarm? {
        isWaiting = false
        guard let start else { return update(now) }
        number &+= 1
        return Alarm(delay: max(0, limit - spent - (now - start)), number: number)
    }

    /// Returns what an alarm means: that the time is over, or that a later look is needed; nil: nothing any more.
    func look(_ number: UInt, at now: TimeInterval) -> Look? {
        guard number == self.number, let start else { return nil }
        let left = limit - spent - (now - start)
        // Clocks of different kinds may disagree by a moment.
        return left > 0.001 ? .later(Alarm(delay: left, number: number)) : .over
    }

    enum Look: Equatable {
        case over
        case later(Alarm)
    }

    private func update(_ now: TimeInterval) -> Alarm? {
        let runs = !isPaused && !isWaiting
        guard runs != (start != nil) else { return nil }
        number &+= 1
        if let began = start {
            spent += max(0, now - began)
            start = nil
            return nil
        }
        start = now
        return Alarm(delay: max(0, limit - spent), number: number)
    }
}
