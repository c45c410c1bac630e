// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworking
import Testing

// Without @testable: key paths of another module have to compare equal to the library's own.
@Suite(.timeLimit(.minutes(1))) struct ObservationTests {
    private static func operation() -> HTTPRequestOperation {
        let operation = HTTPRequestOperation(request: URLRequest(url: URL(fileURLWithPath: "/unsupported")))
        operation.completionQueue = DispatchQueue(label: "observation")
        return operation
    }

    private static let all: [any KeyPath<URLConnectionOperation, Bool> & Sendable] = [
        \.isPaused, \.isReady, \.isExecuting, \.isFinished, \.isCancelled,
    ]

    /// Changes as text, so that those of several key paths compare in one list.
    private static func text<Value>(_ name: String, _ change: StateChange<Value>) -> String {
        let old = change.oldValue.map { "\($0)" } ?? "-"
        let new = change.newValue.map { "\($0)" } ?? "-"
        return "\(name) \(old)>\(new)\(change.isPrior ? " prior" : "")"
    }

    private static func observeAll(
        _ operation: URLConnectionOperation, options: StateObservingOptions, into log: Recorder<String>
    ) -> [OperationStateObservation] {
        let names = ["paused", "ready", "executing", "finished", "cancelled"]
        return zip(names, all).map { name, keyPath in
            operation.observe(keyPath, options: options) { _, change in log.append(text(name, change)) }
        } + [operation.observe(\.state, options: options) { _, change in log.append(text("state", change)) }]
    }

    @Test("Each of the six key paths reports its changes once, in order, with old and new values")
    func changes() {
        let operation = Self.operation()
        let log = Recorder<String>()
        let tokens = Self.observeAll(operation, options: [.old, .new], into: log)
        operation.pause()
        #expect(log.values.sorted() == ["paused false>true", "ready true>false", "state ready>paused"])
        log.removeAll()
        operation.resume()
        #expect(log.values.sorted() == ["paused true>false", "ready false>true", "state paused>ready"])
        log.removeAll()
        operation.start()
        #expect(
            log.values == [
                "ready true>false", "executing false>true", "state ready>executing",
                "executing true>false", "finished false>true", "state executing>finished",
            ])
        withExtendedLifetime(tokens) {}
    }

    @Test("Cancelling is reported, and the end of a cancelled operation")
    func cancelling() {
        let operation = Self.operation()
        let log = Recorder<String>()
        let tokens = Self.observeAll(operation, options: [.old, .new], into: log)
        operation.pause()
        log.removeAll()
        operation.cancel()
        operation.cancel()
        #expect(
            log.values.sorted()
                == ["cancelled false>true", "paused true>false", "ready false>true", "state paused>ready"])
        log.removeAll()
        operation.start()
        #expect(log.values == ["finished false>true", "state ready>finished"])
        withExtendedLifetime(tokens) {}
    }

    @Test("The receiver may be of the base class or of the HTTP class")
    func receivers() {
        let log = Recorder<Bool>()
        let base = URLConnectionOperation(request: URLRequest(url: URL(fileURLWithPath: "/unsupported")))
        base.completionQueue = DispatchQueue(label: "observation")
        let http = Self.operation()
        let tokens = [
            base.observe(\.isFinished, options: .new) { _, change in log.append(change.newValue == true) },
            http.observe(\.isFinished, options: .new) { _, change in log.append(change.newValue == true) },
            http.observe(\.isExecuting) { operation, _ in log.append(operation === http) },
        ]
        base.start()
        http.start()
        #expect(log.values == [true, true, true, true])
        withExtendedLifetime(tokens) {}
    }

    @Test("Without options neither value is given; with .initial the present one comes at once")
    func options() {
        let operation = Self.operation()
        let log = Recorder<String>()
        let plain = operation.observe(\.isPaused) { _, change in log.append(Self.text("plain", change)) }
        let initial = operation.observe(\.state, options: [.initial, .new, .old]) { _, change in
            log.append(Self.text("initial", change))
        }
        let silent = operation.observe(\.isReady, options: [.initial]) { _, change in
            log.append(Self.text("silent", change))
        }
        #expect(log.values == ["initial ->ready", "silent ->-"])
        log.removeAll()
        operation.pause()
        #expect(log.values == ["plain ->-", "initial ready>paused", "silent ->-"])
        withExtendedLifetime((plain, initial, silent)) {}
    }

    @Test("With .prior each change is told twice, first with the old value only")
    func prior() {
        let operation = Self.operation()
        let log = Recorder<String>()
        let token = operation.observe(\.isFinished, options: [.prior, .old, .new]) { _, change in
            log.append(Self.text("finished", change))
        }
        operation.start()
        #expect(log.values == ["finished false>- prior", "finished false>true"])
        withExtendedLifetime(token) {}
    }

    @Test("The prior call comes before Foundation's waiters hear, and sees the new state")
    func priorOrder() {
        let operation = Self.operation()
        let seen = Recorder<Bool>()
        let token = operation.observe(\.isExecuting, options: [.prior]) { operation, change in
            if change.isPrior { seen.append(operation.isExecuting) }
        }
        operation.start()
        #expect(seen.count == 2)
        withExtendedLifetime(token) {}
    }

    @Test("What another thread changes while one is told comes after it, and Foundation's waiters do not wait for that")
    func twoThreads() async {
        for _ in 0..<50 {
            let operation = Self.operation()
            let log = Recorder<String>()
            let (isTelling, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let told = DispatchGroup()
            let first = operation.observeState { _, new in
                guard new == .paused else { return }
                isTelling.signal()
                goesOn.wait()
            }
            let second = operation.observeState { old, new in log.append("\(old)>\(new)") }
            let ended = operation.observeState { _, new in if new != .paused { log.append("ended") } }
            DispatchQueue.global().async(group: told) { operation.pause() }
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    isTelling.wait()
                    operation.resume()
                    operation.start()
                    operation.waitUntilFinished()
                    ended.invalidate()
                    goesOn.signal()
                    told.wait()
                    continuation.resume()
                }
            }
            #expect(log.values == ["ready>paused", "paused>ready", "ready>executing", "executing>finished"])
            withExtendedLifetime((first, second)) {}
        }
    }

    @Test("A handler that changes the operation: the others hear of both changes in order")
    func nestedOrder() {
        let operation = Self.operation()
        let log = Recorder<String>()
        let first = operation.observeState { [unowned operation] _, new in if new == .paused { operation.resume() } }
        let second = operation.observeState { old, new in log.append("\(old)>\(new)") }
        operation.pause()
        #expect(log.values == ["ready>paused", "paused>ready"])
        withExtendedLifetime((first, second)) {}
    }

    @Test("An invalidated token, and a released one, end the observation")
    func ends() {
        let operation = Self.operation()
        let log = Recorder<String>()
        let invalidated = operation.observe(\.isPaused) { _, _ in log.append("invalidated") }
        var released: OperationStateObservation? = operation.observe(\.isPaused) { _, _ in log.append("released") }
        let kept = operation.observe(\.isPaused) { _, _ in log.append("kept") }
        var states: OperationStateObservation? = operation.observeState { _, _ in log.append("state") }
        operation.pause()
        #expect(log.values == ["invalidated", "released", "kept", "state"])
        log.removeAll()
        invalidated.invalidate()
        invalidated.invalidate()
        withExtendedLifetime((released, states)) {}
        released = nil
        states = nil
        operation.resume()
        #expect(log.values == ["kept"])
        withExtendedLifetime(kept) {}
    }

    @Test("A handler may invalidate its own token, observe anew, and change the operation")
    func reentrancy() {
        let operation = Self.operation()
        let log = Recorder<String>()
        let tokens = Recorder<OperationStateObservation>()
        tokens.append(
            operation.observeState { [unowned operation] old, new in
                log.append("\(old)>\(new)")
                guard new == .paused else { return }
                for token in tokens.values { token.invalidate() }
                tokens.append(operation.observeState { old, new in log.append("second \(old)>\(new)") })
                operation.resume()
            })
        operation.pause()
        #expect(log.values == ["ready>paused", "second paused>ready"])
        tokens.removeAll()
    }

    @Test("A handler that invalidates a token, its own or another's, keeps the change at hand from it")
    func invalidatedMeanwhile() {
        let operation = Self.operation()
        let log = Recorder<String>()
        let tokens = Recorder<OperationStateObservation>()
        let first = operation.observe(\.isPaused, options: .prior) { _, change in
            log.append(change.isPrior ? "prior" : "after")
            for token in tokens.values { token.invalidate() }
        }
        tokens.append(first)
        tokens.append(operation.observe(\.isPaused) { _, _ in log.append("other") })
        operation.pause()
        #expect(log.values == ["prior"])
        tokens.removeAll()
    }

    @Test("A token does not keep its operation alive, and may outlive it")
    func lifetime() {
        weak var weakOperation: HTTPRequestOperation?
        var token: OperationStateObservation?
        do {
            let operation = Self.operation()
            weakOperation = operation
            token = operation.observe(\.isReady) { _, _ in }
        }
        #expect(weakOperation == nil)
        token?.invalidate()
        token = nil
    }

    @Test(
        "Readiness changes with dependencies, once for the last that ends or is taken back", arguments: [false, true])
    func readiness(isTakenBack: Bool) {
        let (upstream, operation) = (Self.operation(), Self.operation())
        let log = Recorder<String>()
        let token = operation.observe(\.isReady, options: [.old, .new]) { _, change in
            log.append(Self.text("ready", change))
        }
        operation.addDependency(upstream)
        #expect(log.values == ["ready true>false"])
        if isTakenBack { operation.removeDependency(upstream) } else { upstream.start() }
        #expect(log.values == ["ready true>false", "ready false>true"])
        withExtendedLifetime(token) {}
    }
}
