// SPDX-License-Identifier: MIT

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
