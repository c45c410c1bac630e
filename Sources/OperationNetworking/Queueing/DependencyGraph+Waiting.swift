// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

extension DependencyGraph {
    /// A block of an operation that keeps its slots meanwhile is about to wait for this one: neither it nor what it waits for
    /// is held up by limits from now on, in whatever queues of the library's they are, or will be.
    static func expedite(_ operation: any SchedulableOperation) {
        let node = operation.dependencyNode
        lock.withLock { _ in
            var deferred = DeferredActions()
            guard !node._isGone, node._inheritedRank < .connected else { return deferred }
            node._inheritedRank = .connected
            raise(Array(node._upstreamNodes), to: node._effectiveRank, &deferred)
            return deferred
        }.run()
        // By its own account, since the node of one that never had an edge is not told of the activation. One that joins a
        // queue later finds the rank.
        operation.scheduler?.operationDidBecomeReady(operation)
    }
}
