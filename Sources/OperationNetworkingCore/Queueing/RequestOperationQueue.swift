// SPDX-License-Identifier: MIT
public import Dispatch
public import Foundation
internal import NetworkingSupport

/// An operation queue that does its own scheduling, at a cost linear in operations and dependencies.
///
/// Foundation's queue looks at every operation that cannot run yet whenever one finishes; a chain of 20 000 requests
/// takes it more than a minute. This queue looks only at what became runnable. It takes the library's operations and
/// any other `Operation`; dependencies between them work in both directions.
///
/// ### Differences from `OperationQueue`
/// - `maxConcurrentOperationCount` is 64 by default. An operation that waits for its dependencies or is paused takes no
///   slot: `pause()` gives the slot back and `resume()` queues the operation again, ahead of what arrived after it.
///   While the queue is suspended a resumed operation waits. A POST or PATCH that was sent and then paused keeps its
///   connection, and so goes on as soon as it is resumed, whatever the limits.
/// - A cancelled operation needs no slot to finish, and finishes although the queue is suspended or its dependencies
///   have not finished.
/// - An operation runs at the highest `queuePriority` of the enqueued operations that wait for it. It keeps an
///   inherited priority, even if the priority of the other is lowered later.
/// - Adding an operation that is enqueued, executing or finished has no effect.
/// - `isReady` of the library's operations is not asked, so a subclass that overrides it holds nothing back: pause the
///   operation instead, or let it depend on another.
/// - `operations` has a proxy for an operation that is not the library's, because it cannot be overridden on Linux. It
///   equals the operation (`operations.contains(operation)`), is good as a dependency, and passes on what is done to it;
///   but it is of no class of yours. ``queuedOperations`` has the operations themselves.
///
/// ### Operations that are not the library's
/// They are run by Foundation once they may run, each in a queue of its own: `OperationQueue.current` equals this queue
/// (`==`, not `===`) and passes on what is added to it. Their dependencies and priority are read when they are added and
/// again when their turn comes or the queue is resumed; a dependency removed in between is waited for all the same, as it
/// is in Foundation's queue on Linux. One whose `isReady` is false although its dependencies have finished gives up its
/// slot and runs as soon as it is ready; if it does not heed its dependencies (`super.isReady`) and is cancelled by its
/// own `cancel()` instead of ``cancelAllOperations()``, it finishes when its turn comes.
///
/// Some give up their `dependencies`: a cancelled one when it has finished, since it may be released before they end; and
/// in a chain of operations that are not the library's those that 500 others have followed, so that a chain of any length
/// can be released.
///
/// ### Threads
/// `start()` of the library's operations is called on the thread that made it possible: the one that adds the operation
/// or the network thread; if it may run blocks of the application, on ``underlyingQueue`` or a private dispatch queue.
///
/// ```swift
/// let queue = RequestOperationQueue()
/// queue.maxConcurrentOperationCount = 16
/// queue.maxConcurrentOperationsPerHost = 4
/// manager.operationQueue = queue
/// ```
// Sendable because everything mutable is behind `state`, or Foundation's own and locked there.
open class RequestOperationQueue: OperationQueue, @unchecked Sendable {
    /// The state that the lock guards.
    struct Guarded {
        var scheduler = SchedulerState(
            maxConcurrent: RequestOperationQueue.defaultConcurrency,
            capacity: { Runtime.current.capacity(ofOrigin: $0, connections: .max) })
        /// Threads that wait for the queue to be empty.
        var waiters: [DispatchSemaphore] = []
        /// The queue itself while it has operations: it lives until they have finished.
        var keepAlive: RequestOperationQueue?
        var progress: Progress?
        /// The number of finished operations that `progress` does not count yet.
        var unreportedUnits: Int64 = 0
        /// True while a thread updates `progress`.
        var isReportingProgress = false
        /// The queue for barriers, for operations that are not the library's and for `start()` calls that may run code
        /// of the application, unless there is an `underlyingQueue`.
        var startQueue: DispatchQueue?
        /// Retains the queue that Foundation refers to without retaining it.
        var underlyingQueue: DispatchQueue?
        /// True once `CapacityWatch` has the queue.
        var watchesCapacity = false
        /// The foreign operations that keep their dependencies.
        var endedForeign = EndedForeignOperations()
        /// The listed proxies, by the operations they stand for.
        var proxies: [ObjectIdentifier: ForeignOperationProxy] = [:]
    }

    static let defaultConcurrency = 64

    let state = Locked(Guarded())
    /// Held while an operation is added to Foundation's list, which calls nothing but the operation's `isReady`.
    private let listing = Locked(FoundationListing())

    /// An empty queue.
    public override init() {
        super.init()
        super.isSuspended = true
    }

    /// Counts on fewer connections to a host than the engine may make. An HTTP/2 connection carries out many operations
    /// at a time. To be called before there are any operations.
    package func limitConnections(perHost limit: Int) {
        state.withLock { guarded in
            guarded.scheduler.setCapacity { Runtime.current.capacity(ofOrigin: $0, connections: limit) }
        }
    }

    deinit {
        if state.withLock({ $0.watchesCapacity }) { CapacityWatch.remove(ObjectIdentifier(self)) }
    }

    /// The number of operations that may execute at once. 64 by default;
    /// `OperationQueue.defaultMaxConcurrentOperationCount` (−1) removes the limit.
    open override var maxConcurrentOperationCount: Int {
        get { state.withLock { $0.scheduler.maxConcurrent } }
        set {
            state.withLock { $0.scheduler.maxConcurrent = newValue < 0 ? -1 : newValue }
            DrainLoop.run(self)
        }
    }

    /// The number of operations that may execute at once for one scheme, host and port. 0, the default, adds no limit.
    ///
    /// With any value, no more operations of one host get a slot than the engine has requests in flight there:
    /// `NetworkEngine.maximumConnectionsPerHost`, 6 by default, or the streams of an HTTP/2 connection. The others
    /// wait, highest priority first and in order of arrival, and hold up no other host's: a slow host takes its own
    /// share of the queue and no more.
    public var maxConcurrentOperationsPerHost: Int {
        get { state.withLock { $0.scheduler.maxPerHost } }
        set {
            state.withLock { $0.scheduler.setMaxPerHost(max(newValue, 0)) }
            DrainLoop.run(self)
        }
    }

    /// True while pending operations and barriers are held back. False by default. Executing operations go on, and
    /// cancelled ones finish.
    open override var isSuspended: Bool {
        get { state.withLock { $0.scheduler.isSuspended } }
        set {
            let foreign: [Operation]? = state.withLock { guarded in
                let isResumed = guarded.scheduler.isSuspended && !newValue
                guarded.scheduler.isSuspended = newValue
                guard isResumed, !guarded.proxies.isEmpty else { return nil }
                // Nothing gets a slot until they have been looked at.
                guarded.scheduler.holds += 1
                return guarded.scheduler.foreignOperations
            }
            // Their priorities may have been set meanwhile, of which Foundation says nothing.
            for operation in foreign ?? [] { refresh(foreign: operation) }
            if foreign != nil { state.withLock { $0.scheduler.holds -= 1 } }
            if !newValue { DrainLoop.run(self) }
        }
    }

    /// The dispatch queue for operations that Foundation runs, for barriers, and for `start()` calls that may run code
    /// of the application. `nil`, the default, stands for a private one. To be set while the queue is empty.
    open override var underlyingQueue: DispatchQueue? {
        get { state.withLock { $0.underlyingQueue } }
        set {
            let previous = state.withLock { guarded in
                defer { guarded.underlyingQueue = newValue }
                return guarded.underlyingQueue
            }
            withExtendedLifetime(previous) {}
        }
    }

    /// The operations that have not finished, in the order they were added.
    ///
    /// `OperationQueue.operations` has proxies for those that are not the library's.
    public var queuedOperations: [Operation] {
        state.withLock { $0.scheduler.operations }.sorted { $0.sequence < $1.sequence }.map(\.operation)
    }

    /// The number of operations that have not finished. It is `operationCount` without a walk through the list.
    public var queuedOperationCount: Int {
        state.withLock { $0.scheduler.count }
    }

    /// Adds an operation. No effect if it is enqueued, executing or finished.
    open override func addOperation(_ op: Operation) {
        enqueue(op)
        DrainLoop.run(self)
    }

    /// Adds operations in order, and returns at once or when they have finished. If they differ in priority, none starts
    /// before all have been added.
    open override func addOperations(_ ops: [Operation], waitUntilFinished wait: Bool) {
        let priority = ops.first?.queuePriority
        let holds = ops.contains { $0.queuePriority != priority }
        if holds { state.withLock { $0.scheduler.holds += 1 } }
        for operation in ops { enqueue(operation) }
        if holds { state.withLock { $0.scheduler.holds -= 1 } }
        guard wait else { return DrainLoop.run(self) }
        DrainLoop.runNow(self)
        for operation in ops { operation.waitUntilFinished() }
    }

    /// Adds a block as an operation. It runs on the underlying queue or a private one.
    open override func addOperation(_ block: @escaping @Sendable () -> Void) {
        let operation = BlockOperation(block: block)
        let quality = qualityOfService
        if quality != .default { operation.qualityOfService = quality }
        addOperation(operation)
    }

    /// Runs `barrier` alone, when everything added before has finished, and before anything added later starts. It
    /// waits while the queue is suspended, and is dropped by ``cancelAllOperations()``. As in Foundation, an operation
    /// added before the barrier must not depend on one added after it: neither would ever start.
    open override func addBarrierBlock(_ barrier: @escaping @Sendable () -> Void) {
        state.withLock { guarded in
            guarded.scheduler.addBarrier(barrier)
            guarded.keepAlive = self
        }
        DrainLoop.run(self)
    }

    /// Cancels every operation in the queue, in the order they were added. No pending operation takes a slot meanwhile.
    open override func cancelAllOperations() {
        let dropped = state.withLock { guarded in
            guarded.scheduler.holds += 1
            return guarded.scheduler.cancelBarriers()
        }
        for operation in queuedOperations {
            operation.cancel()
            if !(operation is any SchedulableOperation) { refresh(foreign: operation) }
        }
        state.withLock { $0.scheduler.holds -= 1 }
        DrainLoop.run(self)
        withExtendedLifetime(dropped) {}
    }

    /// Blocks the thread until the queue holds neither operations nor barriers.
    open override func waitUntilAllOperationsAreFinished() {
        DrainLoop.runNow(self)
        let semaphore: DispatchSemaphore? = state.withLock { guarded in
            guard !guarded.scheduler.isEmpty else { return nil }
            let semaphore = DispatchSemaphore(value: 0)
            guarded.waiters.append(semaphore)
            return semaphore
        }
        semaphore?.wait()
    }

    /// Counts finished operations, one unit each, once its `totalUnitCount` has been set. Until then it reports
    /// nothing.
    open override var progress: Progress {
        state.withLock { guarded in
            if let progress = guarded.progress { return progress }
            // Not a child of the thread's present progress.
            let progress = Progress(parent: nil)
            guarded.progress = progress
            return progress
        }
    }

    /// True for the queue itself, and for what `OperationQueue.current` gives an operation in it.
    open override func isEqual(_ object: Any?) -> Bool {
        super.isEqual(object) || (object as? ForeignQueue)?.isFace(of: self) ?? false
    }

    /// Makes `operations` list an operation.
    final func list(_ operation: any SchedulableOperation) {
        addToFoundation(operation)
    }

    /// Makes `operations` list a proxy for an operation that cannot be listed itself.
    @discardableResult
    final func listProxy(for operation: Operation) -> ForeignOperationProxy {
        let proxy = ForeignOperationProxy(for: operation, in: self)
        state.withLock { $0.proxies[ObjectIdentifier(operation)] = proxy }
        addToFoundation(proxy)
        return proxy
    }

    /// Takes the proxy of an operation off the list.
    final func unlistProxy(for operation: Operation) {
        state.withLock { $0.proxies.removeValue(forKey: ObjectIdentifier(operation)) }?.retire()
    }

    /// Releases operations that only Foundation's lists keep. Called when the queue is empty.
    final func clearListing() {
        guard listing.withLock({ $0.isLastOfOthers }) else { return }
        let placeholder = PlaceholderOperation()
        addToFoundation(placeholder)
        placeholder.pass()
    }

    private func addToFoundation(_ operation: Operation) {
        let released = listing.withLock { listing in
            super.addOperation(operation)
            return listing.replaceLast(by: operation)
        }
        withExtendedLifetime(released) {}
    }
}
