// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc
internal import NetworkingSupport

/// Runs what would be on many threads on one, a step at a time, in an order that a seed decides.
///
/// Steps may be added from any thread; they are taken on the one that calls `run`.
// Sendable because the fields below are guarded by `condition`, or belong to the running thread, as they say.
final class SimulatedScheduler: @unchecked Sendable {
    typealias Work = @Sendable () -> Void

    /// The reason that a run ended before its body.
    enum Failure: Error {
        /// Nothing is left to happen, and no work has come for some seconds.
        case stalled
    }

    private let condition = NSCondition()

    // Guarded by `condition`.
    private var random: SeededRandom
    /// Commands to the network thread, in order.
    private var network: [Work] = []
    /// Events that happen in the network by themselves, in any order.
    private var events: [Work] = []
    /// Work of pools and pieces of asynchronous functions, in any order.
    private var pool: [Work] = []
    /// Serial queues of the user's.
    private var queues: [(id: ObjectIdentifier, work: [Work])] = []
    /// The earliest is found when it is wanted: there are few.
    private var timers: [Alarm] = []
    private var lastTimer: UInt = 0
    /// Done on the network thread when the run is over.
    private var endings: [Work] = []
    private var time: TimeInterval = 0
    /// The end has begun: no timer is set any more.
    private var isEnding = false
    private var isOver = false
    /// Work came from another thread at least once: there may be more.
    private var hasForeignWork = false
    private var thread: pthread_t?

    /// The running thread only. A step of the network thread is being taken.
    private var isOnNetworkThread = false

    /// Real seconds that other threads get before the clock moves on: hardly any, while none have taken part.
    private static let patience = (alone: 0.001, together: 0.05)
    /// Steps after which a run ends whatever is left: a program may ask anew whenever a request is cancelled.
    private static let lastSteps = 50_000
    /// Real seconds without any news after which a run has come to a standstill.
    private let standstill: TimeInterval

    init(seed: UInt64, standstill: TimeInterval) {
        random = SeededRandom(seed: seed)
        self.standstill = standstill
    }

    /// Seconds of the virtual clock.
    var now: TimeInterval { condition.withLock { time } }

    /// A number from 0 up to 1.
    var chance: Double { condition.withLock { Double(random.below(1 << 30)) / Double(1 << 30) } }

    /// True while the calling thread takes a step of the network thread, and on any thread after the run is over.
    var isNetworkThread: Bool {
        let (isOver, isCurrent) = condition.withLock { (self.isOver, isRunningThread) }
        return isOver || (isCurrent && isOnNetworkThread)
    }

    /// True if the calling thread takes the steps. Called with `condition` held.
    private var isRunningThread: Bool {
        guard let thread else { return false }
        return pthread_equal(thread, pthread_self()) != 0
    }

    // MARK: Handing in, from any thread

    func onNetworkThread(_ work: @escaping Work) { add(work) { $0.network.append(work) } }

    func onNetworkEvent(_ work: @escaping Work) { add(work) { $0.events.append(work) } }

    func onPool(_ work: @escaping Work) { add(work) { $0.pool.append(work) } }

    func on(_ queue: ObjectIdentifier, _ work: @escaping Work) {
        add(work) { scheduler in
            if let index = scheduler.queues.firstIndex(where: { $0.id == queue }) {
                scheduler.queues[index].work.append(work)
            } else {
                scheduler.queues.append((queue, [work]))
            }
        }
    }

    /// Lets `work` be done when the clock has moved on.
    ///
    /// - Parameter isSleep: True if it wakes a task of the user's, and is not to be done when the run ends before.
    func after(_ seconds: TimeInterval, isSleep: Bool, _ work: @escaping Work) {
        add(nil) { scheduler in
            guard !scheduler.isEnding else { return }
            scheduler.lastTimer += 1
            scheduler.timers.append(
                Alarm(
                    time: scheduler.time + max(0, seconds), number: scheduler.lastTimer, isSleep: isSleep, work: work))
        }
    }

    /// Lets `work` be done on the network thread when the run is over; at once if it is.
    func atEnd(_ work: @escaping Work) { add(work) { $0.endings.append(work) } }

    /// - Parameter late: done at once by the caller when the run is over; nil: not at all.
    private func add(_ late: Work?, _ insert: (SimulatedScheduler) -> Void) {
        let isLate = condition.withLock {
            guard !isOver else { return true }
            if thread != nil, !isRunningThread { hasForeignWork = true }
            insert(self)
            condition.signal()
            return false
        }
        if isLate { late?() }
    }

    // MARK: Running

    private struct Alarm {
        let time: TimeInterval
        let number: UInt
        let isSleep: Bool
        let work: Work
    }

    private enum Step {
        case network(Work)
        case other(Work)
        /// The clock has moved on.
        case timer(Work)
        case standstill
    }

    /// Takes steps until `isDone` says so. On one thread.
    func run(until isDone: () -> Bool) throws(Failure) {
        condition.withLock { thread = pthread_self() }
        while !isDone() {
            switch nextStep() {
            case .network(let work):
                isOnNetworkThread = true
                work()
                isOnNetworkThread = false
            case .other(let work), .timer(let work):
                work()
            case .standstill:
                // What ended the body may have come last.
                if isDone() { return }
                throw .stalled
            }
        }
    }

    /// Does what was kept for the end, and the steps that are left, without moving the clock; then what waits for a
    /// timer of the library's, such as an operation in back-off, which ends by it. Timers that are set meanwhile do not
    /// go off: each might set another. Work that is handed in afterwards is done by the code that hands it in.
    func finish() {
        condition.withLock { thread = pthread_self() }
        var count = 0
        while count < Self.lastSteps, let step = condition.withLock({ takeLastStep() }) {
            count += 1
            switch step {
            case .network(let work):
                isOnNetworkThread = true
                work()
                isOnNetworkThread = false
            case .other(let work), .timer(let work):
                work()
            case .standstill:
                break
            }
        }
        // Sleeps, and what the limit cut off. Released without the lock: it may be the last that holds an operation.
        let left = condition.withLock { () -> [[Work]] in
            isOver = true
            let rest: [[Work]] = [network, events, pool, queues.flatMap { $0.work }, timers.map { $0.work }, endings]
            network = []
            events = []
            pool = []
            queues = []
            timers = []
            endings = []
            return rest
        }
        withExtendedLifetime(left) {}
    }

    /// The next step of those that are left; nil: there is none, and the run is over. Called with `condition` held.
    private func takeLastStep() -> Step? {
        network += endings
        endings = []
        if let step = takeStep() { return step }
        isEnding = true
        if let alarm = takeAlarm(where: { !$0.isSleep }) { return .timer(alarm.work) }
        isOver = true
        return nil
    }

    private func nextStep() -> Step {
        condition.lock()
        defer { condition.unlock() }
        var deadline: Date?
        while true {
            if let step = takeStep() { return step }
            let patience = hasForeignWork ? Self.patience.together : Self.patience.alone
            let limit = deadline ?? Date(timeIntervalSinceNow: timers.isEmpty ? standstill : patience)
            deadline = limit
            if condition.wait(until: limit) { continue }
            if let step = takeStep() { return step }
            guard let alarm = takeAlarm(where: { _ in true }) else { return .standstill }
            time = max(time, alarm.time)
            return .timer(alarm.work)
        }
    }

    /// The earliest alarm. Called with `condition` held.
    private func takeAlarm(where isWanted: (Alarm) -> Bool) -> Alarm? {
        let wanted = timers.indices.filter { isWanted(timers[$0]) }
        guard let index = wanted.min(by: { isEarlier(timers[$0], timers[$1]) }) else { return nil }
        return timers.remove(at: index)
    }

    private func isEarlier(_ left: Alarm, _ right: Alarm) -> Bool {
        (left.time, left.number) < (right.time, right.number)
    }

    /// Of all that could happen now one thing, by chance. Called with `condition` held.
    private func takeStep() -> Step? {
        let waiting = queues.indices.filter { !queues[$0].work.isEmpty }
        let kinds = [!network.isEmpty, !events.isEmpty, !pool.isEmpty, !waiting.isEmpty]
        let possible = kinds.indices.filter { kinds[$0] }
        guard !possible.isEmpty else { return nil }
        switch possible[random.below(possible.count)] {
        case 0: return .network(network.removeFirst())
        case 1: return .network(events.remove(at: random.below(events.count)))
        case 2: return .other(pool.remove(at: random.below(pool.count)))
        default: return .other(queues[waiting[random.below(waiting.count)]].work.removeFirst())
        }
    }
}
