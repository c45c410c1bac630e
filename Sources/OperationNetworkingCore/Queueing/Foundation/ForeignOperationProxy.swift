// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import NetworkingSupport

/// A stand-in in the list for an operation that cannot be listed itself, as long as that operation is in the queue.
/// What is done to the proxy is done to the operation, and what depends on the proxy waits for the operation.
// Sendable because `subject` is behind a lock.
final class ForeignOperationProxy: PlaceholderOperation, @unchecked Sendable {
    private struct Subject {
        var operation: Operation?
        weak var queue: RequestOperationQueue?
        /// The queue of Foundation's that runs the operation, once it has it.
        var runner: ForeignQueue?
        /// True once the operation's turn has come.
        var isOpen = false
    }
    private let subject: Locked<Subject>
    private let operationHash: Int

    init(for operation: Operation, in queue: RequestOperationQueue) {
        operationHash = operation.hash
        subject = Locked(Subject(operation: operation, queue: queue))
        super.init()
        name = operation.name
    }

    private var operation: Operation? { subject.withLock { $0.operation } }

    // MARK: - What code does with what a queue lists

    /// True for the operation: `operations.contains(operation)`.
    override func isEqual(_ object: Any?) -> Bool {
        if super.isEqual(object) { return true }
        guard let other = object as? Operation, let operation else { return false }
        return operation === other
    }
    override var hash: Int { operationHash }

    /// The operation's priority.
    override var queuePriority: Operation.QueuePriority {
        get { operation?.queuePriority ?? .normal }
        set { operation?.queuePriority = newValue }
    }
    override var completionBlock: (@Sendable () -> Void)? {
        get { operation?.completionBlock }
        set { operation?.completionBlock = newValue }
    }
    override var dependencies: [Operation] { operation?.dependencies ?? [] }
    override func addDependency(_ upstream: Operation) { operation?.addDependency(upstream) }
    override func removeDependency(_ upstream: Operation) { operation?.removeDependency(upstream) }
    override var isExecuting: Bool { super.isExecuting || operation?.isExecuting ?? false }
    override var isCancelled: Bool { super.isCancelled || operation?.isCancelled ?? false }

    override func cancel() {
        let (operation, queue) = subject.withLock { ($0.operation, $0.queue) }
        super.cancel()
        guard let operation else { return }
        operation.cancel()
        // An operation of the library reports to the queue itself.
        if !(operation is any SchedulableOperation) { queue?.foreignOperationDidChange(operation) }
    }

    // MARK: - The operation's life in the queue

    /// Gives the operation to Foundation, where it waits for its turn.
    func enclose(on target: DispatchQueue) {
        guard case let (operation?, queue?) = subject.withLock({ ($0.operation, $0.queue) }) else { return }
        let runner = ForeignQueue(for: operation, in: queue, on: target)
        let (isOpen, isOver) = subject.withLock { subject in
            let isOver = subject.operation == nil
            if !isOver { subject.runner = runner }
            return (subject.isOpen, isOver)
        }
        if isOver {
            runner.cutDependencies(of: operation)
        } else if isOpen {
            runner.open(operation)
        }
    }

    /// The operation's turn has come. Returns its queue, if Foundation has it already.
    func open() -> ForeignQueue? {
        let (operation, runner) = subject.withLock { subject in
            subject.isOpen = true
            return (subject.operation, subject.runner)
        }
        if let operation { runner?.open(operation) }
        return runner
    }

    /// The operation is no longer in the queue. If it has ended, then just now.
    func retire() {
        let (operation, runner) = subject.withLock { ($0.operation.take(), $0.runner.take()) }
        if let operation {
            runner?.cutDependencies(of: operation)
            if operation.isCancelled { super.cancel() }
        }
        pass()
        withExtendedLifetime((operation, runner)) {}
    }
}
