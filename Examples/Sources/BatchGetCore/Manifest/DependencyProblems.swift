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

/// Cycles in a graph that is given by what each node points to.
enum DependencyCycles {
    /// One cycle through each node that a search finds on one, every node reported once; the lowest node comes first.
    ///
    /// Without recursion: a manifest may be a chain of any length.
    static func find(in edges: [[Int]]) -> [[Int]] {
        enum Mark { case unseen, onPath, done }
        var marks = [Mark](repeating: .unseen, count: edges.count)
        var cycles: [[Int]] = []
        for start in edges.indices where marks[start] == .unseen {
            var path = [start]
            var next = [0]
            marks[start] = .onPath
            while let node = path.last, let position = next.last {
                guard position < edges[node].count else {
                    marks[node] = .done
                    path.removeLast()
                    next.removeLast()
                    continue
                }
                next[next.count - 1] += 1
                let target = edges[node][position]
                switch marks[target] {
                case .done: break
                case .unseen:
                    marks[target] = .onPath
                    path.append(target)
                    next.append(0)
                case .onPath:
                    guard let begin = path.firstIndex(of: target) else { break }
                    cycles.append(rotated(Array(path[begin...])))
                }
            }
        }
        return cycles
    }

    /// The same cycle, beginning with its lowest node.
    private static func rotated(_ cycle: [Int]) -> [Int] {
        guard let lowest = cycle.min(), let index = cycle.firstIndex(of: lowest) else { return cycle }
        return Array(cycle[index...] + cycle[..<index])
    }
}
