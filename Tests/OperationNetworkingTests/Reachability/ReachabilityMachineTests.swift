// SPDX-License-Identifier: MIT
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// The machine as its owner has it.
private final class Machine {
    private var value = ReachabilityMachine()

    var phase: ReachabilityMachine.Phase { value.phase }
    var status: NetworkReachabilityManager.Status { value.status }

    func start() -> UInt { value.start() }
    func stop() { value.stop() }
    func changed(now: Double) -> ReachabilityMachine.Action { value.changed(now: now) }
    func lost(now: Double) -> ReachabilityMachine.Action { value.lost(now: now) }
    func timerFired(_ number: UInt) -> ReachabilityMachine.Action { value.timerFired(number) }
    func lookEnded(
        _ number: UInt, _ finding: ReachabilityMachine.Finding, now: Double
    ) -> (tell: NetworkReachabilityManager.Status?, action: ReachabilityMachine.Action) {
        value.lookEnded(number, finding, now: now)
    }
}

@Suite("When a reachability manager looks, and what it tells")
struct ReachabilityMachineTests {
    private typealias Finding = ReachabilityMachine.Finding
    private typealias Action = ReachabilityMachine.Action
    private typealias Status = NetworkReachabilityManager.Status

    private let machine = Machine()

    private func number(_ action: Action) throws -> UInt {
        switch action {
        case .look(let number), .wait(_, let number): return number
        case .none: throw TimedOutWaiting(description: "nothing to do")
        }
    }

    private func isNothing(_ end: (tell: Status?, action: Action)) -> Bool { end.tell == nil && end.action == .none }

    private func delay(_ action: Action) -> Double? {
        if case .wait(let seconds, _) = action { seconds } else { nil }
    }

    @Test("The first status is told after each start, and then only another one")
    func duplicates() throws {
        var number = machine.start()
        #expect(machine.status == .unknown)
        var end = machine.lookEnded(number, Finding(status: .notReachable), now: 0)
        #expect(end.tell == .notReachable && end.action == .none && machine.phase == .resting)
        for (now, status, told) in [
            (10.0, Status.notReachable, false), (20, .reachableViaWiFi, true),
            (30, .reachableViaWiFi, false), (40, .reachableViaWWAN, true),
        ] {
            number = try self.number(machine.changed(now: now))
            end = machine.lookEnded(number, Finding(status: status), now: now)
            #expect(end.tell == (told ? status : nil) && machine.status == status)
        }
        number = machine.start()
        end = machine.lookEnded(number, Finding(status: .reachableViaWWAN), now: 50)
        #expect(end.tell == .reachableViaWWAN)
    }

    @Test("What is found after a stop, or by a look of a time before, counts for nothing")
    func stale() throws {
        let first = machine.start()
        machine.stop()
        #expect(isNothing(machine.lookEnded(first, Finding(status: .reachableViaWiFi), now: 0)))
        #expect(machine.status == .unknown && machine.changed(now: 1) == .none && machine.lost(now: 1) == .none)
        let second = machine.start()
        let third = machine.start()
        #expect(isNothing(machine.lookEnded(second, Finding(status: .reachableViaWiFi), now: 2)))
        #expect(machine.lookEnded(third, Finding(status: .notReachable), now: 2).tell == .notReachable)
        #expect(isNothing(machine.lookEnded(third, Finding(status: .reachableViaWiFi), now: 2)), "it has ended")
        machine.stop()
        #expect(machine.status == .notReachable, "what was known stays")
    }

    @Test("A change while a look is under way makes another one, a moment after its end")
    func changeWhileLooking() throws {
        let first = machine.start()
        #expect(machine.changed(now: 0) == .none && machine.changed(now: 0) == .none)
        let end = machine.lookEnded(first, Finding(status: .notReachable), now: 5)
        #expect(end.tell == .notReachable)
        #expect(abs((delay(end.action) ?? 0) - ReachabilityMachine.interval) < 1e-9)
        #expect(machine.changed(now: 5.05) == .none, "the timer is soon enough")
        let second = machine.timerFired(try number(end.action))
        guard case .look = second else { throw TimedOutWaiting(description: "no look: \(second)") }
        #expect(machine.timerFired(try number(end.action)) == .none, "it has fired")
    }

    @Test("A storm of changes is one look in each interval, the first of them at once")
    func storm() throws {
        let first = machine.start()
        _ = machine.lookEnded(first, Finding(status: .notReachable), now: 0)
        var (looks, timer) = (0, Action.none)
        var fires = Double.infinity
        for step in 1000..<2000 {
            let now = Double(step) / 1000
            var actions = [machine.changed(now: now)]
            if now >= fires, case .wait(_, let number) = timer {
                fires = .infinity
                actions.append(machine.timerFired(number))
            }
            for action in actions {
                switch action {
                case .none: break
                case .wait(let seconds, _): (timer, fires) = (action, now + seconds)
                case .look(let number):
                    looks += 1
                    let end = machine.lookEnded(number, Finding(status: .notReachable), now: now)
                    #expect(end.tell == nil)
                }
            }
        }
        #expect((8...11).contains(looks), "\(looks)")
    }

    @Test("A provisional finding is looked at again after 1, 2, 4 and up to 60 seconds, and a change makes that sooner")
    func repetition() throws {
        var number = machine.start()
        var now = 0.0
        for seconds in [1.0, 2, 4, 8, 16, 32, 60, 60] {
            let end = machine.lookEnded(number, Finding(status: .notReachable, isProvisional: true), now: now)
            #expect(delay(end.action) == seconds)
            now += seconds
            number = try self.number(machine.timerFired(try self.number(end.action)))
        }
        let end = machine.lookEnded(number, Finding(status: .notReachable, isProvisional: true), now: now)
        let look = machine.changed(now: now + 5)
        guard case .look(let next) = look else { throw TimedOutWaiting(description: "no look: \(look)") }
        #expect(machine.timerFired(try self.number(end.action)) == .none)
        _ = machine.lookEnded(next, Finding(status: .reachableViaWiFi), now: now + 5)
        #expect(machine.phase == .resting)
        number = try self.number(machine.changed(now: now + 50))
        let again = machine.lookEnded(number, Finding(status: nil, isProvisional: true), now: now + 50)
        #expect(delay(again.action) == 1 && again.tell == nil && machine.status == .reachableViaWiFi)
    }

    @Test("Nothing found at the start is told as unknown")
    func unknown() {
        let number = machine.start()
        let end = machine.lookEnded(number, Finding(status: nil, isProvisional: true), now: 0)
        #expect(end.tell == .unknown && delay(end.action) == 1)
    }

    @Test("When changes are no longer told, a look follows, which subscribes again")
    func lost() throws {
        let number = machine.start()
        _ = machine.lookEnded(number, Finding(status: .notReachable), now: 0)
        let action = machine.lost(now: 10)
        #expect(delay(action) == 1 && machine.lost(now: 10) == .none)
        guard case .look = machine.timerFired(try self.number(action)) else {
            throw TimedOutWaiting(description: "no look")
        }
    }
}

/// The lane as its owner has it.
private final class Lane {
    private var value = DeliveryLane<Int>()

    func append(_ item: Int) -> Bool { value.append(item) }
    var job: UInt { value.job }
    func redirect() -> Bool { value.redirect() }
    func begin(_ job: UInt? = nil) -> (item: Int, end: Latch)? { value.begin(job) }
    func end() -> Bool { value.end() }
    func clear() -> Latch? { value.clear() }
}

@Suite("What is told on a queue")
struct DeliveryLaneTests {
    private let lane = Lane()

    @Test("One job at a time, in order, without repetitions")
    func order() throws {
        #expect(lane.append(1) && !lane.append(1) && !lane.append(2))
        let first = try #require(lane.begin())
        #expect(first.item == 1 && !lane.append(3) && lane.end())
        #expect(lane.begin()?.item == 2)
        #expect(lane.end())
        #expect(lane.begin()?.item == 3 && !lane.end())
        #expect(lane.append(3), "a job for what turns out to be a repetition")
        #expect(lane.begin() == nil)
        #expect(lane.append(4))
    }

    @Test("A queue that nobody runs has a bounded list, and gets the newest")
    func bound() {
        for item in 0..<1000 { _ = lane.append(item) }
        var told: [Int] = []
        while let (item, _) = lane.begin() {
            told.append(item)
            _ = lane.end()
        }
        #expect(told == Array(1000 - DeliveryLane<Int>.limit..<1000))
    }

    @Test("After a clear nothing is told, and what is being told can be waited for")
    func clear() throws {
        #expect(lane.append(1))
        #expect(lane.clear() == nil && lane.begin() == nil)
        #expect(lane.append(1))
        let call = try #require(lane.begin())
        #expect(lane.clear() === call.end && !lane.append(1), "its job comes back")
        #expect(lane.end())
        #expect(lane.begin()?.item == 1, "told before the clear")
    }

    @Test("When the queue is another one what waits gets a job there, and the one of before does nothing")
    func redirection() throws {
        let first = lane.job
        #expect(!lane.redirect() && lane.job != first, "nothing waits")
        #expect(lane.append(1))
        let old = lane.job
        #expect(lane.redirect() && lane.begin(old) == nil && !lane.append(2))
        let new = lane.job
        #expect(lane.begin(new)?.item == 1)
        #expect(!lane.redirect(), "the job that is running sends the next")
        #expect(lane.end() && lane.begin(old) == nil && lane.begin(lane.job)?.item == 2 && !lane.end())
        #expect(lane.append(3))
        _ = lane.clear()
        #expect(!lane.redirect() && lane.append(4), "no job is under way to the new queue")
    }
}
