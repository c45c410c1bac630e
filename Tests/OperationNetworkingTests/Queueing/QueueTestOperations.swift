// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// A schedulable operation with the states of the library's own, without a network.
// Sendable because its mutable state is behind `state`, or, `_upstreams`, guarded by the graph's lock.
class TestOperation: Operation, SchedulableOperation, @unchecked Sendable {
    enum Phase { case ready, paused, executing, finished }
    struct State {
        var phase = Phase.ready
        var isAttached = false
        var isActivated = false
        var scheduler: (any OperationScheduler)?
        var node: DependencyNode?
        var priority = Operation.QueuePriority.normal
        var starts = 0
    }
    let state = Locked(State())
    var _upstreams = IdentityList<Operation>()
    let host: String?
    let callsOut: Bool
    let onStart: (@Sendable (TestOperation) -> Void)?
    let onDeinit: (@Sendable () -> Void)?

    init(
        host: String? = nil, callsOut: Bool = false, onStart: (@Sendable (TestOperation) -> Void)? = nil,
        onDeinit: (@Sendable () -> Void)? = nil
    ) {
        self.host = host
        self.callsOut = callsOut
        self.onStart = onStart
        self.onDeinit = onDeinit
    }

    deinit {
        DependencyGraph.release(&_upstreams, of: state.withLock { $0.node })
        onDeinit?()
    }

    var dependencyNode: DependencyNode {
        state.withLock { state in
            if let node = state.node { return node }
            let node = DependencyNode(self)
            state.node = node
            return node
        }
    }
    var dependencyNodeIfLoaded: DependencyNode? { state.withLock { $0.node } }
    var scheduler: (any OperationScheduler)? { state.withLock { $0.scheduler } }
    var isActivated: Bool { state.withLock { $0.isActivated } }
    var isPaused: Bool { state.withLock { $0.phase == .paused } }
    var wantsListing: Bool { false }
    func didAttach() {}
    var hasBegun: Bool { state.withLock { $0.starts > 0 } }
    var schedulingOrigin: String? { host }
    var startMayCallOut: Bool { callsOut }
    var followsUpstreams: Bool { onUpstreamEnd.withLock { $0 != nil } }
    let onUpstreamEnd = Locked<(@Sendable (Operation) -> Void)?>(nil)
    func upstreamDidEnd(_ upstream: Operation) { onUpstreamEnd.withLock { $0 }?(upstream) }
    var starts: Int { state.withLock { $0.starts } }

    func attach(to scheduler: any OperationScheduler) -> Bool {
        state.withLock { state in
            guard !state.isActivated, state.phase != .finished else { return false }
            state.isActivated = true
            state.scheduler = scheduler
            return true
        }
    }

    override var isReady: Bool {
        let (phase, node) = state.withLock { ($0.phase, $0.node) }
        return (phase == .ready || isCancelled) && (isCancelled || node?.openCount ?? 0 == 0) && super.isReady
    }
    override var isExecuting: Bool { state.withLock { $0.phase == .executing } }
    override var isFinished: Bool { state.withLock { $0.phase == .finished } }
    override var isAsynchronous: Bool { true }
    override var dependencies: [Operation] { DependencyGraph.upstreams(of: self) }
    override var queuePriority: Operation.QueuePriority {
        get { state.withLock { $0.priority } }
        set {
            state.withLock { $0.priority = newValue }
            scheduler?.operationDidChange(self)
        }
    }
    /// The error of the last rejected edge is not kept: tests that expect one call the graph.
    override func addDependency(_ op: Operation) {
        try? DependencyGraph.add(upstream: op, to: self)
        didChangeValue(forKey: "isReady")
        scheduler?.operationDidChange(self)
    }
    override func removeDependency(_ op: Operation) {
        DependencyGraph.remove(upstream: op, from: self)
        didChangeValue(forKey: "isReady")
        scheduler?.operationDidChange(self)
    }

    override func start() {
        let (begins, activates): (Bool, Bool) = state.withLock { state in
            let activates = !state.isActivated
            if isCancelledUnlocked, state.phase != .executing, state.phase != .finished {
                state.isActivated = true
                return (true, activates)
            }
            guard state.phase == .ready else { return (false, false) }
            state.isActivated = true
            state.phase = .executing
            return (true, activates)
        }
        guard begins else { return }
        if activates { DependencyGraph.didActivate(self) }
        if isCancelled { return finish() }
        state.withLock { $0.starts += 1 }
        didChangeValue(forKey: "isExecuting")
        onStart?(self)
        begin()
    }
    private var isCancelledUnlocked: Bool { isCancelled }

    /// What an operation does when it is started.
    func begin() {}

    func finish() {
        let finishes: (Bool, (any OperationScheduler)?) = state.withLock { state in
            guard state.phase != .finished else { return (false, nil) }
            state.phase = .finished
            return (true, state.scheduler.take())
        }
        guard finishes.0 else { return }
        didChangeValue(forKey: "isExecuting")
        didChangeValue(forKey: "isFinished")
        DependencyGraph.didFinish(self)?.run()
        finishes.1?.operationDidFinish(self)
    }

    override func cancel() {
        super.cancel()
        let (finishes, scheduler) = state.withLock { ($0.phase == .executing, $0.scheduler) }
        if finishes { finish() } else { scheduler?.operationDidCancel(self) }
    }

    func pause() {
        let scheduler: (any OperationScheduler)? = state.withLock { state in
            guard state.phase == .ready || state.phase == .executing else { return nil }
            state.phase = .paused
            return state.scheduler
        }
        scheduler?.operationDidPause(self)
    }

    func resume() {
        let scheduler: (any OperationScheduler)? = state.withLock { state in
            guard state.phase == .paused else { return nil }
            state.phase = .ready
            return state.scheduler
        }
        scheduler?.operationDidResume(self)
    }
}

/// Finishes inside `start()`.
final class InstantOperation: TestOperation, @unchecked Sendable {
    override func begin() { finish() }
}

/// Finishes when told.
final class ManualOperation: TestOperation, @unchecked Sendable {
    func complete() { finish() }
}

/// What happened, in order.
final class Log: Sendable {
    private let lines = Locked<[String]>([])
    var entries: [String] { lines.withLock { $0 } }
    func append(_ line: String) { lines.withLock { $0.append(line) } }
}

/// A number several threads count.
final class Counter: Sendable {
    private let number = Locked(0)
    var value: Int { number.withLock { $0 } }
    @discardableResult func add(_ summand: Int = 1) -> Int {
        number.withLock {
            $0 += summand; return $0
        }
    }
}

/// Blocks until another thread has brought a condition about; false after `seconds`.
func becomesTrue(within seconds: Double = 20, _ condition: () -> Bool) -> Bool {
    let deadline = MonotonicClock.now + UInt64(seconds * Patience.factor * 1e9)
    while !condition() {
        if MonotonicClock.now > deadline { return false }
        usleep(200)
    }
    return true
}
