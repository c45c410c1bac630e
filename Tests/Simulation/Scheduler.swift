// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport

/// Runs the library's threads on one thread: every hop is a step, and steps are taken in random order, in between each
/// other wherever a critical section ends.
final class Scheduler {
    typealias Work = () -> Void

    var random: SeededRandom
    /// Steps taken.
    private(set) var steps = 0
    /// Seconds of the virtual clock.
    private(set) var now = 0.0
    /// The library's network thread is running, and not interrupted by another one.
    private(set) var isOnNetworkThread = false

    /// Commands to the network thread, in order.
    private var network: [Work] = []
    /// Those that it has taken up. What it gives itself to do comes after these, and so before what others do meanwhile.
    private var pass: [Work] = []
    private var isNetworkBusy = false
    /// Work on pools: in any order.
    private var pool: [Work] = []
    /// Serial queues of the user's.
    private var queues: [SerialQueue] = []
    private var timers: [(time: Double, work: Work)] = []
    private var depth = 0
    private var isAtomic = false

    /// What the network does by itself: makes one of its events happen; false: there is none.
    var networkEvent: () -> Bool = { false }
    /// What the users' threads do next; false: nothing.
    var userAction: () -> Bool = { false }
    /// Looks at the library before another thread comes in between.
    var willInterleave: () -> Void = {}

    private final class SerialQueue {
        let id: ObjectIdentifier
        var work: [Work] = []
        var isBusy = false
        init(_ id: ObjectIdentifier) { self.id = id }
    }

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    func onNetworkThread(_ work: @escaping Work) {
        if isOnNetworkThread { pass.append(work) } else { network.append(work) }
    }
    func onPool(_ work: @escaping Work) { pool.append(work) }
    func after(_ seconds: Double, _ work: @escaping Work) { timers.append((now + seconds, work)) }

    func on(_ queue: ObjectIdentifier, _ work: @escaping Work) {
        if let known = queues.first(where: { $0.id == queue }) {
            known.work.append(work)
        } else {
            let new = SerialQueue(queue)
            new.work.append(work)
            queues.append(new)
        }
    }

    /// Looks at the library without anybody's coming in between.
    func atomically<Result>(_ body: () -> Result) -> Result {
        let outer = isAtomic
        isAtomic = true
        defer { isAtomic = outer }
        return body()
    }

    /// Another thread may come in between here.
    func interleave() {
        guard !isAtomic, depth < 4, random.chance(5) else { return }
        atomically(willInterleave)
        _ = step()
    }

    /// Takes one step of any thread that is free. False: there is nothing to do but to wait for the clock.
    func step() -> Bool {
        depth += 1
        defer { depth -= 1 }
        steps += 1
        let first = random.below(5)
        for offset in 0..<5 where take((first + offset) % 5) { return true }
        return false
    }

    /// Moves the clock on to the next timer. False: there is none.
    func advanceClock() -> Bool {
        guard let index = timers.indices.min(by: { timers[$0].time < timers[$1].time }) else { return false }
        let timer = timers.remove(at: index)
        now = max(now, timer.time)
        off(timer.work)
        return true
    }

    /// Lets time pass, with what is to happen meanwhile.
    func pass(_ seconds: Double) {
        let end = now + seconds
        while timers.contains(where: { $0.time <= end }) { _ = advanceClock() }
        now = max(now, end)
    }

    private func take(_ kind: Int) -> Bool {
        switch kind {
        case 0:
            guard !isNetworkBusy, !(pass.isEmpty && network.isEmpty) else { return false }
            if pass.isEmpty { swap(&pass, &network) }
            on(pass.removeFirst())
            return true
        case 1:
            guard !isNetworkBusy else { return false }
            var happened = false
            on { happened = self.networkEvent() }
            return happened
        case 2:
            guard !pool.isEmpty else { return false }
            off(pool.remove(at: random.below(pool.count)))
            return true
        case 3:
            let free = queues.filter { !$0.isBusy && !$0.work.isEmpty }
            guard !free.isEmpty else { return false }
            let queue = free[random.below(free.count)]
            queue.isBusy = true
            off(queue.work.removeFirst())
            queue.isBusy = false
            return true
        default:
            var happened = false
            off { happened = self.userAction() }
            return happened
        }
    }

    private func on(_ work: Work) {
        let outer = isOnNetworkThread
        isNetworkBusy = true
        isOnNetworkThread = true
        work()
        isOnNetworkThread = outer
        isNetworkBusy = false
    }

    private func off(_ work: Work) {
        let outer = isOnNetworkThread
        isOnNetworkThread = false
        work()
        isOnNetworkThread = outer
    }
}
