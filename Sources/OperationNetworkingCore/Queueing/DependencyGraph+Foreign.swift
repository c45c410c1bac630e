// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

/// Operations that Foundation runs: their dependencies are read when they are enqueued and when their turn comes, and a
/// probe reports their end.
extension DependencyGraph {
    /// Takes a foreign operation into a queue's care. False, with no effect, when it is in the care of a queue already.
    static func adopt(_ operation: Operation, by queue: RequestOperationQueue) -> Bool {
        let candidate = DependencyNode(operation)
        guard let key = candidate.foreignKey else { return false }
        let rank = PriorityRank(operation.queuePriority)
        let (node, isNew): (DependencyNode?, Bool) = lock.withLock { state in
            let existing = state.foreign[key]
            guard existing?._queue == nil else { return (nil, false) }
            let node = existing ?? candidate
            node._queue = queue
            state.foreign[key] = node
            return (node, existing == nil)
        }
        guard let node else { return false }
        activate(node, rank: rank)
        if isNew { arm(node, operation) }
        return true
    }

    /// Reads what a foreign operation in a queue waits for, and what waits for it.
    static func standing(ofForeign operation: Operation) -> (isOpen: Bool, rank: PriorityRank) {
        let key = ObjectIdentifier(operation)
        let own = PriorityRank(operation.queuePriority)
        // A cancelled operation waits for nothing, as in Foundation.
        let upstreams = operation.isCancelled ? [] : operation.openDependencies
        for upstream in upstreams {
            let candidate = upstream.schedulable?.dependencyNode ?? DependencyNode(upstream)
            let edge: (node: DependencyNode, isNew: Bool, deferred: DeferredActions)? = lock.withLock { state in
                guard let node = state.foreign[key] else { return nil }
                let existing = candidate.foreignKey.map { state.foreign[$0] } ?? candidate
                let upstreamNode = existing ?? candidate
                guard !upstreamNode._isGone, !node._upstreamNodes.contains(upstreamNode) else { return nil }
                if let key = candidate.foreignKey, existing == nil { state.foreign[key] = candidate }
                var deferred = DeferredActions()
                openEdge(to: upstreamNode, of: node, &deferred)
                return (upstreamNode, existing == nil, deferred)
            }
            guard let edge else { continue }
            if edge.isNew { arm(edge.node, upstream) }
            edge.deferred.run()
            settle(edge.node, upstream)
        }
        return lock.withLock { state in
            guard let node = state.foreign[key] else { return (false, own) }
            node._ownRank = own
            return (node._openCount > 0 && !upstreams.isEmpty, max(own, node._inheritedRank))
        }
    }

    /// Returns true if a `RequestOperationQueue` has a foreign operation, which it may be about to give to Foundation.
    static func hasQueue(forForeign operation: Operation) -> Bool {
        lock.withLock { state in state.foreign[ObjectIdentifier(operation)]?._queue != nil }
    }

    /// Connects the probe that reports the end of a foreign operation. Called once, by the caller that registered the
    /// node.
    static func arm(_ node: DependencyNode, _ operation: Operation) {
        let probe = FinishObserver()
        lock.withLock { _ in node._probe = probe }
        probe.arm(operation) { foreignDidEnd(node) }
        let isGone = lock.withLock { _ in
            node._isArmed = true
            guard node._isGone else { return false }
            node._probe = nil
            return true
        }
        if isGone { probe.disarm() }
    }

    private static func foreignDidEnd(_ node: DependencyNode) {
        // Alive: it is this operation that is posting its end.
        guard let operation = node.operation else { return }
        let queue = lock.withLock { _ in node._queue }
        end(node, operation).run()
        queue?.foreignOperationDidFinish(operation)
    }
}
