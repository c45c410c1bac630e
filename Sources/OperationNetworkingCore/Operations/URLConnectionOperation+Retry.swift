// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

// From the end of a failed attempt to the next one.

extension URLConnectionOperation {
    /// Makes another attempt, if the retry policy wants one. False: it does not, or the operation ends for another
    /// reason.
    func retryByPolicy(_ end: AttemptEnd, of number: UInt) -> Bool {
        guard let (policy, judge) = lock.withLock({ _judge(of: end) }) else { return false }
        let runtime = self.runtime
        guard case .retry(let delay, let isCounted) = judge.verdict(policy, chance: runtime.chance) else {
            return false
        }
        if isCounted, policy.budget?.withdraw(at: runtime.uptime) == false { return false }
        return retry(end, of: number, after: delay, isCounted: isCounted)
    }

    /// Returns the policy, and the failure to judge by it; nil without a policy. Called with `lock` held.
    private func _judge(of end: AttemptEnd) -> (policy: RetryPolicy, judge: RetryJudge)? {
        guard let policy = _configuration.value.interception.retryPolicy else { return nil }
        let attempts = (_retry?.attempts.count ?? 0) + 1
        // Redirects, or their block, may have made others of it.
        let methods =
            [(_retry?.adapted?.request ?? _request).httpMethod ?? "GET"] + _received.value.redirectedMethods
        var judge = RetryJudge(
            method: methods.first { !policy.methods.contains($0) } ?? methods[0],
            isRepeatable: _configuration.value.transport.resendsNonIdempotentRequests, attempts: attempts,
            countedAttempts: attempts - (_retry?.uncounted ?? 0))
        if let error = end.error {
            judge.error = (error as? URLError)?.code ?? .unknown
        } else if let head = _received.value.head {
            judge.statusCode = head.statusCode
            judge.retryAfter = RetryAfter.seconds(of: head, now: runtime.date)
        }
        return (policy, judge)
    }

    /// Makes another attempt after `delay` seconds.
    ///
    /// - Parameter isCounted: true if it is one of the retry policy's; otherwise it waits for the network.
    /// - Returns: true if there is one: not for an operation that was cancelled or ended meanwhile.
    @discardableResult
    func retry(_ end: AttemptEnd, of number: UInt, after delay: TimeInterval, isCounted: Bool = true) -> Bool {
        let delay = Backoff.bounded(delay)
        let (action, scheduler, alarm) = change {
            let action = _machine.retry(after: number, backsOff: delay > 0)
            guard action != .refused, action != .stale else { return (action, _scheduler, TotalTime.Alarm?.none) }
            _append(end, isCounted: isCounted, delay: delay)
            let now = runtime.uptime
            var alarm: TotalTime.Alarm?
            switch action {
            case .paused: _totalTime?.pause(at: now)
            case .begin where _scheduler != nil: _ = _totalTime?.wait(true, at: now)
            default: alarm = _totalTime?.runBetweenAttempts(at: now)
            }
            return (action, _scheduler, alarm)
        }
        set(alarm)
        if delay > 0, action == .wait || action == .paused {
            if !isCounted { Connectivity.shared.add(self, after: number, begunAt: end.startTime) }
            let id = ObjectIdentifier(self)
            runtime.after(delay) { [weak self] in
                if let self { backOffIsOver(after: number) } else { Connectivity.shared.forget(id) }
            }
        }
        switch action {
        case .refused, .stale:
            return false
        case .paused:
            scheduler?.operationDidPause(self)
            postNotification(.networkingOperationDidFinish)
        case .wait:
            scheduler?.operationDidPause(self)
        case .begin:
            begin(scheduler)
        }
        return true
    }

    /// Notes a failed attempt, and forgets its result. Called with `lock` held.
    private func _append(_ end: AttemptEnd, isCounted: Bool, delay: TimeInterval) {
        let retry = _retryState
        retry.append(
            _attempt(of: end), isCounted: isCounted, delay: delay, at: runtime.date.timeIntervalSince1970)
        _mutableReceived.error = nil
        _mutableReceived.data = nil
        _mutableReceived.request = nil
        _mutableReceived.redirectedMethods = []
        (self as? HTTPRequestOperation)?._forgetSerialization()
        _ = _updateHold()
    }

    /// Called with `lock` held.
    private func _attempt(of end: AttemptEnd) -> TransferMetrics.Attempt {
        TransferMetrics.Attempt(
            number: (_retry?.attempts.count ?? 0) + 1, startDate: end.startDate ?? Date(),
            statusCode: end.error == nil ? _received.value.head?.statusCode : nil, error: end.error,
            delay: _retry?.delay ?? 0)
    }

    /// Keeps the metrics of an attempt that ended. Called with `lock` held.
    func _noteMetrics(of end: AttemptEnd) {
        guard let measured = end.measured else { return }
        if let retry = _retry { measured.attempts = retry.attempts }
        measured.attempt = _attempt(of: end)
        _mutableReceived.measured = measured
    }

    /// Made when it is first needed. Called with `lock` held.
    var _retryState: RetryState {
        let state = _retry ?? RetryState()
        _retry = state
        return state
    }

    /// Holds an operation that waits for its next attempt: perhaps no other object holds one that was started by hand.
    /// Called with `lock` held.
    ///
    /// - Returns: the operation to release after the unlock.
    func _updateHold() -> URLConnectionOperation? {
        guard let retry = _retry else { return nil }
        let old = retry.hold
        retry.hold = _machine.phase == .waiting ? self : nil
        return old
    }

    /// The time before the next attempt is over, or what it waited for has come.
    func backOffIsOver(after number: UInt) {
        Connectivity.shared.remove(self, after: number)
        let (isDue, scheduler) = lock.withLock {
            let isDue = _machine.backOffIsOver(after: number)
            if isDue, _scheduler != nil { _ = _totalTime?.wait(true, at: runtime.uptime) }
            return (isDue, _scheduler)
        }
        if isDue { begin(scheduler) }
    }

    /// Begins the next attempt, in a queue when there is a slot.
    private func begin(_ scheduler: (any OperationScheduler)?) {
        if let scheduler {
            scheduler.operationDidResume(self)
        } else if startMayCallOut {
            runtime.onBlockThread { [self] in start() }
        } else {
            start()
        }
    }

    /// The operation took too long while nothing was under way.
    func expire(during phase: TimedPhase) {
        let failure = lock.withLock { _received.value.error ?? _retry?.attempts.last?.error }
        let error = totalTimeoutError(phase, after: failure)
        let content = lock.withLock { () -> ResumableContent?? in
            guard _machine.expire() else { return nil }
            _mutableReceived.error = error
            _mutableReceived.data = nil
            return .some(_content.take())
        }
        if let content { conclude(discarding: content) }
    }
}
