// SPDX-License-Identifier: MIT
internal import Foundation

extension PostgresSession {
    /// A request that has ended in this transaction.
    struct End {
        var row: Int64
        var state: DurableRequest.State
        /// The place of the outcome that it followed from.
        var origin: Int
    }

    /// A change of a request that was running.
    struct Change {
        var row: Int64
        var next: RecordRules.Next
    }

    /// Writes what became of requests, and their results. Dependents are not judged yet.
    ///
    /// - Parameter losses: 1 for requests whose leases have run out.
    func apply(_ changes: [Change], losses: Int = 0) throws {
        guard !changes.isEmpty else { return }
        try connection.run(
            """
            UPDATE requests r SET state = o.state, ended = CASE WHEN o.state > 3 THEN statement_timestamp() END,
                reason = o.reason, failures = r.failures + o.failures, losses = r.losses + $6, worker = NULL,
                lease_end = NULL, cancelling = false,
                due = CASE WHEN o.state = 1 THEN statement_timestamp() + make_interval(secs => o.delay) END
            FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::float8[])
                AS o(seq, state, reason, failures, delay)
            WHERE r.seq = o.seq
            """,
            .integers(changes.map(\.row)), .integers(changes.map { Int64($0.next.state.rawValue) }),
            .integers(changes.map { $0.next.reason?.rawValue }),
            .integers(changes.map { Int64($0.next.isFailure ? 1 : 0) }), .reals(changes.map(\.next.delay)),
            .integer(losses))
        let results = changes.compactMap { change in change.next.result.map { (row: change.row, result: $0) } }
        guard !results.isEmpty else { return }
        try connection.run(
            """
            INSERT INTO results SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bytea[])
            ON CONFLICT (seq) DO UPDATE SET summary = excluded.summary, content = excluded.content
            """,
            .integers(results.map(\.row)), .blobs(results.map(\.result.summary)), .blobs(results.map(\.result.content)))
    }

    /// Judges the dependents of requests that have ended, and theirs. The rows of those that ended are locked by this
    /// transaction, so that no edge to them is drawn meanwhile.
    ///
    /// - Returns: those that are skipped, each with the place of the outcome that it followed from.
    func cascade(from ends: [End]) throws -> [(ended: EndedRequest, origin: Int)] {
        var frontier = ends
        var skipped: [(ended: EndedRequest, origin: Int)] = []
        while !frontier.isEmpty {
            let upstreams = Dictionary(frontier.map { ($0.row, $0) }) { first, _ in first }
            let edges = try edges(from: upstreams.keys)
            guard !edges.isEmpty else { break }
            noteChange()
            frontier = []
            var satisfied: [Int64: Int64] = [:]
            var over: Set<Int64> = []
            for edge in edges {
                guard let upstream = upstreams[edge.upstream] else { continue }
                switch edge.condition.verdict(on: upstream.state) {
                case .satisfied: satisfied[edge.dependent, default: 0] += 1
                case .skipped:
                    guard over.insert(edge.dependent).inserted else { continue }
                    let ended = EndedRequest(id: edge.id, group: edge.group, state: .skipped)
                    skipped.append((ended, upstream.origin))
                    frontier.append(End(row: edge.dependent, state: .skipped, origin: upstream.origin))
                case nil: break
                }
            }
            try skip(over)
            try satisfy(satisfied.filter { !over.contains($0.key) })
            try connection.run("DELETE FROM dependencies WHERE upstream = ANY($1)", .integers(upstreams.keys))
        }
        return skipped
    }

    private struct Edge {
        var upstream: Int64
        var dependent: Int64
        var condition: DurableRequest.Dependency.Condition
        var id: DurableRequest.ID
        var group: String?
    }

    /// The edges to those that still wait, whose rows are locked.
    private func edges(from upstreams: some Collection<Int64>) throws -> [Edge] {
        var found: [Edge] = []
        try connection.run(
            """
            SELECT d.upstream, d.dependent, d.condition, r.id, r.grp
            FROM dependencies d JOIN requests r ON r.seq = d.dependent
            WHERE d.upstream = ANY($1) AND r.state = 0 ORDER BY r.seq, d.upstream FOR UPDATE OF r
            """, .integers(upstreams)
        ) { row in
            guard let condition = DurableRequest.Dependency.Condition(rawValue: row.int(2)), let id = row.id(3) else {
                throw damaged("a dependency")
            }
            found.append(
                Edge(
                    upstream: row.integer(0), dependent: row.integer(1), condition: condition, id: id,
                    group: row.text(4)))
        }
        return found
    }

    private func skip(_ rows: Set<Int64>) throws {
        guard !rows.isEmpty else { return }
        try connection.run(
            "UPDATE requests SET state = 6, ended = statement_timestamp(), due = NULL WHERE seq = ANY($1)",
            .integers(rows))
    }

    /// - Parameter counts: for each row the number of dependencies less. It is subtracted by the server, because other
    ///   transactions end other dependencies.
    private func satisfy(_ counts: [Int64: Int64]) throws {
        guard !counts.isEmpty else { return }
        let list = counts.sorted { $0.key < $1.key }
        try connection.run(
            """
            UPDATE requests r SET open_dependencies = greatest(r.open_dependencies - o.count, 0),
                state = CASE WHEN r.open_dependencies > o.count THEN 0
                    WHEN r.due > statement_timestamp() THEN 1 ELSE 2 END,
                due = CASE WHEN r.due > statement_timestamp() THEN r.due END
            FROM unnest($1::bigint[], $2::bigint[]) AS o(seq, count) WHERE r.seq = o.seq
            """, .integers(list.map(\.key)), .integers(list.map(\.value)))
    }
}
