internal import Foundation
internal import NetworkingSupport

/// An operation that is listed without being run: it goes through its life in Foundation's eyes when told to.
///
/// One of this class itself takes the place of the last operation of a list: see `FoundationListing`.
// Sendable because `phase` is behind a lock, and the rest is Foundation's own.
class ListingPlaceholder: Operation, @unchecked Sendable {
    private enum Phase { case ready, executing, finished }
    private let phase = Locked(Phase.ready)

    init(_ key: FoundationListing.Key) {
        super.init()
        queuePriority = Operation.QueuePriority(rawValue: key.priority) ?? .normal
        if let quality = QualityOfService(rawValue: key.quality), quality != .default { qualityOfService = quality }
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

/// Listed for an operation that cannot be listed itself, as long as that is in the queue; cancelling it cancels that one.
// Sendable because `subject` is behind a lock.
final class StandIn: ListingPlaceholder, @unchecked Sendable {
    private struct Subject {
        var operation: Operation?
        weak var queue: RequestOperationQueue?
    }
    private let subject: Locked<Subject>

    init(for operation: Operation, in queue: RequestOperationQueue) {
        subject = Locked(Subject(operation: operation, queue: queue))
        super.init(FoundationListing.key(of: operation))
        name = operation.name
    }

    override func cancel() {
        let (operation, queue) = subject.withLock { ($0.operation, $0.queue) }
        super.cancel()
        guard let operation else { return }
        operation.cancel()
        // One of the library's tells the queue itself.
        if !(operation is any SchedulableOperation) { queue?.foreignOperationDidChange(operation) }
    }

    /// The operation is no longer in the queue.
    func retire() {
        let released = subject.withLock { $0.operation.take() }
        pass()
        withExtendedLifetime(released) {}
    }
}
