// SPDX-License-Identifier: MIT
internal import Foundation

/// The times when a manager looks at its target, and the reports that it makes: a pure value.
///
/// The owner calls an input with its lock held, releases the lock, and does what the answer says. Looks and timers have
/// numbers: a result with another number is from an earlier time, and is ignored.
///
/// | input        | stopped | looking        | resting           | waiting                  |
/// |--------------|---------|----------------|-------------------|--------------------------|
/// | start        | looking | looking, anew  | looking, anew     | looking, anew            |
/// | stop         | –       | stopped        | stopped           | stopped                  |
/// | changed      | –       | looks again    | looking, waiting  | looking, or waits less   |
/// | lost         | –       | looks again    | waiting           | –                        |
/// | look ended   | –       | resting, waiting (1) | –           | –                        |
/// | timer        | –       | –              | –                 | looking                  |
///
/// 1. When something changed meanwhile, or the look has to be repeated.
struct ReachabilityMachine: Equatable {
    typealias Status = NetworkReachabilityManager.Status

    enum Phase: Equatable {
        case stopped
        /// `again`: something changed since the look began.
        case looking(again: Bool)
        case resting
        /// The next look comes at this time.
        case waiting(until: TimeInterval)
    }

    enum Action: Equatable {
        case none
        /// Look at the target, and say with this number what was found.
        case look(UInt)
        /// Come back with this number in so many seconds.
        case wait(TimeInterval, UInt)
    }

    /// The result of a look.
    struct Finding: Equatable {
        /// Nil: nothing; what was known stays.
        var status: Status?
        /// It has to be looked at again, although nothing need change: a name server did not answer.
        var isProvisional = false
    }

    /// Seconds from the end of a look to the next, so that a storm of changes is not one of looks.
    static let interval: TimeInterval = 0.1
    /// Seconds after which a look is repeated, at first and at most; doubled each time.
    static let repetition: (first: TimeInterval, most: TimeInterval) = (1, 60)

    private(set) var phase = Phase.stopped
    /// The status that was found last, also before the machine was stopped.
    private(set) var status = Status.unknown
    /// The status that was reported last since the start.
    private var told: Status?
    private var number: UInt = 0
    private var lastEnd: TimeInterval = -.infinity
    /// The number of provisional looks in succession.
    private var repetitions = 0

    /// The number of the first look.
    mutating func start() -> UInt {
        told = nil
        repetitions = 0
        return beginLook()
    }

    mutating func stop() {
        phase = .stopped
        number &+= 1
    }

    /// Something in the network changed.
    mutating func changed(now: TimeInterval) -> Action {
        switch phase {
        case .stopped:
            return .none
        case .looking:
            phase = .looking(again: true)
            return .none
        case .resting:
            return comeBack(at: lastEnd + Self.interval, now: now)
        case .waiting(let time):
            let wanted = max(now, lastEnd + Self.interval)
            return time <= wanted ? .none : comeBack(at: wanted, now: now)
        }
    }

    /// Changes are not heard any more: the next look subscribes to them again.
    mutating func lost(now: TimeInterval) -> Action {
        switch phase {
        case .stopped, .waiting:
            return .none
        case .looking:
            phase = .looking(again: true)
            return .none
        case .resting:
            return comeBack(at: now + Self.repetition.first, now: now)
        }
    }

    mutating func timerFired(_ number: UInt) -> Action {
        guard number == self.number, case .waiting = phase else { return .none }
        return .look(beginLook())
    }

    /// - Returns: what to tell, if it is new.
    mutating func lookEnded(_ number: UInt, _ finding: Finding, now: TimeInterval) -> (tell: Status?, action: Action) {
        guard number == self.number, case .looking(let again) = phase else { return (nil, .none) }
        lastEnd = now
        phase = .resting
        var action = Action.none
        if finding.isProvisional {
            let delay = min(Self.repetition.first * pow(2, Double(min(repetitions, 16))), Self.repetition.most)
            repetitions += 1
            action = comeBack(at: now + (again ? Self.interval : delay), now: now)
        } else {
            repetitions = 0
            if again { action = comeBack(at: now + Self.interval, now: now) }
        }
        if let found = finding.status { status = found }
        guard told != status else { return (nil, action) }
        told = status
        return (status, action)
    }

    private mutating func beginLook() -> UInt {
        phase = .looking(again: false)
        number &+= 1
        return number
    }

    private mutating func comeBack(at time: TimeInterval, now: TimeInterval) -> Action {
        guard time > now else { return .look(beginLook()) }
        phase = .waiting(until: time)
        number &+= 1
        return .wait(time - now, number)
    }
}
