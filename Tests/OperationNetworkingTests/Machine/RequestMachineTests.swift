import Testing

@testable import OperationNetworking

@Suite(.timeLimit(.minutes(1))) struct RequestMachineTests {
    private enum Input: CaseIterable {
        case join, start, startTooEarly, pause, pauseUnrepeatable, resume, cancel, prepared, received, end, endOfEarlier
        case settle, finish
    }

    /// What an owner of the value has seen so far.
    private struct History {
        var machine = RequestMachine()
        var finishes = 0
        var endings = 0
        var attempts: [UInt] = []
        /// A start that could not begin anything, and was not made good yet.
        var isStartOwed = false
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

    @Test(
        "No sequence of six inputs makes a step outside the table, ends twice, forgets a start or mixes up attempts",
        arguments: [false, true])
    func sequences(needsPreparation: Bool) {
        var problems: [String] = []
        func explore(_ history: History, _ path: [Input]) {
            guard path.count < 6, problems.count < 5 else { return }
            for input in Input.allCases {
                var next = history
                if let problem = Self.apply(input, to: &next, needsPreparation) {
                    problems.append("\(path + [input]): \(problem)")
                }
                // Without effect: what follows was explored already.
                if next.machine != history.machine { explore(next, path + [input]) }
            }
        }
        explore(History(), [])
        #expect(problems.isEmpty, "\(problems)")
    }

    /// Gives the machine an input as the operation does, and tells what is wrong with the answer.
    private static func apply(_ input: Input, to history: inout History, _ needsPreparation: Bool) -> String? {
        let old = history.machine
        switch input {
        case .join:
            if history.machine.join() {
                guard old.owner == .nobody || old.owner == .caller, !old.hasBegun else { return "joined" }
                history.machine.didJoin()
                // From here on the queue sees to it.
                history.isStartOwed = false
            }
        case .start, .startTooEarly:
            switch history.machine.start(dependenciesAreMet: input == .start, needsPreparation: needsPreparation) {
            case .none:
                guard old.phase != .ready || old.preparation == .running else { return "start was forgotten" }
            case .wait:
                guard old.phase == .paused || (input == .startTooEarly && !old.hasBegun && !old.isCancelled) else {
                    return "waits for nothing"
                }
                guard history.machine.isStartWanted else { return "start was not noted" }
                history.isStartOwed = true
            case .prepare:
                guard needsPreparation, old.preparation == .none else { return "prepared twice" }
            case .launch(let attempt):
                guard history.attempts.allSatisfy({ $0 < attempt }) else { return "attempt \(attempt) again" }
                history.attempts.append(attempt)
                guard history.machine.standing(of: attempt) == .present else { return "begun and not present" }
            case .proceed(let attempt):
                guard attempt == history.attempts.last, old.standing(of: attempt) == .held else { return "proceeds" }
            case .end:
                guard old.isCancelled, old.phase == .ready else { return "ended" }
                history.endings += 1
            }
            if history.machine.phase != .ready, history.machine.phase != .paused { history.isStartOwed = false }
        case .pause, .pauseUnrepeatable:
            let action = history.machine.pause(input == .pause ? .allowed : .never)
            if action == .none {
                guard history.machine == old else { return "pause changed something without saying so" }
            } else {
                guard !old.isCancelled, old.state == .ready || old.state == .executing else { return "paused" }
            }
            if let last = history.attempts.last {
                guard action != .stop || history.machine.standing(of: last) == .stale else { return "stopped, present" }
                guard action != .hold || history.machine.standing(of: last) == .held else { return "not held" }
            }
        case .resume:
            if case .ready(let restart) = history.machine.resume() {
                guard old.phase == .paused, restart || !history.isStartOwed else { return "forgot a start" }
                if restart { history.isStartOwed = true }
            }
        case .cancel:
            switch history.machine.cancel() {
            case .none:
                guard old.isCancelled || old.phase == .concluded || old.phase == .finished else {
                    return "not cancelled"
                }
            case .marked(let restart):
                guard history.machine.phase == old.phase || old.phase == .paused else { return "marked" }
                guard restart || !history.isStartOwed || old.state == .executing else { return "forgot a start" }
            case .stop:
                guard old.state == .executing else { return "stops nothing" }
            }
        case .prepared:
            guard old.preparation == .running else { break }
            if let attempt = history.machine.didPrepare() {
                guard history.attempts.allSatisfy({ $0 < attempt }) else { return "attempt \(attempt) again" }
                history.attempts.append(attempt)
            }
        case .received:
            guard let attempt = history.attempts.last else { break }
            let expected = old.standing(of: attempt)
            guard history.machine.didReceiveContent(attempt) == expected else { return "received" }
            if expected == .present {
                var copy = history.machine
                guard copy.pause(.allowed) == .none else { return "paused with all content here" }
            }
        case .end:
            guard let attempt = history.attempts.last else { break }
            if history.machine.endAttempt(attempt) == .present {
                guard old.state == .executing else { return "ended" }
                history.endings += 1
            }
        case .endOfEarlier:
            for attempt in history.attempts.dropLast() where history.machine.endAttempt(attempt) == .present {
                return "an earlier attempt ended the operation"
            }
        case .settle:
            history.machine.settle()
        case .finish:
            if history.machine.finish() {
                guard old.phase == .concluded else { return "finished" }
                history.finishes += 1
            }
        }
        let new = history.machine
        if new.state != old.state, !old.state.canTransition(to: new.state, isCancelled: new.isCancelled) {
            return "\(old.state) to \(new.state)"
        }
        if old.isCancelled, !new.isCancelled { return "no longer cancelled" }
        if history.finishes > 1 || history.endings > 1 { return "two ends" }
        return nil
    }

    @Test("A result that is being processed can be neither paused nor replaced")
    func ending() {
        var machine = RequestMachine()
        #expect(machine.start(dependenciesAreMet: true, needsPreparation: false) == .launch(1))
        let claims = [machine.endAttempt(1), machine.endAttempt(1)]
        #expect(claims == [.present, .stale])
        #expect(machine.pause(.allowed) == .none && machine.cancel() == .marked(restart: false))
        machine.settle()
        let ends = [machine.finish(), machine.finish()]
        #expect(ends == [true, false])
    }

    @Test("A dependency that is added to an operation under way does not hold up its resume")
    func lateDependency() {
        var machine = RequestMachine()
        #expect(machine.start(dependenciesAreMet: true, needsPreparation: false) == .launch(1))
        #expect(machine.pause(.allowed) == .stop && machine.resume() == .ready(restart: true))
        #expect(machine.start(dependenciesAreMet: false, needsPreparation: false) == .launch(2))
    }

    @Test("Paused and resumed while the blocks before the request run: one attempt")
    func preparing() {
        var machine = RequestMachine()
        #expect(machine.start(dependenciesAreMet: true, needsPreparation: true) == .prepare)
        #expect(machine.pause(.allowed) == .stop && machine.resume() == .ready(restart: true))
        let again = machine.start(dependenciesAreMet: true, needsPreparation: true)
        let launches = [machine.didPrepare(), machine.didPrepare()]
        #expect(again == .none && launches == [2, nil])
    }
}
