// SPDX-License-Identifier: MIT
internal import Foundation

extension PostgresSession {
    /// The largest number of requests in one statement, and of bytes, about.
    private static let chunk = (requests: 1000, bytes: 16 << 20)

    /// A request that another one depends on, as the store has it.
    private struct Upstream {
        var row: Int64
        var state: DurableRequest.State
    }

    /// - Parameter outside: the IDs that have to be in the store.
    func add(_ requests: [StoredRequest], dependingOn outside: Set<DurableRequest.ID>) throws -> Int {
        var seen: Set<DurableRequest.ID> = []
        let requests = requests.filter { seen.insert($0.id).inserted }
        // Before anything is written: while these rows are locked, none of them ends unnoticed.
        var upstreams = try find(outside)
        let unknown = outside.filter { upstreams[$0] == nil }
        guard unknown.isEmpty else { throw AdditionOrder.unknown(unknown, place: target.place) }
        let hosts = try hosts(Set(requests.map(\.host)))
        var rows: [DurableRequest.ID: Int64] = [:]
        for chunk in Self.chunks(requests) {
            let made = try insert(chunk, hosts)
            try keepContents(of: chunk, made)
            rows.merge(made) { first, _ in first }
        }
        let fresh = requests.filter { rows[$0.id] != nil && !$0.dependencies.isEmpty }
        if !fresh.isEmpty {
            // Those of the addition that were there before it.
            let others = Set(fresh.flatMap { $0.dependencies.map(\.id) }).filter {
                rows[$0] == nil && upstreams[$0] == nil
            }
            upstreams.merge(try find(others)) { first, _ in first }
            try connect(fresh, rows, upstreams)
        }
        if !rows.isEmpty { noteChange() }
        return rows.count
    }

    private static func chunks(_ requests: [StoredRequest]) -> [ArraySlice<StoredRequest>] {
        var chunks: [ArraySlice<StoredRequest>] = []
        var (start, bytes) = (requests.startIndex, 0)
        for (place, request) in requests.enumerated() {
            let size = request.content.count + (request.body?.count ?? 0)
            if place - start >= chunk.requests || place > start && bytes + size > chunk.bytes {
                chunks.append(requests[start..<place])
                (start, bytes) = (place, 0)
            }
            bytes += size
        }
        if start < requests.endIndex { chunks.append(requests[start...]) }
        return chunks
    }

    /// Finds requests, and keeps them from ending before this transaction does.
    private func find(_ ids: Set<DurableRequest.ID>) throws -> [DurableRequest.ID: Upstream] {
        guard !ids.isEmpty else { return [:] }
        var found: [DurableRequest.ID: Upstream] = [:]
        try connection.run(
            "SELECT id, seq, state FROM requests WHERE id = ANY($1) ORDER BY seq FOR SHARE", .ids(ids)
        ) { row in
            guard let id = row.id(0), let state = DurableRequest.State(rawValue: row.int(2)) else {
                throw damaged("a request")
            }
            found[id] = Upstream(row: row.integer(1), state: state)
        }
        return found
    }

    private func hosts(_ names: Set<String>) throws -> [String: Int64] {
        let list = names.sorted()
        var found: [String: Int64] = [:]
        func look() throws {
            try connection.run("SELECT name, host FROM hosts WHERE name = ANY($1)", .texts(list)) { row in
                found[row.text(0) ?? ""] = row.integer(1)
            }
        }
        try look()
        guard found.count < list.count else { return found }
        try connection.run(
            "INSERT INTO hosts(name) SELECT n FROM unnest($1::text[]) n ORDER BY n ON CONFLICT (name) DO NOTHING",
            .texts(list.filter { found[$0] == nil }))
        try look()
        return found
    }

    /// Returns the rows of the requests that were not there yet.
    private func insert(
        _ requests: ArraySlice<StoredRequest>, _ hosts: [String: Int64]
    ) throws -> [DurableRequest.ID: Int64] {
        var rows: [DurableRequest.ID: Int64] = [:]
        let delays = requests.map { RecordRules.bounded($0.delay) }
        let states = zip(requests, delays).map { request, delay in
            Int64((request.dependencies.isEmpty ? RecordRules.stateWhenDue(in: delay) : .waiting).rawValue)
        }
        try connection.run(
            """
            INSERT INTO requests(id, grp, priority, host, state, due, deadline, maximum_losses, added)
            SELECT id, grp, priority, host, state,
                CASE WHEN delay > 0 THEN statement_timestamp() + make_interval(secs => delay) END,
                statement_timestamp() + make_interval(secs => deadline), maximum_losses, statement_timestamp()
            FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::float8[], $7::float8[],
                $8::bigint[]) WITH ORDINALITY
                AS o(id, grp, priority, host, state, delay, deadline, maximum_losses, place)
            ORDER BY place ON CONFLICT (id) DO NOTHING RETURNING id, seq
            """,
            .ids(requests.map(\.id)), .texts(requests.map(\.group)), .integers(requests.map { Int64($0.priority) }),
            .integers(requests.map { hosts[$0.host] ?? 0 }), .integers(states), .reals(delays),
            .reals(requests.map { $0.timeToDeadline.map(RecordRules.bounded) }),
            .integers(requests.map { Int64($0.maximumLosses) })
        ) { row in
            guard let id = row.id(0) else { throw damaged("an ID") }
            rows[id] = row.integer(1)
        }
        return rows
    }

    private func keepContents(of requests: ArraySlice<StoredRequest>, _ rows: [DurableRequest.ID: Int64]) throws {
        let made = requests.compactMap { request in rows[request.id].map { (row: $0, request: request) } }
        guard !made.isEmpty else { return }
        try connection.run(
            "INSERT INTO contents SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bytea[])",
            .integers(made.map(\.row)), .blobs(made.map(\.request.content)), .blobs(made.map(\.request.body)))
    }

    /// Draws the edges of requests that were added, and judges those whose dependencies have ended before.
    private func connect(
        _ requests: [StoredRequest], _ rows: [DurableRequest.ID: Int64], _ upstreams: [DurableRequest.ID: Upstream]
    ) throws {
        var edges: [(upstream: Int64, dependent: Int64, condition: Int64)] = []
        var states: [(row: Int64, state: DurableRequest.State, open: Int64)] = []
        for request in requests {
            guard let row = rows[request.id] else { continue }
            // Of two edges to one request the stricter one holds.
            let dependencies = Dictionary(request.dependencies.map { ($0.id, $0.condition) }) { first, second in
                first == .ifSucceeded ? first : second
            }
            let verdicts = try dependencies.map { id, condition -> DurableRequest.Dependency.Verdict? in
                let upstream = rows[id].map { Upstream(row: $0, state: .waiting) } ?? upstreams[id]
                guard let upstream else { throw AdditionOrder.unknown([id], place: target.place) }
                let verdict = condition.verdict(on: upstream.state)
                if verdict == nil { edges.append((upstream.row, row, Int64(condition.rawValue))) }
                return verdict
            }
            let (state, open) = RecordRules.firstState(verdicts, delay: RecordRules.bounded(request.delay))
            states.append((row, state, Int64(open)))
        }
        try connection.run(
            "INSERT INTO dependencies SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[])",
            .integers(edges.map(\.upstream)), .integers(edges.map(\.dependent)), .integers(edges.map(\.condition)))
        try connection.run(
            """
            UPDATE requests r SET state = o.state, open_dependencies = o.open,
                ended = CASE WHEN o.state > 3 THEN statement_timestamp() END
            FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS o(seq, state, open) WHERE r.seq = o.seq
            """,
            .integers(states.map(\.row)), .integers(states.map { Int64($0.state.rawValue) }),
            .integers(states.map(\.open)))
        // Dependents in the same addition have their edges now.
        _ = try cascade(from: states.filter(\.state.isEnd).map { End(row: $0.row, state: $0.state, origin: 0) })
    }
}
