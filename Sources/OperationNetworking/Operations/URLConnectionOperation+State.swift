// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

/// What observers compare: one consistent view of an operation.
struct StateSnapshot: Equatable {
    var state: OperationState
    var isCancelled: Bool
    var dependenciesAreMet: Bool

    var isPaused: Bool { state == .paused }
    var isExecuting: Bool { state == .executing }
    var isFinished: Bool { state == .finished }
    var isReady: Bool { isCancelled || (state == .ready && dependenciesAreMet) }
}

extension URLConnectionOperation {
    /// The operation's life-cycle state.
    public var state: OperationState {
        lock.withLock { _machine.state }
    }

    /// Whether the operation is paused. AF: `isPaused`.
    public var isPaused: Bool {
        lock.withLock { _machine.state == .paused }
    }

    /// Called with `lock` held.
    func snapshot() -> StateSnapshot {
        StateSnapshot(
            state: _machine.state, isCancelled: _machine.isCancelled,
            dependenciesAreMet: _machine.hasBegun || (_dependencyNode?.openCount ?? 0) == 0)
    }

    /// Makes a change under the lock and announces it after the unlock: Foundation's queue, dependents and waiters
    /// first, then observers. Every change of state goes through here.
    ///
    /// - Returns: what `body` answered.
    func change<Result>(_ body: () -> Result) -> Result {
        let (result, old, new, observers) = lock.withLock {
            let old = snapshot()
            let result = body()
            return (result, old, snapshot(), _observers)
        }
        announce(from: old, to: new, to: observers)
        return result
    }

    /// Tells what changed. Never with the lock held: Foundation holds a private mutex while it asks `isFinished`.
    func announce(from old: StateSnapshot, to new: StateSnapshot, to observers: [OperationStateObservation.Entry]) {
        guard old != new else { return }
        if old.isExecuting != new.isExecuting { OperationActivity.shared.note(isExecuting: new.isExecuting) }
        for observer in observers { observer.willChange(self, old, new) }
        if old.state != new.state {
            willChangeValue(forKey: new.state.key)
            willChangeValue(forKey: old.state.key)
            post(old.state)
            post(new.state)
        }
        for observer in observers { observer.didChange(self, old, new) }
    }

    private func post(_ state: OperationState) {
        switch state {
        case .ready: askForReadiness()
        case .executing, .finished, .paused: didChangeValue(forKey: state.key)
        }
    }

    /// The last upstream ended: tells observers, and begins what was asked to start before it could.
    func postReadiness() {
        let (new, observers, starts) = lock.withLock { (snapshot(), _observers, _machine.dependenciesWereMet()) }
        var old = new
        old.dependenciesAreMet = false
        announce(from: old, to: new, to: observers)
        askForReadiness()
        if starts { CallChain.run { [self] in start() } }
    }
}
