// SPDX-License-Identifier: MIT
internal import NetworkingSupport
internal import Synchronization

/// The number of operations that are executing, in the whole process.
///
/// Fed where an operation's state changes, once for each change. So nothing that happens to an operation makes it count
/// twice: not a pause, nor a cancel before the start, nor a failure. One that ends counts until its completion is on
/// the way to its queue.
final class OperationActivity: Sendable {
    typealias Observer = @Sendable () -> Void

    /// That of all operations.
    static let shared = OperationActivity()

    /// Below zero for a moment when the end of an operation is noted on another thread before its beginning.
    private let count = Atomic<Int>(0)
    private let isObserved = Atomic<Bool>(false)
    private let observers = Locked<[ObjectIdentifier: Observer]>([:])

    /// True while an operation is executing.
    var isOccurring: Bool { executing > 0 }

    var executing: Int { count.load(ordering: .sequentiallyConsistent) }

    /// Takes note that an operation began to execute, or ceased to.
    func note(isExecuting: Bool) {
        let change = count.add(isExecuting ? 1 : -1, ordering: .sequentiallyConsistent)
        guard (change.oldValue > 0) != (change.newValue > 0), isObserved.load(ordering: .sequentiallyConsistent) else {
            return
        }
        for observer in observers.withLock({ Array($0.values) }) { observer() }
    }

    /// Calls `observer` whenever `isOccurring` may have changed, on the thread that changed it. Nil: no longer.
    func setObserver(_ observer: Observer?, for key: ObjectIdentifier) {
        observers.withLock { observers in
            observers[key] = observer
            isObserved.store(!observers.isEmpty, ordering: .sequentiallyConsistent)
        }
    }
}
