// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport
internal import NetworkingTransport

// The watch over `totalTimeout`.

extension URLConnectionOperation {
    /// The clock runs: the operation begins, or goes on after a pause. Called with `lock` held; the alarm is to be set
    /// after the unlock.
    func _runTotalTime(_ action: RequestMachine.StartAction) -> TotalTime.Alarm? {
        if _totalTime == nil, let limit = _configuration.value.limits.totalTimeout {
            _totalTime = TotalTime(limit: limit)
        }
        guard let time = _totalTime else { return nil }
        let now = runtime.uptime
        // What was waited for, a slot before another attempt, is here. A held attempt may wait for its connection
        // still.
        var alarm: TotalTime.Alarm?
        if case .proceed = action {} else { alarm = time.wait(false, at: now) }
        return time.run(at: now) ?? alarm
    }

    /// An attempt's request waits for a connection, or has one.
    func attempt(_ number: UInt, waitsForConnection isWaiting: Bool) {
        let alarm = lock.withLock { () -> TotalTime.Alarm? in
            guard let time = _totalTime, _machine.standing(of: number) != .stale else { return nil }
            return time.wait(isWaiting, at: runtime.uptime)
        }
        set(alarm)
    }

    func set(_ alarm: TotalTime.Alarm?) {
        guard let alarm else { return }
        runtime.after(alarm.delay) { [weak self] in self?.alarmDidGoOff(alarm.number) }
    }

    private func alarmDidGoOff(_ number: UInt) {
        let (look, attempt, present, phase) = lock.withLock {
            (_totalTime?.look(number, at: runtime.uptime), _attempt, _machine.attempt, _machine.phase)
        }
        switch look {
        case nil:
            break
        case .later(let alarm):
            set(alarm)
        case .over:
            if let attempt {
                runtime.onNetworkThread { attempt.end(by: .timedOut) }
            } else if phase == .judging || phase == .waiting {
                expire(during: phase == .judging ? .interceptor : .backOff)
            } else {
                endAttempt(present, with: AttemptEnd(error: totalTimeoutError(.block)))
            }
        }
    }

    /// The activity of an operation when its time was over.
    enum TimedPhase {
        case block, interceptor, backOff
        case transfer(TransferPhase)
        case writing

        fileprivate var text: String {
            switch self {
            case .block: "a block of the request's, or an interceptor, was running"
            case .interceptor: "an interceptor was deciding about a failure"
            case .backOff: "it waited to be sent again after a failure"
            case .transfer(let phase): phase.rawValue
            case .writing: "the response's content was being written"
            }
        }
    }

    /// The error of an operation whose time is over.
    ///
    /// - Parameter failure: the error of the attempt before.
    func totalTimeoutError(_ phase: TimedPhase, after failure: (any Error)? = nil) -> URLError {
        let (limit, request) = lock.withLock { (_totalTime?.limit ?? 0, _request) }
        return URLError(
            .timedOut, url: request.url, method: request.httpMethod ?? "GET",
            reason: "the operation took longer than its totalTimeout of \(limit) seconds: \(phase.text)",
            advice: "raise totalTimeout if that is to be waited for",
            underlying: failure)
    }
}
