// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

/// The connection of a store. Used by the store's thread only.
protocol StoreSession: AnyObject, SendableMetatype {
    /// The largest number of calls that share a transaction.
    static var batchLimit: Int { get }

    /// Runs calls in one transaction. Returns the error of each; nil: it happened.
    func run(_ calls: [StoreCall<Self>]) -> [(any Error)?]
    /// Tells whether there is something new for those who watch.
    func takeNews() -> Bool

    func lastRow() throws -> Int64
    func markRunning(inGroup group: String, upTo last: Int64) throws -> Int
    func markOpen(inGroup group: String, upTo last: Int64) throws -> (running: Int, others: Int)
    func cancelSome(inGroup group: String, upTo last: Int64) throws -> Int
    func purgeSome(endedBefore age: TimeInterval, limit: Int) throws -> Int
}

/// A call that waits for a store's thread.
struct StoreCall<Session: StoreSession>: Sendable {
    /// True for one that gets a transaction of its own.
    let isAlone: Bool
    /// Works in an open transaction, of which nothing remains after an error. May run again, after one that did not happen.
    let run: @Sendable (Session) throws -> Void
    /// Called after the commit; nil: it happened.
    let finish: @Sendable ((any Error)?) -> Void
}

/// The calls of a store, and the thread that runs them: those that come while it is busy share the next transaction.
final class StoreCalls<Session: StoreSession>: Sendable {
    /// The calls that wait for the thread; nil: closed.
    private let waiting = Locked<[StoreCall<Session>]?>([])
    /// The connection; nil: closed. Only the thread takes it, so that nothing waits for this lock.
    private let session: Locked<Session?>
    /// Of the store's own, because its calls wait for a disk or a network.
    private let thread: WorkerPool
    private let watchers: ChangeWatchers
    private let closed: RequestStoreError

    /// - Parameter advice: what to do after the store was closed.
    init(_ session: Locked<Session?>, on thread: WorkerPool, watchers: ChangeWatchers, advice: String) {
        self.session = session
        self.thread = thread
        self.watchers = watchers
        closed = RequestStoreError(.closed, problem: "the store was closed", advice: advice)
    }

    static func makeThread() -> WorkerPool { WorkerPool(name: "ON.store", limit: 1, patience: 10) }

    /// Runs `body` on the store's thread, in a transaction with other calls unless it `isAlone`.
    func perform<Result: Sendable>(
        isAlone: Bool = false, _ body: @escaping @Sendable (Session) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let result = Locked<Result?>(nil)
            let call = StoreCall<Session>(
                isAlone: isAlone,
                run: { session in
                    let value = try body(session)
                    result.withLock { $0 = value }
                },
                finish: { [closed] error in
                    let value = result.withLock { $0 }
                    if let value, error == nil {
                        continuation.resume(returning: value)
                    } else {
                        continuation.resume(throwing: error ?? closed)
                    }
                })
            // Only the first call that waits asks for the thread: it takes along those that have come by then.
            let (isOpen, isFirst) = waiting.withLock { calls -> (Bool, Bool) in
                guard calls != nil else { return (false, false) }
                calls?.append(call)
                return (true, calls?.count == 1)
            }
            if !isOpen { continuation.resume(throwing: closed) }
            if isFirst { thread.perform { [self] in runWaiting() } }
        }
    }

    /// Ends the session. Calls that wait are run first.
    func close() async {
        let last = waiting.withLock { $0.take() ?? [] }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            thread.perform { [self] in
                run(last)
                // Closed here: outside the lock, and before the caller goes on.
                _ = session.withLock { $0.take() }
                continuation.resume()
            }
        }
        watchers.finish()
    }

    /// On the store's thread.
    private func runWaiting() {
        run(
            waiting.withLock { calls -> [StoreCall<Session>] in
                guard let waiting = calls else { return [] }
                calls = []
                return waiting
            })
    }

    /// On the store's thread.
    private func run(_ calls: [StoreCall<Session>]) {
        var rest = calls[...]
        while let first = rest.first {
            let count = first.isAlone ? 1 : rest.prefix { !$0.isAlone }.prefix(Session.batchLimit).count
            let batch = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            let (outcomes, hasNews) = session.withLock { session in
                guard let session else { return (batch.map { _ in closed as (any Error)? }, false) }
                return (session.run(batch), session.takeNews())
            }
            if hasNews { watchers.tell() }
            for (call, error) in zip(batch, outcomes) { call.finish(error) }
        }
    }

    // MARK: Calls of several transactions

    /// Cancels the open requests of a group, some in each transaction.
    func cancel(group: String) async throws -> CancellationCounts {
        let (last, first) = try await perform { session in
            let last = try session.lastRow()
            return (last, try session.markRunning(inGroup: group, upTo: last))
        }
        var counts = CancellationCounts(running: first)
        while true {
            let (ended, open) = try await perform { session in
                let ended = try session.cancelSome(inGroup: group, upTo: last)
                // A worker may have leased one between two transactions.
                return (ended, ended == 0 ? try session.markOpen(inGroup: group, upTo: last) : (running: 0, others: 0))
            }
            counts.ended += ended
            guard ended == 0, open.others == 0 else { continue }
            counts.running = max(counts.running, open.running)
            return counts
        }
    }

    /// Removes requests that ended before, a thousand in each transaction.
    func purge(endedBefore age: TimeInterval) async throws -> Int {
        let limit = 1000
        var total = 0
        while true {
            let count = try await perform { try $0.purgeSome(endedBefore: age, limit: limit) }
            total += count
            guard count == limit, !Task.isCancelled else { return total }
        }
    }
}
