internal import Foundation
internal import NetworkingSupport
internal import NetworkingTransport

// What watches `totalTimeout`.

extension URLConnectionOperation {
    /// The clock runs: the operation begins, or goes on after a pause. Called with `lock` held; the alarm is to be set after
    /// the unlock.
    func _runTotalTime() -> TotalTime.Alarm? {
        if _totalTime == nil { _totalTime = TotalTime(limit: _configuration.totalTimeout) }
        return _totalTime?.run(at: Runtime.current.uptime)
    }

    /// An attempt's request waits for a connection, or has one.
    func attempt(_ number: UInt, waitsForConnection isWaiting: Bool) {
        let alarm = lock.withLock { () -> TotalTime.Alarm? in
            guard let time = _totalTime, _machine.standing(of: number) != .stale else { return nil }
            return time.wait(isWaiting, at: Runtime.current.uptime)
        }
        set(alarm)
    }

    func set(_ alarm: TotalTime.Alarm?) {
        guard let alarm else { return }
        Runtime.current.after(alarm.delay) { [weak self] in self?.alarmDidGoOff(alarm.number) }
    }

    private func alarmDidGoOff(_ number: UInt) {
        let (look, attempt, present) = lock.withLock {
            (_totalTime?.look(number, at: Runtime.current.uptime), _attempt, _machine.attempt)
        }
        switch look {
        case nil:
            break
        case .later(let alarm):
            set(alarm)
        case .over:
            if let attempt {
                Runtime.current.onNetworkThread { attempt.end(by: .timedOut) }
            } else {
                endAttempt(present, error: totalTimeoutError(.block), metrics: nil)
            }
        }
    }

    /// What an operation was about when its time was over.
    enum TimedPhase {
        case block
        case transfer(TransferPhase)
        case writing

        fileprivate var text: String {
            switch self {
            case .block: "a block of the request's was running"
            case .transfer(let phase): phase.rawValue
            case .writing: "the response's content was being written"
            }
        }
    }

    /// The error of an operation whose time is over.
    func totalTimeoutError(_ phase: TimedPhase) -> URLError {
        let (limit, url) = lock.withLock { (_totalTime?.limit ?? 0, _request.url) }
        return URLError(
            .timedOut, url: url,
            reason: "the operation took longer than its totalTimeout of \(limit) seconds: \(phase.text)")
    }
}
