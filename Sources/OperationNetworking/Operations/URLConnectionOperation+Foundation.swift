// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

// What an operation knows of a queue of Foundation's that may have it.

extension URLConnectionOperation {
    /// The answer to `isReady`, noted.
    ///
    /// - Parameter isReady: what Foundation says.
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

    /// Does what makes Foundation ask whether the operation is ready: that is no sign of a queue.
    func tellFoundation(_ news: () -> Void) {
        lock.withLock { _evidence.expectQuestion() }
        news()
        lock.withLock { _ = _evidence.endExpectation() }
    }

    /// How far Foundation has come with the operation, if one of its queues may have it; `initialized` also for one that was
    /// started by hand, and `unknown` if there is no telling.
    var foundationState: FoundationState {
        let wasAsked = lock.withLock { _evidence.wasAsked }
        // A subclass of the user's may answer without asking what it overrides.
        guard wasAsked || startMayCallOut else { return .initialized }
        let state = FoundationState(of: self)
        guard state == .unknown, !wasAsked else { return state }
        lock.withLock { _evidence.expectQuestion() }
        _ = isReady
        return lock.withLock { _evidence.endExpectation() } ? .initialized : .unknown
    }

    /// Whether a queue of Foundation's will call `start()`, which it has not yet: to begin before would end the operation
    /// while the queue has it in its list of those to be started, and the queue does not keep them.
    var isLeftToFoundation: Bool {
        guard lock.withLock({ !_machine.hasBegun && !_evidence.wasStarted }) else { return false }
        switch foundationState {
        case .enqueuing, .enqueued, .unknown: return true
        case .initialized, .starting, .begun: return false
        }
    }

    /// Who calls `start()`; nil: only a look at the queue's list can tell, which takes time, and is worth it where the
    /// operation cannot begin, and another caller would have to be told from the queue. Called with `lock` held.
    ///
    /// - Parameters:
    ///   - isOnQueue: this is a thread of a queue's.
    ///   - isListed: the queue has the operation in its list; nil: nobody has looked.
    func _starter(isOnQueue: Bool, isListed: Bool?) -> RequestMachine.Owner? {
        guard isOnQueue, _scheduler == nil, _evidence.wasAsked || startMayCallOut else { return .caller }
        if let isListed { return isListed ? .foundationQueue : .caller }
        let begins = _machine.state == .ready && (_dependencyNode?.openCount ?? 0) == 0
        return begins ? .foundationQueue : nil
    }
}
