// SPDX-License-Identifier: MIT
public import Foundation
internal import NetworkingSupport

/// A store in a file of SQLite's with a write-ahead log, for one machine. Several processes may use it at once.
///
/// What was added or recorded survives a power cut: every transaction is synced. Calls that come while one is under way
/// share the next transaction, so that a thousand additions do not take a thousand syncs. The file, and those beside it
/// with "-wal" and "-shm" at the end, can be read by this user only. It must be on a local file system: over NFS
/// SQLite's locks do not hold.
///
/// ```swift
/// let store = try SQLiteRequestStore(
///     url: folder.appendingPathComponent("requests.sqlite"))
/// ```
public final class SQLiteRequestStore: RequestStore {
    /// The file.
    public let url: URL
    /// The calls that wait for the thread; nil: closed.
    private let calls = Locked<[SQLiteCall]?>([])
    /// The connection; nil: closed. Only the thread of `thread` takes it, so that nothing waits for this lock.
    private let session: Locked<SQLiteSession?>
    /// Of its own, because SQLite waits for the disk and for other processes.
    private let thread = WorkerPool(name: "ON.store", limit: 1, patience: 10)
    private let watchers = ChangeWatchers()
    private let pollInterval: TimeInterval

    /// Opens a store, and makes it if there is none. Blocks for as long as the disk takes.
    ///
    /// - Parameters:
    ///   - url: the file. Its folder has to exist.
    ///   - busyTimeout: seconds that a call waits for other processes to end their transactions. 30 by default.
    ///   - pollInterval: seconds between looks for changes that other processes have made. 0.25 by default.
    /// - Throws: ``RequestStoreError``: `.newerVersion`, `.notAStore`, `.damaged`, `.readOnly`, `.full`,
    ///   `.cannotOpen`, `.busy`, `.inputOutput`.
    public init(url: URL, busyTimeout: TimeInterval = 30, pollInterval: TimeInterval = 0.25) throws {
        guard url.isFileURL else {
            throw RequestStoreError(.cannotOpen, problem: "the URL of a store names no file", advice: "give a file URL")
        }
        self.url = url
        self.pollInterval = max(pollInterval, 0.01)
        session = Locked(SQLiteSession(try SQLiteSchema.open(path: url.path, busyTimeout: busyTimeout)))
    }

    deinit { watchers.finish() }

    // MARK: Calls

    /// Runs `body` on the store's thread, in a transaction with other calls.
    func perform<Result: Sendable>(
        _ body: @escaping @Sendable (SQLiteSession) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let result = Locked<Result?>(nil)
            let call = SQLiteCall(
                run: { session in
                    let value = try body(session)
                    result.withLock { $0 = value }
                },
                finish: { error in
                    let value = result.withLock { $0 }
                    if let value, error == nil {
                        continuation.resume(returning: value)
                    } else {
                        continuation.resume(throwing: error ?? Self.closed)
                    }
                })
            // Only the first call that waits asks for the thread: it takes along those that have come by then.
            let (isOpen, isFirst) = calls.withLock { calls -> (Bool, Bool) in
                guard calls != nil else { return (false, false) }
                calls?.append(call)
                return (true, calls?.count == 1)
            }
            if !isOpen { continuation.resume(throwing: Self.closed) }
            if isFirst { thread.perform { [self] in runCalls() } }
        }
    }

    private static let closed = RequestStoreError(
        .closed, problem: "the store was closed", advice: "make a new one of the same file")

    /// On the store's thread.
    private func runCalls() {
        let batch = calls.withLock { calls -> [SQLiteCall] in
            guard let waiting = calls else { return [] }
            calls = []
            return waiting
        }
        let (outcomes, hasChanged) = session.withLock { session in
            guard let session else { return (batch.map { _ in Self.closed as (any Error)? }, false) }
            return (session.run(batch), session.takeChange())
        }
        if hasChanged { watchers.tell() }
        for (call, error) in zip(batch, outcomes) { call.finish(error) }
    }

    // MARK: Changes

    /// A stream that yields when this process or another one has changed the file.
    public func changes() -> AsyncStream<Void> {
        let (stream, isFirst) = watchers.add()
        if isFirst { poll() }
        return stream
    }

    /// Looks for changes of other processes for as long as there are watchers.
    private func poll() {
        let (watchers, interval) = (watchers, pollInterval)
        Task { [weak self] in
            while watchers.goesOn() {
                try? await Task.sleep(nanoseconds: UInt64(interval * 1e9))
                guard let self else { return }
                // A failure is the next call's to report.
                _ = try? await self.perform { $0.noteForeignChange() }
            }
        }
    }

    /// Closes the file. Calls that are under way end first.
    public func close() async {
        let waiting = calls.withLock { $0.take() ?? [] }
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            thread.perform { [self] in
                let outcomes = session.withLock { session in
                    let outcomes = session?.run(waiting) ?? waiting.map { _ in Self.closed }
                    // The file is closed when this returns, and its log is no more.
                    session = nil
                    return outcomes
                }
                for (call, error) in zip(waiting, outcomes) { call.finish(error) }
                continuation.resume()
            }
        }
        watchers.finish()
    }
}
