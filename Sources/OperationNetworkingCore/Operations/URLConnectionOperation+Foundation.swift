// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

// The facts that an operation knows of a Foundation queue that may have it.

extension URLConnectionOperation {
    /// The answer to `isReady`, noted.
    ///
    /// - Parameter isReady: Foundation's answer.
    func answerReadiness(_ isReady: Bool) -> Bool {
        let (answer, isToldAgain) = lock.withLock {
            let answer = isReady && snapshot().isReady
            return (answer, _evidence.noteQuestion(answer: answer))
        }
        // From another thread, because this one may hold the queue's lock.
        if isToldAgain { runtime.later { [self] in askForReadiness() } }
        return answer
    }

    /// Makes Foundation look at `isReady` again, after what it answers has changed.
    func askForReadiness() { tellFoundation { didChangeValue(forKey: OperationState.ready.key) } }

    /// Runs `news`, which makes Foundation ask whether the operation is ready: that question is no sign of a queue.
    func tellFoundation(_ news: () -> Void) {
        lock.withLock { _evidence.expectQuestion() }
        news()
        lock.withLock { _ = _evidence.endExpectation() }
    }

    /// Foundation's state of the operation, if one of its queues may have it; `initialized` also for one that was
    /// started by hand, and `unknown` if it cannot be found out.
    var foundationState: FoundationState {
        let wasAsked = lock.withLock { _evidence.wasAsked }
        // A user's subclass may answer without asking what it overrides.
        guard wasAsked || startMayCallOut else { return .initialized }
        let state = FoundationState(of: self)
        guard state == .unknown, !wasAsked else { return state }
        lock.withLock { _evidence.expectQuestion() }
        _ = isReady
        return lock.withLock { _evidence.endExpectation() } ? .initialized : .unknown
    }

    /// True if one of Foundation's queues will call `start()`, and has not yet. To begin before would end the operation
    /// while the queue has it in its list of those to be started, and the queue does not keep them.
    var isLeftToFoundation: Bool {
        guard lock.withLock({ !_machine.hasBegun && !_evidence.wasStarted }) else { return false }
        switch foundationState {
        case .enqueuing, .enqueued, .unknown: return true
        case .initialized, .starting, .begun: return false
        }
    }

    /// Returns the caller of `start()`; nil: only a look at the queue's list can tell. That takes time, and is worth it
    /// if the operation cannot begin, and another caller would have to be told apart from the queue. Called with `lock`
    /// held.
    ///
    /// - Parameters:
    ///   - isOnQueue: true on a queue's thread.
    ///   - isListed: true if the queue has the operation in its list; nil: not looked at.
    func _starter(isOnQueue: Bool, isListed: Bool?) -> RequestMachine.Owner? {
        guard isOnQueue, _mayBeStartedByFoundation else { return .caller }
        if let isListed { return isListed ? .foundationQueue : .caller }
        let begins = _machine.state == .ready && (_dependencyNode?.openCount ?? 0) == 0
        return begins ? .foundationQueue : nil
    }

    /// False if the caller of `start()` is of no consequence, or no queue of Foundation. Called with `lock` held.
    var _mayBeStartedByFoundation: Bool { _scheduler == nil && (_evidence.wasAsked || startMayCallOut) }
}
