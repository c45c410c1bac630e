// SPDX-License-Identifier: MIT
internal import Foundation

extension PostgresSession {
    /// The largest number of requests that one call moves on, so that no transaction is long.
    private static let sweepLimit = 1000
    /// The largest number of hosts that one call looks at, where the most urgent requests wait for theirs.
    private static let hostLimit = 256

    func lease(_ demand: LeaseDemand) throws -> LeaseGrant {
        // Who counts what is running must be alone: what others lease meanwhile is not seen before they commit. The
        // others skip what a neighbour has locked.
        let counts = try demand.maximumPerHost != nil || hasPausedHosts()
        try PostgresSchema.lock(connection, .leasing, isShared: !counts)
        let ended = try sweep(demand)
        var requests: [LeasedRequest] = []
        if demand.limit > 0 { requests = try counts ? leaseByHost(demand) : leaseNext(demand) }
        // A lease that a power cut of the server takes back is one that runs out: only ends have to be on the disk.
        if ended.isEmpty { try connection.run("SELECT set_config('synchronous_commit', 'off', true)") }
        var (delay, hasOpenRequests): (TimeInterval?, Bool) = (nil, false)
        try connection.run(
            """
            SELECT extract(epoch FROM least(
                    (SELECT min(due) FROM requests WHERE state = 1),
                    (SELECT min(lease_end) FROM requests WHERE state = 3),
                    (SELECT min(deadline) FROM requests WHERE deadline IS NOT NULL AND state < 3),
                    (SELECT min(pause_end) FROM hosts h WHERE pause_end > statement_timestamp()
                        AND EXISTS(SELECT 1 FROM requests r WHERE r.host = h.host AND r.state = 2)))
                - statement_timestamp())::float8,
                EXISTS(SELECT 1 FROM requests WHERE state = 3) OR EXISTS(SELECT 1 FROM requests WHERE state = 2)
                OR EXISTS(SELECT 1 FROM requests WHERE state = 1) OR EXISTS(SELECT 1 FROM requests WHERE state = 0)
            """
        ) { row in
            delay = row.optionalReal(0).map { max(0, $0) }
            hasOpenRequests = row.bool(1)
        }
        return LeaseGrant(requests: requests, ended: ended, delay: delay, hasOpenRequests: hasOpenRequests)
    }

    private func hasPausedHosts() throws -> Bool {
        var found = false
        try connection.run("SELECT EXISTS(SELECT 1 FROM hosts WHERE pause_end > statement_timestamp())") {
            found = $0.bool(0)
        }
        return found
    }

    // MARK: What time has brought

    private func sweep(_ demand: LeaseDemand) throws -> [EndedRequest] {
        var (isDue, isLost, isLate) = (false, false, false)
        try connection.run(
            """
            SELECT EXISTS(SELECT 1 FROM requests WHERE state = 1 AND due <= statement_timestamp()),
                EXISTS(SELECT 1 FROM requests WHERE state = 3 AND lease_end <= statement_timestamp()),
                EXISTS(SELECT 1 FROM requests
                    WHERE deadline IS NOT NULL AND state < 3 AND deadline <= statement_timestamp())
            """
        ) { row in (isDue, isLost, isLate) = (row.bool(0), row.bool(1), row.bool(2)) }
        if isDue {
            try connection.run(
                """
                WITH come AS MATERIALIZED (
                    SELECT seq FROM requests WHERE state = 1 AND due <= statement_timestamp() ORDER BY due LIMIT $1
                    FOR UPDATE SKIP LOCKED)
                UPDATE requests r SET state = 2, due = NULL FROM come WHERE r.seq = come.seq
                """, .integer(Self.sweepLimit))
        }
        // The worker is there: it asks. What it is sending must not go to another one because the call has waited.
        if isLost { _ = try renew(demand.held, worker: demand.worker, duration: demand.duration) }
        return (isLost ? try loseLeases() : []) + (isLate ? try failLate() : [])
    }

    private func loseLeases() throws -> [EndedRequest] {
        var changes: [Change] = []
        var ended: [EndedRequest] = []
        try connection.run(
            """
            SELECT seq, id, grp, losses, maximum_losses, cancelling FROM requests
            WHERE state = 3 AND lease_end <= statement_timestamp() ORDER BY lease_end LIMIT $1 FOR UPDATE SKIP LOCKED
            """, .integer(Self.sweepLimit)
        ) { row in
            guard let id = row.id(1) else { throw damaged("an ID") }
            let next = RecordRules.afterLoss(
                losses: row.int(3), maximumLosses: row.int(4), isCancelling: row.bool(5))
            changes.append(Change(row: row.integer(0), next: next))
            if next.state.isEnd {
                ended.append(EndedRequest(id: id, group: row.text(2), state: next.state, reason: next.reason))
            }
        }
        return try end(changes, ended, losses: 1)
    }

    private func failLate() throws -> [EndedRequest] {
        var changes: [Change] = []
        var ended: [EndedRequest] = []
        try connection.run(
            """
            SELECT seq, id, grp FROM requests
            WHERE deadline IS NOT NULL AND state < 3 AND deadline <= statement_timestamp()
            ORDER BY deadline LIMIT $1 FOR UPDATE SKIP LOCKED
            """, .integer(Self.sweepLimit)
        ) { row in
            guard let id = row.id(1) else { throw damaged("an ID") }
            changes.append(
                Change(row: row.integer(0), next: RecordRules.Next(state: .failed, reason: .deadline)))
            ended.append(EndedRequest(id: id, group: row.text(2), state: .failed, reason: .deadline))
        }
        return try end(changes, ended, losses: 0)
    }

    private func end(_ changes: [Change], _ ended: [EndedRequest], losses: Int) throws -> [EndedRequest] {
        guard !changes.isEmpty else { return [] }
        noteChange()
        try apply(changes, losses: losses)
        let ends = changes.filter(\.next.state.isEnd).map { End(row: $0.row, state: $0.next.state, origin: 0) }
        return ended + (try cascade(from: ends)).map(\.ended)
    }

    // MARK: Picking

    private static let leasing = """
        leased AS (
            UPDATE requests r SET state = 3, token = r.token + 1, worker = $1,
                lease_end = statement_timestamp() + make_interval(secs => $2)
            FROM picked WHERE r.seq = picked.seq RETURNING r.*)
        SELECT l.id, l.token, l.grp, l.failures, l.losses,
            extract(epoch FROM l.deadline - statement_timestamp())::float8, c.content, c.body
        FROM leased l JOIN contents c ON c.seq = l.seq ORDER BY l.priority DESC, l.seq
        """

    private func leased(_ row: PostgresRow) throws -> LeasedRequest {
        guard let id = row.id(0), let content = row.data(6) else { throw damaged("an ID") }
        return LeasedRequest(
            lease: RequestLease(id: id, token: row.integer(1)), group: row.text(2), failures: row.int(3),
            losses: row.int(4), timeToDeadline: row.optionalReal(5), content: content, body: row.data(7))
    }

    /// Leases the most urgent requests that no other worker is about to lease. No host is asked to be left alone; one
    /// that was since the look is passed over.
    private func leaseNext(_ demand: LeaseDemand) throws -> [LeasedRequest] {
        var requests: [LeasedRequest] = []
        try connection.run(
            """
            WITH picked AS MATERIALIZED (
                SELECT r.seq FROM requests r WHERE r.state = 2 AND NOT EXISTS(
                    SELECT 1 FROM hosts h WHERE h.host = r.host AND h.pause_end > statement_timestamp())
                ORDER BY r.priority DESC, r.seq LIMIT $3 FOR UPDATE OF r SKIP LOCKED),
            """ + Self.leasing, .text(demand.worker), .real(RecordRules.bounded(demand.duration)),
            .integer(min(demand.limit, RecordRules.leaseLimit))
        ) { requests.append(try leased($0)) }
        return requests
    }

    private func leaseByHost(_ demand: LeaseDemand) throws -> [LeasedRequest] {
        var rows = try pick(demand)
        if rows == nil { rows = try pickByHost(demand) }
        guard let rows, !rows.isEmpty else { return [] }
        var requests: [LeasedRequest] = []
        try connection.run(
            """
            WITH picked AS MATERIALIZED (
                SELECT seq FROM requests WHERE seq = ANY($3) AND state = 2 ORDER BY seq FOR UPDATE SKIP LOCKED),
            """ + Self.leasing, .text(demand.worker), .real(RecordRules.bounded(demand.duration)), .integers(rows)
        ) { requests.append(try leased($0)) }
        return requests
    }

    /// Returns those of the most urgent requests whose hosts may be asked. Nil: too many others wait before them.
    private func pick(_ demand: LeaseDemand) throws -> [Int64]? {
        let limit = min(demand.limit, RecordRules.leaseLimit)
        let window = limit * 2 + 64
        var rows: [Int64] = []
        var count = 0
        try connection.run(
            """
            WITH running AS MATERIALIZED (SELECT host, count(*) AS count FROM requests WHERE state = 3 GROUP BY host),
            urgent AS MATERIALIZED (
                SELECT seq, host, priority FROM requests WHERE state = 2 ORDER BY priority DESC, seq LIMIT $1)
            SELECT u.seq, h.name = '' OR ((h.pause_end IS NULL OR h.pause_end <= statement_timestamp())
                AND row_number() OVER (PARTITION BY u.host ORDER BY u.priority DESC, u.seq)
                    + coalesce(running.count, 0) <= $2)
            FROM urgent u JOIN hosts h ON h.host = u.host LEFT JOIN running ON running.host = u.host
            ORDER BY u.priority DESC, u.seq
            """, .integer(window), .integer(demand.maximumPerHost ?? Int(Int32.max))
        ) { row in
            count += 1
            if row.bool(1), rows.count < limit { rows.append(row.integer(0)) }
        }
        return rows.count < limit && count == window ? nil : rows
    }

    /// Many urgent requests wait for their hosts: asks those hosts that may be asked, so that nothing is held up. The
    /// hosts with ready requests are found by leaping from one to the next in the index.
    private func pickByHost(_ demand: LeaseDemand) throws -> [Int64] {
        var rows: [Int64] = []
        try connection.run(
            """
            WITH RECURSIVE ready(host) AS (
                (SELECT host FROM requests WHERE state = 2 ORDER BY host LIMIT 1)
                UNION ALL
                SELECT (SELECT r.host FROM requests r WHERE r.state = 2 AND r.host > ready.host
                    ORDER BY r.host LIMIT 1) FROM ready WHERE ready.host IS NOT NULL),
            running AS MATERIALIZED (SELECT host, count(*) AS count FROM requests WHERE state = 3 GROUP BY host),
            free AS MATERIALIZED (
                SELECT h.host, CASE WHEN h.name = '' THEN $1 ELSE least($1, $2 - coalesce(running.count, 0)) END AS room
                FROM ready JOIN hosts h ON h.host = ready.host LEFT JOIN running ON running.host = h.host
                WHERE h.name = '' OR ((h.pause_end IS NULL OR h.pause_end <= statement_timestamp())
                    AND coalesce(running.count, 0) < $2)
                LIMIT $3)
            SELECT r.seq FROM free CROSS JOIN LATERAL (
                SELECT seq, priority FROM requests WHERE state = 2 AND host = free.host
                ORDER BY priority DESC, seq LIMIT free.room) r
            ORDER BY r.priority DESC, r.seq LIMIT $1
            """, .integer(min(demand.limit, RecordRules.leaseLimit)), .integer(demand.maximumPerHost ?? Int(Int32.max)),
            .integer(Self.hostLimit)
        ) { rows.append($0.integer(0)) }
        return rows
    }
}
