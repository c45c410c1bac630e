// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

/// The dependencies of foreign operations, read from Foundation outside the graph's lock: Foundation does not report
/// when they change.
struct ForeignEdges: Sendable {
    /// Each foreign operation that was read, with what it depends on.
    private(set) var edges: [ObjectIdentifier: IdentityList<DependencyNode>] = [:]
    /// True if an operation of ours was among them: then a path may lead through a foreign operation.
    private(set) var reachesOwn = false
    /// Stand-ins for foreign operations that were met. They keep the identity of an operation stable in one search.
    private var standIns: [ObjectIdentifier: DependencyNode] = [:]
    /// Keeps what was read alive, so that its identity is not reused.
    private var operations: [Operation] = []
    /// Nodes of ours on the way up whose upstreams have been looked through.
    private var passed: Set<ObjectIdentifier> = []

    /// Reads the dependencies of foreign operations, and of the foreign operations that those wait for, directly or
    /// through operations of ours: met one by one in a search, each would make it begin again.
    mutating func expand(_ roots: [Operation]) {
        var stack = roots
        while !stack.isEmpty {
            var own: [DependencyNode] = []
            while let operation = stack.popLast() {
                read(operation, &own, &stack)
            }
            // Together, for they may be many.
            stack = DependencyGraph.foreignUpstreams(of: own, beyond: &passed)
        }
    }

    private mutating func read(_ operation: Operation, _ own: inout [DependencyNode], _ stack: inout [Operation]) {
        let key = ObjectIdentifier(operation)
        guard edges[key] == nil else { return }
        operations.append(operation)
        var nodes: [DependencyNode] = []
        for upstream in operation.openDependencies {
            if let upstream = upstream.schedulable {
                reachesOwn = true
                let node = upstream.dependencyNode
                nodes.append(node)
                if passed.insert(ObjectIdentifier(node)).inserted { own.append(node) }
            } else {
                let node = standIns[ObjectIdentifier(upstream)] ?? DependencyNode(upstream)
                standIns[ObjectIdentifier(upstream)] = node
                nodes.append(node)
                stack.append(upstream)
            }
        }
        edges[key] = IdentityList(walking: nodes)
    }
}

extension DependencyGraph {
    enum SearchResult {
        case none
        /// The way from the upstream to the dependent.
        case path([Operation])
        /// The search met foreign operations whose dependencies must be read first.
        case expand([Operation])
    }

    /// The foreign operations that nodes of ours wait for, directly or through others of ours.
    ///
    /// - Parameter passed: the nodes that were looked through, before and after.
    static func foreignUpstreams(
        of nodes: [DependencyNode], beyond passed: inout Set<ObjectIdentifier>
    ) -> [Operation] {
        guard !nodes.isEmpty else { return [] }
        return lock.withLock { _ in
            var operations: [Operation] = []
            var stack = nodes
            while let node = stack.popLast() {
                for upstream in node._upstreamNodes where !upstream._isGone {
                    guard passed.insert(ObjectIdentifier(upstream)).inserted else { continue }
                    if upstream.isForeign {
                        if let operation = upstream.operation { operations.append(operation) }
                    } else {
                        stack.append(upstream)
                    }
                }
            }
            return operations
        }
    }

    /// Searches for a path by which `start` waits, directly or not, for `goal`.
    ///
    /// Constant when `start` waits for nothing or nothing waits for `goal`; else two searches take turns, one from each
    /// end, and the smaller side decides. Foreign operations say only what they wait for, not what waits for them: once
    /// one leads back to an operation of ours, only the search upwards counts.
    static func search(from start: DependencyNode, to goal: DependencyNode, _ foreign: ForeignEdges) -> SearchResult {
        let reach = start.isForeign ? [start] : start._foreignReach.filter { !$0._isGone }
        let unread = reach.filter { $0.foreignKey.map { foreign.edges[$0] == nil } ?? false }.compactMap(\.operation)
        if !unread.isEmpty { return .expand(unread) }
        if start._reachesMany || foreign.reachesOwn { return searchUpwards(from: start, to: goal, foreign) }
        guard !goal._dependents.isEmpty, !start._upstreamNodes.isEmpty else { return .none }

        var above = Frontier(start)
        var below = Frontier(goal)
        while true {
            switch above.step(to: goal, next: { $0._upstreamNodes }) {
            case .found: return .path(above.path(to: goal))
            case .exhausted: return .none
            case .more: break
            }
            switch below.step(to: start, next: { $0._dependents }) {
            case .found: return .path(below.path(to: start).reversed())
            case .exhausted: return .none
            case .more: break
            }
        }
    }

    private static func searchUpwards(
        from start: DependencyNode, to goal: DependencyNode, _ foreign: ForeignEdges
    ) -> SearchResult {
        var above = Frontier(start)
        var unread: [Operation] = []
        while true {
            let step = above.step(to: goal) { node in
                guard let key = node.foreignKey else { return node._upstreamNodes }
                guard let nodes = foreign.edges[key] else {
                    if let operation = node.operation { unread.append(operation) }
                    return IdentityList()
                }
                return nodes
            }
            switch step {
            case .found: return .path(above.path(to: goal))
            case .exhausted: return unread.isEmpty ? .none : .expand(unread)
            case .more: break
            }
        }
    }

    /// One side of a search through the nodes.
    private struct Frontier {
        enum Step { case found, exhausted, more }

        private let origin: DependencyNode
        private var stack: [DependencyNode]
        /// The node that each visited node was reached from.
        private var reachedFrom: [ObjectIdentifier: DependencyNode] = [:]

        init(_ origin: DependencyNode) {
            self.origin = origin
            stack = [origin]
        }

        /// Visits one node.
        mutating func step(to goal: DependencyNode, next: (DependencyNode) -> IdentityList<DependencyNode>) -> Step {
            guard let node = stack.popLast() else { return .exhausted }
            for neighbour in next(node) where !neighbour._isGone {
                guard neighbour !== origin, reachedFrom[ObjectIdentifier(neighbour)] == nil else { continue }
                reachedFrom[ObjectIdentifier(neighbour)] = node
                if neighbour === goal { return .found }
                stack.append(neighbour)
            }
            return .more
        }

        /// The operations from the origin to `goal`.
        func path(to goal: DependencyNode) -> [Operation] {
            var nodes = [goal]
            var last = goal
            while let previous = reachedFrom[ObjectIdentifier(last)] {
                nodes.append(previous)
                last = previous
            }
            return nodes.reversed().compactMap(\.operation)
        }
    }
}
