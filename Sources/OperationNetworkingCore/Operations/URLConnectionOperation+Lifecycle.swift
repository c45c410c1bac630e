// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

// Inputs of the machine that come from outside. Each checks and assigns in one critical section, and then does what the
// machine answers.

extension URLConnectionOperation {
    func performStart() {
        // Two system calls, and the library's own queue is the usual caller.
        let isOnQueue = lock.withLock({ _mayBeStartedByFoundation }) && OperationQueue.current != nil
        // Looked at only where it matters for more than the order of news: see `_starter(isOnQueue:isListed:)`.
        let isListed =
            isOnQueue && lock.withLock({ _starter(isOnQueue: true, isListed: nil) == nil })
            ? isStartedByFoundation : nil
        let (action, caller, scheduler, alarm, hold) = change {
            // If it matters only now, because a dependency came in between, no queue is known to have called.
            let caller = _starter(isOnQueue: isOnQueue, isListed: isListed) ?? .caller
            if caller == .foundationQueue { _evidence.beginStart() }
            let action = _machine.start(
                dependenciesAreMet: (_dependencyNode?.openCount ?? 0) == 0, needsPreparation: _needsPreparation,
                by: caller)
            let begins = _machine.isUnderWay || action == .backOff
            return (action, caller, _scheduler, begins ? _runTotalTime(action) : nil, _updateHold())
        }
        defer { withExtendedLifetime(hold) {} }
        defer { if caller == .foundationQueue { endStartByFoundation() } }
        set(alarm)
        switch action {
        case .none:
            break
        case .wait:
            DependencyGraph.didActivate(self)
            scheduler?.operationDidNotStart(self)
        case .prepare:
            DependencyGraph.didActivate(self)
            Trace.step(.begin, self)
            runtime.onBlockThread { [self] in prepareRequest() }
        case .launch(let number):
            DependencyGraph.didActivate(self)
            Trace.step(.begin, self)
            launch(number)
        case .proceed:
            postNotification(.networkingOperationDidStart)
            let attempt = lock.withLock { _attempt }
            // The attempt does not hold the operation before it goes on.
            runtime.onNetworkThread { [self] in withExtendedLifetime(self) { attempt?.followOperation() } }
        case .backOff:
            postNotification(.networkingOperationDidStart)
            scheduler?.operationDidPause(self)
        case .end:
            conclude(discarding: lock.withLock { _content.take() })
        }
    }

    func performPause() {
        let (action, old, attempt, scheduler, hold) = change {
            let old = _machine.state
            let isRepeated = _mayRepeatRequest && !_holdsConnection(whilePausedAfter: _received.value.head)
            let action = _machine.pause(isRepeated ? .allowed : .never)
            if action != .none, action != .noted { _totalTime?.pause(at: runtime.uptime) }
            defer { if action == .stop { _attempt = nil } }
            return (action, old, action == .stop || action == .hold ? _attempt : nil, _scheduler, _updateHold())
        }
        defer { withExtendedLifetime(hold) {} }
        switch action {
        case .none, .noted:
            return
        case .paused:
            break
        case .stop:
            if let attempt { runtime.onNetworkThread { attempt.end(by: .paused) } }
        case .hold:
            if let attempt { runtime.onNetworkThread { attempt.followOperation() } }
        }
        scheduler?.operationDidPause(self)
        if old == .executing { postNotification(.networkingOperationDidFinish) }
    }

    func performResume() {
        let (action, scheduler) = change { (_machine.resume(), _scheduler) }
        guard case .ready(let restart) = action else { return }
        if let scheduler {
            scheduler.operationDidResume(self)
        } else if restart, !isLeftToFoundation {
            start()
        }
    }

    /// - Parameter cause: the upstream's error, when that is the reason.
    func performCancel(cause: (any Error)?) {
        let (action, attempt, number, scheduler) = change {
            let action = _machine.cancel()
            guard action != .none else { return (action, RequestAttempt?.none, _machine.attempt, _scheduler) }
            _cancellationCause = cause
            defer { _attempt = nil }
            return (action, _attempt, _machine.attempt, _scheduler)
        }
        guard action != .none else { return }
        tellFoundation { super.cancel() }
        askForReadiness()
        switch action {
        case .none:
            return
        case .stop:
            if let attempt {
                runtime.onNetworkThread { withExtendedLifetime(self) { attempt.end(by: .cancelled) } }
            } else {
                CallChain.run { [self] in
                    endAttempt(number, with: AttemptEnd(error: URLError.cancelled(url: request.url)))
                }
            }
        case .end:
            CallChain.run { [self] in conclude(discarding: lock.withLock { _content.take() }) }
        case .marked(let restart):
            // One that was held: it is `start()` that ends the operation.
            if let attempt { runtime.onNetworkThread { attempt.end(by: .paused) } }
            if let scheduler {
                scheduler.operationDidCancel(self)
            } else if restart, !isLeftToFoundation {
                startByItself()
            }
        }
    }

    /// Starts an operation that was asked to start when it could not begin. A subclass's `start()` is the user's, and
    /// not for the network thread.
    func startByItself() {
        if startMayCallOut, runtime.isNetworkThread {
            runtime.onBlockThread { [self] in start() }
        } else {
            CallChain.run { [self] in start() }
        }
    }

    /// Starts an operation that no other caller will start, and those it waits for.
    ///
    /// - Throws: `OperationDependencyError`, when it waits for an operation that is not the library's, was not started
    ///   and is in no queue: the end of that might never come.
    func startIfUnclaimed() throws { Self.start(try unclaimedChain()) }

    /// Starts those of the operations that were not started or put into a queue meanwhile.
    package static func start(_ chain: [Operation]) {
        for operation in chain {
            if let request = operation as? URLConnectionOperation {
                if request.isUnclaimed { request.start() }
            } else {
                // A batch's last one cannot be asked to start before it can.
                OperationBatch.defaultQueue.addOperation(operation)
            }
        }
    }

    /// Returns this operation and those it waits for that were not started or put into a queue; upstreams first.
    ///
    /// - Throws: as `startIfUnclaimed()`.
    func unclaimedChain() throws -> [Operation] {
        var chain: [Operation] = []
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
        var stack: [Operation] = [self]
        while let operation = stack.popLast() {
            if let last = operation as? BatchCompletionOperation {
                guard !last.isActivated, last.foundationState == .initialized else { continue }
                chain.append(last)
                stack += DependencyGraph.upstreams(of: last).filter { seen.insert(ObjectIdentifier($0)).inserted }
                continue
            }
            guard let own = operation as? URLConnectionOperation else {
                if operation is any SchedulableOperation || operation.isFinished || operation.isExecuting { continue }
                guard FoundationState(of: operation) == .initialized,
                    !DependencyGraph.hasQueue(forForeign: operation)
                else { continue }
                throw OperationDependencyError(unstarted: operation, upstreamOf: self)
            }
            guard own.isUnclaimed else { continue }
            chain.append(own)
            stack += DependencyGraph.upstreams(of: own).filter { seen.insert(ObjectIdentifier($0)).inserted }
        }
        return chain.reversed()
    }

    /// True if the operation was not started or put into a queue.
    private var isUnclaimed: Bool {
        let state = foundationState
        return lock.withLock {
            if state.isQueued { _machine.noteFoundationQueue() }
            return state != .unknown && !_machine.isClaimed && _machine.state != .finished
        }
    }
}
