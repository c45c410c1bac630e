// SPDX-License-Identifier: MIT

/// Ids that are not there, or are there twice, and entries that wait for themselves.
enum DependencyProblems {
    /// - Parameter isIncomplete: whether there are entries that are not among the outlines.
    static func problems(in outlines: [ManifestValidator.Outline], isIncomplete: Bool) -> [ManifestProblem] {
        var indices: [String: Int] = [:]
        var problems: [ManifestProblem] = []
        for (index, outline) in outlines.enumerated() {
            guard let id = outline.id else { continue }
            guard let other = indices[id] else {
                indices[id] = index
                continue
            }
            // Entries with one output and no other id have one id, too: that has been said.
            guard outline.output != outlines[other].output || outline.output != id else { continue }
            let place = outlines[other].place.description
            problems.append(ManifestProblem(outline.place, "id", "\(quoted(id)) is the id of \(place) already"))
        }
        // What seems unknown may be the id of an entry that could not be read.
        if !isIncomplete, outlines.allSatisfy({ $0.id != nil }) {
            for outline in outlines {
                for id in outline.after where indices[id] == nil {
                    problems.append(ManifestProblem(outline.place, "after", "there is no entry \(quoted(id))"))
                }
            }
        }
        let upstreams = outlines.map { $0.after.compactMap { indices[$0] } }
        for cycle in DependencyCycles.find(in: upstreams) {
            guard let first = cycle.first else { continue }
            let path = (cycle + [first]).map { outlines[$0].id ?? "?" }.joined(separator: " after ")
            problems.append(ManifestProblem(outlines[first].place, "after", "a cycle: \(path)"))
        }
        return problems
    }
}
