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
    /// On a thread of their own, because SQLite waits for the disk and for other processes.
    let calls: StoreCalls<SQLiteSession>
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
        self.pollInterval = max(RecordRules.bounded(pollInterval), 0.01)
        let session = SQLiteSession(try SQLiteSchema.open(path: url.path, busyTimeout: busyTimeout))
        calls = StoreCalls(
            Locked(session), on: StoreCalls<SQLiteSession>.makeThread(), watchers: watchers,
            advice: "make a new one of the same file")
    }

    deinit { watchers.finish() }

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
                _ = try? await self.calls.perform { $0.noteForeignChange() }
            }
        }
    }

    /// Closes the file. Calls that are under way end first.
    public func close() async { await calls.close() }
}
