internal import Foundation

/// What makes `OperationQueue.operations` and `operationCount`, which cannot be overridden on Linux, show what a
/// `RequestOperationQueue` holds.
///
/// The queue's Foundation side is suspended for good, and every operation of the library's is added to it: Foundation
/// links it into its list, never scans and never starts it. The scheduler starts it; when it posts `isExecuting` and
/// `isFinished`, Foundation takes it off the list. What it does not do is take it off the list of operations to be
/// dispatched, of which it follows only the last link, when the next one is added: so the last operation of each such
/// list is kept alive until there is another, and when the queue runs empty, an operation that is nobody's takes its
/// place.
struct FoundationListing {
    /// Foundation has a list for each priority, and derives one from the quality of service.
    struct Key: Hashable {
        let priority: Operation.QueuePriority.RawValue
        let quality: QualityOfService.RawValue
    }

    /// The last operation added under each key.
    private var last: [Key: Operation] = [:]

    static func key(of operation: Operation) -> Key {
        Key(priority: operation.queuePriority.rawValue, quality: operation.qualityOfService.rawValue)
    }

    /// Notes the last operation; returns the one that may go now.
    mutating func replaceLast(by operation: Operation, key: Key) -> Operation? {
        last.updateValue(operation, forKey: key)
    }

    /// What has to be replaced so that no operation of the user's is kept.
    var keysOfOthers: [Key] {
        last.filter { !($0.value is ListingSentinel) }.map(\.key)
    }
}

/// Takes the place of the last operation of a list, having been executed and finished without a queue's doing.
// Sendable because `phase` is written by one thread, before and after Foundation is told, and Foundation's own locks
// are in between.
final class ListingSentinel: Operation, @unchecked Sendable {
    private enum Phase { case ready, executing, finished }
    private var phase = Phase.ready

    init(_ key: FoundationListing.Key) {
        super.init()
        queuePriority = Operation.QueuePriority(rawValue: key.priority) ?? .normal
        if let quality = QualityOfService(rawValue: key.quality), quality != .default { qualityOfService = quality }
    }

    override var isExecuting: Bool { phase == .executing }
    override var isFinished: Bool { phase == .finished }

    /// Goes through its life in Foundation's eyes.
    func pass() {
        phase = .executing
        didChangeValue(forKey: OperationState.executing.key)
        phase = .finished
        didChangeValue(forKey: OperationState.finished.key)
    }
}
