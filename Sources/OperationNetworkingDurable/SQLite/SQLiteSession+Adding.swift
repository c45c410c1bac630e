// SPDX-License-Identifier: MIT
internal import Foundation

extension SQLiteSession {
    /// - Parameter outside: the IDs that have to be in the store.
    func add(_ requests: [StoredRequest], dependingOn outside: Set<DurableRequest.ID>) throws -> Int {
        let unknown = try outside.filter { try find($0) == nil }
        guard unknown.isEmpty else { throw AdditionOrder.unknown(unknown, place: connection.path) }
        var hosts: [String: Int64] = [:]
        // Dependencies may come later in the addition: the edges are drawn when all have their rows.
        var fresh: [(row: Int64, request: StoredRequest)] = []
        var count = 0
        for request in requests {
            try insert(request, host: try host(request.host, &hosts))
            guard connection.changes > 0 else { continue }
            count += 1
            let row = connection.lastRow
            try connection.run(
                "INSERT INTO contents VALUES (?, ?, ?)", .integer(row), .blob(request.content), .optional(request.body))
            if !request.dependencies.isEmpty { fresh.append((row, request)) }
        }
        for (row, request) in fresh { try connect(row, request) }
        if count > 0 { noteChange() }
        return count
    }

    private func insert(_ request: StoredRequest, host: Int64) throws {
        let delay = RecordRules.bounded(request.delay)
        let state: DurableRequest.State =
            request.dependencies.isEmpty ? RecordRules.stateWhenDue(in: delay) : .waiting
        try connection.run(
            """
            INSERT INTO requests(id, grp, priority, host, state, open_dependencies, due, due_span, deadline,
                maximum_losses, added)
            VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?) ON CONFLICT(id) DO NOTHING
            """,
            .id(request.id), .optional(request.group), .integer(request.priority), .integer(host),
            .integer(state.rawValue), delay > 0 ? .real(now + delay) : .null, .real(delay),
            .optional(request.timeToDeadline.map { now + RecordRules.bounded($0) }),
            .integer(request.maximumLosses), .real(now))
    }

    private func connect(_ row: Int64, _ request: StoredRequest) throws {
        // Of two edges to one request the stricter one holds.
        let dependencies = Dictionary(request.dependencies.map { ($0.id, $0.condition) }) { first, second in
            first == .ifSucceeded ? first : second
        }
        let verdicts = try dependencies.map { id, condition -> DurableRequest.Dependency.Verdict? in
            guard let upstream = try find(id) else {
                throw AdditionOrder.unknown([id], place: connection.path)
            }
            let verdict = condition.verdict(on: upstream.state)
            if verdict == nil {
                try connection.run(
                    "INSERT INTO dependencies VALUES (?, ?, ?)", .integer(upstream.row), .integer(row),
                    .integer(condition.rawValue))
            }
            return verdict
        }
        let delay = RecordRules.bounded(request.delay)
        let (state, open) = RecordRules.firstState(verdicts, delay: delay)
        try connection.run(
            "UPDATE requests SET state = ?, open_dependencies = ?, ended = ? WHERE seq = ?", .integer(state.rawValue),
            .integer(open), state.isEnd ? .real(now) : .null, .integer(row))
        // A dependent of the same addition may have drawn its edge already.
        if state.isEnd { _ = try cascade(from: [(row, state)]) }
    }

    /// The row and the state of a request; nil: there is none.
    func find(_ id: DurableRequest.ID) throws -> (row: Int64, state: DurableRequest.State)? {
        var found: (Int64, Int)?
        try connection.run("SELECT seq, state FROM requests WHERE id = ?", .id(id)) {
            found = ($0.integer(0), $0.int(1))
        }
        guard let found else { return nil }
        guard let state = DurableRequest.State(rawValue: found.1) else { throw damaged("state \(found.1)") }
        return (found.0, state)
    }

    private func host(_ name: String, _ known: inout [String: Int64]) throws -> Int64 {
        if let host = known[name] { return host }
        try connection.run("INSERT INTO hosts(name) VALUES (?) ON CONFLICT(name) DO NOTHING", .text(name))
        var host: Int64 = 0
        try connection.run("SELECT host FROM hosts WHERE name = ?", .text(name)) { host = $0.integer(0) }
        if known.count > 10_000 { known = [:] }
        known[name] = host
        return host
    }
}
