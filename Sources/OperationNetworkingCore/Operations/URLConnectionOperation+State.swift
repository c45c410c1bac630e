// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

/// One consistent view of an operation, which observers compare.
struct StateSnapshot: Equatable {
    var state: OperationState
    var isCancelled: Bool
    var dependenciesAreMet: Bool

    var isPaused: Bool { state == .paused }
    var isExecuting: Bool { state == .executing }
    var isFinished: Bool { state == .finished }
    var isReady: Bool { isCancelled || (state == .ready && dependenciesAreMet) }
}

/// A change as it is reported.
struct StateNews {
    let old: StateSnapshot
    let new: StateSnapshot
    /// The observers to be told by the thread that has this; empty if another thread tells them.
    var observers: [OperationStateObservation.Entry] = []
}

extension URLConnectionOperation {
    /// The operation's life-cycle state.
    public var state: OperationState {
        lock.withLock { _machine.state }
    }

    /// True while the operation is paused. AF: `isPaused`.
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
    /// - Returns: the result of `body`.
    func change<Result>(_ body: () -> Result) -> Result {
        let (result, news) = lock.withLock {
            let old = snapshot()
            let result = body()
            return (result, _news(from: old, to: snapshot()))
        }
        announce(news)
        return result
    }

    /// Returns the news of a change. Called with `lock` held, so that observers are told in the order of the changes:
    /// while a thread tells them of one, other threads leave their news to it. The caller passes the result to
    /// `announce`.
    func _news(from old: StateSnapshot, to new: StateSnapshot) -> StateNews {
        guard old != new, !_observers.isEmpty else { return StateNews(old: old, new: new) }
        let news = StateNews(old: old, new: new, observers: _observers)
        guard _untold == nil else {
            _untold?.append(news)
            return StateNews(old: old, new: new)
        }
        _untold = []
        return news
    }

    /// Reports a change. Never with the lock held: Foundation holds a private mutex while it asks `isFinished`.
    ///
    /// Foundation does not wait for what another thread is telling observers, which may wait for Foundation.
    ///
    /// - Parameter deliver: called once observers know and before Foundation does.
    func announce(_ news: StateNews, delivering deliver: (() -> Void)? = nil) {
        let (old, new) = (news.old, news.new)
        guard old != new else { return }
        // Of the end `finish()` takes note, once the completion is on its way.
        if old.isExecuting != new.isExecuting, !new.isFinished {
            OperationActivity.shared.note(isExecuting: new.isExecuting)
        }
        for observer in news.observers where !observer.isEnded { observer.willChange(self, old, new) }
        if deliver == nil { post(news) }
        if !news.observers.isEmpty {
            for observer in news.observers where !observer.isEnded { observer.didChange(self, old, new) }
            while let next = lock.withLock({ _nextUntold() }) {
                for observer in next.observers where !observer.isEnded { observer.willChange(self, next.old, next.new) }
                for observer in next.observers where !observer.isEnded { observer.didChange(self, next.old, next.new) }
            }
        }
        guard let deliver else { return }
        deliver()
        post(news)
    }

    /// Returns the news that was left to this thread; nil: there is no more, and from now on another thread may tell.
    /// Called with `lock` held.
    private func _nextUntold() -> StateNews? {
        guard let next = _untold?.first else {
            _untold = nil
            return nil
        }
        _untold?.removeFirst()
        return next
    }

    /// Tells Foundation.
    private func post(_ news: StateNews) {
        let (old, new) = (news.old.state, news.new.state)
        guard old != new else { return }
        willChangeValue(forKey: new.key)
        willChangeValue(forKey: old.key)
        post(old)
        post(new)
    }

    private func post(_ state: OperationState) {
        switch state {
        case .ready: askForReadiness()
        case .executing, .finished, .paused: didChangeValue(forKey: state.key)
        }
    }

    /// The last upstream ended: tells observers, and starts the operation if it was asked to start before it could.
    func postReadiness() {
        let (news, starts) = lock.withLock {
            let new = snapshot()
            var old = new
            old.dependenciesAreMet = false
            return (_news(from: old, to: new), _machine.dependenciesWereMet())
        }
        announce(news)
        askForReadiness()
        // If one of Foundation's queues has got it meanwhile, that queue starts it, in its time.
        if starts, !isLeftToFoundation { startByItself() }
    }
}
