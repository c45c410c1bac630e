// SPDX-License-Identifier: MIT
internal import Foundation

extension PostgresSession {
    private static let columns = """
        SELECT r.id, r.grp, r.state, r.priority, r.failures, r.losses, r.worker, r.cancelling,
            extract(epoch FROM r.added)::float8, extract(epoch FROM r.due)::float8,
            extract(epoch FROM r.ended)::float8, r.reason, c.content, s.summary
        FROM requests r JOIN contents c ON c.seq = r.seq LEFT JOIN results s ON s.seq = r.seq
        """

    private func record(_ row: PostgresRow) throws -> RequestRecord {
        guard let id = row.id(0), let state = DurableRequest.State(rawValue: row.int(2)) else {
            throw damaged("a request")
        }
        return RequestRecord(
            id: id, group: row.text(1), state: state, priority: row.int(3), failures: row.int(4), losses: row.int(5),
            worker: row.text(6), isCancelling: row.bool(7),
            addition: Date(timeIntervalSince1970: row.optionalReal(8) ?? 0),
            earliestStart: row.optionalReal(9).map(Date.init(timeIntervalSince1970:)),
            end: row.optionalReal(10).map(Date.init(timeIntervalSince1970:)),
            reason: row.optionalInteger(11).flatMap { StoreEndReason(rawValue: Int($0)) },
            content: row.data(12) ?? Data(), summary: row.data(13))
    }

    func record(of id: DurableRequest.ID) throws -> RequestRecord? {
        var found: RequestRecord?
        try connection.run(Self.columns + " WHERE r.id = $1", .id(id)) { found = try record($0) }
        return found
    }

    func content(of id: DurableRequest.ID) throws -> Data? {
        var found: Data?
        try connection.run(
            "SELECT s.content FROM results s JOIN requests r ON r.seq = s.seq WHERE r.id = $1", .id(id)
        ) { found = $0.data(0) }
        return found
    }

    func records(inGroup group: String?, after previous: DurableRequest.ID?, limit: Int) throws -> [RequestRecord] {
        var start: Int64 = 0
        if let previous {
            try connection.run("SELECT seq FROM requests WHERE id = $1", .id(previous)) { start = $0.integer(0) }
        }
        var found: [RequestRecord] = []
        let limit = PostgresValue.integer(max(limit, 0))
        if let group {
            try connection.run(
                Self.columns + " WHERE r.seq > $1 AND r.grp = $2 ORDER BY r.seq LIMIT $3", .integer(start),
                .text(group), limit
            ) { found.append(try record($0)) }
        } else {
            try connection.run(
                Self.columns + " WHERE r.seq > $1 ORDER BY r.seq LIMIT $2", .integer(start), limit
            ) { found.append(try record($0)) }
        }
        return found
    }

    func counts(inGroup group: String?) throws -> RequestCounts {
        var numbers: [DurableRequest.State: Int] = [:]
        let count = { (row: PostgresRow) in
            guard let state = DurableRequest.State(rawValue: row.int(0)) else { throw self.damaged("a state") }
            numbers[state] = row.int(1)
        }
        if let group {
            try connection.run(
                "SELECT state, count(*) FROM requests WHERE grp = $1 GROUP BY state", .text(group), row: count)
        } else {
            try connection.run("SELECT state, count(*) FROM requests GROUP BY state", row: count)
        }
        return RequestCounts(numbers)
    }

    func lastRow() throws -> Int64 {
        var last: Int64 = 0
        try connection.run("SELECT max(seq) FROM requests") { last = $0.integer(0) }
        return last
    }

    // MARK: Purging

    /// Returns the number of requests that were removed; fewer than the limit: none is left.
    func purgeSome(endedBefore age: TimeInterval, limit: Int) throws -> Int {
        var count = 0
        try connection.run(
            """
            WITH old AS MATERIALIZED (
                SELECT seq FROM requests
                WHERE state > 3 AND ended < statement_timestamp() - make_interval(secs => $1)
                ORDER BY ended LIMIT $2 FOR UPDATE SKIP LOCKED),
            d AS (DELETE FROM results USING old WHERE results.seq = old.seq),
            c AS (DELETE FROM contents USING old WHERE contents.seq = old.seq),
            e AS (DELETE FROM dependencies USING old WHERE dependencies.upstream = old.seq),
            r AS (DELETE FROM requests USING old WHERE requests.seq = old.seq RETURNING 1)
            SELECT count(*) FROM r
            """, .real(RecordRules.bounded(age)), .integer(limit)
        ) { count = $0.int(0) }
        return count
    }
}
