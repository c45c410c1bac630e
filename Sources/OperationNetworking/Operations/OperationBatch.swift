public import Dispatch
public import Foundation
internal import NetworkingSupport

// Sendable because `state` is behind a lock and everything else is immutable.
/// A named group of operations: enqueued, paused, resumed and cancelled as one.
///
/// Completes exactly once, last: after every member has finished and its own completion blocks have returned, whatever
/// mix of success, failure and cancellation; an empty batch completes when it is enqueued. The batch stays alive until
/// then once it was enqueued.
public final class OperationBatch: @unchecked Sendable {
    private struct State {
        var completionQueue: DispatchQueue?
        var progressBlock: (@Sendable (Int, Int) -> Void)?
        var completionBlock: (@Sendable ([URLConnectionOperation]) -> Void)?
        /// Told once the completion block has returned.
        var followers: [@Sendable () -> Void] = []
        var isTracking = false
        var isComplete = false
        /// Members and nested batches whose end is not in, and one for the enqueueing itself.
        var outstanding: Int
        var finishedCount = 0
        /// Serial, on top of the completion queue, so that counts arrive in order even if that is concurrent.
        var delivery: DispatchQueue?
    }

    /// A name for the use of the application; the library does not look at it. Nil by default.
    public let name: String?
    /// The members, with those of nested batches, in insertion order.
    public let operations: [URLConnectionOperation]
    /// One unit for each member; completed when it has finished and its blocks have returned.
    public let progress: Progress
    private let batches: [OperationBatch]
    private let state: Locked<State>

    /// A batch of operations that are in no queue yet. An operation is a member of one batch only once, even if it is
    /// named twice.
    public convenience init(_ operations: [URLConnectionOperation], name: String? = nil) {
        self.init(operations, batches: [], name: name)
    }

    /// A batch of operations and of other batches, which it enqueues, pauses, resumes and cancels with its own members,
    /// and whose completion comes before its own.
    public init(_ operations: [URLConnectionOperation], batches: [OperationBatch], name: String? = nil) {
        var seen: Set<ObjectIdentifier> = []
        let members = (operations + batches.flatMap(\.operations)).filter { seen.insert(ObjectIdentifier($0)).inserted }
        self.operations = members
        self.name = name
        progress = Progress(totalUnitCount: Int64(members.count))
        self.batches = batches
        state = Locked(State(outstanding: 1 + members.count + batches.count))
        progress.cancellationHandler = { [weak self] in self?.cancel() }
    }

    /// The queue for both blocks. Nil by default: that of the batch that this one is nested in, or the main queue, which
    /// somebody must run.
    public var completionQueue: DispatchQueue? {
        get { state.withLock { $0.completionQueue } }
        set { state.withLock { $0.completionQueue = newValue } }
    }

    /// Sets what is told of each member's end, in order, with a count that only grows: after the member's own blocks,
    /// before the batch's completion. Called on `completionQueue`, or the main queue.
    public func setProgressBlock(
        _ block: (@Sendable (_ numberOfFinishedOperations: Int, _ totalNumberOfOperations: Int) -> Void)?
    ) {
        state.withLock { $0.progressBlock = block }
    }

    /// Sets what is told of the end, once, with the members in insertion order. Called on `completionQueue`, or the main
    /// queue.
    public func setCompletionBlock(_ block: (@Sendable (_ operations: [URLConnectionOperation]) -> Void)?) {
        state.withLock { $0.completionBlock = block }
    }

    /// Adds all members to a queue. A second call has no effect.
    public func enqueue(on queue: OperationQueue) {
        guard track() else { return }
        // Foundation's queue stops the program at operations that are over or under way.
        let pending = operations.filter { !$0.isFinished && !$0.isExecuting }
        queue.addOperations(pending, waitUntilFinished: false)
        settle()
    }

    /// Cancels every member. Those that a queue has not started finish at once; when the batch is enqueued later, they
    /// finish then.
    public func cancel() {
        // Last first: cancelling an upstream makes those that depend on it ready, and they would be started for nothing.
        for operation in operations.reversed() { operation.cancel() }
    }

    /// Pauses every member that has not finished.
    public func pause() {
        for operation in operations.reversed() { operation.pause() }
    }

    /// Resumes every member that is paused.
    public func resume() {
        for operation in operations { operation.resume() }
    }

    /// Waits until the batch is complete; the members in insertion order. A batch that was not enqueued is, on a queue of
    /// the library's. Cancelling the task cancels the batch.
    public func value() async -> [URLConnectionOperation] {
        enqueue(on: Self.defaultQueue)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                whenComplete { continuation.resume() }
            }
        } onCancel: {
            cancel()
        }
        return operations
    }

    private static let defaultQueue = RequestOperationQueue()

    // MARK: The count

    /// Begins to follow the members' ends. False: it has before.
    ///
    /// From now on the members keep the batch alive.
    ///
    /// - Parameter queue: The completion queue when the batch has none of its own; nil: the main queue.
    func track(inheriting queue: DispatchQueue? = nil) -> Bool {
        let target = state.withLock { state -> DispatchQueue? in
            guard !state.isTracking else { return nil }
            state.isTracking = true
            let target = state.completionQueue ?? queue ?? .main
            state.delivery = DispatchQueue(label: "OperationNetworking.batch", target: target)
            return target
        }
        guard let target else { return false }
        for batch in batches {
            batch.whenComplete { [self] in settle() }
            if batch.track(inheriting: target) { batch.settle() }
        }
        for member in operations where !member.afterCompletion({ [self] _ in memberDidComplete() }) {
            memberDidComplete()
        }
        return true
    }

    private func memberDidComplete() {
        deliver(on: state.withLock { $0.delivery }) { [self] in
            let (count, block) = state.withLock { state in
                state.finishedCount += 1
                return (state.finishedCount, state.progressBlock)
            }
            progress.completedUnitCount = Int64(count)
            block?(count, operations.count)
        }
        settle()
    }

    /// One of what the completion waits for is in.
    func settle() {
        let delivery = state.withLock { state -> DispatchQueue? in
            state.outstanding -= 1
            return state.outstanding == 0 ? state.delivery : nil
        }
        deliver(on: delivery) { [self] in
            let block = state.withLock { state in
                defer {
                    state.progressBlock = nil
                    state.completionBlock = nil
                }
                return state.completionBlock
            }
            block?(operations)
            let followers = state.withLock { state in
                defer { state.followers = [] }
                state.isComplete = true
                return state.followers
            }
            for follower in followers { follower() }
        }
    }

    private func deliver(on queue: DispatchQueue?, _ work: @escaping @Sendable () -> Void) {
        if let queue { Runtime.current.on(queue, work) }
    }

    private func whenComplete(_ follower: @escaping @Sendable () -> Void) {
        let isComplete = state.withLock { state in
            if !state.isComplete { state.followers.append(follower) }
            return state.isComplete
        }
        if isComplete { follower() }
    }
}
