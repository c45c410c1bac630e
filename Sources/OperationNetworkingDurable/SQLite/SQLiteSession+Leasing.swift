// SPDX-License-Identifier: MIT
internal import Foundation

extension SQLiteSession {
    /// The largest number of requests that one call moves on, so that no transaction is long.
    private static let sweepLimit = 1000
    /// The largest number of hosts that one call looks at, where the most urgent requests wait for theirs.
    private static let hostLimit = 256

    func lease(_ demand: LeaseDemand) throws -> LeaseGrant {
        let ended = try sweep(demand)
        let rows = demand.limit > 0 ? try pick(demand) : []
        let requests = try rows.map { try lease($0, demand) }
        return LeaseGrant(
            requests: requests, ended: ended, delay: try delay(),
            // By name: the planner takes the index of groups otherwise, and reads all of it.
            hasOpenRequests: try connection.integer(
                """
                SELECT EXISTS(SELECT 1 FROM requests INDEXED BY requests_leased WHERE state = 3)
                    OR EXISTS(SELECT 1 FROM requests INDEXED BY requests_ready WHERE state = 2)
                    OR EXISTS(SELECT 1 FROM requests INDEXED BY requests_due WHERE state = 1)
                    OR EXISTS(SELECT 1 FROM requests INDEXED BY requests_waiting WHERE state = 0)
                """) == 1)
    }

    /// The changes that time has brought.
    private func sweep(_ demand: LeaseDemand) throws -> [EndedRequest] {
        try connection.run(
            """
            UPDATE requests SET state = 2, due = NULL
            WHERE seq IN (SELECT seq FROM requests WHERE state = 1 AND due <= ? ORDER BY due LIMIT ?)
            """, .real(now), .integer(Self.sweepLimit))
        var ended: [EndedRequest] = []
        try renewHeld(demand)
        try loseLeases(&ended)
        try failLate(&ended)
        return ended
    }

    /// The worker is there: it asks. What it is sending must not go to another one because the clock was set forward, the
    /// machine slept, or the call has waited.
    private func renewHeld(_ demand: LeaseDemand) throws {
        guard !demand.held.isEmpty else { return }
        var hasRunOut = false
        try connection.run("SELECT EXISTS(SELECT 1 FROM requests WHERE state = 3 AND lease_end <= ?)", .real(now)) {
            hasRunOut = $0.int(0) != 0
        }
        if hasRunOut { _ = try renew(demand.held, worker: demand.worker, duration: demand.duration) }
    }

    private func loseLeases(_ ended: inout [EndedRequest]) throws {
        var lost: [(row: Int64, id: DurableRequest.ID, group: String?, next: RecordRules.Next)] = []
        try connection.run(
            """
            SELECT seq, id, grp, losses, maximum_losses, cancelling FROM requests
            WHERE state = 3 AND lease_end <= ? ORDER BY lease_end LIMIT ?
            """, .real(now), .integer(Self.sweepLimit)
        ) { row in
            guard let id = row.id(1) else { throw damaged("an ID") }
            let next = RecordRules.afterLoss(
                losses: row.int(3), maximumLosses: row.int(4), isCancelling: row.int(5) != 0)
            lost.append((row.integer(0), id, row.text(2), next))
        }
        for (row, id, group, next) in lost {
            noteChange()
            try connection.run("UPDATE requests SET losses = losses + 1 WHERE seq = ?", .integer(row))
            if next.state.isEnd {
                let others = try end(row, next)
                ended.append(EndedRequest(id: id, group: group, state: next.state, reason: next.reason))
                ended += others
            } else {
                try giveBack(row)
            }
        }
    }

    /// A lease ends without an outcome.
    func giveBack(_ row: Int64) throws {
        try connection.run(
            """
            UPDATE requests SET state = 2, worker = NULL, lease_end = NULL, lease_span = NULL, due = NULL
            WHERE seq = ?
            """, .integer(row))
    }

    private func failLate(_ ended: inout [EndedRequest]) throws {
        var late: [(row: Int64, id: DurableRequest.ID, group: String?)] = []
        try connection.run(
            """
            SELECT seq, id, grp FROM requests
            WHERE deadline IS NOT NULL AND state < 3 AND deadline <= ? ORDER BY deadline LIMIT ?
            """, .real(now), .integer(Self.sweepLimit)
        ) { row in
            guard let id = row.id(1) else { throw damaged("an ID") }
            late.append((row.integer(0), id, row.text(2)))
        }
        for (row, id, group) in late {
            // The end of an earlier one may have skipped it.
            var isOpen = false
            try connection.run("SELECT state < 3 FROM requests WHERE seq = ?", .integer(row)) {
                isOpen = $0.int(0) == 1
            }
            guard isOpen else { continue }
            noteChange()
            let others = try end(row, RecordRules.Next(state: .failed, reason: .deadline))
            ended.append(EndedRequest(id: id, group: group, state: .failed, reason: .deadline))
            ended += others
        }
    }

    // MARK: Picking

    private struct Host {
        var capacity: Int
    }

    private func pick(_ demand: LeaseDemand) throws -> [Int64] {
        var hosts: [Int64: Host] = [:]
        let limit = min(demand.limit, RecordRules.leaseLimit)
        // The most urgent ones, of which some may have to wait for their hosts.
        let window = limit * 2 + 64
        var candidates: [(row: Int64, host: Int64)] = []
        try connection.run(
            "SELECT seq, host FROM requests WHERE state = 2 ORDER BY priority DESC, seq LIMIT ?", .integer(window)
        ) { candidates.append(($0.integer(0), $0.integer(1))) }
        var rows: [Int64] = []
        for (row, key) in candidates where rows.count < limit {
            var host = try hosts[key] ?? host(key, demand)
            if host.capacity > 0 {
                host.capacity -= 1
                rows.append(row)
            }
            hosts[key] = host
        }
        guard rows.count < limit, candidates.count == window else { return rows }
        return try pickByHost(demand, limit: limit)
    }

    private func host(_ key: Int64, _ demand: LeaseDemand) throws -> Host {
        var host = Host(capacity: .max)
        try connection.run("SELECT name <> '', running, pause_end FROM hosts WHERE host = ?", .integer(key)) { row in
            guard row.int(0) != 0 else { return }
            if row.real(2) > now {
                host.capacity = 0
            } else if let limit = demand.maximumPerHost {
                host.capacity = max(0, limit - row.int(1))
            }
        }
        return host
    }

    /// Many urgent requests wait for their hosts: asks those hosts that may be asked, so that nothing is held up.
    private func pickByHost(_ demand: LeaseDemand, limit: Int) throws -> [Int64] {
        var keys: [Int64] = []
        try connection.run(
            """
            SELECT host FROM hosts WHERE ready > 0 AND (name = '' OR ((pause_end IS NULL OR pause_end <= ?)
                AND running < ?)) LIMIT ?
            """, .real(now), .integer(demand.maximumPerHost ?? .max), .integer(Self.hostLimit)
        ) { keys.append($0.integer(0)) }
        var found: [(priority: Int64, row: Int64)] = []
        for key in keys {
            let room = min(try host(key, demand).capacity, limit)
            try connection.run(
                "SELECT priority, seq FROM requests WHERE host = ? AND state = 2 ORDER BY priority DESC, seq LIMIT ?",
                .integer(key), .integer(room)
            ) { found.append(($0.integer(0), $0.integer(1))) }
        }
        return found.sorted { ($1.priority, $0.row) < ($0.priority, $1.row) }.prefix(limit).map(\.row)
    }

    private func lease(_ row: Int64, _ demand: LeaseDemand) throws -> LeasedRequest {
        let span = RecordRules.bounded(demand.duration)
        try connection.run(
            "UPDATE requests SET state = 3, token = token + 1, worker = ?, lease_end = ?, lease_span = ? WHERE seq = ?",
            .text(demand.worker), .real(now + span), .real(span), .integer(row))
        var request: LeasedRequest?
        try connection.run(
            """
            SELECT r.id, r.token, r.grp, r.failures, r.losses, r.deadline, c.content, c.body
            FROM requests r JOIN contents c ON c.seq = r.seq WHERE r.seq = ?
            """, .integer(row)
        ) { row in
            guard let id = row.id(0) else { throw damaged("an ID") }
            request = LeasedRequest(
                lease: RequestLease(id: id, token: row.integer(1)), group: row.text(2), failures: row.int(3),
                losses: row.int(4), timeToDeadline: row.optionalReal(5).map { $0 - now },
                content: row.data(6) ?? Data(),
                body: row.data(7))
        }
        guard let request else { throw damaged("a request without its content") }
        return request
    }

    private func delay() throws -> TimeInterval? {
        var next: Double?
        try connection.run(
            """
            SELECT (SELECT min(due) FROM requests WHERE state = 1), (SELECT min(lease_end) FROM requests WHERE state = 3),
                (SELECT min(deadline) FROM requests WHERE deadline IS NOT NULL AND state < 3),
                (SELECT min(pause_end) FROM hosts WHERE ready > 0 AND pause_end > ?)
            """, .real(now)
        ) { row in next = (0..<4).compactMap { row.optionalReal($0) }.min() }
        return next.map { max(0, $0 - now) }
    }
}
