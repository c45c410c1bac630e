// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

/// An operation that is listed without being run: it goes through its life in Foundation's eyes when told to.
///
/// One of this class itself takes the place of the last operation of a list: see `FoundationListing`.
// Sendable because `phase` is behind a lock, and the rest is Foundation's own.
class PlaceholderOperation: Operation, @unchecked Sendable {
    private enum Phase { case ready, executing, finished }
    private let phase = Locked(Phase.ready)

    override init() {
        super.init()
        super.queuePriority = .normal
    }

    /// Foundation must not change the priority of what is listed: see `FoundationListing`.
    override var queuePriority: Operation.QueuePriority {
        get { .normal }
        set {}
    }

    override var isExecuting: Bool { phase.withLock { $0 == .executing } }
    override var isFinished: Bool { phase.withLock { $0 == .finished } }

    /// Takes the operation off Foundation's list.
    func pass() {
        phase.withLock { $0 = .executing }
        didChangeValue(forKey: OperationState.executing.key)
        phase.withLock { $0 = .finished }
        didChangeValue(forKey: OperationState.finished.key)
    }
}
