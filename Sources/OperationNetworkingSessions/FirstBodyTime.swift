// SPDX-License-Identifier: MIT
internal import Foundation

/// The time that a streamed upload takes until its delegate has given the content, of what the task may take in all, as
/// a value. The clock stands while the task is suspended.
struct FirstBodyTime: Sendable {
    /// The delay until the next look, and the number of that look.
    struct Alarm: Equatable, Sendable {
        let delay: TimeInterval
        let number: UInt
    }

    /// The meaning of an alarm.
    enum Look: Equatable, Sendable {
        /// It was made before the clock stood the last time.
        case nothing
        case later(Alarm)
        case over
    }

    /// Seconds, more than 0.
    let limit: TimeInterval
    private var spent: TimeInterval = 0
    /// The time when the clock began to run; nil: it stands.
    private var start: TimeInterval?
    /// Of the last alarm.
    private var number: UInt = 0

    /// A century, which no task waits for.
    private static let longest: TimeInterval = 3_155_760_000

    /// Nil for what is no limit for an operation either: not a number, or not positive, or more than a century.
    init?(limit: TimeInterval?) {
        guard let limit, limit > 0, limit < Self.longest else { return nil }
        self.limit = limit
    }

    /// The task runs. Nil: the clock did already.
    mutating func run(at now: TimeInterval) -> Alarm? {
        guard start == nil else { return nil }
        start = now
        number &+= 1
        return Alarm(delay: max(0, limit - spent), number: number)
    }

    /// The task is suspended.
    mutating func stand(at now: TimeInterval) {
        guard let began = start else { return }
        spent += max(0, now - began)
        start = nil
    }

    func look(_ number: UInt, at now: TimeInterval) -> Look {
        guard number == self.number, start != nil else { return .nothing }
        let rest = left(at: now)
        // Clocks of different kinds may disagree by a moment.
        return rest > 0.001 ? .later(Alarm(delay: rest, number: number)) : .over
    }

    /// Seconds that are left; 0 or less: none.
    func left(at now: TimeInterval) -> TimeInterval { limit - spent - (start.map { now - $0 } ?? 0) }
}
