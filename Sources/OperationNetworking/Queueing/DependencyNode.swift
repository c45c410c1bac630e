// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

/// One operation's side of the graph that its dependents hold on to.
///
/// Nodes link to nodes in both directions while an edge is open; `DependencyGraph` cuts the links when an operation ends
/// or is released, so no cycle outlives the operations.
// Sendable because `operation` is written only by `init`, and every other mutable field is guarded by the graph's lock.
final class DependencyNode: @unchecked Sendable {
    /// The operation: weak, so that a graph nobody runs is released with its operations.
    private(set) weak var operation: Operation?
    /// The registry's key when the operation is a foreign one.
    let foreignKey: ObjectIdentifier?

    /// How many edges to upstreams are open. Guarded by the graph's lock.
    var _openCount = 0
    /// Nodes with an open edge to this one. Guarded by the graph's lock.
    var _dependents = IdentityList<DependencyNode>()
    /// Upstreams of open edges, some of them perhaps gone. Guarded by the graph's lock.
    var _upstreamNodes = IdentityList<DependencyNode>()
    /// Keeps the operation alive while one of its upstreams is active. Guarded by the graph's lock.
    var _hold: Operation?
    /// How many upstreams are active. Guarded by the graph's lock.
    var _activeUpstreams = 0
    /// Whether the operation was enqueued or started. Guarded by the graph's lock.
    var _isActive = false
    /// Whether the operation is to be told of each upstream's end. Guarded by the graph's lock.
    var _followsUpstreams = false
    /// Whether the operation ended or was released. Guarded by the graph's lock.
    var _isGone = false
    /// The operation's own priority, known from its activation on. Guarded by the graph's lock.
    var _ownRank = PriorityRank.lowest
    /// The highest rank among the active operations that wait for this one. Guarded by the graph's lock.
    var _inheritedRank = PriorityRank.lowest
    /// Foreign operations among the upstreams, direct and indirect; beyond `reachLimit` only `_reachesMany` is kept.
    /// Guarded by the graph's lock.
    var _foreignReach: [DependencyNode] = []
    /// More foreign upstreams than are listed. Guarded by the graph's lock.
    var _reachesMany = false
    /// Tells the end of a foreign operation. Guarded by the graph's lock.
    var _probe: FinishObserver?
    /// Whether `_probe` has been connected. Guarded by the graph's lock.
    var _isArmed = false
    /// The queue a foreign operation is in. Guarded by the graph's lock.
    weak var _queue: RequestOperationQueue?

    /// How many foreign upstreams a node lists.
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
