// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// The turn of operations that are not the library's: before it, by way of `cancel()`, and what they see in it.
extension RequestOperationQueueTests {
    /// A subclass as most are written.
    private final class Plain: Operation, @unchecked Sendable {
        private let body: @Sendable (Plain) -> Void
        init(_ body: @escaping @Sendable (Plain) -> Void) { self.body = body }
        override func main() { body(self) }
    }

    /// Says that it is ready whatever it depends on.
    private final class Heedless: Operation, @unchecked Sendable {
        private let ready: Locked<Bool>
        private let body: @Sendable () -> Void
        init(isReady: Bool, _ body: @escaping @Sendable () -> Void) {
            ready = Locked(isReady)
            self.body = body
        }
        override var isReady: Bool { ready.withLock { $0 } }
        func allow() {
            ready.withLock { $0 = true }
            didChangeValue(forKey: "isReady")
        }
        override func main() { body() }
    }

    @Test("A cancelled foreign operation ends without its turn: it waits for an operation that never runs")
    func cancelledWhileWaiting() {
        let (never, ran) = (Operation(), Counter())
        for operation in [BlockOperation { ran.add() }, Plain { _ in ran.add() }] {
            operation.addDependency(never)
            let dependent = InstantOperation()
            dependent.addDependency(operation)
            queue.addOperations([operation, dependent], waitUntilFinished: false)
            #expect(!operation.isFinished && queue.queuedOperationCount == 2)
            operation.cancel()
            queue.waitUntilAllOperationsAreFinished()
            #expect(operation.isFinished && dependent.isFinished)
        }
        #expect(ran.value == 0 && queue.operationCount == 0)
    }

    @Test("A cancelled foreign operation ends without its turn: the queue is suspended, or full, or it came cancelled")
    func cancelledBeforeItsTurn() {
        let ran = Counter()
        queue.isSuspended = true
        let (first, second) = (BlockOperation { ran.add() }, Plain { _ in ran.add() })
        second.cancel()
        queue.addOperations([first, second], waitUntilFinished: false)
        first.cancel()
        #expect(becomesTrue { first.isFinished && second.isFinished && queue.queuedOperationCount == 0 })
        queue.isSuspended = false

        queue.maxConcurrentOperationCount = 1
        let busy = ManualOperation()
        let third = BlockOperation { ran.add() }
        queue.addOperations([busy, third], waitUntilFinished: false)
        third.cancel()
        #expect(becomesTrue { third.isFinished && queue.queuedOperationCount == 1 })
        busy.complete()
        #expect(ran.value == 0 && queue.queuedOperationCount == 0)
    }

    @Test("A cycle of foreign operations is undone by cancelling one of them")
    func cancelledCycle() {
        let log = Log()
        let operations = ["a", "b", "c"].map { name in BlockOperation { log.append(name) } }
        for index in 0..<3 { operations[index].addDependency(operations[(index + 1) % 3]) }
        queue.addOperations(operations, waitUntilFinished: false)
        #expect(queue.queuedOperationCount == 3 && log.entries.isEmpty)
        operations[2].cancel()
        queue.waitUntilAllOperationsAreFinished()
        #expect(log.entries == ["b", "a"])
    }

    @Test("Operations that are cancelled just when their turn comes all end, and are released", .timeLimit(.minutes(2)))
    func cancelledAtTheTurn() {
        queue.maxConcurrentOperationCount = 2
        weak var last: BlockOperation?
        for round in 0..<300 {
            let operations = (0..<8).map { _ in BlockOperation {} }
            let gate = ManualOperation()
            for operation in operations where round % 2 == 0 { operation.addDependency(gate) }
            last = operations.last
            queue.addOperations([gate] + operations, waitUntilFinished: false)
            DispatchQueue.concurrentPerform(iterations: 2) { side in
                if side == 0 { gate.complete() } else { for operation in operations { operation.cancel() } }
            }
            queue.waitUntilAllOperationsAreFinished()
            #expect(operations.allSatisfy { $0.isFinished })
        }
        #expect(becomesTrue { last == nil })
    }

    /// Has ended, and says so when told to.
    private final class Ended: Operation, @unchecked Sendable {
        override var isFinished: Bool { true }
        func post() { didChangeValue(forKey: "isFinished") }
    }

    @Test("A cancelled foreign operation may be released before what it depends on ends")
    func releasedBeforeUpstreams() {
        let upstreams: [Operation] = [ManualOperation(), BlockOperation {}, Operation(), Ended()]
        for upstream in upstreams where upstream is ManualOperation { queue.addOperation(upstream) }
        weak var released: BlockOperation?
        do {
            let operation = BlockOperation {}
            released = operation
            for upstream in upstreams { operation.addDependency(upstream) }
            queue.addOperation(operation)
            operation.cancel()
            #expect(becomesTrue { operation.isFinished && queue.queuedOperationCount == 1 })
        }
        #expect(becomesTrue { released == nil })
        // Writes over the memory that it had.
        let others = stride(from: 160, to: 640, by: 16).map { size in
            (0..<64).map { _ in [UInt8](repeating: 0x41, count: size) }
        }
        defer { withExtendedLifetime(others) {} }
        for upstream in upstreams {
            switch upstream {
            case let upstream as ManualOperation: upstream.complete()
            case let upstream as Ended: upstream.post()
            default: upstream.start()
            }
        }
        #expect(upstreams.allSatisfy { $0.isFinished })
    }

    private func links(of last: Operation) -> Int {
        var (operation, count) = (last, 0)
        while let upstream = operation.dependencies.first { (operation, count) = (upstream, count + 1) }
        return count
    }

    @Test("A long chain of foreign operations runs and is released", arguments: [false, true])
    func longChainOfBlocks(isAddedAtOnce: Bool) {
        let ran = Counter()
        var last = BlockOperation { ran.add() }
        queue.isSuspended = isAddedAtOnce
        for number in 0..<5_000 {
            let next = BlockOperation { ran.add() }
            next.addDependency(last)
            queue.addOperation(last)
            if !isAddedAtOnce, number.isMultiple(of: 100) { last.waitUntilFinished() }
            last = next
        }
        queue.addOperation(last)
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(ran.value == 5_001)
        // Ends that follow each other closely may be noted in another order.
        #expect(abs(links(of: last) - EndedForeignOperations.limit) < 100)

        weak let released = last
        let owner = Locked<BlockOperation?>(last)
        last = BlockOperation {}
        // On a small stack, instead of a chain that takes long to make.
        let thread = Thread { _ = owner.withLock { $0.take() } }
        thread.stackSize = 1 << 19
        thread.start()
        #expect(becomesTrue { released == nil })
    }

    @Test("An operation sees its own dependencies only", arguments: [false, true])
    func ownDependencies(isSuspended: Bool) {
        let seen = Locked<[Operation]?>(nil)
        let upstream = BlockOperation {}
        let operation = Plain { operation in seen.withLock { $0 = operation.dependencies } }
        operation.addDependency(upstream)
        queue.isSuspended = isSuspended
        queue.addOperations([operation, upstream], waitUntilFinished: false)
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(seen.withLock { $0 } == [upstream] && operation.dependencies == [upstream])
    }

    @Test("OperationQueue.current is a face of the queue", arguments: [false, true])
    func current(hasUnderlyingQueue: Bool) {
        let underlying = DispatchQueue(label: "underlying")
        if hasUnderlyingQueue { queue.underlyingQueue = underlying }
        queue.maxConcurrentOperationCount = 1
        queue.name = "named"
        let (log, queue) = (Log(), queue)
        queue.addOperation {
            guard let current = OperationQueue.current else { return log.append("none") }
            #expect(current == queue && queue == current && current.hash == queue.hash)
            #expect(current != RequestOperationQueue() && RequestOperationQueue() != current)
            #expect(current.name == "named" && current.maxConcurrentOperationCount == 1 && !current.isSuspended)
            #expect(current.underlyingQueue === (hasUnderlyingQueue ? underlying : nil))
            current.addOperation { log.append("block") }
            current.addOperations([BlockOperation { log.append("operation") }], waitUntilFinished: false)
            current.addBarrierBlock { log.append("barrier") }
            current.addOperation(InstantOperation { _ in log.append("ours") })
            #expect(queue.queuedOperationCount == 4)
            log.append("first")
        }
        queue.waitUntilAllOperationsAreFinished()
        #expect(log.entries == ["first", "block", "operation", "barrier", "ours"])
        withExtendedLifetime(underlying) {}
    }

    @Test("An operation that does not heed its dependencies waits for its turn", arguments: [false, true])
    func heedless(isReady: Bool) {
        let ran = Counter()
        queue.isSuspended = true
        queue.maxConcurrentOperationCount = 1
        let operation = Heedless(isReady: isReady) { ran.add() }
        let busy = ManualOperation()
        queue.addOperations([busy, operation], waitUntilFinished: false)
        if !isReady { operation.allow() }
        #expect(ran.value == 0)
        queue.isSuspended = false
        #expect(busy.isExecuting && ran.value == 0)
        busy.complete()
        queue.waitUntilAllOperationsAreFinished()
        #expect(ran.value == 1)
    }

    @Test("Operations added together start by their priority, whatever they are")
    func prioritiesTogether() {
        for makes in [
            { (body: @escaping @Sendable () -> Void) in BlockOperation(block: body) as Operation },
            { body in InstantOperation { _ in body() } },
        ] {
            let log = Log()
            queue.maxConcurrentOperationCount = 1
            let priorities: [Operation.QueuePriority] = [.normal, .low, .veryHigh, .veryLow, .high]
            let operations = priorities.map { priority in
                let operation = makes { log.append("\(priority)") }
                operation.queuePriority = priority
                return operation
            }
            queue.addOperations(operations, waitUntilFinished: true)
            queue.waitUntilAllOperationsAreFinished()
            #expect(log.entries == ["veryHigh", "high", "normal", "low", "veryLow"])
        }
    }

    @Test("The priority of a foreign operation counts that is set while the queue is suspended")
    func priorityWhileSuspended() {
        let log = Log()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let operations = (0..<4).map { index in BlockOperation { log.append("\(index)") } }
        queue.addOperations(operations, waitUntilFinished: false)
        operations[3].queuePriority = .veryHigh
        operations[0].queuePriority = .low
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(log.entries == ["3", "1", "2", "0"])
    }

    @Test("Code that goes by Foundation's list finds its operations there, chains to them and changes them")
    func listed() throws {
        let (log, started, goesOn) = (Log(), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        queue.maxConcurrentOperationCount = 1
        let first = BlockOperation {
            started.signal()
            goesOn.wait()
        }
        let (second, third) = (BlockOperation { log.append("second") }, BlockOperation { log.append("third") })
        queue.addOperations([first, second, third], waitUntilFinished: false)
        started.wait()
        #expect(queue.operations == [first, second, third] && queue.operations.contains(third))
        #expect(Set(queue.operations).count == 3 && Set(queue.operations).contains(second))
        #expect(queue.operations.map(\.isExecuting) == [true, false, false])

        let afterThird = InstantOperation { _ in log.append("after third") }
        afterThird.addDependency(try #require(queue.operations.last))
        let afterSecond = BlockOperation { log.append("after second") }
        afterSecond.addDependency(queue.operations[1])
        queue.operations[2].queuePriority = .high
        let upstream = ManualOperation()
        queue.operations[1].addDependency(upstream)
        #expect(queue.operations[1].dependencies.contains(upstream) && second.dependencies.contains(upstream))
        queue.operations[2].completionBlock = { log.append("completion") }
        third.cancel()
        #expect(queue.operations.first { $0 == third }?.isCancelled ?? true)
        #expect(becomesTrue { third.isFinished && !queue.operations.contains(third) })
        #expect(becomesTrue { log.entries == ["completion"] })
        queue.addOperations([afterThird, afterSecond, upstream], waitUntilFinished: false)
        goesOn.signal()
        #expect(becomesTrue { upstream.isExecuting })
        #expect(log.entries == ["completion", "after third"] && !second.isFinished)
        upstream.complete()
        queue.waitUntilAllOperationsAreFinished()
        #expect(log.entries == ["completion", "after third", "second", "after second"])
    }

    @Test("A request with the policy .cancel ends when what stands for a cancelled operation in the list does")
    func policyOfListed() throws {
        queue.isSuspended = true
        let first = BlockOperation {}
        queue.addOperation(first)
        let request = HTTPRequestOperation.make()
        request.dependencyFailurePolicy = .cancel
        request.addDependency(try #require(queue.operations.last))
        queue.addOperation(request)
        first.cancel()
        #expect(becomesTrue { request.isFinished })
        #expect((request.error as? URLError)?.code == .cancelled)
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
    }
}
