// SPDX-License-Identifier: MIT
internal import Foundation

/// An operation that reports to the queue that schedules it, and whose dependencies the library counts.
///
/// `URLConnectionOperation` is the one in the library; any other operation that is added to a `RequestOperationQueue`
/// is a foreign one, which Foundation runs.
///
/// The queue relies on this:
/// - `start()` begins or ends the operation, or reports `operationDidNotStart`: when it was paused, or a dependency
///   came, after the queue's decision. It does nothing if the operation is under way or over: the queue calls it again
///   after a resume or a cancel that arrives while an earlier call is under way.
/// - The order at the end is: `isFinished` true, `DependencyGraph.didFinish`, posted, what that returned,
///   `operationDidFinish`.
/// - Every override of `addDependency`, `removeDependency` and `queuePriority` calls `operationDidChange` on
///   `scheduler`.
/// - `deinit` calls `DependencyGraph.release(_:of:)`, with nothing else left that holds upstream operations.
protocol SchedulableOperation: Operation {
    /// The operation's place in the dependency graph: made on first use, kept for its life.
    var dependencyNode: DependencyNode { get }
    /// The node if one was made: most operations never have an edge.
    var dependencyNodeIfLoaded: DependencyNode? { get }
    /// Strong references to upstream operations, in order of addition. Guarded by the graph's lock.
    var _upstreams: IdentityList<Operation> { get set }
    /// Releases all else than `_upstreams` that holds upstream operations. Called just before the operation is
    /// released.
    func dropPreparations()
    /// Connects the operation to the queue that will start it. False, with no effect, when it has been enqueued,
    /// started or finished before.
    func attach(to scheduler: any OperationScheduler) -> Bool
    /// The queue the operation is attached to; nil before and after.
    var scheduler: (any OperationScheduler)? { get }
    /// True once the operation has been enqueued or started. Becomes true before `DependencyGraph.didActivate` is
    /// called.
    var isActivated: Bool { get }
    /// True once the operation has executed: from then on its dependencies do not count.
    var hasBegun: Bool { get }
    /// True if the operation is paused, or was when it was enqueued: a paused operation is not started.
    var isPaused: Bool { get }
    /// True if the operation can use a slot: not while it is paused, or waits for the time of another attempt.
    var wantsSlot: Bool { get }
    /// True if the operation was paused in its place and has kept its connection: once resumed, it needs no slot to go
    /// on.
    var isHeld: Bool { get }
    /// All that a queue needs for a snapshot, at once.
    var standing: SchedulableStanding { get }
    /// True if a proxy is to be listed instead, because Foundation would not let a listed operation of this class run.
    var wantsProxy: Bool { get }
    /// True if `OperationQueue.operations` is to list the operation while it is in the queue: see `FoundationListing`.
    /// Such an operation must post `isExecuting` as true before it ends.
    var wantsListing: Bool { get }
    /// The queue has taken the operation in, after `attach`: from here on `start()` may begin it.
    func didAttach()
    /// The origin for which limits by host count the operation; nil: they do not.
    var schedulingOrigin: String? { get }
    /// True if `start()` may be code of the library's user: then it must not be called on the network thread nor on the
    /// thread that adds the operation.
    var startMayCallOut: Bool { get }
    /// True if `upstreamDidEnd` is to be called. Passed to the graph by `DependencyGraph.setFollowsUpstreams`.
    var followsUpstreams: Bool { get }
    /// An upstream ended: called before the operation can become ready because of it, with no lock held.
    func upstreamDidEnd(_ upstream: Operation)
    /// The last upstream ended: makes Foundation look at `isReady`, and tells observers. With no lock held.
    func postReadiness()
}

extension SchedulableOperation {
    func postReadiness() { didChangeValue(forKey: OperationState.ready.key) }
}

/// The reports of a schedulable operation to its queue: on any thread, with no lock held, after the change is visible.
protocol OperationScheduler: AnyObject, Sendable {
    /// `start()` could not begin the operation after all: the slot is free, and the queue looks again.
    func operationDidNotStart(_ operation: any SchedulableOperation)
    /// The operation has its response and no longer needs its host: only the parsing is left.
    func operationDidLeaveHost(_ operation: any SchedulableOperation)
    /// `isFinished` has been posted: the slot is free.
    func operationDidFinish(_ operation: any SchedulableOperation)
    /// The operation is paused, or waits for another attempt's time: an executing one gives its slot back, a pending
    /// one is passed over.
    func operationDidPause(_ operation: any SchedulableOperation)
    /// The operation wants to be started (again).
    func operationDidResume(_ operation: any SchedulableOperation)
    /// The operation was cancelled. A pending one is started at once, without a slot, so that it can finish.
    func operationDidCancel(_ operation: any SchedulableOperation)
    /// The last upstream ended: a pending operation may be started now.
    func operationDidBecomeReady(_ operation: any SchedulableOperation)
    /// A dependency was added or removed, or the priority changed, while the operation was pending.
    func operationDidChange(_ operation: any SchedulableOperation)
}

extension SchedulableOperation {
    func dropPreparations() {}
    var wantsProxy: Bool { false }
    var wantsSlot: Bool { !isPaused }
    var isHeld: Bool { false }
    var standing: SchedulableStanding { standingByProperties }
    /// The values of the properties one by one, which a subclass of the user's may have overridden.
    var standingByProperties: SchedulableStanding {
        SchedulableStanding(
            isCancelled: isCancelled, wantsSlot: wantsSlot, isHeld: isHeld, hasBegun: hasBegun,
            priority: PriorityRank(queuePriority))
    }
}

/// The values that a queue reads from an operation for every snapshot.
struct SchedulableStanding {
    var isCancelled: Bool
    var wantsSlot: Bool
    var isHeld: Bool
    var hasBegun: Bool
    var priority: PriorityRank
}

extension Operation {
    /// This operation, if a queue of the library schedules it itself. To look for the class first saves the search for
    /// a conformance, which takes longer than the rest of a snapshot.
    var schedulable: (any SchedulableOperation)? {
        if let own = self as? URLConnectionOperation { return own }
        return self as? any SchedulableOperation
    }
}
