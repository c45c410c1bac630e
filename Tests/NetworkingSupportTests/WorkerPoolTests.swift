// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import Testing

@Suite("WorkerPool", .timeLimit(.minutes(1)))
struct WorkerPoolTests {
    @Test("Work of one lane begins in order of arrival, all of it is done, and no more threads than the limit do it")
    func order() async {
        let pool = WorkerPool(name: "test", limit: 1, patience: 1)
        let begun = Locked<[Int]>([])
        await withCheckedContinuation { continuation in
            for index in 0..<2000 {
                pool.perform {
                    begun.withLock { $0.append(index) }
                    if index == 1999 { continuation.resume() }
                }
            }
        }
        #expect(begun.withLock { $0 } == Array(0..<2000))
    }

    @Test("Work that is done is let go of, also in a lane that never runs out of work")
    func lifetime() async {
        let pool = WorkerPool(name: "test", limit: 1, patience: 1)
        let isOver = Locked(false)
        let isQueued = Latch()
        pool.perform { [witness = Witness { isOver.withLock { $0 = true } }] in
            isQueued.wait()
            withExtendedLifetime(witness) {}
        }
        let wasOver = await withCheckedContinuation { continuation in
            pool.perform { continuation.resume(returning: isOver.withLock { $0 }) }
            pool.perform {}
            isQueued.open()
        }
        #expect(wasOver)
    }

    @Test("Work is done although the system has no room for a thread for some time")
    func shortage() async {
        let refusals = Locked(3)
        let pool = WorkerPool(
            name: "test", limit: 1, patience: 0.01,
            start: { stackSize, body in
                let isRefused = refusals.withLock { refusals in
                    refusals -= 1
                    return refusals >= 0
                }
                return isRefused ? false : SystemThread.start(stackSize: stackSize, body)
            })
        for _ in 0..<3 {
            await withCheckedContinuation { continuation in pool.perform { continuation.resume() } }
        }
        #expect(refusals.withLock { $0 } < 0)
    }

    @Test("A thread for which there is no room is not begun, and what it was for is released")
    func refusedThread() {
        let isOver = Locked(false)
        var body: (@Sendable () -> Void)? = { [witness = Witness { isOver.withLock { $0 = true } }] in
            withExtendedLifetime(witness) {}
        }
        // More than there are addresses.
        #expect(!SystemThread.start(stackSize: 1 << 60, body ?? {}))
        body = nil
        #expect(isOver.withLock { $0 })
    }

    /// Tells of its end.
    private final class Witness: Sendable {
        private let onEnd: @Sendable () -> Void
        init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }
        deinit { onEnd() }
    }

    @Test("Much short work is done by a few threads, and work that waits for other work gets one each")
    func eagerLimit() async {
        let pool = WorkerPool(name: "test", limit: .max, eagerLimit: 4, patience: 10)
        // A machine that is busy has work wait for longer, and more threads made: a pool that is not is the better measure.
        var fewest = Int.max
        for _ in 0..<5 where fewest >= 200 {
            let pool = WorkerPool(name: "test", limit: .max, eagerLimit: 4, patience: 10)
            fewest = await min(fewest, threadsForShortWork(on: pool))
        }
        #expect(fewest < 200)
        let meeting = Latch()
        let missing = Locked(100)
        for _ in 0..<100 {
            pool.perform {
                if missing.withLock({ missing in
                    missing -= 1
                    return missing == 0
                }) {
                    meeting.open()
                }
                meeting.wait()
            }
        }
        await offThread { meeting.wait() }
        #expect(missing.withLock { $0 } == 0)
    }

    /// Has a pool do a thousand short pieces of work.
    ///
    /// - Returns: The number of threads that did it.
    private func threadsForShortWork(on pool: WorkerPool) async -> Int {
        let threads = Locked<Set<String>>([])
        let isOver = Latch()
        let rest = Locked(1000)
        for _ in 0..<1000 {
            pool.perform {
                let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")) ?? ""
                threads.withLock { _ = $0.insert(own) }
                if rest.withLock({ rest in
                    rest -= 1
                    return rest == 0
                }) {
                    isOver.open()
                }
            }
        }
        await offThread { isOver.wait() }
        return threads.withLock { $0.count }
    }

    private func offThread(_ work: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                work()
                continuation.resume()
            }
        }
    }

    @Test("The system knows a pool's threads by its name")
    func names() async {
        let pool = WorkerPool(name: "ON.a-name-of-some-length", limit: 1, patience: 1)
        let name = await withCheckedContinuation { continuation in
            pool.perform {
                continuation.resume(returning: try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8))
            }
        }
        #expect(name == "ON.a-name-of-so\n")
    }

    @Test("A pool knows its own threads")
    func ownThreads() async {
        let (pool, other) = (WorkerPool(name: "test", limit: 1), WorkerPool(name: "other", limit: 1))
        let (isOwn, isOthers) = await withCheckedContinuation { continuation in
            pool.perform { continuation.resume(returning: (pool.isCurrentThread, other.isCurrentThread)) }
        }
        #expect(isOwn && !isOthers && !pool.isCurrentThread)
    }

    @Test("A lane that has as many threads as it may have leaves one for others, and goes on afterwards")
    func lanes() async {
        let pool = WorkerPool(name: "test", limit: 3, laneLimit: 2, patience: 1)
        let latch = Latch()
        let (running, most, done) = (Locked(0), Locked(0), Locked(0))
        for _ in 0..<10 {
            pool.perform(lane: "slow") {
                let now = running.withLock {
                    $0 += 1
                    return $0
                }
                most.withLock { $0 = max($0, now) }
                latch.wait()
                running.withLock { $0 -= 1 }
                done.withLock { $0 += 1 }
            }
        }
        for _ in 0..<100 {
            // Would wait for ever, if the other lane had all threads.
            await withCheckedContinuation { continuation in pool.perform(lane: "quick") { continuation.resume() } }
        }
        #expect(most.withLock { $0 } <= 2 && done.withLock { $0 } == 0)
        latch.open()
        await withCheckedContinuation { continuation in
            // Last in its lane.
            pool.perform(lane: "slow") { continuation.resume() }
        }
        #expect(most.withLock { $0 } <= 2 && done.withLock { $0 } >= 9)
    }
}
