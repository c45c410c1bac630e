// SPDX-License-Identifier: MIT
internal import Foundation
public import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

/// An edit of an operation's request from the result of an operation it depends on.
struct Preparation {
    let upstream: HTTPRequestOperation
    let prepare: @Sendable (HTTPRequestOperation, inout URLRequest) throws -> Void

    /// True if there is a result to edit the request from. False if the operation began before the upstream had ended:
    /// the dependency came too late.
    var isDue: Bool { upstream.isFinished }
}

extension URLConnectionOperation {
    /// Makes this operation wait for `upstream`, and lets `preparing` edit this operation's request from its result.
    ///
    /// The block runs once, just before this operation starts, on one of the library's threads, after the blocks of
    /// dependencies added before. An error that it throws ends this operation and becomes its `error`. It runs whatever
    /// the upstream's outcome, unless `dependencyFailurePolicy` is `.cancel`.
    ///
    /// A dependency that comes too late does not count, and its block does not run: on an operation that has begun, or
    /// that one of Foundation's queues has decided to start. So add it before the operation is started or put into a
    /// queue.
    ///
    /// ```swift
    /// profile.addDependency(login) { login, request in
    ///     request.setValue(
    ///         login.responseString, forHTTPHeaderField: "X-Session")
    /// }
    /// ```
    public func addDependency(
        _ upstream: HTTPRequestOperation,
        preparing: @escaping @Sendable (_ upstream: HTTPRequestOperation, _ request: inout URLRequest) throws -> Void
    ) {
        let isOpen = lock.withLock { () -> Bool in
            guard _machine.state != .finished, !_machine.hasBegun else { return false }
            _preparations.append(Preparation(upstream: upstream, prepare: preparing))
            return true
        }
        guard isOpen else { return }
        // Should the operation begin before there is an edge, the block does not run: see `Preparation.isDue`.
        addDependency(upstream as Operation)
    }

    func performAddDependency(_ operation: Operation) {
        do {
            let old = lock.withLock { snapshot() }
            try DependencyGraph.add(upstream: operation, to: self)
            announceReadiness(since: old)
            if waitsForUpstreams, let failure = Self.failure(of: operation) { performCancel(cause: failure) }
        } catch {
            lock.withLock { if _startError == nil, !_machine.hasBegun { _startError = error } }
            removePreparations(from: operation)
        }
    }

    func performRemoveDependency(_ operation: Operation) {
        // The block first: without the edge the operation may begin.
        removePreparations(from: operation)
        DependencyGraph.remove(upstream: operation, from: self)
        tellFoundation { super.removeDependency(operation) }
        // One that was added meanwhile found the edge that is gone now.
        if lock.withLock({ !_preparations.isEmpty }), !DependencyGraph.isUpstream(operation, of: self) {
            removePreparations(from: operation)
        }
        // The graph has reported it, if this was the last one.
        scheduler?.operationDidChange(self)
    }

    private func removePreparations(from upstream: Operation) {
        let removed = lock.withLock { _preparations.remove(from: upstream) }
        // Not released inside the lock: a block holds anything.
        withExtendedLifetime(removed) {}
    }

    private func announceReadiness(since old: StateSnapshot) {
        let (news, scheduler) = lock.withLock {
            let new = snapshot()
            // Only what the dependencies changed: a thread that changed the state meanwhile announces that.
            var before = new
            before.dependenciesAreMet = old.dependenciesAreMet
            return (before.isReady == new.isReady ? nil : _news(from: before, to: new), _scheduler)
        }
        if let news { announce(news) }
        scheduler?.operationDidChange(self)
        if news != nil { askForReadiness() }
    }

    /// The error to end with, when an upstream failed and this operation is not to run then.
    func failureOfUpstreams() -> (any Error)? {
        let mayEnd = lock.withLock {
            _configuration.value.dependencyFailurePolicy == .cancel && !_machine.isCancelled && !_machine.hasBegun
        }
        guard mayEnd else { return nil }
        for upstream in DependencyGraph.upstreams(of: self) {
            if let failure = Self.failure(of: upstream) { return failure }
        }
        return nil
    }

    private static func failure(of upstream: Operation) -> (any Error)? {
        if let upstream = upstream as? URLConnectionOperation {
            guard upstream.isFinished else { return nil }
            guard let request = upstream as? HTTPRequestOperation else { return upstream.error.map(shortened) }
            return request.errorForDependents.map(shortened)
        }
        return upstream.isFinished && upstream.isCancelled ? URLError.cancelled(url: nil) : nil
    }

    /// Returns the error, or for one with many nested causes the first of them: errors are released by recursion.
    private static func shortened(_ error: any Error) -> any Error {
        var first = error
        for _ in 0..<64 {
            guard let next = (first as? URLError)?.userInfo[NSUnderlyingErrorKey] as? any Error else { return error }
            first = next
        }
        while let next = (first as? URLError)?.userInfo[NSUnderlyingErrorKey] as? any Error { first = next }
        return first
    }
}

extension URLConnectionOperation: SchedulableOperation {
    var dependencyNode: DependencyNode {
        lock.withLock {
            if let node = _dependencyNode { return node }
            let node = DependencyNode(self)
            _dependencyNode = node
            return node
        }
    }

    var dependencyNodeIfLoaded: DependencyNode? {
        lock.withLock { _dependencyNode }
    }

    func dropPreparations() {
        let dropped = lock.withLock { _preparations.removeAll() }
        withExtendedLifetime(dropped) {}
    }

    var wantsListing: Bool { true }

    var hasBegun: Bool { lock.withLock { _machine.hasBegun } }

    var wantsSlot: Bool { lock.withLock { _machine.wantsSlot } }

    var isHeld: Bool { lock.withLock { _machine.holdsAttempt } }

    var standing: SchedulableStanding {
        guard !startMayCallOut else { return standingByProperties }
        return lock.withLock {
            SchedulableStanding(
                isCancelled: _machine.isCancelled, wantsSlot: _machine.wantsSlot, isHeld: _machine.holdsAttempt,
                hasBegun: _machine.hasBegun, priority: PriorityRank(_queuePriority ?? super.queuePriority))
        }
    }

    var schedulingOrigin: String? {
        let (known, url, connections) = lock.withLock {
            (_target, _request.url, _configuration.value.transport.connections)
        }
        guard let origin = (known ?? url.flatMap(requestTarget(of:)))?.origin else { return nil }
        return connections.isEmpty ? origin : connections.settings.countedOrigin(origin)
    }

    /// True for a user's subclass, which may have overridden `start()`.
    var startMayCallOut: Bool {
        let type = type(of: self)
        return type != HTTPRequestOperation.self && type != URLConnectionOperation.self && type != SessionOperation.self
    }

    var followsUpstreams: Bool { dependencyFailurePolicy == .cancel }

    var scheduler: (any OperationScheduler)? {
        lock.withLock { _scheduler }
    }

    var isActivated: Bool {
        lock.withLock { _machine.isClaimed }
    }

    func attach(to scheduler: any OperationScheduler) -> Bool {
        // Another queue's, which waits with it, or is about to start it.
        guard !foundationState.isQueued else { return false }
        return lock.withLock {
            guard _scheduler == nil, _machine.join() else { return false }
            _scheduler = scheduler
            // What Foundation lists has one priority: see `FoundationListing`. In no queue yet, so this only assigns.
            if _queuePriority == nil { _queuePriority = super.queuePriority }
            super.queuePriority = .normal
            return true
        }
    }

    func didAttach() {
        lock.withLock { _machine.didJoin() }
    }

    /// True if the failure of an upstream is the operation's: not once it has begun.
    private var waitsForUpstreams: Bool { followsUpstreams && !lock.withLock { _machine.hasBegun } }

    func upstreamDidEnd(_ upstream: Operation) {
        guard waitsForUpstreams, let failure = Self.failure(of: upstream) else { return }
        performCancel(cause: failure)
    }
}
