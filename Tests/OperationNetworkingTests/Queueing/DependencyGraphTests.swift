// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("DependencyGraph", .timeLimit(.minutes(1)))
struct DependencyGraphTests {
    private func cycle(_ upstream: Operation, _ dependent: TestOperation) -> [String]? {
        do {
            try DependencyGraph.add(upstream: upstream, to: dependent)
            return nil
        } catch {
            return error.path
        }
    }

    private func named(_ name: String) -> InstantOperation {
        let operation = InstantOperation()
        operation.name = name
        return operation
    }

    @Test("An edge to itself is rejected")
    func selfEdge() {
        let operation = named("a")
        #expect(cycle(operation, operation) == ["a", "a"])
        #expect(operation.dependencies.isEmpty)
    }

    @Test("An edge that is added while it is removed is there once, or not at all")
    func removalDuringAddition() {
        for _ in 0..<3_000 {
            let upstream = HTTPRequestOperation.make()
            let dependent = HTTPRequestOperation.make()
            dependent.addDependency(BlockOperation())
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                if index == 0 {
                    dependent.addDependency(upstream as Operation)
                } else {
                    dependent.removeDependency(upstream)
                }
            }
            // Counted once, however the two went.
            dependent.addDependency(upstream as Operation)
            #expect(dependent.dependencyNode.openCount == 2)
        }
    }

    @Test("A cycle is rejected with its path, and nothing is added", arguments: [1, 2, 3, 10])
    func cycles(length: Int) {
        let operations = (0...length).map { named("\($0)") }
        for index in 1...length { #expect(cycle(operations[index - 1], operations[index]) == nil) }
        let path = cycle(operations[length], operations[0])
        #expect(path == ["0"] + (0...length).reversed().map(String.init))
        #expect(operations[0].dependencies.isEmpty)
        operations[length].removeDependency(operations[length - 1])
        #expect(cycle(operations[length], operations[0]) == nil)
        #expect(OperationDependencyError(path: ["x", "y", "x"]).description.contains("x → y → x"))
    }

    @Test("A cycle through operations that Foundation runs is rejected")
    func foreignCycle() {
        let (a, b, c) = (named("a"), named("b"), named("c"))
        let (f, g) = (BlockOperation(), BlockOperation())
        f.name = "f"
        g.name = "g"
        g.addDependency(a)
        f.addDependency(g)
        #expect(cycle(f, b) == nil)
        #expect(cycle(b, c) == nil)
        #expect(cycle(c, a) == ["a", "c", "b", "f", "g", "a"])
        #expect(cycle(f, a) == ["a", "f", "g", "a"])
        #expect(a.dependencies.isEmpty)
    }

    @Test("A cycle is found although more foreign upstreams than are listed lie on the way")
    func manyForeign() {
        let first = named("first")
        let last = named("last")
        let middle = named("middle")
        let foreign = (0..<20).map { _ in BlockOperation() }
        #expect(cycle(middle, last) == nil)
        for operation in foreign { #expect(cycle(operation, middle) == nil) }
        foreign[13].addDependency(first)
        #expect(cycle(last, first)?.count == 5)
        #expect(cycle(named("other"), first) == nil)
    }

    @Test("Long chains are built in linear time in either direction", arguments: [true, false])
    func longChain(forwards: Bool) {
        let operations = (0..<20_000).map { _ in InstantOperation() }
        let indices = forwards ? Array(1..<operations.count) : (1..<operations.count).reversed()
        let seconds = processorSeconds {
            for index in indices { operations[index].addDependency(operations[index - 1]) }
        }
        // A few hundredths; a search through the chain for each edge takes minutes.
        #expect(seconds < 10)
        #expect(cycle(operations[19_999], operations[0])?.count == 20_001)
        DrainCheck.run(operations)
    }

    @Test("A long chain behind a foreign operation is built in linear time")
    func longForeignChain() {
        let head = BlockOperation()
        let operations = (0..<20_000).map { _ in InstantOperation() }
        let seconds = processorSeconds {
            operations[0].addDependency(head)
            for index in 1..<operations.count { operations[index].addDependency(operations[index - 1]) }
        }
        #expect(seconds < 10)
    }

    @Test("A chain of our operations and foreign ones in turn is built in reasonable time, and its cycle is found")
    func alternatingChain() {
        let operations = (0..<1201).map { index -> Operation in index % 2 == 0 ? InstantOperation() : BlockOperation() }
        let seconds = processorSeconds {
            for (upstream, operation) in zip(operations, operations.dropFirst()) { operation.addDependency(upstream) }
        }
        // Half a second; a search that began again at each foreign operation took half a minute.
        #expect(seconds < 10)
        let path = (operations[0] as? TestOperation).flatMap { cycle(operations[1200], $0) }
        #expect(path?.count == 1202)
    }

    @Test(
        "A chain of our operations and foreign ones that grows at its end is built in linear time",
        .needsFoundationState)
    func longAlternatingChain() {
        let operations = (0..<20_000).map { $0 % 2 == 0 ? InstantOperation() : BlockOperation() }
        let seconds = processorSeconds {
            for (upstream, operation) in zip(operations, operations.dropFirst()) { operation.addDependency(upstream) }
        }
        // It took time quadratic in the number: 4 000 half a minute.
        #expect(seconds < 10)
        // Foundation releases a chain by recursion.
        for (upstream, operation) in zip(operations, operations.dropFirst()) { operation.removeDependency(upstream) }
    }

    @Test("Adding twice counts once, removing makes ready, an ended upstream is listed but not waited for")
    func edges() {
        let (a, b, ended) = (ManualOperation(), ManualOperation(), InstantOperation())
        ended.start()
        b.addDependency(a)
        b.addDependency(a)
        b.addDependency(ended)
        #expect(b.dependencies == [a, ended])
        #expect(b.dependencyNode.openCount == 1)
        #expect(!b.isReady)
        b.removeDependency(a)
        #expect(b.isReady)
        #expect(b.dependencies == [ended])
        b.addDependency(a)
        #expect(!b.isReady)
        a.start()
        a.complete()
        #expect(b.isReady)
        b.start()
        b.complete()
        #expect(b.dependencies.isEmpty)
    }

    @Test("A foreign upstream's end makes its dependants ready, whoever runs it")
    func foreignUpstream() {
        let ran = Counter()
        let foreign = BlockOperation { ran.add() }
        let (a, b) = (ManualOperation(), ManualOperation())
        a.addDependency(foreign)
        b.addDependency(foreign)
        b.removeDependency(foreign)
        #expect(!a.isReady)
        #expect(b.isReady)
        foreign.start()
        #expect(a.isReady)
        #expect(ran.value == 1)
        let late = ManualOperation()
        late.addDependency(foreign)
        #expect(late.isReady)
    }

    @Test("An operation that follows its upstreams is told of each end before it can become ready")
    func followers() {
        let (own, foreign, dependent) = (InstantOperation(), BlockOperation(), ManualOperation())
        let log = Log()
        own.name = "own"
        foreign.name = "foreign"
        let node = dependent.dependencyNode
        dependent.onUpstreamEnd.withLock { $0 = { log.append("\($0.name ?? "") \(node.openCount)") } }
        dependent.addDependency(own)
        dependent.addDependency(foreign)
        own.start()
        foreign.start()
        #expect(log.entries == ["own 2", "foreign 1"])
        #expect(dependent.isReady)
    }

    @Test("Foreign operations nothing depends on any more are forgotten")
    func foreignForgotten() {
        weak var weakForeign: BlockOperation?
        do {
            let foreign = BlockOperation()
            weakForeign = foreign
            let (kept, dropped) = (ManualOperation(), ManualOperation())
            kept.addDependency(foreign)
            dropped.addDependency(foreign)
            kept.removeDependency(foreign)
        }
        #expect(weakForeign == nil)
    }

    @Test("An un-enqueued dependant lives until its started upstream ends, and no longer")
    func unenqueuedDependants() {
        let released = Counter()
        let upstream = ManualOperation()
        upstream.start()
        autoreleasepoolless {
            let dependent = InstantOperation(onDeinit: { released.add() })
            dependent.addDependency(upstream)
        }
        #expect(released.value == 0)
        upstream.complete()
        #expect(released.value == 1)
    }

    @Test("The same when the upstream is started after the edge was added")
    func activationAfterEdge() {
        let released = Counter()
        let upstream = ManualOperation()
        var dependent: InstantOperation? = InstantOperation(onDeinit: { released.add() })
        dependent?.addDependency(upstream)
        upstream.start()
        dependent = nil
        #expect(released.value == 0)
        upstream.complete()
        #expect(released.value == 1)
    }

    @Test("A graph nobody runs is released, and its dependants vanish from a living upstream")
    func unrunGraph() {
        let released = Counter()
        let upstream = ManualOperation()
        autoreleasepoolless {
            let operations = (0..<100).map { _ in InstantOperation(onDeinit: { released.add() }) }
            for operation in operations { operation.addDependency(upstream) }
            for index in 1..<100 { operations[index].addDependency(operations[index - 1]) }
        }
        #expect(released.value == 100)
        #expect(upstream.dependencyNode.openCount == 0)
        #expect(DependencyGraph.lock.withLock { _ in upstream.dependencyNode._dependents.count } == 0)
    }

    @Test("A chain of 100 000 is released without overflowing a small stack", arguments: [true, false])
    func longRelease(fromTail: Bool) throws {
        let released = Counter()
        let done = DispatchSemaphore(value: 0)
        // A thread with a stack as small as a dispatch worker's may be.
        let thread = Thread {
            var operations: [InstantOperation] = []
            for index in 0..<100_000 {
                let operation = InstantOperation(onDeinit: { released.add() })
                if index > 0 { operation.addDependency(operations[index - 1]) }
                operations.append(operation)
            }
            if fromTail {
                let tail = operations.last
                operations = []
                withExtendedLifetime(tail) {}
            } else {
                operations.removeLast()
                operations = []
            }
            done.signal()
        }
        thread.stackSize = 256 * 1024
        thread.start()
        #expect(done.wait(timeout: .now() + 50) == .success)
        #expect(becomesTrue { released.value == 100_000 })
    }

    @Test("What a block waits for hands its freedom from limits to everything that it waits for, also what comes later")
    func expedited() {
        let (head, middle, tail, late) = (named("head"), named("middle"), named("tail"), named("late"))
        #expect(cycle(head, middle) == nil && cycle(middle, tail) == nil)
        DependencyGraph.expedite(tail)
        for operation in [head, middle, tail] {
            #expect(DependencyGraph.standing(of: operation.dependencyNode).inherited == .connected)
        }
        #expect(cycle(late, middle) == nil)
        #expect(DependencyGraph.standing(of: late.dependencyNode).inherited == .connected)
        DrainCheck.run([tail, middle, head, late])
    }

    @Test("A finished chain keeps none of its upstreams alive")
    func finishedUpstreams() {
        let released = Counter()
        let tail = InstantOperation()
        autoreleasepoolless {
            let operations = (0..<10).map { _ in InstantOperation(onDeinit: { released.add() }) }
            for index in 1..<10 { operations[index].addDependency(operations[index - 1]) }
            tail.addDependency(operations[9])
            for operation in operations { operation.start() }
        }
        #expect(released.value == 9)
        tail.start()
        #expect(released.value == 10)
    }

    @Test("Edges added both ways from two threads never form a cycle")
    func concurrentOppositeEdges() {
        for _ in 0..<500 {
            let (a, b) = (InstantOperation(), InstantOperation())
            DispatchQueue.concurrentPerform(iterations: 2) { side in
                if side == 0 { a.addDependency(b) } else { b.addDependency(a) }
            }
            #expect(a.dependencies.count + b.dependencies.count == 1)
        }
    }

    /// A scope at whose end everything made in it is released.
    private func autoreleasepoolless(_ body: () -> Void) { body() }
}

enum DrainCheck {
    /// Runs operations through a queue, in the order given.
    static func run(_ operations: [TestOperation]) {
        let queue = RequestOperationQueue()
        queue.addOperations(operations, waitUntilFinished: true)
        #expect(operations.allSatisfy { $0.isFinished })
        queue.waitUntilAllOperationsAreFinished()
        #expect(queue.queuedOperationCount == 0)
    }
}
