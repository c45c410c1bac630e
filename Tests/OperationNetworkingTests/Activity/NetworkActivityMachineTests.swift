// SPDX-License-Identifier: MIT
import NetworkingSupport
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// A machine with a clock of its own, and a count.
private final class Clockwork {
    private var machine = NetworkActivityMachine()
    private var timers: [(time: Double, number: UInt)] = []
    private(set) var now = 0.0
    private var count = 0
    /// Every change of what is shown, with its time.
    private(set) var shown: [(time: Double, isVisible: Bool)] = []

    init(isEnabled: Bool = true) {
        setEnabled(isEnabled)
    }

    var isVisible: Bool { machine.isVisible }
    var state: NetworkActivityMachine.State { machine.state }

    func setEnabled(_ isEnabled: Bool) { input { $0.setEnabled(isEnabled, isOccurring: $1) } }

    func setDelays(_ activation: Double, _ completion: Double) {
        machine.activationDelay = activation
        machine.completionDelay = completion
    }

    func begin() {
        count += 1
        input { $0.update(isOccurring: $1) }
    }

    func end() {
        count -= 1
        input { $0.update(isOccurring: $1) }
    }

    /// Lets time go by, and every timer run out whose time it is.
    func advance(to time: Double) {
        while let index = timers.indices.filter({ timers[$0].time <= time }).min(by: {
            timers[$0].time < timers[$1].time
        }) {
            let timer = timers.remove(at: index)
            now = timer.time
            input { $0.timerFired(timer.number, isOccurring: $1) }
        }
        now = time
    }

    private func input(_ body: (inout NetworkActivityMachine, Bool) -> NetworkActivityMachine.Action) {
        let wasVisible = machine.isVisible
        if case .wait(let seconds, let number) = body(&machine, count > 0) { timers.append((now + seconds, number)) }
        if machine.isVisible != wasVisible { shown.append((now, machine.isVisible)) }
    }
}

@Suite("When activity is shown")
struct NetworkActivityMachineTests {
    private func times(_ clock: Clockwork) -> [Double] { clock.shown.map { ($0.time * 1000).rounded() / 1000 } }

    @Test("After a second of it, and until there was none for 0.17 seconds")
    func delays() {
        let clock = Clockwork()
        clock.begin()
        clock.advance(to: 0.999)
        #expect(!clock.isVisible && clock.state == .delayingStart)
        clock.advance(to: 5)
        clock.end()
        #expect(clock.isVisible && clock.state == .delayingEnd)
        clock.advance(to: 10)
        #expect(times(clock) == [1, 5.17] && clock.state == .notActive)
    }

    @Test("What is over within a second is not shown, and many of these in succession are")
    func short() {
        let clock = Clockwork()
        clock.begin()
        clock.advance(to: 0.5)
        clock.end()
        clock.advance(to: 3)
        #expect(clock.shown.isEmpty && clock.state == .notActive)
        for step in 0..<10 {
            clock.advance(to: 3 + Double(step) * 0.3)
            clock.begin()
            clock.advance(to: 3 + Double(step) * 0.3 + 0.25)
            if step < 9 { clock.end() }
        }
        #expect(times(clock) == [4])
    }

    @Test("A pause shorter than the completion delay does not show")
    func gap() {
        let clock = Clockwork()
        clock.begin()
        clock.advance(to: 2)
        clock.end()
        clock.advance(to: 2.1)
        clock.begin()
        clock.advance(to: 2.2)
        #expect(clock.isVisible && clock.state == .active, "the first timer is of a time before")
        clock.end()
        clock.advance(to: 2.3)
        #expect(clock.isVisible)
        clock.advance(to: 3)
        #expect(times(clock) == [1, 2.37])
    }

    @Test("Enabling shows what is under way, disabling ends it at once, and a timer of before has no effect")
    func enabling() {
        let clock = Clockwork(isEnabled: false)
        clock.begin()
        clock.advance(to: 10)
        #expect(clock.shown.isEmpty && clock.state == .notActive)
        clock.setEnabled(true)
        clock.advance(to: 12)
        clock.setEnabled(false)
        #expect(times(clock) == [11, 12])
        clock.setEnabled(true)
        clock.advance(to: 12.5)
        clock.setEnabled(false)
        clock.setEnabled(true)
        clock.advance(to: 13.4)
        #expect(!clock.isVisible, "the second start counts")
        clock.advance(to: 14)
        #expect(times(clock) == [11, 12, 13.5])
    }

    @Test("Without delays it is shown as it is", arguments: [0, -1, -Double.infinity, .nan])
    func immediate(delay: Double) {
        let clock = Clockwork()
        clock.setDelays(delay, delay)
        clock.begin()
        #expect(clock.isVisible)
        clock.begin()
        clock.end()
        clock.end()
        #expect(!clock.isVisible && clock.shown.count == 2)
    }

    @Test("Whatever happens, it is shown a moment after there has been activity, and not when there has been none")
    func random() {
        var random = SeededRandom(seed: 11)
        for _ in 0..<200 {
            let clock = Clockwork()
            var (count, now) = (0, 0.0)
            for _ in 0..<60 {
                now += Double(Int.random(in: 0..<400, using: &random)) / 1000
                clock.advance(to: now)
                if count > 0, Bool.random(using: &random) {
                    count -= 1
                    clock.end()
                } else {
                    count += 1
                    clock.begin()
                }
            }
            clock.advance(to: now + 1.001)
            #expect(clock.isVisible == (count > 0))
            while count > 0 {
                count -= 1
                clock.end()
            }
            clock.advance(to: now + 3)
            #expect(!clock.isVisible && clock.state == .notActive)
            #expect(clock.shown.enumerated().allSatisfy { $1.isVisible == ($0 % 2 == 0) })
        }
    }
}
