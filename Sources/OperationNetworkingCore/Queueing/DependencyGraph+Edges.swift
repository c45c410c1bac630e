// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

extension DependencyGraph {
    /// Adds an edge; throws, and adds nothing, when it would close a cycle. Adding an edge twice has no effect, nor has
    /// adding one to an operation that has ended.
    static func add(upstream: Operation, to dependent: any SchedulableOperation) throws(OperationDependencyError) {
        guard upstream !== dependent else { throw OperationDependencyError(operations: [dependent, dependent]) }
        guard !dependent.isFinished else { return }
        let node = dependent.dependencyNode
        if dependent.followsUpstreams { setFollowsUpstreams(true, dependent) }
        if upstream.isFinished {
            // Listed, as in Foundation, but nothing to wait for.
            lock.withLock { _ in dependent._upstreams.append(upstream) }
        } else {
            let upstreamNode = upstream.schedulable?.dependencyNode ?? DependencyNode(upstream)
            try link(upstream, candidate: upstreamNode, to: dependent, node)
        }
        // Either may have ended, or been activated, before its node could be seen.
        if dependent.isFinished {
            didFinish(dependent)?.run()
        } else if dependent.isActivated {
            activate(node, rank: PriorityRank(dependent.queuePriority))
        }
    }

    private static func link(
        _ upstream: Operation, candidate: DependencyNode, to dependent: any SchedulableOperation, _ node: DependencyNode
    ) throws(OperationDependencyError) {
        enum Step: Sendable {
            case expand([Operation])
            case cycle([Operation])
            case linked(DependencyNode, isNew: Bool, DeferredActions)
            case nothing
        }
        var foreign = ForeignEdges()
        // An operation that nothing waits for is in no cycle: a chain that grows at its end needs no search.
        let mayBeAwaited = FoundationState.mayHaveForeignDependents(dependent)
        while true {
            let known = foreign
            let step: Step = lock.withLock { state in
                let existing = candidate.foreignKey.map { state.foreign[$0] } ?? candidate
                let upstreamNode = existing ?? candidate
                // A dependent that ended meanwhile waits for nothing, and must not be held by what it would wait for.
                guard !node._isGone, !dependent._upstreams.contains(upstream) else { return .nothing }
                if mayBeAwaited || !node._dependents.isEmpty {
                    switch search(from: upstreamNode, to: node, known) {
                    case .expand(let operations): return .expand(operations)
                    case .path(let operations): return .cycle([dependent] + operations)
                    case .none: break
                    }
                }
                dependent._upstreams.append(upstream)
                if let key = candidate.foreignKey, existing == nil { state.foreign[key] = candidate }
                guard !upstreamNode._isGone else { return .nothing }
                var deferred = DeferredActions()
                openEdge(to: upstreamNode, of: node, &deferred)
                return .linked(upstreamNode, isNew: existing == nil, deferred)
            }
            switch step {
            case .expand(let operations): foreign.expand(operations)
            case .cycle(let operations): throw OperationDependencyError(operations: operations)
            case .nothing: return
            case .linked(let upstreamNode, let isNew, let deferred):
                if isNew { arm(upstreamNode, upstream) }
                deferred.run()
                settle(upstreamNode, upstream)
                return
            }
        }
    }

    /// Removes an edge.
    static func remove(upstream: Operation, from dependent: any SchedulableOperation) {
        guard let node = dependent.dependencyNodeIfLoaded else { return }
        // Made if it is missing: another thread may be about to add the edge, with the node that it makes.
        let own = upstream.schedulable?.dependencyNode
        lock.withLock { state in
            var deferred = DeferredActions()
            guard let removed = dependent._upstreams.remove(upstream) else { return deferred }
            deferred.released.append(removed)
            if let upstreamNode = own ?? state.foreign[ObjectIdentifier(upstream)],
                upstreamNode._dependents.remove(node) != nil
            {
                _ = node._upstreamNodes.remove(upstreamNode)
                closeEdge(to: upstreamNode, of: node, &deferred)
                retireIfUnused(upstreamNode, &state, &deferred)
            }
            return deferred
        }.run()
    }

    // MARK: - Inside the lock

    /// Counts an upstream that has not ended, and hands it the dependent's priority.
    static func openEdge(to upstream: DependencyNode, of dependent: DependencyNode, _ deferred: inout DeferredActions) {
        upstream._dependents.append(dependent)
        dependent._upstreamNodes.append(upstream)
        dependent._openCount += 1
        if upstream._isActive {
            dependent._activeUpstreams += 1
            if dependent._hold == nil { dependent._hold = dependent.operation }
        }
        extendReach(of: dependent, by: upstream)
        raise([upstream], to: dependent._effectiveRank, &deferred)
    }

    /// Notes the foreign operations that became upstreams, for every dependent down the line.
    private static func extendReach(of dependent: DependencyNode, by upstream: DependencyNode) {
        guard !dependent.isForeign else { return }
        let addition = upstream.isForeign ? [upstream] : upstream._foreignReach.filter { !$0._isGone }
        guard !addition.isEmpty || upstream._reachesMany else { return }
        var stack = [dependent]
        while let node = stack.popLast() {
            guard !node._isGone, !node.isForeign, !node._reachesMany else { continue }
            let new = addition.filter { candidate in !node._foreignReach.contains { $0 === candidate } }
            guard !new.isEmpty || upstream._reachesMany else { continue }
            node._foreignReach.removeAll { $0._isGone }
            if upstream._reachesMany || node._foreignReach.count + new.count > DependencyNode.reachLimit {
                node._reachesMany = true
                node._foreignReach = []
                // The nodes below must give up their lists as well, whatever they were about to receive.
                markMany(below: node)
            } else {
                node._foreignReach += new
                stack += node._dependents
            }
        }
    }

    private static func markMany(below node: DependencyNode) {
        var stack = Array(node._dependents)
        while let next = stack.popLast() {
            guard !next._isGone, !next.isForeign, !next._reachesMany else { continue }
            next._reachesMany = true
            next._foreignReach = []
            stack += next._dependents
        }
    }

    /// Looks once more at what may have changed before the edge could be seen.
    ///
    /// Only its probe reports a foreign upstream's end: ending its node here would disconnect the probe before it had
    /// told the queue that runs the upstream.
    static func settle(_ upstreamNode: DependencyNode, _ upstream: Operation) {
        guard let own = upstream.schedulable else { return }
        if own.isFinished {
            end(upstreamNode, own).run()
        } else if own.isActivated {
            activate(upstreamNode, rank: PriorityRank(own.queuePriority))
        }
    }
}

extension OperationDependencyError {
    init(operations: [Operation]) {
        self.init(path: operations.map { $0.name ?? String(describing: $0) })
    }
}
