// SPDX-License-Identifier: MIT
internal import Foundation

extension SQLiteSession {
    private static let columns = """
        SELECT r.id, r.grp, r.state, r.priority, r.failures, r.losses, r.worker, r.cancelling, r.added, r.due, r.ended,
            r.reason, c.content, s.summary
        FROM requests r JOIN contents c ON c.seq = r.seq LEFT JOIN results s ON s.seq = r.seq
        """

    private func record(_ row: SQLiteRow) throws -> RequestRecord {
        guard let id = row.id(0), let state = DurableRequest.State(rawValue: row.int(2)) else {
            throw damaged("a request")
        }
        return RequestRecord(
            id: id, group: row.text(1), state: state, priority: row.int(3), failures: row.int(4), losses: row.int(5),
            worker: row.text(6), isCancelling: row.int(7) != 0, addition: Date(timeIntervalSince1970: row.real(8)),
            earliestStart: row.optionalReal(9).map(Date.init(timeIntervalSince1970:)),
            end: row.optionalReal(10).map(Date.init(timeIntervalSince1970:)),
            reason: row.isNull(11) ? nil : StoreEndReason(rawValue: row.int(11)), content: row.data(12) ?? Data(),
            summary: row.data(13))
    }

    func record(of id: DurableRequest.ID) throws -> RequestRecord? {
        var found: RequestRecord?
        try connection.run(Self.columns + " WHERE r.id = ?", .id(id)) { found = try record($0) }
        return found
    }

    func content(of id: DurableRequest.ID) throws -> Data? {
        var found: Data?
        try connection.run(
            "SELECT s.content FROM results s JOIN requests r ON r.seq = s.seq WHERE r.id = ?", .id(id)
        ) { found = $0.data(0) }
        return found
    }

    func records(inGroup group: String?, after previous: DurableRequest.ID?, limit: Int) throws -> [RequestRecord] {
        let start = try previous.flatMap { try find($0)?.row } ?? 0
        var found: [RequestRecord] = []
        if let group {
            try connection.run(
                Self.columns + " WHERE r.seq > ? AND r.grp = ? ORDER BY r.seq LIMIT ?", .integer(start), .text(group),
                .integer(max(limit, 0))
            ) { found.append(try record($0)) }
        } else {
            try connection.run(
                Self.columns + " WHERE r.seq > ? ORDER BY r.seq LIMIT ?", .integer(start), .integer(max(limit, 0))
            ) { found.append(try record($0)) }
        }
        return found
    }

    func counts(inGroup group: String?) throws -> RequestCounts {
        var numbers: [DurableRequest.State: Int] = [:]
        let count = { (row: SQLiteRow) in
            guard let state = DurableRequest.State(rawValue: row.int(0)) else { throw self.damaged("a state") }
            numbers[state] = row.int(1)
        }
        if let group {
            try connection.run(
                "SELECT state, count(*) FROM requests WHERE grp = ? GROUP BY state", .text(group), row: count)
        } else {
            try connection.run("SELECT state, count(*) FROM requests GROUP BY state", row: count)
        }
        return RequestCounts(numbers)
    }

    func lastRow() throws -> Int64 { try connection.integer("SELECT max(seq) FROM requests") ?? 0 }
}
