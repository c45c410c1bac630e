// SPDX-License-Identifier: MIT
public import Dispatch
public import Foundation
internal import NetworkingSupport

/// A named group of operations, enqueued, paused, resumed and cancelled as one.
///
/// Completes exactly once, last: after every member has finished and its own completion blocks have returned, whatever
/// mix of success, failure and cancellation; an empty batch completes when it is enqueued. After it was enqueued, the
/// program need not keep the batch. A batch that was not enqueued is released with its members when the program does
/// not keep them.
///
/// ```swift
/// let batch = OperationBatch(
///     try ["a", "b", "c"].map {
///         try manager.makeOperation(method: "GET", "files/\($0)")
///     })
/// batch.setProgressBlock { finished, total in
///     print("\(finished) of \(total)")
/// }
/// let failed = await batch.value().filter { $0.error != nil }
/// print(failed.count)
/// ```
public final class OperationBatch: Sendable {
    /// A name for the use of the application. The library does not look at it. Nil by default.
    public let name: String?
    /// The members, with those of nested batches, in insertion order.
    public let operations: [URLConnectionOperation]
    /// One unit for each member. Completed when it has finished and its blocks have returned.
    public var progress: Progress { tally.progress }
    private let batches: [OperationBatch]
    /// The tally of the batch, which the members hold.
    let tally: BatchTally

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
        self.batches = batches
        tally = BatchTally(members, batches: batches.count)
    }

    /// The queue for both blocks. Nil by default: that of the batch that this one is nested in, or the main queue,
    /// which the program must run.
    public var completionQueue: DispatchQueue? {
        get { tally.completionQueue }
        set { tally.completionQueue = newValue }
    }

    /// Sets a block that is called at each member's end. It is called in order, with a count that only grows, after the
    /// member's own blocks and before the batch's completion. Called on `completionQueue`, or the main queue.
    public func setProgressBlock(
        _ block: (@Sendable (_ numberOfFinishedOperations: Int, _ totalNumberOfOperations: Int) -> Void)?
    ) {
        tally.setProgressBlock(block)
    }

    /// Sets a block that is called once at the end, with the members in insertion order. Called on `completionQueue`,
    /// or the main queue.
    public func setCompletionBlock(_ block: (@Sendable (_ operations: [URLConnectionOperation]) -> Void)?) {
        tally.setCompletionBlock(block)
    }

    /// Adds all members to a queue. A second call has no effect.
    public func enqueue(on queue: OperationQueue) {
        let elsewhere = Set(enqueuedElsewhere.map { ObjectIdentifier($0) })
        guard track() else { return }
        // Foundation's queue stops the program at operations that are over or under way, or in a queue.
        let pending = operations.filter {
            !elsewhere.contains(ObjectIdentifier($0)) && !$0.foundationState.isQueued && !$0.hasBegun && !$0.isFinished
        }
        queue.addOperations(pending, waitUntilFinished: false)
        tally.settle()
    }

    /// Cancels every member. Those that a queue has not started finish at once, in a Foundation queue when their
    /// turn comes; when the batch is enqueued later, they finish then.
    public func cancel() {
        // Last first: cancelling an upstream makes those that depend on it ready, and they would be started for
        // nothing.
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

    /// Waits until every member has finished, and returns the members in insertion order. A batch that was not enqueued
    /// is enqueued on one of the library's queues. Cancelling the task cancels the batch.
    ///
    /// Waits for the blocks, the batch's and those of its members, too. Needs no running main queue: where some of them
    /// are to run there, and it runs nothing for a second, they are not waited for.
    public func value() async -> [URLConnectionOperation] {
        enqueue(on: Self.defaultQueue)
        let runtime = operations.first?.runtime
        await withCancellation(on: runtime) {
            for operation in operations { await operation.waitUntilEnded() }
            await withCheckedContinuation { continuation in
                let waiter = Locked<CheckedContinuation<Void, Never>?>(continuation)
                let goOn: @Sendable () -> Void = { waiter.withLock { $0.take() }?.resumeUnlocked(on: runtime) }
                tally.whenComplete(goOn)
                if waitsForMainQueue { DispatchQueue.ifMainStalls(goOn) }
            }
        } by: {
            self.cancel()
        }
        return operations
    }

    static let defaultQueue = RequestOperationQueue()

    /// The members of nested batches that have been enqueued by themselves.
    private var enqueuedElsewhere: [URLConnectionOperation] {
        batches.flatMap { $0.tally.isTracked ? $0.operations : $0.enqueuedElsewhere }
    }

    /// True if the main queue has to run before the batch is complete.
    private var waitsForMainQueue: Bool {
        tally.deliveryTarget?.isMain == true || batches.contains(where: \.waitsForMainQueue)
            || operations.contains(where: \.deliveryQueue.isMain)
    }

    // MARK: The count

    /// Begins to follow the members' ends. False: it has before.
    ///
    /// - Parameter queue: The completion queue if the batch has none; nil: the main queue.
    func track(inheriting queue: DispatchQueue? = nil) -> Bool {
        guard let target = tally.beginTracking(inheriting: queue) else { return false }
        for batch in batches {
            batch.tally.whenComplete { [tally] in tally.settle() }
            if batch.track(inheriting: target) { batch.tally.settle() }
        }
        for (index, member) in operations.enumerated() { tally.follow(member, at: index) }
        return true
    }
}

extension DispatchQueue {
    /// Calls `body` on another thread if the main queue runs nothing for a second, as it does where a tool waits for
    /// its requests on the main thread.
    fileprivate static func ifMainStalls(_ body: @escaping @Sendable () -> Void) {
        let runs = Locked(false)
        Runtime.current.on(.sharedMain) { runs.withLock { $0 = true } }
        Runtime.current.after(1) {
            if !runs.withLock({ $0 }) { body() }
        }
    }
}
