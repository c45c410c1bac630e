// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

extension DependencyGraph {
    /// Frees an operation, and all that it waits for, from limits: from now on, in every queue of the library that they
    /// are or will be in. Called when a block of another operation, which keeps its slots meanwhile, is about to wait
    /// for this one.
    static func expedite(_ operation: any SchedulableOperation) {
        let node = operation.dependencyNode
        lock.withLock { _ in
            var deferred = DeferredActions()
            guard !node._isGone, node._inheritedRank < .connected else { return deferred }
            node._inheritedRank = .connected
            raise(Array(node._upstreamNodes), to: node._effectiveRank, &deferred)
            return deferred
        }.run()
        // Called directly, since a node that was made after the activation does not know of it. An operation that joins
        // a queue later finds the rank.
        operation.scheduler?.operationDidBecomeReady(operation)
    }
}
