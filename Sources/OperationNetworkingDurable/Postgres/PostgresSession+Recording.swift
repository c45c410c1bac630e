// SPDX-License-Identifier: MIT
internal import Foundation

extension PostgresSession {
    private struct Leased {
        var row: Int64
        var host: Int64
        var isCancelling: Bool
        var timeToDeadline: TimeInterval?
    }

    /// The requests of leases that the worker still has, locked to the end of the transaction.
    private func leased(_ leases: [RequestLease], _ worker: String) throws -> [RequestLease: Leased] {
        var found: [RequestLease: Leased] = [:]
        try connection.run(
            """
            SELECT r.id, r.token, r.seq, r.host, r.cancelling,
                extract(epoch FROM r.deadline - statement_timestamp())::float8
            FROM unnest($1::uuid[], $2::bigint[]) AS o(id, token) JOIN requests r ON r.id = o.id AND r.token = o.token
            WHERE r.state = 3 AND r.worker = $3 ORDER BY r.seq FOR UPDATE OF r
            """, .ids(leases.map(\.id)), .integers(leases.map(\.token)), .text(worker)
        ) { row in
            guard let id = row.id(0) else { throw damaged("an ID") }
            found[RequestLease(id: id, token: row.integer(1))] = Leased(
                row: row.integer(2), host: row.integer(3), isCancelling: row.bool(4),
                timeToDeadline: row.optionalReal(5))
        }
        return found
    }

    func renew(_ leases: [RequestLease], worker: String, duration: TimeInterval) throws -> LeaseRenewal {
        guard !leases.isEmpty else { return LeaseRenewal() }
        var held: [RequestLease: Bool] = [:]
        try connection.run(
            """
            WITH held AS MATERIALIZED (
                SELECT r.seq FROM unnest($1::uuid[], $2::bigint[]) AS o(id, token)
                JOIN requests r ON r.id = o.id AND r.token = o.token
                WHERE r.state = 3 AND r.worker = $3 ORDER BY r.seq FOR UPDATE OF r)
            UPDATE requests r SET lease_end = statement_timestamp() + make_interval(secs => $4)
            FROM held WHERE r.seq = held.seq RETURNING r.id, r.token, r.cancelling
            """, .ids(leases.map(\.id)), .integers(leases.map(\.token)), .text(worker),
            .real(RecordRules.bounded(duration))
        ) { row in
            guard let id = row.id(0) else { throw damaged("an ID") }
            held[RequestLease(id: id, token: row.integer(1))] = row.bool(2)
        }
        return LeaseRenewal(lost: leases.filter { held[$0] == nil }, cancelled: leases.filter { held[$0] == true })
    }

    func record(_ outcomes: [AttemptOutcome], worker: String) throws -> [RecordedOutcome] {
        guard !outcomes.isEmpty else { return [] }
        var held = try leased(outcomes.map(\.lease), worker)
        var changes: [Change] = []
        var ends: [End] = []
        var pauses: [Int64: TimeInterval] = [:]
        let states = outcomes.enumerated().map { place, outcome -> DurableRequest.State? in
            // Taken out: the second outcome under a lease comes too late.
            guard let request = held.removeValue(forKey: outcome.lease) else { return nil }
            if let pause = outcome.hostPause, pause > 0 {
                pauses[request.host] = max(pauses[request.host] ?? 0, RecordRules.bounded(pause))
            }
            let next = RecordRules.next(
                after: outcome.disposition, isCancelling: request.isCancelling,
                timeToDeadline: request.timeToDeadline)
            changes.append(Change(row: request.row, next: next))
            if next.state.isEnd {
                ends.append(End(row: request.row, state: next.state, origin: place))
            } else {
                noteChange()
            }
            return next.state
        }
        try apply(changes)
        try pauseHosts(pauses)
        let skipped = Dictionary(grouping: try cascade(from: ends), by: \.origin)
        return states.enumerated().map { place, state in
            state.map { .recorded($0, ended: skipped[place]?.map(\.ended) ?? []) } ?? .leaseLost
        }
    }

    private func pauseHosts(_ pauses: [Int64: TimeInterval]) throws {
        guard !pauses.isEmpty else { return }
        let list = pauses.sorted { $0.key < $1.key }
        try connection.run(
            """
            UPDATE hosts h SET pause_end = greatest(h.pause_end, statement_timestamp() + make_interval(secs => o.span))
            FROM unnest($1::bigint[], $2::float8[]) AS o(host, span) WHERE h.host = o.host AND h.name <> ''
            """, .integers(list.map(\.key)), .reals(list.map(\.value)))
    }

    // MARK: Cancelling

    /// Cancels some of a group's requests, those last added first: dependents come before what they wait for.
    ///
    /// - Returns: the number that ended; 0: none is left but those that are running.
    func cancelSome(inGroup group: String, upTo last: Int64) throws -> Int {
        var rows: [Int64] = []
        try connection.run(
            """
            SELECT seq FROM requests WHERE grp = $1 AND state IN (0, 1, 2) AND seq <= $2 ORDER BY seq DESC LIMIT 1000
            FOR UPDATE
            """, .text(group), .integer(last)
        ) { rows.append($0.integer(0)) }
        return try cancel(rows)
    }

    /// Marks those of a group that are running. Returns their number.
    func markRunning(inGroup group: String, upTo last: Int64) throws -> Int {
        let count = try connection.run(
            "UPDATE requests SET cancelling = true WHERE grp = $1 AND state = 3 AND seq <= $2", .text(group),
            .integer(last))
        if count > 0 { noteChange() }
        return count
    }

    /// Marks those of a group that are open. One that the look before found running may be waiting by now: this has waited
    /// for its worker's transaction.
    func markOpen(inGroup group: String, upTo last: Int64) throws -> (running: Int, others: Int) {
        var (running, others) = (0, 0)
        try connection.run(
            "UPDATE requests SET cancelling = true WHERE grp = $1 AND state < 4 AND seq <= $2 RETURNING state",
            .text(group), .integer(last)
        ) { row in
            if row.int(0) == DurableRequest.State.running.rawValue { running += 1 } else { others += 1 }
        }
        if running + others > 0 { noteChange() }
        return (running, others)
    }

    func cancel(_ ids: [DurableRequest.ID]) throws -> CancellationCounts {
        guard !ids.isEmpty else { return CancellationCounts() }
        var (running, others): ([Int64], [Int64]) = ([], [])
        try connection.run(
            "SELECT seq, state FROM requests WHERE id = ANY($1) AND state < 4 ORDER BY seq FOR UPDATE", .ids(ids)
        ) { row in
            if row.int(1) == DurableRequest.State.running.rawValue {
                running.append(row.integer(0))
            } else {
                others.append(row.integer(0))
            }
        }
        if !running.isEmpty {
            try connection.run("UPDATE requests SET cancelling = true WHERE seq = ANY($1)", .integers(running))
            noteChange()
        }
        return CancellationCounts(ended: try cancel(others), running: running.count)
    }

    /// Cancels rows that are open, not running, and locked.
    private func cancel(_ rows: [Int64]) throws -> Int {
        guard !rows.isEmpty else { return 0 }
        // All first: what is cancelled is not skipped for another one's sake.
        try connection.run(
            "UPDATE requests SET state = 7, ended = statement_timestamp(), due = NULL WHERE seq = ANY($1)",
            .integers(rows))
        _ = try cascade(from: rows.map { End(row: $0, state: .cancelled, origin: 0) })
        noteChange()
        return rows.count
    }
}
