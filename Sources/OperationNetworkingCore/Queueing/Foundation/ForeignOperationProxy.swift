// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

/// A stand-in in the list for an operation that cannot be listed itself, as long as that operation is in the queue.
/// Cancelling the proxy cancels the operation.
// Sendable because `subject` is behind a lock.
final class ForeignOperationProxy: PlaceholderOperation, @unchecked Sendable {
    private struct Subject {
        var operation: Operation?
        weak var queue: RequestOperationQueue?
    }
    private let subject: Locked<Subject>

    init(for operation: Operation, in queue: RequestOperationQueue) {
        subject = Locked(Subject(operation: operation, queue: queue))
        super.init()
        name = operation.name
    }

    /// The operation's priority.
    override var queuePriority: Operation.QueuePriority {
        get { subject.withLock { $0.operation }?.queuePriority ?? .normal }
        set {
            guard let operation = subject.withLock({ $0.operation }) else { return }
            operation.queuePriority = newValue
        }
    }

    override func cancel() {
        let (operation, queue) = subject.withLock { ($0.operation, $0.queue) }
        super.cancel()
        guard let operation else { return }
        operation.cancel()
        // An operation of the library reports to the queue itself.
        if !(operation is any SchedulableOperation) { queue?.foreignOperationDidChange(operation) }
    }

    /// The operation is no longer in the queue.
    func retire() {
        let released = subject.withLock { $0.operation.take() }
        pass()
        withExtendedLifetime(released) {}
    }
}
