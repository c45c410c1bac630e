// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("SchedulerState", .timeLimit(.minutes(1)))
struct SchedulerStateTests {
    /// A scheduler with named operations.
    struct Fixture {
        var state: SchedulerState
        var operations: [String: Operation] = [:]

        init(limit: Int = 1, capacity: @escaping @Sendable (String) -> Int = { _ in .max }) {
            state = SchedulerState(maxConcurrent: limit, capacity: capacity)
        }

        mutating func add(
            _ name: String, foreign: Bool = false, _ snapshot: SchedulerState.OperationSnapshot = .init()
        ) {
            let operation = Operation()
            operation.name = name
            operations[name] = operation
            if let token = state.insert(operation, isForeign: foreign) {
                state.apply(snapshot, to: ObjectIdentifier(operation), token: token)
            }
        }
        func id(_ name: String) -> ObjectIdentifier { ObjectIdentifier(operations[name]!) }
        func phase(_ name: String) -> SchedulerState.Phase? { state.phase(of: id(name)) }
        mutating func refresh(_ name: String, wantsStart: Bool = false, _ snapshot: SchedulerState.OperationSnapshot) {
            if let token = state.beginRefresh(id(name), because: wantsStart ? .wish : .change) {
                state.apply(snapshot, to: id(name), token: token)
            }
        }
        mutating func finish(_ name: String) { _ = state.remove(id(name)) }
        /// Names of everything that is started now.
        mutating func drain() -> [String] {
            var names: [String] = []
            while let action = state.next() {
                switch action {
                case .start(let operation): names.append(operation.name!)
                case .check(let operation): names.append("?" + operation.name!)
                case .handOver(let operation):
                    names.append((phase(operation.name!) == .running ? "=" : "-") + operation.name!)
                case .barrier(let block): names.append(block == nil ? "|dropped" : "|")
                }
            }
            return names
        }
    }

    @Test("Operations start in order of arrival while slots last")
    func order() {
        var fixture = Fixture(limit: 2)
        for name in ["a", "b", "c", "d"] { fixture.add(name) }
        #expect(fixture.drain() == ["a", "b"])
        fixture.finish("b")
        #expect(fixture.drain() == ["c"])
        fixture.finish("a")
        fixture.finish("c")
        #expect(fixture.drain() == ["d"])
        fixture.finish("d")
        #expect(fixture.state.isEmpty)
        #expect(fixture.state.running == 0)
    }

    @Test("A late report that a start had no effect takes no slot from an operation that was started again")
    func lateReport() {
        var fixture = Fixture()
        fixture.add("a", .init(rank: PriorityRank(.high)))
        fixture.add("b")
        #expect(fixture.drain() == ["a"])
        // Paused while the queue starts it, and resumed before that start is reported.
        fixture.refresh("a", .init(isPaused: true, rank: PriorityRank(.high)))
        fixture.refresh("a", wantsStart: true, .init(rank: PriorityRank(.high)))
        #expect(fixture.drain() == ["a"])
        fixture.refresh("b", .init(rank: PriorityRank(.veryHigh)))
        if let token = fixture.state.beginRefresh(fixture.id("a"), because: .failedStart) {
            fixture.state.apply(.init(rank: PriorityRank(.high)), to: fixture.id("a"), token: token)
        }
        #expect(fixture.drain() == ["a"] && fixture.phase("a") == .running && fixture.phase("b") == .queued)
        #expect(fixture.state.running == 1)
    }

    @Test("Five classes of priority, first come first served within each, and changed while queued")
    func priorities() {
        var fixture = Fixture()
        fixture.state.isSuspended = true
        for (name, priority) in [
            ("low", Operation.QueuePriority.low), ("n1", .normal), ("high", .high), ("n2", .normal),
            ("veryLow", .veryLow), ("veryHigh", .veryHigh), ("late", .veryLow),
        ] { fixture.add(name, .init(rank: PriorityRank(priority))) }
        fixture.refresh("late", .init(rank: PriorityRank(.high)))
        fixture.state.isSuspended = false
        var order: [String] = []
        while let name = fixture.drain().first {
            order.append(name)
            fixture.finish(name)
        }
        #expect(order == ["veryHigh", "high", "late", "n1", "n2", "low", "veryLow"])
    }

    @Test("A paused operation gives its slot back, and comes before later arrivals when resumed")
    func pause() {
        var fixture = Fixture()
        for name in ["a", "b", "c"] { fixture.add(name) }
        #expect(fixture.drain() == ["a"])
        fixture.refresh("a", .init(isPaused: true))
        #expect(fixture.phase("a") == .yielded)
        #expect(fixture.drain() == ["b"])
        fixture.refresh("a", wantsStart: true, .init())
        #expect(fixture.drain() == [])
        fixture.finish("b")
        #expect(fixture.drain() == ["a"])
        #expect(fixture.state.running == 1)
    }

    @Test("An operation that was paused with its connection goes on beyond all limits, but in no suspended queue")
    func pauseInPlace() {
        var fixture = Fixture()
        fixture.state.setMaxPerHost(1)
        for name in ["a", "b", "c"] { fixture.add(name, .init(host: "x")) }
        #expect(fixture.drain() == ["a"])
        fixture.refresh("a", .init(isPaused: true, rank: .connected))
        #expect(fixture.drain() == ["b"])
        fixture.state.isSuspended = true
        fixture.refresh("a", wantsStart: true, .init(rank: .connected))
        #expect(fixture.drain() == [])
        fixture.state.isSuspended = false
        #expect(fixture.drain() == ["a"])
        #expect(fixture.state.running == 2)
        fixture.finish("b")
        #expect(fixture.drain() == [])
        fixture.finish("a")
        #expect(fixture.drain() == ["c"])
        #expect(fixture.state.running == 1)
    }

    @Test("An operation that a block waits for starts beyond all limits, also one that its host held up")
    func awaited() {
        var fixture = Fixture(limit: 2)
        fixture.state.setMaxPerHost(1)
        for name in ["a", "b", "c"] { fixture.add(name, .init(host: "x")) }
        fixture.add("d")
        fixture.add("e")
        #expect(fixture.drain() == ["a", "d"])
        fixture.refresh("e", .init(rank: .connected))
        #expect(fixture.drain() == ["e"])
        fixture.finish("d")
        fixture.finish("e")
        #expect(fixture.drain() == [])
        #expect(fixture.phase("c") == .parked)
        fixture.refresh("c", .init(rank: .connected, host: "x"))
        #expect(fixture.drain() == ["c"])
        fixture.finish("a")
        #expect(fixture.drain() == [])
        fixture.finish("c")
        #expect(fixture.drain() == ["b"])
        fixture.finish("b")
        #expect(fixture.state.running == 0 && fixture.state.isEmpty)
    }

    @Test("A pause and a resume seen together start the operation again in its slot")
    func pauseAndResumeSeenTogether() {
        var fixture = Fixture()
        fixture.add("a")
        #expect(fixture.drain() == ["a"])
        fixture.refresh("a", wantsStart: true, .init())
        #expect(fixture.drain() == ["a"])
        #expect(fixture.state.running == 1)
    }

    @Test("An older snapshot is not applied")
    func staleLook() throws {
        var fixture = Fixture()
        fixture.add("a", .init(isOpen: true))
        let token = fixture.state.beginRefresh(fixture.id("a"), because: .change)
        let old = try #require(token)
        fixture.refresh("a", .init())
        fixture.state.apply(.init(isOpen: true), to: fixture.id("a"), token: old)
        #expect(fixture.drain() == ["a"])
    }

    @Test("A resume whose snapshot is overtaken is not forgotten")
    func overtakenResume() throws {
        var fixture = Fixture()
        fixture.add("a")
        #expect(fixture.drain() == ["a"])
        let token = fixture.state.beginRefresh(fixture.id("a"), because: .wish)
        let old = try #require(token)
        fixture.refresh("a", .init())
        fixture.state.apply(.init(), to: fixture.id("a"), token: old)
        #expect(fixture.drain() == ["a"])
    }

    @Test("A cancelled operation starts without a slot", arguments: [false, true])
    func cancel(isSuspended: Bool) {
        var fixture = Fixture()
        fixture.add("running")
        #expect(fixture.drain() == ["running"])
        fixture.add("queued")
        fixture.add("open", .init(isOpen: true))
        fixture.add("paused", .init(isPaused: true))
        fixture.state.isSuspended = isSuspended
        for name in ["queued", "open", "paused"] {
            fixture.refresh(name, wantsStart: true, .init(isCancelled: true, isPaused: name == "paused"))
        }
        #expect(fixture.drain() == ["queued", "open", "paused"])
        #expect(fixture.state.running == 1)
        for name in ["queued", "open", "paused", "running"] { fixture.finish(name) }
        #expect(fixture.state.running == 0)
    }

    @Test("A barrier runs alone, between what came before and after")
    func barrier() {
        var fixture = Fixture(limit: 4)
        fixture.add("a")
        fixture.add("b", .init(isOpen: true))
        fixture.state.addBarrier {}
        fixture.add("c", .init(rank: PriorityRank(.veryHigh)))
        fixture.state.addBarrier {}
        #expect(fixture.drain() == ["a"])
        fixture.finish("a")
        fixture.refresh("b", .init())
        #expect(fixture.drain() == ["b"])
        fixture.finish("b")
        #expect(fixture.drain() == ["|"])
        fixture.add("d")
        #expect(fixture.drain() == [])
        fixture.state.endBarrier()
        #expect(fixture.drain() == ["c"])
        fixture.finish("c")
        #expect(fixture.drain() == ["|"])
        fixture.state.endBarrier()
        #expect(fixture.drain() == ["d"])
        fixture.finish("d")
        #expect(fixture.state.isEmpty)
    }

    @Test("Cancelled barriers end without their block")
    func cancelledBarrier() {
        var fixture = Fixture()
        fixture.add("a")
        fixture.state.addBarrier {}
        #expect(fixture.state.cancelBarriers().count == 1)
        #expect(fixture.drain() == ["a"])
        fixture.finish("a")
        #expect(fixture.drain() == ["|dropped"])
        fixture.state.endBarrier()
        #expect(fixture.state.isEmpty)
    }

    @Test("Many barriers in a row keep their order")
    func manyBarriers() {
        var fixture = Fixture()
        for index in 0..<500 {
            fixture.add("\(index)")
            fixture.state.addBarrier {}
        }
        for index in 0..<500 {
            #expect(fixture.drain() == ["\(index)"])
            fixture.finish("\(index)")
            #expect(fixture.drain() == ["|"])
            fixture.state.endBarrier()
        }
        #expect(fixture.state.isEmpty)
    }

    @Test("A host's operations beyond its limit are parked and hold up nobody else")
    func hosts() {
        var fixture = Fixture(limit: 10)
        fixture.state.setMaxPerHost(1)
        for name in ["x1", "x2", "x3", "y1", "z1"] {
            fixture.add(name, .init(host: String(name.prefix(1))))
        }
        fixture.add("n", .init(host: nil))
        #expect(fixture.drain() == ["x1", "y1", "z1", "n"])
        fixture.refresh("x3", .init(rank: PriorityRank(.high), host: "x"))
        fixture.finish("x1")
        #expect(fixture.drain() == ["x3"])
        fixture.refresh("x3", .init(isPaused: true, rank: PriorityRank(.high), host: "x"))
        #expect(fixture.drain() == ["x2"])
        fixture.state.setMaxPerHost(0)
        fixture.refresh("x3", wantsStart: true, .init())
        #expect(fixture.drain() == ["x3"])
        for name in ["x2", "x3", "y1", "z1", "n"] { fixture.finish(name) }
        #expect(fixture.state.running == 0)
        #expect(fixture.state.isEmpty)
    }

    /// The way in which it is noticed that a host takes more.
    enum GrownCapacity: CaseIterable { case host, anyHost, end }

    @Test(
        "A host that takes more than before gets all that were parked, when told so or at an end, and then later ones",
        arguments: GrownCapacity.allCases)
    func grownCapacity(_ news: GrownCapacity) {
        let capacity = Locked(1)
        var fixture = Fixture(limit: 10) { _ in capacity.withLock { $0 } }
        for name in ["x1", "x2", "x3", "x4"] { fixture.add(name, .init(host: "x")) }
        #expect(fixture.drain() == ["x1"])
        capacity.withLock { $0 = 10 }
        fixture.add("late", .init(rank: PriorityRank(.low), host: "x"))
        fixture.state.capacityDidChange(of: "y")
        switch news {
        case .host: fixture.state.capacityDidChange(of: "x")
        case .anyHost: fixture.state.capacityDidChange(of: nil)
        case .end: fixture.finish("x1")
        }
        #expect(fixture.drain() == ["x2", "x3", "x4", "late"])
        for name in ["x1", "x2", "x3", "x4", "late"] { fixture.finish(name) }
        #expect(fixture.state.running == 0 && fixture.state.isEmpty)
    }

    @Test("When the operation a host's slot was meant for is paused, the next parked one gets it")
    func unparkedThenPaused() {
        var fixture = Fixture(limit: 2)
        fixture.state.setMaxPerHost(1)
        for name in ["x1", "x2", "x3"] { fixture.add(name, .init(host: "x")) }
        #expect(fixture.drain() == ["x1"])
        fixture.state.isSuspended = true
        fixture.finish("x1")
        #expect(fixture.phase("x2") == .queued)
        fixture.refresh("x2", .init(isPaused: true, host: "x"))
        fixture.state.isSuspended = false
        #expect(fixture.drain() == ["x3"])
    }

    @Test("A foreign operation that is just being added is not looked at for another's sake")
    func foreignBeingAdded() {
        var fixture = Fixture()
        let (first, second) = (Operation(), Operation())
        let token = fixture.state.insert(first, isForeign: true)
        _ = fixture.state.insert(second, isForeign: false)
        #expect(token != nil && fixture.state.foreignOperations.isEmpty && fixture.drain().isEmpty)
        _ = fixture.state.beginRefresh(ObjectIdentifier(first), because: .change)
        #expect(fixture.state.foreignOperations == [first])
    }

    @Test("A foreign operation is looked at again when its turn comes")
    func foreign() {
        var fixture = Fixture()
        fixture.add("f", foreign: true)
        fixture.add("g", foreign: true)
        #expect(fixture.drain() == ["?f"])
        fixture.refresh("f", .init(isOpen: true))
        #expect(fixture.phase("f") == .waiting)
        #expect(fixture.drain() == ["?g"])
        fixture.refresh("g", .init(rank: PriorityRank(.low)))
        #expect(fixture.drain() == ["?g"])
        fixture.refresh("g", .init(rank: PriorityRank(.low)))
        #expect(fixture.drain() == ["=g"])
        fixture.refresh("f", .init(isCancelled: true))
        #expect(fixture.drain() == ["-f"])
        fixture.state.detachForeign(fixture.id("g"))
        #expect(fixture.state.running == 0)
        fixture.finish("f")
        fixture.finish("g")
        #expect(fixture.state.isEmpty)
    }

    @Test("Random events never lose an operation or a slot", arguments: 0..<40)
    func random(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var fixture = Fixture(limit: 3)
        fixture.state.setMaxPerHost(2)
        var snapshots: [String: SchedulerState.OperationSnapshot] = [:]
        var started: Set<String> = []
        var finished: Set<String> = []
        let names = (0..<60).map { "op\($0)" }
        func pump() {
            for name in fixture.drain() { started.insert(name) }
            #expect(fixture.state.running <= 3)
        }
        for name in names {
            snapshots[name] = .init(
                isPaused: Int.random(in: 0..<5, using: &random) == 0,
                isOpen: Int.random(in: 0..<3, using: &random) == 0,
                rank: PriorityRank([.low, .normal, .high].randomElement(using: &random)!),
                host: "h\(Int.random(in: 0..<4, using: &random))")
            fixture.add(name, snapshots[name]!)
            pump()
        }
        for _ in 0..<400 {
            let name = names.randomElement(using: &random)!
            guard !finished.contains(name) else { continue }
            switch Int.random(in: 0..<6, using: &random) {
            case 0: snapshots[name]?.isPaused.toggle()
            case 1: snapshots[name]?.isOpen = false
            case 2: snapshots[name]?.rank = PriorityRank([.low, .normal, .high].randomElement(using: &random)!)
            case 3: snapshots[name]?.isCancelled = Int.random(in: 0..<4, using: &random) == 0
            default:
                if started.contains(name), snapshots[name]?.isPaused == false {
                    fixture.finish(name)
                    finished.insert(name)
                }
            }
            fixture.refresh(name, wantsStart: Bool.random(using: &random), snapshots[name]!)
            pump()
        }
        for name in names where !finished.contains(name) {
            snapshots[name]?.isPaused = false
            snapshots[name]?.isOpen = false
            fixture.refresh(name, wantsStart: true, snapshots[name]!)
        }
        for _ in names.indices {
            pump()
            for name in names where started.contains(name) && !finished.contains(name) {
                fixture.finish(name)
                finished.insert(name)
            }
        }
        #expect(finished.count == names.count)
        #expect(fixture.state.isEmpty)
        #expect(fixture.state.running == 0)
    }
}
