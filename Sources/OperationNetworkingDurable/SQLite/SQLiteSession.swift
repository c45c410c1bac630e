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
    /// True if the present transaction has looked whether the clock was set back.
    private var clockIsChecked = false
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
            clockIsChecked = false
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
                    clockIsChecked = false
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

    /// After the clock was set back, nothing lasts longer than it was meant to. For each call that writes a time: what the
    /// clock was when the last one was written is known then.
    func adjusted() throws -> Self {
        guard !clockIsChecked else { return self }
        clockIsChecked = true
        var latest = 0.0
        try connection.run("SELECT latest FROM clock") { latest = $0.real(0) }
        if now < latest - 1 { try shortenTimes() }
        // Not for every call: it would be a write where there is nothing to do.
        if abs(now - latest) > 0.5 { try connection.run("UPDATE clock SET latest = ?", .real(now)) }
        return self
    }

    /// Brings every time that is later than its span from now on back to that.
    private func shortenTimes() throws {
        for change in [
            "UPDATE requests SET lease_end = ?1 + lease_span WHERE state = 3 AND lease_end > ?1 + lease_span",
            // Those that wait for others have the time, too, if they had a delay.
            "UPDATE requests SET due = ?1 + due_span WHERE state IN (0, 1) AND due > ?1 + due_span",
            // A deadline's span is the one from the addition.
            """
            UPDATE requests SET deadline = CASE WHEN state < 4 THEN deadline - added + ?1 ELSE deadline END, added = ?1
            WHERE added > ?1
            """,
            "UPDATE requests SET ended = ?1 WHERE state > 3 AND ended > ?1",
            "UPDATE hosts SET pause_end = ?1 + pause_span WHERE pause_end > ?1 + pause_span",
        ] {
            try connection.run(change, .real(now))
        }
    }

    /// The error for what cannot be in a store that this library wrote.
    func damaged(_ what: String) -> RequestStoreError {
        RequestStoreError(
            .damaged, place: connection.path, problem: "the store is damaged (\(what))",
            advice: "make a copy of the file with its -wal, and restore a backup")
    }
}
