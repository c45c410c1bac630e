// SPDX-License-Identifier: MIT
internal import Foundation

extension SQLiteSession {
    private struct Leased {
        var row: Int64
        var host: Int64
        var isCancelling: Bool
        var deadline: Double?
    }

    /// The request of a lease that the worker still has; nil: it has lost it.
    private func leased(_ lease: RequestLease, _ worker: String) throws -> Leased? {
        var found: Leased?
        try connection.run(
            """
            SELECT seq, host, cancelling, deadline FROM requests
            WHERE id = ? AND state = 3 AND token = ? AND worker = ?
            """, .id(lease.id), .integer(lease.token), .text(worker)
        ) { row in
            found = Leased(
                row: row.integer(0), host: row.integer(1), isCancelling: row.int(2) != 0, deadline: row.optionalReal(3))
        }
        return found
    }

    func renew(_ leases: [RequestLease], worker: String, duration: TimeInterval) throws -> LeaseRenewal {
        var renewal = LeaseRenewal()
        let span = RecordRules.bounded(duration)
        for lease in leases {
            guard let request = try leased(lease, worker) else {
                renewal.lost.append(lease)
                continue
            }
            if request.isCancelling { renewal.cancelled.append(lease) }
            try connection.run(
                "UPDATE requests SET lease_end = ?, lease_span = ? WHERE seq = ?", .real(now + span), .real(span),
                .integer(request.row))
        }
        return renewal
    }

    func record(_ outcomes: [AttemptOutcome], worker: String) throws -> [RecordedOutcome] {
        try outcomes.map { try record($0, worker: worker) }
    }

    private func record(_ outcome: AttemptOutcome, worker: String) throws -> RecordedOutcome {
        guard let request = try leased(outcome.lease, worker) else { return .leaseLost }
        if let pause = outcome.hostPause, pause > 0 { try pauseHost(request.host, RecordRules.bounded(pause)) }
        let next = RecordRules.next(
            after: outcome.disposition, isCancelling: request.isCancelling,
            timeToDeadline: request.deadline.map { $0 - now })
        if next.state.isEnd {
            return .recorded(next.state, ended: try end(request.row, next))
        }
        noteChange()
        try keep(next.result, of: request.row)
        try giveBack(request.row)
        if next.state == .scheduled {
            try connection.run(
                "UPDATE requests SET state = 1, due = ?, due_span = ? WHERE seq = ?", .real(now + next.delay),
                .real(next.delay), .integer(request.row))
        }
        if next.isFailure {
            try connection.run("UPDATE requests SET failures = failures + 1 WHERE seq = ?", .integer(request.row))
        }
        return .recorded(next.state, ended: [])
    }

    private func pauseHost(_ host: Int64, _ span: TimeInterval) throws {
        try connection.run(
            """
            UPDATE hosts SET pause_end = ?1 + ?2, pause_span = ?2
            WHERE host = ?3 AND name <> '' AND (pause_end IS NULL OR pause_end < ?1 + ?2)
            """, .real(now), .real(span), .integer(host))
    }

    // MARK: Cancelling

    /// Cancels some of a group's requests, those last added first: dependents come before what they wait for.
    ///
    /// - Returns: the number that ended; 0: none is left but those that are running.
    func cancelSome(inGroup group: String, upTo last: Int64) throws -> Int {
        var rows: [Int64] = []
        try connection.run(
            """
            SELECT seq FROM requests WHERE grp = ? AND state IN (0, 1, 2) AND seq <= ? ORDER BY seq DESC LIMIT 1000
            """, .text(group), .integer(last)
        ) { rows.append($0.integer(0)) }
        return try cancel(rows)
    }

    /// Marks those of a group that are running. Returns their number.
    func markRunning(inGroup group: String, upTo last: Int64) throws -> Int {
        try connection.run(
            "UPDATE requests SET cancelling = 1 WHERE grp = ? AND state = 3 AND seq <= ?", .text(group), .integer(last))
        if connection.changes > 0 { noteChange() }
        return connection.changes
    }

    /// Nothing changes beside a transaction, so that what did not end is running.
    func markOpen(inGroup group: String, upTo last: Int64) throws -> (running: Int, others: Int) {
        (try markRunning(inGroup: group, upTo: last), 0)
    }

    func cancel(_ ids: [DurableRequest.ID]) throws -> CancellationCounts {
        var counts = CancellationCounts()
        var rows: [Int64] = []
        for id in Set(ids) {
            guard let found = try find(id), !found.state.isEnd else { continue }
            if found.state == .running {
                try connection.run("UPDATE requests SET cancelling = 1 WHERE seq = ?", .integer(found.row))
                counts.running += 1
            } else {
                rows.append(found.row)
            }
        }
        counts.ended = try cancel(rows)
        if counts != CancellationCounts() { noteChange() }
        return counts
    }

    /// Cancels rows that are open and not running.
    private func cancel(_ rows: [Int64]) throws -> Int {
        // All first: what is cancelled is not skipped for another one's sake.
        for row in rows {
            try connection.run(
                "UPDATE requests SET state = 7, ended = ?, due = NULL WHERE seq = ?", .real(now), .integer(row))
        }
        _ = try cascade(from: rows.map { ($0, .cancelled) })
        if !rows.isEmpty { noteChange() }
        return rows.count
    }

    // MARK: Purging

    /// Returns the number of requests that were removed; fewer than the limit: none is left.
    func purgeSome(endedBefore age: TimeInterval, limit: Int) throws -> Int {
        var rows: [Int64] = []
        try connection.run(
            "SELECT seq FROM requests WHERE state > 3 AND ended < ? ORDER BY ended LIMIT ?",
            .real(now - RecordRules.bounded(age)), .integer(limit)
        ) { rows.append($0.integer(0)) }
        for row in rows {
            try connection.run("DELETE FROM results WHERE seq = ?", .integer(row))
            try connection.run("DELETE FROM contents WHERE seq = ?", .integer(row))
            try connection.run("DELETE FROM dependencies WHERE upstream = ?", .integer(row))
            try connection.run("DELETE FROM requests WHERE seq = ?", .integer(row))
        }
        return rows.count
    }
}
