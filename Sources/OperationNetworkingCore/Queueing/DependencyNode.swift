// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

/// The node of one operation in the graph, which its dependents retain.
///
/// Nodes link to nodes in both directions while an edge is open; `DependencyGraph` cuts the links when an operation
/// ends or is released, so no cycle outlives the operations.
// Sendable because `operation` is written only by `init`, and every other mutable field is guarded by the graph's lock.
final class DependencyNode: @unchecked Sendable {
    /// The operation: weak, so that a graph that never runs is released with its operations.
    private(set) weak var operation: Operation?
    /// The registry's key when the operation is a foreign one.
    let foreignKey: ObjectIdentifier?

    /// The number of open edges to upstreams. Guarded by the graph's lock.
    var _openCount = 0
    /// Nodes with an open edge to this one. Guarded by the graph's lock.
    var _dependents = IdentityList<DependencyNode>()
    /// Upstreams of open edges, some of them perhaps gone. Guarded by the graph's lock.
    var _upstreamNodes = IdentityList<DependencyNode>()
    /// Keeps the operation alive while one of its upstreams is active. Guarded by the graph's lock.
    var _hold: Operation?
    /// The number of active upstreams. Guarded by the graph's lock.
    var _activeUpstreams = 0
    /// True once the operation has been enqueued or started. Guarded by the graph's lock.
    var _isActive = false
    /// True if `upstreamDidEnd` is called at each upstream's end. Guarded by the graph's lock.
    var _followsUpstreams = false
    /// True once the operation has ended or been released. Guarded by the graph's lock.
    var _isGone = false
    /// The operation's own priority, known from its activation on. Guarded by the graph's lock.
    var _ownRank = PriorityRank.lowest
    /// The highest rank among the active operations that wait for this one. Guarded by the graph's lock.
    var _inheritedRank = PriorityRank.lowest
    /// Foreign operations among the upstreams, direct and indirect; beyond `reachLimit` only `_reachesMany` is kept.
    /// Guarded by the graph's lock.
    var _foreignReach: [DependencyNode] = []
    /// True if there are more foreign upstreams than `_foreignReach` can list. Guarded by the graph's lock.
    var _reachesMany = false
    /// Reports the end of a foreign operation. Guarded by the graph's lock.
    var _probe: FinishObserver?
    /// True once `_probe` has been connected. Guarded by the graph's lock.
    var _isArmed = false
    /// The queue a foreign operation is in. Guarded by the graph's lock.
    weak var _queue: RequestOperationQueue?

    /// The largest number of foreign upstreams that a node lists.
    static let reachLimit = 8

    init(_ operation: Operation) {
        self.operation = operation
        foreignKey = operation is any SchedulableOperation ? nil : ObjectIdentifier(operation)
    }

    /// Upstream operations that have not ended.
    var openCount: Int { DependencyGraph.lock.withLock { _ in _openCount } }

    var isForeign: Bool { foreignKey != nil }

    /// The rank the operation passes on to its upstreams: its own counts once it is active.
    var _effectiveRank: PriorityRank { _isActive ? max(_ownRank, _inheritedRank) : _inheritedRank }
}
