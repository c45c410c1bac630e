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
///
/// An operation that is not the library's cannot be listed: Foundation, which runs it, takes an operation in only once. A
/// `ForeignOperationProxy` is listed for it.
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
        last.filter { !($0.value is PlaceholderOperation) }.map(\.key)
    }
}
