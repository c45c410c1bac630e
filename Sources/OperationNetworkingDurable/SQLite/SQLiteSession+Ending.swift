// SPDX-License-Identifier: MIT
internal import Foundation

extension SQLiteSession {
    /// Ends a request, and judges its dependents.
    ///
    /// - Returns: the others that ended with it.
    func end(_ row: Int64, _ next: RecordRules.Next) throws -> [EndedRequest] {
        try connection.run(
            """
            UPDATE requests SET state = ?, ended = ?, reason = ?, failures = failures + ?, worker = NULL,
                lease_end = NULL, lease_span = NULL, due = NULL, cancelling = 0 WHERE seq = ?
            """,
            .integer(next.state.rawValue), .real(now), .optional(next.reason?.rawValue),
            .integer(next.isFailure ? 1 : 0), .integer(row))
        try keep(next.result, of: row)
        // A host has a place free, if nothing else.
        noteChange()
        return try cascade(from: [(row, next.state)])
    }

    func keep(_ result: StoredResult?, of row: Int64) throws {
        guard let result else { return }
        try connection.run(
            "INSERT OR REPLACE INTO results VALUES (?, ?, ?)", .integer(row), .blob(result.summary),
            .optional(result.content))
    }

    private struct Dependent {
        var row: Int64
        var condition: DurableRequest.Dependency.Condition
        var openDependencies: Int
        var due: Double?
        var id: DurableRequest.ID
        var group: String?
    }

    /// Judges the dependents of requests that have ended, and theirs.
    ///
    /// - Returns: those that are skipped.
    func cascade(from ends: [(row: Int64, state: DurableRequest.State)]) throws -> [EndedRequest] {
        var frontier = ends
        var skipped: [EndedRequest] = []
        while let (row, state) = frontier.popLast() {
            let dependents = try dependents(of: row)
            guard !dependents.isEmpty else { continue }
            noteChange()
            for dependent in dependents {
                switch dependent.condition.verdict(on: state) {
                case .satisfied: try satisfy(dependent)
                case .skipped:
                    try connection.run(
                        "UPDATE requests SET state = 6, ended = ?, due = NULL WHERE seq = ?", .real(now),
                        .integer(dependent.row))
                    skipped.append(EndedRequest(id: dependent.id, group: dependent.group, state: .skipped))
                    frontier.append((dependent.row, .skipped))
                case nil: break
                }
            }
            try connection.run("DELETE FROM dependencies WHERE upstream = ?", .integer(row))
        }
        return skipped
    }

    private func satisfy(_ dependent: Dependent) throws {
        let open = dependent.openDependencies - 1
        let state = open > 0 ? .waiting : RecordRules.stateWhenDue(in: (dependent.due ?? 0) - now)
        try connection.run(
            "UPDATE requests SET open_dependencies = ?, state = ? WHERE seq = ?", .integer(max(open, 0)),
            .integer(state.rawValue), .integer(dependent.row))
    }

    /// Those that still wait.
    private func dependents(of row: Int64) throws -> [Dependent] {
        var found: [Dependent] = []
        try connection.run(
            """
            SELECT r.seq, d.condition, r.open_dependencies, r.due, r.id, r.grp
            FROM dependencies d CROSS JOIN requests r ON r.seq = d.dependent WHERE d.upstream = ? AND r.state = 0
            """, .integer(row)
        ) { row in
            guard let id = row.id(4), let condition = DurableRequest.Dependency.Condition(rawValue: row.int(1)) else {
                throw damaged("a dependency")
            }
            found.append(
                Dependent(
                    row: row.integer(0), condition: condition, openDependencies: row.int(2), due: row.optionalReal(3),
                    id: id, group: row.text(5)))
        }
        return found
    }
}
