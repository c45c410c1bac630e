// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport
internal import OperationNetworkingCore

/// Runs work on an operation queue of the user's, in order, one after the other whatever the queue's limit is. What
/// comes while the queue is busy takes no further operation.
final class DeliveryMailbox: Sendable {
    private struct State {
        var pending: [@Sendable () -> Void] = []
        var isScheduled = false
    }

    private let state = Locked(State())
    /// Returns true if more pieces of work may follow the first one of an operation. The order must be as if each piece
    /// were an operation: other operations on the queue come before pieces that are delivered later, and on a dispatch
    /// queue of the program, blocks that one piece adds come before the next piece.
    private static func mayGoOn(on queue: OperationQueue) -> Bool {
        queue.underlyingQueue == nil && queue.operationCount <= 1
    }

    func deliver(on queue: OperationQueue, _ work: @escaping @Sendable () -> Void) {
        let schedules = state.withLock { state in
            state.pending.append(work)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if schedules { schedule(on: queue) }
    }

    private func schedule(on queue: OperationQueue) {
        queue.addOperation(
            DeliveryOperation { [self, weak queue] in
                if let queue { run(on: queue) }
            })
    }

    private func run(on queue: OperationQueue) {
        var isFirst = true
        while true {
            let work: [@Sendable () -> Void] = state.withLock { state in
                defer { state.pending = [] }
                if state.pending.isEmpty { state.isScheduled = false }
                return state.pending
            }
            guard !work.isEmpty else { return }
            for (index, piece) in work.enumerated() {
                // A queue that was suspended meanwhile takes no more.
                guard !queue.isSuspended, isFirst || Self.mayGoOn(on: queue) else {
                    let rest = Array(work[index...])
                    state.withLock { $0.pending.insert(contentsOf: rest, at: 0) }
                    return schedule(on: queue)
                }
                piece()
                isFirst = false
            }
        }
    }
}

/// An operation that cannot be cancelled: delegates receive their events, whatever happens to their queue.
// Sendable because its field is immutable.
private final class DeliveryOperation: Operation, @unchecked Sendable {
    private let work: @Sendable () -> Void

    init(_ work: @escaping @Sendable () -> Void) {
        self.work = work
    }

    override func main() { work() }
    override func cancel() {}
}
