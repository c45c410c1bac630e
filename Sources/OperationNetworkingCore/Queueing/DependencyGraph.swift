// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

/// Dependencies between operations: one lock for all edges.
///
/// No edge of Foundation's points at an operation of ours: Foundation does not retain the dependents it notifies.
/// Nothing is called out of the lock, and no operation is released inside it: what may hold the last reference to one
/// leaves the critical section in `DeferredActions`.
enum DependencyGraph {
    /// The registry behind the lock. The lock also guards the nodes' underscored fields and `_upstreams` of every
    /// operation.
    struct State {
        /// The nodes of foreign operations that have dependents or are in a queue.
        var foreign: [ObjectIdentifier: DependencyNode] = [:]
    }

    /// The actions to run after the lock was released.
    struct DeferredActions: Sendable {
        /// Operations whose last upstream ended.
        var ready: [(operation: Operation, queue: RequestOperationQueue?)] = []
        /// Active operations that inherited a higher priority.
        var raised: [(operation: Operation, queue: RequestOperationQueue?)] = []
        /// Probes that are no longer needed.
        var probes: [FinishObserver] = []
        /// Operations that were retained, to be released outside the lock.
        var released: [Operation] = []

        func run() {
            for probe in probes { probe.disarm() }
            for (operation, queue) in raised {
                if let queue {
                    queue.foreignOperationDidChange(operation)
                } else if let operation = operation.schedulable, let scheduler = operation.scheduler {
                    scheduler.operationDidBecomeReady(operation)
                }
            }
            for (operation, queue) in ready {
                if let queue {
                    queue.foreignOperationDidChange(operation)
                } else if let operation = operation.schedulable {
                    operation.postReadiness()
                    operation.scheduler?.operationDidBecomeReady(operation)
                }
            }
        }
    }

    static let lock = Locked(State())

    /// The upstream operations, in order of addition.
    static func upstreams(of operation: any SchedulableOperation) -> [Operation] {
        lock.withLock { _ in Array(operation._upstreams) }
    }

    /// Returns true if an operation is among the upstream operations of another.
    static func isUpstream(_ upstream: Operation, of operation: any SchedulableOperation) -> Bool {
        lock.withLock { _ in operation._upstreams.contains(upstream) }
    }

    /// The state of an operation in the graph.
    struct Standing: Sendable {
        /// True if some upstreams have not ended.
        var isOpen: Bool
        /// The highest rank among the operations that wait for it.
        var inherited: PriorityRank
    }

    static func standing(of node: DependencyNode) -> Standing {
        lock.withLock { _ in Standing(isOpen: node._openCount > 0, inherited: node._inheritedRank) }
    }

    /// The operation was enqueued or started: from now until it ends its dependents are kept alive, and its upstreams
    /// inherit its priority.
    @discardableResult
    static func didActivate(_ operation: any SchedulableOperation) -> Standing? {
        guard let node = operation.dependencyNodeIfLoaded else { return nil }
        return activate(node, rank: PriorityRank(operation.queuePriority))
    }

    /// Sets whether the operation's `upstreamDidEnd` is called at each upstream's end.
    static func setFollowsUpstreams(_ follows: Bool, _ operation: any SchedulableOperation) {
        guard let node = operation.dependencyNodeIfLoaded else { return }
        lock.withLock { _ in node._followsUpstreams = follows }
    }

    /// The operation's `queuePriority` was set.
    static func priorityDidChange(_ operation: any SchedulableOperation) {
        guard let node = operation.dependencyNodeIfLoaded else { return }
        let rank = PriorityRank(operation.queuePriority)
        lock.withLock { _ in
            var deferred = DeferredActions()
            let before = node._effectiveRank
            node._ownRank = rank
            // Also called for every other change of the operation: its upstreams have the earlier rank already.
            if before < node._effectiveRank {
                raise(Array(node._upstreamNodes), to: node._effectiveRank, &deferred)
            }
            return deferred
        }.run()
    }

    /// The operation ended: its dependents no longer wait for it, and its own edges are dropped.
    ///
    /// - Returns: what is left to do, which starts dependents that became ready: not before `isFinished` was posted.
    static func didFinish(_ operation: any SchedulableOperation) -> DeferredActions? {
        // Without a node there has never been an edge; `add` looks at `isFinished` once more after making one.
        operation.dependencyNodeIfLoaded.map { end($0, operation) }
    }

    /// Ends a node: each dependent has one open upstream fewer. Those that follow their upstreams receive
    /// `upstreamDidEnd` first, while they still wait for this one.
    ///
    /// - Returns: what is left to do.
    static func end(_ node: DependencyNode, _ operation: Operation) -> DeferredActions {
        enum Step: Sendable {
            case tell([Operation])
            case done(DeferredActions)
        }
        let own = operation.schedulable
        var isTold = false
        while true {
            let tells = !isTold
            let step: Step = lock.withLock { state in
                if tells, node._dependents.contains(where: \._followsUpstreams) {
                    return .tell(node._dependents.filter(\._followsUpstreams).compactMap(\.operation))
                }
                var deferred = DeferredActions()
                if let own { deferred.released = own._upstreams.removeAll() }
                guard !node._isGone else { return .done(deferred) }
                node._isGone = true
                for dependent in node._dependents where !dependent._isGone {
                    closeEdge(to: node, of: dependent, &deferred)
                }
                detach(node, &state, &deferred)
                return .done(deferred)
            }
            switch step {
            case .tell(let followers):
                for case let follower as any SchedulableOperation in followers { follower.upstreamDidEnd(operation) }
                isTold = true
            case .done(let deferred):
                return deferred
            }
        }
    }

    /// Releases a list of upstreams without recursion, however long the chain behind it. For `deinit`.
    static func release(_ upstreams: inout IdentityList<Operation>, of node: DependencyNode?) {
        guard let node else { return }
        // The only list with them: `isKnownUniquelyReferenced` would see another.
        var stack = upstreams.removeAll()
        depart(node)
        while var operation = stack.popLast() {
            guard isKnownUniquelyReferenced(&operation), let last = operation.schedulable,
                let node = last.dependencyNodeIfLoaded
            else { continue }
            last.dropPreparations()
            stack += lock.withLock { _ in last._upstreams.removeAll() }
            depart(node)
        }
    }

    /// Removes from the graph the node of an operation that is being released.
    private static func depart(_ node: DependencyNode) {
        lock.withLock { state in
            var deferred = DeferredActions()
            node._isGone = true
            detach(node, &state, &deferred)
            return deferred
        }.run()
    }

    /// The same by the operation's node.
    @discardableResult
    static func activate(_ node: DependencyNode, rank: PriorityRank) -> Standing {
        let (standing, deferred): (Standing, DeferredActions?) = lock.withLock { _ in
            let standing = Standing(isOpen: node._openCount > 0, inherited: node._inheritedRank)
            guard !node._isActive, !node._isGone else { return (standing, nil) }
            node._isActive = true
            node._ownRank = rank
            for dependent in node._dependents where !dependent._isGone {
                dependent._activeUpstreams += 1
                if dependent._hold == nil { dependent._hold = dependent.operation }
            }
            var deferred = DeferredActions()
            raise(Array(node._upstreamNodes), to: node._effectiveRank, &deferred)
            return (standing, deferred)
        }
        deferred?.run()
        return standing
    }

    // MARK: - Inside the lock

    /// Counts one open edge less: the upstream ended, or the edge was removed.
    static func closeEdge(to upstream: DependencyNode, of dependent: DependencyNode, _ deferred: inout DeferredActions)
    {
        dependent._openCount -= 1
        if upstream._isActive {
            dependent._activeUpstreams -= 1
            if dependent._activeUpstreams == 0, let held = dependent._hold.take() {
                deferred.released.append(held)
            }
        }
        if dependent._openCount == 0, let operation = dependent.operation {
            deferred.ready.append((operation, dependent._queue))
        }
    }

    /// Cuts every link of a node that is gone.
    private static func detach(_ node: DependencyNode, _ state: inout State, _ deferred: inout DeferredActions) {
        node._dependents = IdentityList()
        node._foreignReach = []
        if let held = node._hold.take() { deferred.released.append(held) }
        for upstream in node._upstreamNodes.removeAll() where !upstream._isGone {
            _ = upstream._dependents.remove(node)
            retireIfUnused(upstream, &state, &deferred)
        }
        if let key = node.foreignKey, state.foreign[key] === node {
            state.foreign[key] = nil
            takeProbe(of: node, &deferred)
        }
    }

    /// Forgets a foreign operation that nothing depends on and no queue runs.
    static func retireIfUnused(_ node: DependencyNode, _ state: inout State, _ deferred: inout DeferredActions) {
        guard let key = node.foreignKey, node._queue == nil, !node._isActive,
            node._dependents.isEmpty, state.foreign[key] === node
        else { return }
        node._isGone = true
        state.foreign[key] = nil
        takeProbe(of: node, &deferred)
    }

    /// Moves the probe out of the lock, since it retains its operation. A probe that is not connected yet stays for
    /// `arm`, which disconnects it.
    private static func takeProbe(of node: DependencyNode, _ deferred: inout DeferredActions) {
        guard node._isArmed, let probe = node._probe.take() else { return }
        deferred.probes.append(probe)
    }

    /// Passes a rank on to nodes and to everything they wait for. A rank only rises, so a node is visited at most once
    /// for each of the six ranks.
    static func raise(_ nodes: [DependencyNode], to rank: PriorityRank, _ deferred: inout DeferredActions) {
        var stack = nodes
        while let next = stack.popLast() {
            guard !next._isGone, next._inheritedRank < rank else { continue }
            let before = next._effectiveRank
            next._inheritedRank = rank
            if next._isActive, before < rank, let operation = next.operation {
                deferred.raised.append((operation, next._queue))
            }
            stack += next._upstreamNodes
        }
    }
}
