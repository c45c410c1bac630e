// SPDX-License-Identifier: MIT
internal import CLinux
internal import Dispatch
package import Foundation

/// Threads of our own that run short pieces of work, one after the other each.
///
/// Not a dispatch queue: all code in the process shares the dispatch threads, and a program may block them all. No more
/// threads than `limit` are made, and none before there is work. Work of one lane begins in order of arrival; lanes
/// take turns, and none has all threads where `laneLimit` is less than `limit`. Beyond `eagerLimit` threads are made only
/// for work that has waited for some milliseconds: one at a time while other work ends, twice as many while none does.
/// Hundreds of short pieces that come at once are done by a few threads, however busy the machine is, and pieces that
/// wait for each other get theirs all the same.
// Sendable because everything mutable is guarded by `condition`.
package final class WorkerPool: @unchecked Sendable {
    private struct Lane {
        /// Nil: taken.
        var work: [(@Sendable () -> Void)?] = []
        var head = 0
        var running = 0
        /// It is among `ready`.
        var isReady = false

        var isEmpty: Bool { head == work.count }

        mutating func take() -> (@Sendable () -> Void)? {
            // Finished work is released, with all that it holds, also where there is always more to do.
            let body = work[head].take()
            head += 1
            if head == work.count {
                work.removeAll(keepingCapacity: work.count < 1024)
                head = 0
            } else if head > 1024, head * 2 > work.count {
                work.removeFirst(head)
                head = 0
            }
            return body
        }
    }

    private let name: String
    private let limit: Int
    private let laneLimit: Int
    private let eagerLimit: Int
    /// Seconds after which a thread without work ends; nil: it stays.
    private let patience: TimeInterval?
    /// Starts a thread with a stack of so many bytes; false: there is no room for one.
    private let start: @Sendable (Int, @escaping @Sendable () -> Void) -> Bool
    private let condition = NSCondition()
    // All below: guarded by `condition`.
    private var lanes: [String: Lane] = [:]
    /// Lanes whose next piece of work may begin, each once.
    private var ready: [String] = []
    private var threads = 0
    private var idle = 0
    /// Idle threads that were woken and have not come yet.
    private var woken = 0
    /// Pieces of work that came, those that were begun, and those that ended, of all lanes.
    private var (added, begun, ended): (UInt64, UInt64, UInt64) = (0, 0, 0)
    /// The values of `added` and `ended` when a look was requested that checks for enough threads; nil: none was
    /// requested.
    private var growthMark: (added: UInt64, ended: UInt64)?

    /// Seconds that work waits for a thread to be done with other work, before one more is made.
    private static let hesitation = 0.005
    /// Seconds after which a thread is tried again that could not be made.
    private static let shortage = 0.05
    /// Gets its own thread, also when a program blocks all threads that dispatch shares out.
    private static let growth = DispatchQueue(label: "OperationNetworking.poolGrowth")

    /// A pool of at most `limit` threads.
    ///
    /// - Parameters:
    ///   - name: the threads' name; the system keeps its first 15 bytes.
    ///   - limit: the largest number of threads; `Int.max` for work that may wait for other work of the same pool.
    ///   - laneLimit: the largest number of them that one lane may have.
    ///   - eagerLimit: how many are made at once, where there is work for them; further ones hesitate.
    ///   - patience: seconds after which a thread without work ends; nil: it stays.
    ///   - start: starts a thread with a stack of so many bytes. False: there is no room for one.
    package init(
        name: String, limit: Int, laneLimit: Int = .max, eagerLimit: Int = .max, patience: TimeInterval? = nil,
        start: @escaping @Sendable (Int, @escaping @Sendable () -> Void) -> Bool = { stackSize, body in
            SystemThread.start(stackSize: stackSize, body)
        }
    ) {
        self.start = start
        self.name = name
        self.limit = max(limit, 1)
        self.laneLimit = max(laneLimit, 1)
        self.eagerLimit = max(eagerLimit, 1)
        self.patience = patience
    }

    /// Runs `body` on one of the pool's threads.
    ///
    /// - Parameter lane: whose work it is.
    package func perform(lane key: String = "", _ body: @escaping @Sendable () -> Void) {
        enum Need { case nothing, thread, look }
        let need = condition.withLock { () -> Need in
            lanes[key, default: Lane()].work.append(body)
            added &+= 1
            guard makeReady(key) else { return .nothing }
            if idle > woken {
                woken += 1
                condition.signal()
                return .nothing
            }
            guard threads < limit else { return .nothing }
            guard threads < eagerLimit else { return askForLook() ? .look : .nothing }
            threads += 1
            return .thread
        }
        switch need {
        case .nothing: break
        case .thread: makeThread()
        case .look: growSoon()
        }
    }

    private func makeThread() {
        guard !start(1 << 20, { [self] in run() }) else { return }
        // Without another look the work would wait for ever, where no thread is left to do it.
        let isLookDue = condition.withLock {
            threads -= 1
            return !ready.isEmpty && askForLook()
        }
        if isLookDue { growSoon(after: Self.shortage) }
    }

    // MARK: Growing

    /// Notes what has to be begun by the next look. False: a look was requested already. With the lock held.
    private func askForLook() -> Bool {
        guard growthMark == nil else { return false }
        growthMark = (added, ended)
        return true
    }

    private func growSoon(after delay: TimeInterval = WorkerPool.hesitation) {
        Self.growth.asyncAfter(deadline: .now() + delay) { [self] in grow() }
    }

    /// Makes threads for the pieces of work that have waited since the look was asked for.
    private func grow() {
        let (count, isLookDue) = condition.withLock {
            let mark = growthMark.take() ?? (added: 0, ended: ended)
            let late = mark.added > begun ? Int(clamping: mark.added - begun) : 0
            // What makes the work late, if other work ends, is a machine that has no time for more threads either.
            let step = mark.ended == ended ? max(threads, 1) : 1
            let count = max(0, min(late - (idle - woken), step, limit - threads))
            threads += count
            return (count, added > begun && threads < limit && askForLook())
        }
        for _ in 0..<count { makeThread() }
        if isLookDue { growSoon() }
    }

    /// True if the caller is on one of the pool's threads.
    package var isCurrentThread: Bool { Self.slot.address == Unmanaged.passUnretained(self).toOpaque() }

    /// True if the caller is on a thread of any pool.
    package static var isOnOne: Bool { slot.address != nil }

    /// The slot in which each thread keeps the pool that it belongs to.
    private static let slot = ThreadSlot()

    /// False: the lane has as many threads as it may have, or no work.
    private func makeReady(_ key: String) -> Bool {
        guard let lane = lanes[key], !lane.isEmpty, lane.running < laneLimit else { return false }
        if !lane.isReady {
            lanes[key]?.isReady = true
            ready.append(key)
        }
        return true
    }

    private func run() {
        Self.slot.address = Unmanaged.passUnretained(self).toOpaque()
        defer { Self.slot.address = nil }
        // Here, since the system gives a thread the name of the one that starts it.
        on_set_thread_name(name)
        var last: String?
        while let (key, body) = next(after: last) {
            body()
            last = key
        }
    }

    /// The next piece of work; nil: the thread is to end.
    ///
    /// - Parameter last: the lane of the piece that the thread has done.
    private func next(after last: String?) -> (lane: String, body: @Sendable () -> Void)? {
        condition.withLock {
            if let last {
                ended &+= 1
                lanes[last]?.running -= 1
                if !makeReady(last), lanes[last].map({ $0.isEmpty && $0.running == 0 }) == true { lanes[last] = nil }
            }
            while ready.isEmpty {
                idle += 1
                defer {
                    idle -= 1
                    woken = max(0, woken - 1)
                }
                guard let patience else {
                    condition.wait()
                    continue
                }
                if !condition.wait(until: Date(timeIntervalSinceNow: patience)), ready.isEmpty {
                    threads -= 1
                    return nil
                }
            }
            let key = ready.removeFirst()
            lanes[key]?.isReady = false
            lanes[key]?.running += 1
            guard let body = lanes[key]?.take() else { return nil }
            begun &+= 1
            _ = makeReady(key)
            return (key, body)
        }
    }
}
