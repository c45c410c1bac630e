import Testing

@testable import OperationNetworking

@Suite(.timeLimit(.minutes(1))) struct LifecycleTests {
    private enum Call: CaseIterable {
        case start, startTooEarly, pause, resume, cancel, receive, end, endOfEarlierAttempt, finish
    }

    /// What an owner of the value has seen so far.
    private struct History {
        var lifecycle = OperationLifecycle()
        var finishes = 0
        var endings = 0
        var attempts: [UInt] = []
        /// The owner may finish: it was told to end, or claimed the end of an attempt.
        var mayFinish = false
    }

    @Test("The transitions are those of the table, cancelled or not")
    func table() {
        let states: [OperationState] = [.ready, .executing, .paused, .finished]
        let allowed: [OperationState: Set<OperationState>] = [
            .ready: [.executing, .paused], .executing: [.paused, .finished], .paused: [.ready], .finished: [],
        ]
        for from in states {
            for to in states {
                for cancelled in [false, true] {
                    let expected =
                        allowed[from]?.contains(to) == true || (from == .ready && to == .finished && cancelled)
                    #expect(
                        from.canTransition(to: to, isCancelled: cancelled) == expected,
                        "\(from) to \(to), cancelled: \(cancelled)")
                }
            }
        }
    }

    @Test("The raw values are AFNetworking's")
    func rawValues() {
        #expect(OperationState.allCases.map(\.rawValue).sorted() == [-1, 1, 2, 3])
        #expect([OperationState.paused, .ready, .executing, .finished].map(\.rawValue) == [-1, 1, 2, 3])
        #expect(OperationState.allCases.map(\.key).sorted() == ["isExecuting", "isFinished", "isPaused", "isReady"])
    }

    @Test("No sequence of six calls makes a step outside the table, ends twice, or mixes up attempts")
    func sequences() {
        var problems: [String] = []
        func explore(_ history: History, _ path: [Call]) {
            guard path.count < 6, problems.count < 5 else { return }
            for call in Call.allCases {
                var next = history
                if let problem = Self.apply(call, to: &next) { problems.append("\(path + [call]): \(problem)") }
                explore(next, path + [call])
            }
        }
        explore(History(), [])
        #expect(problems.isEmpty, "\(problems)")
    }

    /// Makes a call as the operation does, and tells what is wrong with the answer.
    private static func apply(_ call: Call, to history: inout History) -> String? {
        let old = history.lifecycle
        switch call {
        case .start, .startTooEarly:
            switch history.lifecycle.start(dependenciesAreMet: call == .start) {
            case .none: break
            case .begin(let attempt):
                guard old.state == .ready, !old.isCancelled, call == .start else { return "began" }
                guard history.attempts.allSatisfy({ $0 < attempt }) else { return "attempt \(attempt) again" }
                history.attempts.append(attempt)
                guard history.lifecycle.isCurrent(attempt) else { return "begun and not current" }
            case .end:
                guard old.isCancelled, old.state == .ready, !history.mayFinish else { return "ended" }
                history.mayFinish = true
                history.endings += 1
            }
        case .pause:
            if case .paused(let from) = history.lifecycle.pause() {
                guard from == old.state, !old.isCancelled, !history.mayFinish else { return "paused" }
                if let last = history.attempts.last, history.lifecycle.isCurrent(last) { return "paused and current" }
            } else if history.lifecycle.state != old.state {
                return "pause changed the state without saying so"
            }
        case .resume:
            if case .ready(let restart) = history.lifecycle.resume() {
                guard old.state == .paused, restart == old.hasStarted else { return "resumed" }
            }
        case .cancel:
            let action = history.lifecycle.cancel()
            switch (old.state, old.isCancelled) {
            case (.finished, _), (_, true): guard action == .none else { return "cancelled again" }
            case (.ready, false): guard action == .marked else { return "\(action)" }
            case (.paused, false): guard action == .released(restart: old.hasStarted) else { return "\(action)" }
            case (.executing, false): guard action == (history.mayFinish ? .marked : .stop) else { return "\(action)" }
            }
        case .receive:
            let isCurrent = history.lifecycle.isCurrent(history.attempts.last ?? 0)
            guard history.lifecycle.didReceiveContent(attempt: history.attempts.last ?? 0) == isCurrent else {
                return "received"
            }
            if isCurrent {
                var copy = history.lifecycle
                guard copy.pause() == .none else { return "paused with all content here" }
            }
        case .end:
            if history.lifecycle.beginEnding(attempt: history.attempts.last ?? 0) {
                guard old.state == .executing, !history.mayFinish else { return "ended" }
                history.mayFinish = true
                history.endings += 1
            }
        case .endOfEarlierAttempt:
            for attempt in history.attempts.dropLast() where history.lifecycle.beginEnding(attempt: attempt) {
                return "an earlier attempt ended the operation"
            }
        case .finish:
            guard history.mayFinish else { break }
            if let transition = history.lifecycle.finish() {
                guard transition.new == .finished, transition.old == old.state else { return "\(transition)" }
                history.finishes += 1
            }
        }
        let new = history.lifecycle
        if new.state != old.state, !old.state.canTransition(to: new.state, isCancelled: new.isCancelled) {
            return "\(old.state) to \(new.state)"
        }
        if old.isCancelled, !new.isCancelled { return "no longer cancelled" }
        if history.finishes > 1 || history.endings > 1 { return "two ends" }
        if history.mayFinish, call == .finish, new.state != .finished { return "the end was refused" }
        return nil
    }

    @Test("A result that is being processed can be neither paused nor replaced")
    func ending() {
        var lifecycle = OperationLifecycle()
        let begun = lifecycle.start(dependenciesAreMet: true)
        #expect(begun == .begin(attempt: 1))
        let claims = [lifecycle.beginEnding(attempt: 1), lifecycle.beginEnding(attempt: 1)]
        #expect(claims == [true, false])
        let pause = lifecycle.pause()
        let cancel = lifecycle.cancel()
        #expect(pause == .none && cancel == .marked)
        let ends = [lifecycle.finish(), lifecycle.finish()]
        #expect(ends == [OperationLifecycle.Transition(old: .executing, new: .finished), nil])
    }
}
