// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("RequestOperationQueue", .timeLimit(.minutes(2)))
struct RequestOperationQueueTests {
    let queue = RequestOperationQueue()

    func manual(_ count: Int, _ log: Log? = nil, host: String? = nil) -> [ManualOperation] {
        (0..<count).map { index in ManualOperation(host: host) { _ in log?.append("\(index)") } }
    }

    @Test("The default concurrency is finite and can be removed")
    func defaultConcurrency() {
        #expect(queue.maxConcurrentOperationCount == 64)
        let operations = manual(70)
        queue.addOperations(operations, waitUntilFinished: false)
        #expect(operations.filter(\.isExecuting).count == 64)
        queue.maxConcurrentOperationCount = OperationQueue.defaultMaxConcurrentOperationCount
        #expect(operations.allSatisfy { $0.isExecuting })
        #expect(queue.maxConcurrentOperationCount == -1)
        for operation in operations { operation.complete() }
        #expect(queue.queuedOperationCount == 0)
    }

    @Test("With one slot, operations start in order and are listed in order until they finish")
    func oneSlot() {
        let log = Log()
        queue.maxConcurrentOperationCount = 1
        let operations = manual(5, log)
        queue.addOperations(operations, waitUntilFinished: false)
        #expect(queue.queuedOperations == operations)
        for (index, operation) in operations.enumerated() {
            #expect(operation.isExecuting)
            #expect(queue.queuedOperationCount == 5 - index)
            operation.complete()
        }
        #expect(log.entries == ["0", "1", "2", "3", "4"])
        #expect(queue.queuedOperations.isEmpty)
    }

    @Test("A paused operation gives its slot back and takes one again on resume")
    func pauseAndResume() {
        queue.maxConcurrentOperationCount = 1
        let operations = manual(3)
        queue.addOperations(operations, waitUntilFinished: false)
        operations[0].pause()
        #expect(operations[1].isExecuting)
        operations[0].resume()
        #expect(!operations[0].isExecuting)
        operations[1].complete()
        #expect(operations[0].isExecuting)
        #expect(!operations[2].isExecuting)
        operations[0].complete()
        #expect(operations[2].isExecuting)
        #expect(operations[0].starts == 2)
        operations[2].complete()
        #expect(queue.queuedOperationCount == 0)
    }

    @Test("An operation paused while pending, or before it was added, is passed over")
    func pausedPending() {
        queue.maxConcurrentOperationCount = 1
        let operations = manual(3)
        operations[1].pause()
        queue.addOperations(operations, waitUntilFinished: false)
        operations[0].complete()
        #expect(operations[2].isExecuting)
        operations[1].resume()
        #expect(!operations[1].isExecuting)
        operations[2].complete()
        #expect(operations[1].isExecuting)
        operations[1].complete()
    }

    @Test("Suspension holds pending operations back, but not cancelled ones nor executing ones")
    func suspension() {
        let operations = manual(3)
        queue.addOperation(operations[0])
        queue.isSuspended = true
        queue.addOperation(operations[1])
        queue.addOperation(operations[2])
        #expect(!operations[1].isExecuting)
        operations[1].cancel()
        #expect(operations[1].isFinished)
        operations[0].complete()
        #expect(queue.queuedOperations == [operations[2]])
        queue.isSuspended = false
        #expect(operations[2].isExecuting)
        operations[2].complete()
    }

    @Test("Cancelling a suspended queue finishes everything, dependants and foreign operations too")
    func cancelSuspended() {
        let ran = Counter()
        queue.isSuspended = true
        let operations = manual(4)
        operations[1].addDependency(operations[0])
        operations[2].pause()
        let foreign = BlockOperation { ran.add() }
        foreign.addDependency(operations[3])
        queue.addOperations(operations + [foreign], waitUntilFinished: false)
        queue.addBarrierBlock { ran.add() }
        queue.cancelAllOperations()
        for operation in operations { #expect(operation.isFinished && operation.starts == 0) }
        foreign.waitUntilFinished()
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(ran.value == 0)
    }

    @Test("A suspended queue whose barriers were dropped is empty for those who wait")
    func cancelSuspendedBarrier() {
        let (ran, returned) = (Counter(), Counter())
        queue.isSuspended = true
        queue.addBarrierBlock { ran.add() }
        queue.cancelAllOperations()
        Thread.detachNewThread { [queue] in
            queue.waitUntilAllOperationsAreFinished()
            returned.add()
        }
        #expect(becomesTrue { returned.value == 1 })
        #expect(ran.value == 0)
    }

    @Test("No pending operation starts while all are being cancelled")
    func cancelDoesNotStart() {
        queue.maxConcurrentOperationCount = 2
        let operations = manual(50)
        queue.addOperations(operations, waitUntilFinished: false)
        queue.cancelAllOperations()
        #expect(operations.map(\.starts).reduce(0, +) == 2)
        #expect(queue.queuedOperationCount == 0)
    }

    @Test("A cancelled operation that is paused in execution finishes")
    func cancelYielded() {
        let operation = ManualOperation()
        queue.addOperation(operation)
        operation.pause()
        operation.cancel()
        #expect(operation.isFinished)
        queue.waitUntilAllOperationsAreFinished()
    }

    @Test("Dependencies decide the order, priorities only among what may run")
    func dependencies() {
        let log = Log()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let operations = (0..<3).map { index in InstantOperation { _ in log.append("\(index)") } }
        operations[0].addDependency(operations[2])
        operations[1].queuePriority = .low
        queue.addOperations(operations, waitUntilFinished: false)
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(log.entries == ["2", "0", "1"])
    }

    @Test("An upstream runs at the highest priority of what waits for it, however far")
    func inheritance() {
        let log = Log()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let names = ["normal", "upstream", "between", "urgent"]
        let operations = names.map { name in InstantOperation { _ in log.append(name) } }
        operations[1].queuePriority = .veryLow
        operations[2].queuePriority = .low
        operations[2].addDependency(operations[1])
        operations[3].addDependency(operations[2])
        queue.addOperations(operations, waitUntilFinished: false)
        operations[3].queuePriority = .veryHigh
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(log.entries == ["upstream", "between", "urgent", "normal"])
    }

    @Test("A foreign upstream inherits priority as well")
    func foreignInheritance() {
        let log = Log()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let first = BlockOperation { log.append("first") }
        let upstream = BlockOperation { log.append("upstream") }
        upstream.queuePriority = .veryLow
        let urgent = InstantOperation { _ in log.append("urgent") }
        urgent.queuePriority = .high
        urgent.addDependency(upstream)
        queue.addOperations([first, upstream, urgent], waitUntilFinished: false)
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(log.entries == ["upstream", "urgent", "first"])
    }

    @Test("A priority changed while queued counts, of our operations and of foreign ones")
    func changedPriorities() {
        let log = Log()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let own = ["a", "b"].map { name in InstantOperation { _ in log.append(name) } }
        let foreign = BlockOperation { log.append("foreign") }
        queue.addOperations([foreign] + own, waitUntilFinished: false)
        own[1].queuePriority = .high
        foreign.queuePriority = .low
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(log.entries == ["b", "a", "foreign"])
    }

    @Test("Adding again has no effect, in whatever state, to whichever queue")
    func addingAgain() {
        let other = RequestOperationQueue()
        let (operation, foreign) = (ManualOperation(), BlockOperation {})
        queue.isSuspended = true
        for target in [queue, queue, other] {
            target.addOperation(operation)
            target.addOperation(foreign)
        }
        #expect(queue.queuedOperations == [operation, foreign])
        #expect(other.queuedOperationCount == 0)
        queue.isSuspended = false
        queue.addOperation(operation)
        #expect(operation.isExecuting)
        operation.complete()
        foreign.waitUntilFinished()
        queue.waitUntilAllOperationsAreFinished()
        queue.addOperations([operation, foreign], waitUntilFinished: true)
        #expect(operation.starts == 1)
        #expect(queue.queuedOperationCount == 0)
    }

    @Test("A barrier runs alone, honours suspension, and is waited for")
    func barrier() {
        let log = Log()
        queue.isSuspended = true
        queue.addBarrierBlock { log.append("first barrier") }
        let before = manual(2, log)
        queue.addOperations(before, waitUntilFinished: false)
        queue.addBarrierBlock { log.append("barrier") }
        let after = InstantOperation { _ in log.append("after") }
        after.queuePriority = .veryHigh
        queue.addOperation(after)
        #expect(log.entries.isEmpty)
        queue.isSuspended = false
        #expect(becomesTrue { log.entries.count == 3 })
        before[1].complete()
        before[0].complete()
        queue.waitUntilAllOperationsAreFinished()
        #expect(log.entries == ["first barrier", "0", "1", "barrier", "after"])
    }

    @Test("A wait returns after operations and barriers, from several threads")
    func wait() {
        let ended = Counter()
        let operations = manual(3)
        queue.addOperations(operations, waitUntilFinished: false)
        queue.addBarrierBlock { ended.add() }
        let returned = Counter()
        for _ in 0..<3 {
            // Not the dispatch pool's threads: the barrier needs one of them.
            Thread.detachNewThread { [queue] in
                queue.waitUntilAllOperationsAreFinished()
                returned.add(ended.value)
            }
        }
        for operation in operations { operation.complete() }
        #expect(becomesTrue { returned.value == 3 })
    }

    @Test("Each host has its own limit, set before or after the operations were added", arguments: [true, false])
    func perHost(isSetFirst: Bool) {
        queue.isSuspended = true
        if isSetFirst { queue.maxConcurrentOperationsPerHost = 2 }
        let (a, b) = (manual(4, host: "a"), manual(4, host: "b"))
        queue.addOperations(a + b, waitUntilFinished: false)
        queue.maxConcurrentOperationsPerHost = 2
        queue.isSuspended = false
        #expect((a + b).map(\.isExecuting) == [true, true, false, false, true, true, false, false])
        a[0].complete()
        a[1].pause()
        #expect(a[2].isExecuting && a[3].isExecuting)
        a[1].resume()
        #expect(!a[1].isExecuting)
        queue.maxConcurrentOperationsPerHost = 0
        #expect(a[1].isExecuting && b.allSatisfy { $0.isExecuting })
        for operation in a + b { operation.complete() }
        #expect(queue.queuedOperationCount == 0)
    }

    @Test("An operation that may call out is started on the underlying queue, another where it became startable")
    func callOut() {
        let key = DispatchSpecificKey<Bool>()
        let underlying = DispatchQueue(label: "underlying")
        underlying.setSpecific(key: key, value: true)
        queue.underlyingQueue = underlying
        let places = Log()
        let record: @Sendable (TestOperation) -> Void = { _ in
            places.append(DispatchQueue.getSpecific(key: key) == true ? "underlying" : "caller")
        }
        let calling = InstantOperation(callsOut: true, onStart: record)
        queue.addOperations([calling, InstantOperation(onStart: record)], waitUntilFinished: true)
        #expect(Set(places.entries) == ["underlying", "caller"])
        queue.addOperation { record(calling) }
        queue.addBarrierBlock { record(calling) }
        queue.waitUntilAllOperationsAreFinished()
        #expect(places.entries.suffix(2) == ["underlying", "underlying"])
    }

    @Test("A wait inside a start does not wait for what the outer loop would start")
    func waitInsideStart() {
        let inner = RequestOperationQueue()
        let operation = InstantOperation { _ in
            inner.addOperations([InstantOperation()], waitUntilFinished: true)
            inner.addOperation(InstantOperation())
            inner.waitUntilAllOperationsAreFinished()
        }
        queue.addOperations([operation], waitUntilFinished: true)
        #expect(inner.queuedOperationCount == 0)
    }

    @Test("Finished operations and the queue are released, a pending queue stays until it is empty")
    func lifetimes() {
        let released = Counter()
        weak var weakQueue: RequestOperationQueue?
        let last = ManualOperation()
        do {
            let queue = RequestOperationQueue()
            weakQueue = queue
            for _ in 0..<100 { queue.addOperation(InstantOperation(onDeinit: { released.add() })) }
            queue.addOperation(last)
        }
        #expect(released.value == 100)
        #expect(weakQueue != nil)
        last.complete()
        #expect(weakQueue == nil)
    }

    @Test("Foreign operations, too, are released with the queue")
    func foreignLifetimes() {
        weak var weakQueue: RequestOperationQueue?
        weak var weakForeign: BlockOperation?
        do {
            let queue = RequestOperationQueue()
            weakQueue = queue
            let foreign = BlockOperation {}
            let own = InstantOperation()
            own.addDependency(foreign)
            weakForeign = foreign
            queue.addOperations([foreign, own], waitUntilFinished: true)
            queue.waitUntilAllOperationsAreFinished()
        }
        #expect(becomesTrue { weakQueue == nil && weakForeign == nil })
        #expect(DependencyGraph.lock.withLock { state in !state.foreign.values.contains { $0.operation == nil } })
    }

    @Test("Progress counts finished operations once its total is set")
    func progress() {
        queue.addOperations([InstantOperation()], waitUntilFinished: true)
        #expect(queue.progress.completedUnitCount == 0)
        queue.progress.totalUnitCount = 4
        queue.addOperations([InstantOperation(), InstantOperation(), BlockOperation {}], waitUntilFinished: true)
        queue.waitUntilAllOperationsAreFinished()
        #expect(queue.progress.completedUnitCount == 3)
    }

    @Test("Progress is no child of the one that is current when it is asked for, and may become another's")
    func progressOfItsOwn() throws {
        let (current, parent) = (Progress(totalUnitCount: 10), Progress(totalUnitCount: 10))
        current.becomeCurrent(withPendingUnitCount: 4)
        let progress = queue.progress
        current.resignCurrent()
        let fraction = current.fractionCompleted
        progress.totalUnitCount = 2
        progress.completedUnitCount = 1
        try #require(current.fractionCompleted == fraction && current.totalUnitCount == 10)
        parent.addChild(progress, withPendingUnitCount: 10)
        progress.completedUnitCount = 2
        #expect(parent.fractionCompleted == 1)
    }

    @Test("20 000 operations in one chain, one fan and a hundred chains need no stack")
    func large() {
        let chain = (0..<20_000).map { _ in InstantOperation() }
        for index in 1..<chain.count { chain[index].addDependency(chain[index - 1]) }
        DrainCheck.run(chain)
        let head = InstantOperation()
        let fan = (0..<20_000).map { _ in InstantOperation() }
        for operation in fan { operation.addDependency(head) }
        DrainCheck.run(fan + [head])
        let chains = (0..<10_000).map { _ in InstantOperation() }
        for index in 100..<chains.count { chains[index].addDependency(chains[index - 100]) }
        DrainCheck.run(chains.reversed())
    }

    @Test("20 000 pending operations are cancelled in linear time")
    func cancelMany() {
        queue.isSuspended = true
        let chain = (0..<20_000).map { _ in InstantOperation() }
        for index in 1..<chain.count { chain[index].addDependency(chain[index - 1]) }
        queue.addOperations(chain, waitUntilFinished: false)
        let seconds = processorSeconds { queue.cancelAllOperations() }
        #expect(chain.allSatisfy { $0.isFinished })
        #expect(queue.queuedOperationCount == 0)
        // The figure to keep is for an optimised build; this one catches what is not linear.
        #expect(seconds < 10)
    }
}
