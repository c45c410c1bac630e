// SPDX-License-Identifier: MIT
internal import CPostgres
internal import Foundation

/// The connection of a store, and its transactions. Used by the store's thread only.
final class PostgresSession: StoreSession {
    static let batchLimit = 64

    let target: PostgresTarget
    private let functions: on_pq
    /// Nil: it was lost.
    private var current: PostgresConnection?
    /// True if something was written in this transaction that others wait for.
    private var hasChanged = false
    /// True if a transaction with a change was committed since the last look.
    private var hasNews = false
    /// The session's name in the table of commits, where the number of its last transaction stands.
    private let id: DurableRequest.ID
    private var number = 0
    /// True if the session has written, and so has looked for sessions that were over long ago.
    private var hasWritten = false
    /// Seconds between attempts to connect: before the second one, and at most. The first one comes at once.
    private static let pauses = (0.05, 2.0)
    /// The largest number of repetitions because of other transactions.
    private static let conflictLimit = 20

    /// Waits for so many seconds; false: the store is being closed.
    private let pause: (Double) -> Bool

    init(_ connection: PostgresConnection, functions: on_pq, pause: @escaping (Double) -> Bool) {
        current = connection
        target = connection.target
        self.functions = functions
        self.pause = pause
        id = DurableRequest.ID()
    }

    /// The connection of the present transaction.
    var connection: PostgresConnection {
        get throws {
            guard let current else { throw PostgresFailure.connection("no connection") }
            return current
        }
    }

    /// Tells whether there is something new for those who watch.
    func takeNews() -> Bool {
        defer { hasNews = false }
        return hasNews
    }

    func noteChange() { hasChanged = true }

    // MARK: Transactions

    /// Runs the calls in one transaction. Returns the error of each; nil: it happened.
    func run(_ calls: [StoreCall<PostgresSession>]) -> [(any Error)?] {
        var outcomes: [(any Error)?] = Array(repeating: nil, count: calls.count)
        var open = Array(calls.indices)
        let end = PostgresConnection.now() + target.reconnectTimeout
        var wait = 0.0
        var conflicts = 0
        while !open.isEmpty {
            var reached: Int?
            do {
                try transaction(calls, open, &reached, until: end)
                return outcomes
            } catch PostgresFailure.conflict(let message) {
                rollBack()
                conflicts += 1
                if conflicts < Self.conflictLimit, pause(Double.random(in: 0.001...0.01) * Double(conflicts)) {
                    continue
                }
                fail(open, PostgresFailure.conflict(message), &outcomes)
            } catch PostgresFailure.connection(let message) {
                current = nil
                let left = end - PostgresConnection.now()
                defer { wait = min(max(wait * 2, Self.pauses.0), Self.pauses.1) }
                if left > 0, pause(min(wait, left)) { continue }
                fail(open, PostgresFailure.connection(message), &outcomes)
            } catch PostgresFailure.unknown(let message) {
                current = nil
                fail(open, PostgresFailure.unknown(message), &outcomes)
            } catch {
                rollBack()
                // One call's failure is its own: the others run again without it.
                if let reached {
                    outcomes[reached] = own(error)
                    open.removeAll { $0 == reached }
                    continue
                }
                for place in open { outcomes[place] = own(error) }
            }
            return outcomes
        }
        return outcomes
    }

    private func fail(_ open: [Int], _ failure: PostgresFailure, _ outcomes: inout [(any Error)?]) {
        for place in open { outcomes[place] = failure.error(place: target.place) }
    }

    private func own(_ error: any Error) -> any Error {
        (error as? PostgresFailure)?.error(place: target.place) ?? error
    }

    private func transaction(
        _ calls: [StoreCall<PostgresSession>], _ open: [Int], _ reached: inout Int?, until end: Double
    ) throws {
        hasChanged = false
        let connection = try connect()
        try connection.execute("BEGIN")
        for place in open {
            reached = place
            try calls[place].run(self)
        }
        reached = nil
        let isWritten = try noteCommit(connection)
        do {
            try connection.execute("COMMIT")
        } catch PostgresFailure.connection(let message) {
            guard isWritten, try hasHappened(message, until: end) else { throw PostgresFailure.connection(message) }
        }
        if hasChanged { hasNews = true }
    }

    /// Tells others of a change, and writes the transaction's number as its last act: by it a commit that was not
    /// answered is found again. PostgreSQL's own numbers do not serve for that: after a crash that has lost a
    /// transaction, another one gets its number.
    ///
    /// - Returns: false if nothing else was written, and so neither this.
    private func noteCommit(_ connection: PostgresConnection) throws -> Bool {
        var isWritten = hasChanged
        if !isWritten {
            try connection.run("SELECT txid_current_if_assigned()") { isWritten = $0.optionalInteger(0) != nil }
        }
        guard isWritten else { return false }
        if !hasWritten {
            try connection.run(
                """
                DELETE FROM commits WHERE session IN (
                    SELECT session FROM commits WHERE noted < statement_timestamp() - interval '30 days'
                    FOR UPDATE SKIP LOCKED)
                """)
            hasWritten = true
        }
        number += 1
        let noted = """
            WITH noted AS (
                INSERT INTO commits VALUES ($1, $2, statement_timestamp())
                ON CONFLICT (session) DO UPDATE SET number = excluded.number, noted = excluded.noted RETURNING 1)
            SELECT count(*)
            """
        if hasChanged {
            try connection.run(
                noted + ", pg_notify($3, '') FROM noted", .id(id), .integer(number), .text(Self.channel(of: target)))
        } else {
            try connection.run(noted + " FROM noted", .id(id), .integer(number))
        }
        return true
    }

    /// Finds out by another connection what became of a commit that was not answered. Where the session's row can be
    /// locked, the transaction that had it has ended.
    private func hasHappened(_ message: String, until end: Double) throws -> Bool {
        current = nil
        var wait = Self.pauses.0
        while true {
            do {
                var last: Int?
                try connect().run("SELECT number FROM commits WHERE session = $1 FOR UPDATE NOWAIT", .id(id)) {
                    last = $0.int(0)
                }
                if let last { return last == number }
                // It was the session's first, whose row is not there, or cannot be seen yet. One with the same key waits
                // for the end of that, and cannot be written beside it.
                let count = try connect().run(
                    "INSERT INTO commits VALUES ($1, 0, statement_timestamp()) ON CONFLICT DO NOTHING", .id(id))
                if count > 0 { return false }
                continue
            } catch PostgresFailure.connection {
                current = nil
            } catch PostgresFailure.refused(let error) where error.code == .busy {
                // The server has not noticed yet that the connection is gone.
            }
            guard PostgresConnection.now() < end, pause(wait) else { throw PostgresFailure.unknown(message) }
            wait = min(wait * 2, Self.pauses.1)
        }
    }

    private func connect() throws -> PostgresConnection {
        if let current { return current }
        let made = try PostgresSchema.open(target, functions: functions, makes: false)
        current = made
        return made
    }

    private func rollBack() {
        do { try current?.execute("ROLLBACK") } catch { current = nil }
    }

    /// The channel of `NOTIFY`.
    static func channel(of target: PostgresTarget) -> String { "ondurable_" + target.schema.prefix(50) }

    /// The error for what cannot be in a store that this library wrote.
    func damaged(_ what: String) -> RequestStoreError {
        RequestStoreError(
            .damaged, place: target.place, problem: "the store is damaged (\(what))",
            advice: "restore a backup of the schema \(target.schema)")
    }
}
