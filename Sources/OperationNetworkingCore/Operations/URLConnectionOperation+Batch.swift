// SPDX-License-Identifier: MIT
public import Foundation
internal import NetworkingSupport

extension URLConnectionOperation {
    /// Returns the operations, and one more that depends on all of them, to be added to a queue together. AF:
    /// `batchOfRequestOperations:progressBlock:completionBlock:`.
    ///
    /// Nothing is enqueued. `OperationBatch` does the same with less to remember.
    ///
    /// - Parameters:
    ///   - operations: the members. Their completion blocks and groups may be set before or after.
    ///   - progressBlock: called on the main queue after each member's own completion blocks have returned; not called
    ///     for no members.
    ///   - completionBlock: called on the main queue once, after the last member's own blocks, with `operations`; also
    ///     when members, or the added operation, were cancelled.
    @preconcurrency
    public static func batchOfRequestOperations(
        _ operations: [URLConnectionOperation],
        progressBlock: (@Sendable (_ numberOfFinishedOperations: Int, _ totalNumberOfOperations: Int) -> Void)?,
        completionBlock: (@Sendable (_ operations: [URLConnectionOperation]) -> Void)?
    ) -> [Operation] {
        let batch = OperationBatch(operations)
        let tally = batch.tally
        batch.setProgressBlock(progressBlock)
        if let completionBlock {
            // The members hold the block until the end: it must not hold them.
            let places = places(of: operations, in: batch.operations)
            batch.setCompletionBlock { members in
                completionBlock(places.compactMap { $0 < members.count ? members[$0] : nil })
            }
        }
        let last = BatchCompletionOperation { tally.settle() }
        for operation in batch.operations { last.addDependency(operation) }
        _ = batch.track()
        return operations + [last]
    }

    /// Returns the places of `operations`, each of which may be there twice, among the members.
    private static func places(
        of operations: [URLConnectionOperation], in members: [URLConnectionOperation]
    ) -> [Int] {
        var places: [ObjectIdentifier: Int] = [:]
        for (place, member) in members.enumerated() { places[ObjectIdentifier(member)] = place }
        return operations.compactMap { places[ObjectIdentifier($0)] }
    }
}

/// The last operation of a batch: runs a block once everything it depends on has ended, and also when it is cancelled.
///
/// Its dependencies are counted by `DependencyGraph` like those of requests, because Foundation keeps pointers to
/// dependents that it does not retain.
// Sendable because all stored state is behind locks, or immutable.
final class BatchCompletionOperation: Operation, @unchecked Sendable {
    private struct State {
        var scheduler: (any OperationScheduler)?
        var node: DependencyNode?
        var block: (@Sendable () -> Void)?
        var hasStarted = false
        /// A queue is taking the operation in, and looks at it when it has.
        var isJoining = false
        var evidence = FoundationEvidence()
    }

    private let state: Locked<State>
    /// Guarded by the graph's lock.
    var _upstreams = IdentityList<Operation>()

    init(_ block: @escaping @Sendable () -> Void) {
        state = Locked(State(block: block))
    }

    /// An operation that was not started is not waited for: a batch whose members were started by hand completes
    /// without it. One without members does not complete.
    deinit {
        let hadMembers = !_upstreams.isEmpty
        DependencyGraph.release(&_upstreams, of: state.withLock { $0.node })
        if hadMembers { state.withLock { $0.block }?() }
    }

    override var isReady: Bool {
        let isReady = mayRun
        if state.withLock({ $0.evidence.noteQuestion(answer: isReady) }) {
            Runtime.current.later { self.askForReadiness() }
        }
        return isReady
    }

    private var mayRun: Bool {
        let isOpen = state.withLock { $0.node }.map { $0.openCount > 0 } ?? false
        return super.isReady && (!isOpen || isCancelled)
    }

    /// Makes Foundation look at `isReady` again, after what it answers has changed.
    private func askForReadiness() {
        state.withLock { $0.evidence.expectQuestion() }
        didChangeValue(forKey: OperationState.ready.key)
        state.withLock { _ = $0.evidence.endExpectation() }
    }

    /// The state, as far as it is known.
    var foundationState: FoundationState {
        state.withLock { $0.evidence.wasAsked } ? FoundationState(of: self) : .initialized
    }

    /// Without effect on one that was started. One that is not ready is left to its queue.
    override func start() {
        guard state.withLock({ !$0.hasStarted && !$0.isJoining }) else { return }
        // One of Foundation's queues that has decided before the dependency came would never look again.
        guard mayRun || isStartedByFoundation else {
            return scheduler?.operationDidNotStart(self) ?? ()
        }
        let (isFirst, block) = state.withLock { state in
            defer { state.hasStarted = true }
            return (!state.hasStarted, state.block.take())
        }
        guard isFirst else { return }
        block?()
        super.start()
        DependencyGraph.didFinish(self)?.run()
        state.withLock { state in
            defer { state.scheduler = nil }
            return state.scheduler
        }?.operationDidFinish(self)
    }

    override func cancel() {
        state.withLock { $0.evidence.expectQuestion() }
        super.cancel()
        state.withLock { _ = $0.evidence.endExpectation() }
        askForReadiness()
        scheduler?.operationDidCancel(self)
    }

    @available(*, noasync)
    override func waitUntilFinished() {
        if LiveRuntime.isBlockThread { DependencyGraph.expedite(self) }
        super.waitUntilFinished()
    }

    override func addDependency(_ operation: Operation) {
        // Nothing depends on this operation when the batch is built, so there is no cycle to refuse; one that the user
        // tries to close is not added.
        try? DependencyGraph.add(upstream: operation, to: self)
    }

    override func removeDependency(_ operation: Operation) {
        DependencyGraph.remove(upstream: operation, from: self)
    }

    override var dependencies: [Operation] {
        DependencyGraph.upstreams(of: self) + super.dependencies
    }
}

extension BatchCompletionOperation: SchedulableOperation {
    var dependencyNode: DependencyNode {
        state.withLock { state in
            if let node = state.node { return node }
            let node = DependencyNode(self)
            state.node = node
            return node
        }
    }

    var dependencyNodeIfLoaded: DependencyNode? { state.withLock { $0.node } }
    var isPaused: Bool { false }
    var hasBegun: Bool { state.withLock { $0.hasStarted } }
    /// Foundation's `start()` refuses an operation that is in a list.
    var wantsListing: Bool { false }
    var wantsProxy: Bool { true }
    func didAttach() { state.withLock { $0.isJoining = false } }
    var schedulingOrigin: String? { nil }
    var startMayCallOut: Bool { false }
    var followsUpstreams: Bool { false }
    var scheduler: (any OperationScheduler)? { state.withLock { $0.scheduler } }
    var isActivated: Bool { state.withLock { $0.scheduler != nil || $0.hasStarted } }

    func attach(to scheduler: any OperationScheduler) -> Bool {
        guard foundationState.isFree else { return false }
        return state.withLock { state in
            guard state.scheduler == nil, !state.hasStarted else { return false }
            state.scheduler = scheduler
            state.isJoining = true
            return true
        }
    }

    func postReadiness() { askForReadiness() }
    func upstreamDidEnd(_ upstream: Operation) {}
}
