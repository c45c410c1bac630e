// SPDX-License-Identifier: MIT
internal import Foundation

/// An operation that tells the queue that schedules it what happens to it, and whose dependencies are ours to count.
///
/// `URLConnectionOperation` is the one in the library; whatever else is added to a `RequestOperationQueue` is a foreign
/// operation, which Foundation runs.
///
/// What the queue relies on:
/// - `start()` begins or ends the operation, or reports `operationDidNotStart`: when it was paused, or a dependency came,
///   after the queue's decision. It does nothing on one that is under way or over: the queue calls it again after a
///   resume or a cancel that arrives while an earlier call is under way.
/// - The order at the end is: `isFinished` true, `DependencyGraph.didFinish`, posted, what that returned,
///   `operationDidFinish`.
/// - Every override of `addDependency`, `removeDependency` and `queuePriority` calls `operationDidChange` on `scheduler`.
/// - `deinit` calls `DependencyGraph.release(_:of:)`, with nothing else left that holds upstream operations.
protocol SchedulableOperation: Operation {
    /// The operation's place in the dependency graph: made on first use, kept for its life.
    var dependencyNode: DependencyNode { get }
    /// The node if one was made: most operations never have an edge.
    var dependencyNodeIfLoaded: DependencyNode? { get }
    /// Strong references to upstream operations, in order of addition. Guarded by the graph's lock.
    var _upstreams: IdentityList<Operation> { get set }
    /// Lets go of whatever beside `_upstreams` holds upstream operations: called when nobody has the operation any more.
    func dropPreparations()
    /// Connects the operation to the queue that will start it. False, with no effect, when it has been enqueued, started
    /// or finished before.
    func attach(to scheduler: any OperationScheduler) -> Bool
    /// The queue the operation is attached to; nil before and after.
    var scheduler: (any OperationScheduler)? { get }
    /// Whether the operation was enqueued or started. True before `DependencyGraph.didActivate` is called.
    var isActivated: Bool { get }
    /// Whether the operation ever executed: from then on its dependencies do not count.
    var hasBegun: Bool { get }
    /// Whether the operation is paused, or was when it was enqueued: a paused operation is not started.
    var isPaused: Bool { get }
    /// Whether the operation can do something with a slot: not while it is paused, or waits for another attempt's time.
    var wantsSlot: Bool { get }
    /// Whether the operation was paused in its place and has kept its connection: resumed, it needs no slot to go on.
    var isHeld: Bool { get }
    /// All of this at once.
    var standing: SchedulableStanding { get }
    /// Whether a proxy is to be listed instead, because Foundation would not let a listed operation of this class run.
    var wantsProxy: Bool { get }
    /// Whether `OperationQueue.operations` is to list the operation while it is in the queue: see `FoundationListing`. Before
    /// it ends it must have posted `isExecuting` as true.
    var wantsListing: Bool { get }
    /// The queue has taken the operation in, after `attach`: from here on `start()` may begin it.
    func didAttach()
    /// The origin that limits by host count by; nil: none does.
    var schedulingOrigin: String? { get }
    /// Whether `start()` may be code of the library's user, and so must not be called on the network thread nor on the
    /// thread that adds the operation.
    var startMayCallOut: Bool { get }
    /// Whether `upstreamDidEnd` is to be called. Told to the graph by `DependencyGraph.setFollowsUpstreams`.
    var followsUpstreams: Bool { get }
    /// An upstream ended: called before the operation can become ready because of it, with no lock held.
    func upstreamDidEnd(_ upstream: Operation)
    /// The last upstream ended: makes Foundation look at `isReady`, and tells observers. With no lock held.
    func postReadiness()
}

extension SchedulableOperation {
    func postReadiness() { didChangeValue(forKey: OperationState.ready.key) }
}

/// What a schedulable operation reports to its queue: on any thread, with no lock held, after the change is visible.
protocol OperationScheduler: AnyObject, Sendable {
    /// `start()` could not begin the operation after all: the slot is free, and the queue looks again.
    func operationDidNotStart(_ operation: any SchedulableOperation)
    /// The operation has its response, and needs its host no more: what is left is to parse it.
    func operationDidLeaveHost(_ operation: any SchedulableOperation)
    /// `isFinished` has been posted: the slot is free.
    func operationDidFinish(_ operation: any SchedulableOperation)
    /// The operation is paused, or waits for another attempt's time: an executing one gives its slot back, a pending one is
    /// passed over.
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
    /// What the properties say one by one, which a subclass of the user's may have overridden.
    var standingByProperties: SchedulableStanding {
        SchedulableStanding(
            isCancelled: isCancelled, wantsSlot: wantsSlot, isHeld: isHeld, hasBegun: hasBegun,
            priority: PriorityRank(queuePriority))
    }
}

/// What a queue asks of an operation for every snapshot.
struct SchedulableStanding {
    var isCancelled: Bool
    var wantsSlot: Bool
    var isHeld: Bool
    var hasBegun: Bool
    var priority: PriorityRank
}

extension Operation {
    /// This operation, if it is one that a queue of the library's schedules itself. To look for the class first saves the
    /// search for a conformance, which takes longer than all else of a snapshot.
    var schedulable: (any SchedulableOperation)? {
        if let own = self as? URLConnectionOperation { return own }
        return self as? any SchedulableOperation
    }
}
