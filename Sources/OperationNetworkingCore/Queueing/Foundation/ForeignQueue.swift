// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation

/// The queue of Foundation's in which an operation that is not the library's waits for its turn in a
/// `RequestOperationQueue`, and runs. It is what `OperationQueue.current` gives the operation: a face of that queue.
///
/// Each operation has one of its own, so that no scan of Foundation's passes over it for the sake of others. It is in
/// there from the beginning, because only Foundation sees that one is cancelled: it ends then without its turn, whatever
/// it waits for. Until its turn comes it depends on a `TurnOperation`, which it no longer does when it starts. One with
/// an `isReady` that does not heed dependencies would not wait: for that one the queue is suspended until its turn
/// comes.
///
/// (A barrier would be no visible dependency. But Foundation adds an operation behind a barrier with the queue's lock
/// held, and takes it again if the operation says that it is ready, as a cancelled one does.)
// Sendable because its properties are set once, before the queue is shared, and the rest is Foundation's own.
final class ForeignQueue: OperationQueue, @unchecked Sendable {
    private let turn = TurnOperation()
    private weak var outer: RequestOperationQueue?
    /// True if the operation's `isReady` does not heed what it depends on.
    private let isHeedless: Bool
    /// Runs the operation.
    private let serial: DispatchQueue

    /// - Parameter target: where the operation runs.
    init(for operation: Operation, in outer: RequestOperationQueue, on target: DispatchQueue) {
        self.outer = outer
        serial = DispatchQueue(label: "RequestOperationQueue.foreign", target: target)
        // An operation that is not ready, though it depends on nothing, goes by something else. (What has finished may
        // not have got to its dependents yet.)
        let goesByDependencies = operation.isReady || !operation.dependencies.isEmpty
        operation.addDependency(turn)
        isHeedless = !goesByDependencies || operation.isReady
        super.init()
        super.underlyingQueue = serial
        super.isSuspended = isHeedless && !operation.isCancelled
        super.addOperation(operation)
    }

    /// Lets Foundation start the operation, whose turn has come. If it is ready, it is on its way when this returns.
    func open(_ operation: Operation) {
        // Not before it has lost its dependency.
        serial.suspend()
        defer { serial.resume() }
        guard turn.come() else { return }
        super.isSuspended = false
        operation.removeDependency(turn)
        // Foundation counts one dependency too few if it is cancelled just then.
        if operation.isCancelled, !operation.isReady, !operation.isFinished { operation.cancel() }
    }

    /// The operation has ended. If that was without its dependencies, it gives them up: it may be released before they
    /// end, and Foundation has them note it without retaining it. One whose `isFinished` is true may not have got to its
    /// dependents yet.
    func cutDependencies(of operation: Operation) {
        guard isHeedless || operation.isCancelled else { return }
        operation.removeAllDependencies()
    }

    /// Has Foundation look at the operation once more: a post that it is ready may have crossed its enqueueing.
    func lookAgain() {
        // The first look takes the operation's answer down, the second acts on it.
        super.isSuspended = false
        super.isSuspended = false
    }

    // MARK: - The face

    func isFace(of queue: RequestOperationQueue) -> Bool { outer === queue }

    override func addOperation(_ op: Operation) { outer?.addOperation(op) }
    override func addOperations(_ ops: [Operation], waitUntilFinished wait: Bool) {
        outer?.addOperations(ops, waitUntilFinished: wait)
    }
    override func addOperation(_ block: @escaping @Sendable () -> Void) { outer?.addOperation(block) }
    override func addBarrierBlock(_ barrier: @escaping @Sendable () -> Void) { outer?.addBarrierBlock(barrier) }
    override func cancelAllOperations() { outer?.cancelAllOperations() }
    override func waitUntilAllOperationsAreFinished() { outer?.waitUntilAllOperationsAreFinished() }

    override var maxConcurrentOperationCount: Int {
        get { outer?.maxConcurrentOperationCount ?? RequestOperationQueue.defaultConcurrency }
        set { outer?.maxConcurrentOperationCount = newValue }
    }
    override var isSuspended: Bool {
        get { outer?.isSuspended ?? false }
        set { outer?.isSuspended = newValue }
    }
    override var name: String? {
        get { outer?.name }
        set { outer?.name = newValue }
    }
    override var qualityOfService: QualityOfService {
        get { outer?.qualityOfService ?? .default }
        set { outer?.qualityOfService = newValue }
    }
    override var underlyingQueue: DispatchQueue? {
        get { outer?.underlyingQueue }
        set { outer?.underlyingQueue = newValue }
    }
    override var progress: Progress { outer?.progress ?? super.progress }

    override func isEqual(_ object: Any?) -> Bool { outer?.isEqual(object) ?? super.isEqual(object) }
    override var hash: Int { outer?.hash ?? super.hash }
}
