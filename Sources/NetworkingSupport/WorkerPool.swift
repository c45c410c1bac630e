// SPDX-License-Identifier: MIT
package import Foundation

/// Threads of our own that run short pieces of work, one after the other each, in order of arrival.
///
/// Not a dispatch queue: the process's dispatch threads are everybody's, and a program may block them all. No more
/// threads than `limit` are made, and none before there is work.
// Sendable because everything mutable is guarded by `condition`.
package final class WorkerPool: @unchecked Sendable {
    private let name: String
    private let limit: Int
    /// Seconds after which a thread without work ends; nil: it stays.
    private let patience: TimeInterval?
    private let condition = NSCondition()
    // All below: guarded by `condition`.
    private var work: [@Sendable () -> Void] = []
    private var head = 0
    private var threads = 0
    private var idle = 0

    /// A pool of at most `limit` threads.
    ///
    /// - Parameters:
    ///   - name: the threads' name; the system keeps its first 15 bytes.
    ///   - limit: the largest number of threads; `Int.max` for work that may wait for other work of the same pool.
    ///   - patience: seconds after which a thread without work ends; nil: it stays.
    package init(name: String, limit: Int, patience: TimeInterval? = nil) {
        self.name = name
        self.limit = max(limit, 1)
        self.patience = patience
    }

    /// Runs `body` on one of the pool's threads.
    package func perform(_ body: @escaping @Sendable () -> Void) {
        let needsThread = condition.withLock {
            work.append(body)
            // Threads that were woken and have not come yet still count as idle, so compare with all that waits.
            if idle >= work.count - head {
                condition.signal()
                return false
            }
            guard threads < limit else { return false }
            threads += 1
            return true
        }
        guard needsThread else { return }
        let thread = Thread { [self] in run() }
        thread.name = name
        thread.stackSize = 1 << 20
        thread.start()
    }

    private func run() {
        while let body = next() { body() }
    }

    /// The next piece of work; nil: the thread is to end.
    private func next() -> (@Sendable () -> Void)? {
        condition.withLock {
            while head == work.count {
                idle += 1
                defer { idle -= 1 }
                guard let patience else {
                    condition.wait()
                    continue
                }
                if !condition.wait(until: Date(timeIntervalSinceNow: patience)), head == work.count {
                    threads -= 1
                    return nil
                }
            }
            let body = work[head]
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
}
