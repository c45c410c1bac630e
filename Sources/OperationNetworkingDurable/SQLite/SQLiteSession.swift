// SPDX-License-Identifier: MIT
internal import Foundation

/// The connection of a store, and its transactions. Used by the store's thread only.
final class SQLiteSession: StoreSession {
    static let batchLimit = Int.max

    let connection: SQLiteConnection
    /// This machine's time. A test sets it.
    var clock: @Sendable () -> Double = { Date().timeIntervalSince1970 }
    /// Time of the present transaction.
    private(set) var now = 0.0
    /// True if something was written since the last look.
    private var hasChanged = false
    /// SQLite's number for what other connections have committed.
    private var dataVersion: Int64?

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    /// Tells whether there is something new for those who watch.
    func takeNews() -> Bool {
        defer { hasChanged = false }
        return hasChanged
    }

    func noteChange() { hasChanged = true }

    /// Other connections have committed since the last look.
    ///
    /// The first look always tells of a change: what came before it has nothing to be compared with.
    func noteForeignChange() {
        guard let version = try? connection.integer("PRAGMA data_version") else { return }
        if dataVersion != version { hasChanged = true }
        dataVersion = version
    }

    /// Runs the calls in one transaction. Returns the error of each; nil: it happened.
    func run(_ calls: [StoreCall<SQLiteSession>]) -> [(any Error)?] {
        var outcomes: [(any Error)?] = Array(repeating: nil, count: calls.count)
        var next = 0
        while next < calls.count { next = runTransaction(calls, from: next, &outcomes) }
        return outcomes
    }

    /// Runs calls until all are done, or a failure has ended the transaction. Returns the place to go on at.
    private func runTransaction(_ calls: [StoreCall<SQLiteSession>], from first: Int, _ outcomes: inout [(any Error)?])
        -> Int
    {
        var next = first
        do {
            try connection.run("BEGIN IMMEDIATE")
            now = clock()
            while next < calls.count {
                try connection.run("SAVEPOINT call")
                do {
                    try calls[next].run(self)
                } catch {
                    // A full disk and the like end the whole transaction: then nothing of it has happened.
                    guard !connection.isOutsideTransaction else {
                        next += 1
                        throw error
                    }
                    outcomes[next] = error
                    try connection.run("ROLLBACK TO call")
                }
                try connection.run("RELEASE call")
                next += 1
            }
            try connection.run("COMMIT")
        } catch {
            if !connection.isOutsideTransaction { try? connection.run("ROLLBACK") }
            // Where no call was reached, all would fail alike.
            let end = next == first ? calls.count : next
            for place in first..<end where outcomes[place] == nil { outcomes[place] = error }
            return end
        }
        return next
    }

    /// The error for what cannot be in a store that this library wrote.
    func damaged(_ what: String) -> RequestStoreError {
        RequestStoreError(
            .damaged, place: connection.path, problem: "the store is damaged (\(what))",
            advice: "make a copy of the file with its -wal, and restore a backup")
    }
}
