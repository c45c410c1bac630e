// SPDX-License-Identifier: MIT
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite(.timeLimit(.minutes(1))) struct RequestMachineTests {
    private enum Input: CaseIterable {
        case join, start, startTooEarly, pause, pauseUnrepeatable, resume, cancel, prepared, received, end, endOfEarlier
        case consult, retryNow, retryLater, decline, backOffOver, expire, settle, finish
    }

    /// What an owner of the value has seen so far.
    private struct History {
        var machine = RequestMachine()
        var finishes = 0
        var endings = 0
        var attempts: [UInt] = []
        /// A start that could not begin anything, and was not made good yet.
        var isStartOwed = false
        /// Somebody has been told to end the operation.
        var isDecided = false
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

    @Test("The part of a download goes at the end of a cancelled operation, once, and at any time later")
    func partDiscard() {
        var machine = RequestMachine()
        let ofReady = machine.discardPart()
        _ = machine.start(dependenciesAreMet: true, needsPreparation: false)
        let ofExecuting = machine.discardPart()
        #expect(!ofReady && !ofExecuting, "it may be started yet, and it writes to the part")
        _ = machine.cancel()
        let ofCancelled = (machine.discardPart(), machine.discardPart())
        #expect(ofCancelled == (false, false))
        _ = machine.endAttempt(1)
        let early = (machine.settle(), machine.finish())
        #expect(early == (false, false), "the part goes first")
        let end = (machine.settle(), machine.discardPart(), machine.finish(), machine.discardPart())
        #expect(end == (true, true, true, true), "nothing is written any more")
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
                let isDue = old.phase == .waiting && !old.isBackingOff
                guard !(old.phase == .ready || isDue) || old.preparation == .running else {
                    return "start was forgotten"
                }
            case .wait:
                guard old.phase == .paused || (input == .startTooEarly && !old.hasBegun && !old.isCancelled) else {
                    return "waits for nothing"
                }
                guard history.machine.isStartWanted else { return "start was not noted" }
                history.isStartOwed = true
            case .backOff:
                guard old.isBackingOff, old.phase == .ready, history.machine.phase == .waiting else {
                    return "backs off"
                }
            case .prepare:
                guard !old.isBackingOff else { return "prepared too early" }
                guard needsPreparation, old.preparation == .none else { return "prepared twice" }
            case .launch(let attempt):
                guard !old.isBackingOff else { return "begun too early" }
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
            } else if action == .noted {
                guard history.machine.phase == old.phase, history.machine.isPauseWanted else { return "not noted" }
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
            case .end:
                guard old.phase == .judging || old.phase == .waiting else { return "ended by the cancel" }
                history.isDecided = true
                if old.phase == .waiting { history.endings += 1 }
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
                _ = copy.pause(.allowed)
                guard copy.phase == .received else { return "paused with all content here" }
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
        case .consult:
            let isOpen = old.phase == .concluding && !old.isCancelled && !history.isDecided
            guard history.machine.consult() == isOpen else { return "consults" }
        case .retryNow, .retryLater:
            guard let attempt = history.attempts.last else { break }
            let action = history.machine.retry(after: attempt, backsOff: input == .retryLater)
            switch action {
            case .refused, .stale:
                guard history.machine == old else { return "a retry that is none changed something" }
                let isOpen = (old.phase == .concluding && !history.isDecided) || old.phase == .judging
                guard !isOpen || old.isCancelled || old.attempt != attempt else { return "no retry" }
            case .paused:
                guard old.isPauseWanted, history.machine.phase == .paused else { return "paused by nobody" }
            case .wait, .begin:
                guard !old.isPauseWanted, (action == .wait) == (input == .retryLater) else { return "forgot a pause" }
                if action == .begin { history.isStartOwed = true }
            }
            if action != .refused, action != .stale {
                guard !old.isCancelled, !history.isDecided else { return "an operation that ends goes on" }
                // The attempt's end was not the operation's.
                history.endings -= 1
            }
        case .decline:
            guard let attempt = history.attempts.last else { break }
            guard history.machine.decline(attempt) == (old.phase == .judging && old.attempt == attempt) else {
                return "declines"
            }
            if old.phase == .judging { history.isDecided = true }
        case .backOffOver:
            guard let attempt = history.attempts.last else { break }
            let isDue = history.machine.backOffIsOver(after: attempt)
            guard isDue == (old.phase == .waiting && old.isBackingOff && old.attempt == attempt) else { return "due" }
            if isDue { history.isStartOwed = true }
        case .expire:
            if history.machine.expire() {
                guard old.phase == .judging || old.phase == .waiting else { return "expired" }
                history.isDecided = true
                if old.phase == .waiting { history.endings += 1 }
            }
        case .settle:
            guard history.machine.settle() else { return "a part that nobody discards" }
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
        #expect(machine.pause(.allowed) == .noted && machine.cancel() == .marked(restart: false))
        let isSettled = machine.settle()
        let ends = [machine.finish(), machine.finish()]
        #expect(isSettled && ends == [true, false])
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

    /// A machine whose first attempt has ended.
    private func concluding() -> RequestMachine {
        var machine = RequestMachine()
        _ = machine.start(dependenciesAreMet: true, needsPreparation: false)
        _ = machine.endAttempt(1)
        return machine
    }

    @Test("Another attempt waits for its time and a start, without a slot until then")
    func retry() {
        var machine = concluding()
        #expect(machine.retry(after: 1, backsOff: true) == .wait)
        #expect(machine.state == .executing && !machine.wantsSlot && machine.standing(of: 1) == .stale)
        #expect(machine.start(dependenciesAreMet: false, needsPreparation: false) == .none)
        let over = [machine.backOffIsOver(after: 1), machine.backOffIsOver(after: 1)]
        #expect(over == [true, false] && machine.wantsSlot)
        #expect(machine.start(dependenciesAreMet: false, needsPreparation: false) == .launch(2) && machine.isRetry)
    }

    @Test("Paused and resumed before its time, it waits for what is left; a pause while it is decided counts")
    func pausedRetry() {
        var machine = concluding()
        _ = machine.retry(after: 1, backsOff: true)
        #expect(machine.pause(.allowed) == .paused && machine.resume() == .ready(restart: true))
        #expect(machine.start(dependenciesAreMet: true, needsPreparation: false) == .backOff)
        let isDue = machine.backOffIsOver(after: 1)
        #expect(isDue)
        var decided = concluding()
        #expect(decided.consult() && decided.pause(.allowed) == .noted)
        #expect(decided.retry(after: 1, backsOff: false) == .paused && decided.state == .paused)
        var changed = concluding()
        #expect(changed.consult() && changed.pause(.allowed) == .noted && changed.resume() == .none)
        #expect(changed.retry(after: 1, backsOff: false) == .begin)
    }

    @Test("Cancelled while it waits or is decided, it ends at once; a decision comes too late then")
    func cancelledRetry() {
        var waiting = concluding()
        _ = waiting.retry(after: 1, backsOff: true)
        #expect(waiting.cancel() == .end && !waiting.backOffIsOver(after: 1))
        var judging = concluding()
        #expect(judging.consult() && judging.cancel() == .end)
        #expect(judging.retry(after: 1, backsOff: false) == .stale && !judging.decline(1) && !judging.expire())
        var parsing = concluding()
        #expect(parsing.cancel() == .marked(restart: false) && parsing.retry(after: 1, backsOff: true) == .refused)
    }

    @Test("Open dependencies hold a start up, unless a queue of Foundation's has decided on it")
    func openDependencies() {
        var machine = RequestMachine()
        #expect(machine.start(dependenciesAreMet: false, needsPreparation: false) == .wait)
        #expect(machine.isStartWanted && machine.dependenciesWereMet())
        var decided = RequestMachine()
        let start = decided.start(dependenciesAreMet: false, needsPreparation: false, by: .foundationQueue)
        #expect(start == .launch(1) && !decided.isStartWanted)
    }
}
