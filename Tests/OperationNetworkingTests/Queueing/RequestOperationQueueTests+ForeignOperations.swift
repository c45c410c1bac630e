// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

extension RequestOperationQueueTests {
    @Test("Foreign operations wait for ours and ours for foreign ones, in order with one slot")
    func foreignMix() {
        for _ in 0..<50 {
            let queue = RequestOperationQueue()
            queue.maxConcurrentOperationCount = 1
            let log = Log()
            var operations: [Operation] = []
            for index in 0..<20 {
                let operation: Operation =
                    index % 3 == 0
                    ? InstantOperation { _ in log.append("\(index)") }
                    : BlockOperation { log.append("\(index)") }
                if let last = operations.last, index % 4 != 0 { operation.addDependency(last) }
                operations.append(operation)
            }
            queue.addOperations(operations, waitUntilFinished: false)
            queue.waitUntilAllOperationsAreFinished()
            #expect(log.entries == (0..<20).map(String.init))
        }
    }

    @Test("Foreign operations keep to the limit")
    func foreignLimit() {
        queue.maxConcurrentOperationCount = 2
        let (now, most) = (Counter(), Locked(0))
        for _ in 0..<200 {
            queue.addOperation {
                let count = now.add()
                most.withLock { $0 = max($0, count) }
                now.add(-1)
            }
        }
        queue.waitUntilAllOperationsAreFinished()
        #expect(now.value == 0)
        #expect((1...2).contains(most.withLock { $0 }))
    }

    @Test("A foreign operation that is not ready gives its slot up and runs when it is")
    func unreadyForeign() {
        final class Unready: Operation, @unchecked Sendable {
            let allowed = Locked(false)
            override var isReady: Bool { allowed.withLock { $0 } && super.isReady }
            func allow() {
                allowed.withLock { $0 = true }
                didChangeValue(forKey: "isReady")
            }
        }
        queue.maxConcurrentOperationCount = 1
        let operation = Unready()
        let other = ManualOperation()
        queue.addOperation(operation)
        queue.addOperation(other)
        #expect(becomesTrue { other.isExecuting })
        operation.allow()
        operation.waitUntilFinished()
        other.complete()
        queue.waitUntilAllOperationsAreFinished()
    }

    @Test("An operation that ends while an edge to it is being added gives its slot back", arguments: [false, true])
    func endingForeign(dependentIsOurs: Bool) {
        /// Ends between the first and the second question whether it has, and says so when told to.
        final class Ending: Operation, @unchecked Sendable {
            let started = DispatchSemaphore(value: 0)
            let questions = Locked<Int?>(nil)
            override var isFinished: Bool {
                questions.withLock { count in
                    guard let asked = count else { return false }
                    count = asked + 1
                    return asked > 0
                }
            }
            override func start() { started.signal() }
        }
        let upstream = Ending()
        queue.maxConcurrentOperationCount = 1
        queue.addOperation(upstream)
        upstream.started.wait()
        upstream.questions.withLock { $0 = 0 }
        let dependent: Operation = dependentIsOurs ? InstantOperation() : BlockOperation {}
        dependent.addDependency(upstream)
        queue.addOperation(dependent)
        #expect(upstream.isFinished)
        upstream.didChangeValue(forKey: "isFinished")
        #expect(becomesTrue { queue.queuedOperationCount == 0 })
        #expect(dependent.isFinished)
    }

    @Test("Foundation's list has a stand-in for each foreign operation, which cancels it, and keeps none alive")
    func standIns() {
        queue.isSuspended = true
        queue.maxConcurrentOperationCount = 1
        weak var weakForeign: BlockOperation?
        let ran = Log()
        do {
            let foreign = BlockOperation { ran.append("foreign") }
            foreign.name = "named"
            weakForeign = foreign
            queue.addOperation(foreign)
        }
        let cancelled = BlockOperation { ran.append("cancelled") }
        cancelled.name = "cancelled"
        queue.addOperation(cancelled)
        queue.addOperation { ran.append("block") }
        queue.addOperations(
            URLConnectionOperation.batchOfRequestOperations([], progressBlock: nil, completionBlock: nil),
            waitUntilFinished: false)
        #expect(queue.operationCount == 4 && queue.operations.count == 4)
        #expect(queue.operations.map(\.name).prefix(2) == ["named", "cancelled"])
        queue.operations[1].cancel()
        #expect(cancelled.isCancelled)
        queue.isSuspended = false
        queue.waitUntilAllOperationsAreFinished()
        #expect(ran.entries == ["foreign", "block"])
        #expect(queue.operationCount == 0 && queue.operations.isEmpty)
        #expect(becomesTrue { weakForeign == nil })
    }

    @Test("A foreign operation that waits in a queue of Foundation's is left there", .needsFoundationState)
    func foreignInFoundation() {
        let (plain, ran) = (OperationQueue(), Counter())
        plain.isSuspended = true
        let operation = BlockOperation { ran.add() }
        plain.addOperation(operation)
        queue.addOperation(operation)
        #expect(queue.queuedOperationCount == 0 && queue.operationCount == 0 && plain.operationCount == 1)
        plain.isSuspended = false
        plain.waitUntilAllOperationsAreFinished()
        queue.addOperation(operation)
        #expect(ran.value == 1 && queue.queuedOperationCount == 0)
    }

    @Test(
        "An operation of ours that a queue of Foundation's has dispatched, and not started, is left there",
        .needsFoundationState)
    func dispatchedByFoundation() {
        let underlying = DispatchQueue(label: "underlying")
        let busy = DispatchSemaphore(value: 0)
        underlying.async { _ = busy.wait(timeout: .now() + 20) }
        let plain = OperationQueue()
        plain.underlyingQueue = underlying
        let operation = HTTPRequestOperation.make()
        let endings = Endings(operation)
        plain.addOperation(operation)
        #expect(becomesTrue { FoundationState(of: operation) == .starting })
        queue.addOperation(operation)
        #expect(queue.queuedOperationCount == 0 && queue.operationCount == 0 && plain.operationCount == 1)
        #expect(operation.state == .ready)
        busy.signal()
        plain.waitUntilAllOperationsAreFinished()
        #expect(becomesTrue { endings.completions.value == 1 && plain.operationCount == 0 })
        #expect(endings.finishes.value == 1 && queue.queuedOperationCount == 0)
        withExtendedLifetime(underlying) {}
    }

    @Test("A batch's last operation that waits in a queue of Foundation's is left there", .needsFoundationState)
    func lastOfBatchInFoundation() throws {
        let (plain, ran) = (OperationQueue(), Counter())
        plain.isSuspended = true
        let all = URLConnectionOperation.batchOfRequestOperations([], progressBlock: nil) { _ in ran.add() }
        let last = try #require(all.first)
        plain.addOperation(last)
        queue.addOperation(last)
        #expect(queue.queuedOperationCount == 0 && queue.operationCount == 0 && plain.operationCount == 1)
        plain.isSuspended = false
        plain.waitUntilAllOperationsAreFinished()
        #expect(becomesTrue { ran.value == 1 })
        queue.addOperation(last)
        #expect(last.isFinished && queue.queuedOperationCount == 0)
    }

    @Test(
        "A batch's last operation that a queue of Foundation's has dispatched is not kept by a later dependency",
        .needsFoundationState)
    func lastOfBatchDispatchedByFoundation() throws {
        let underlying = DispatchQueue(label: "underlying")
        let busy = DispatchSemaphore(value: 0)
        underlying.async { _ = busy.wait(timeout: .now() + 20) }
        let (plain, ran) = (OperationQueue(), Counter())
        plain.underlyingQueue = underlying
        let all = URLConnectionOperation.batchOfRequestOperations([], progressBlock: nil) { _ in ran.add() }
        let last = try #require(all.first)
        plain.addOperation(last)
        #expect(becomesTrue { FoundationState(of: last) == .starting })
        // Nobody starts it.
        let upstream = HTTPRequestOperation.make()
        last.addDependency(upstream)
        busy.signal()
        #expect(becomesTrue { ran.value == 1 && plain.operationCount == 0 })
        #expect(last.isFinished && !upstream.isFinished)
        withExtendedLifetime(underlying) {}
    }

    @Test("An operation in one queue may wait for one in another")
    func twoQueues() {
        let other = RequestOperationQueue()
        let (a, b) = (ManualOperation(), InstantOperation())
        let foreign = BlockOperation {}
        b.addDependency(a)
        foreign.addDependency(b)
        other.addOperation(foreign)
        other.addOperation(b)
        queue.addOperation(a)
        #expect(!b.isFinished)
        a.complete()
        #expect(b.isFinished)
        other.waitUntilAllOperationsAreFinished()
        #expect(foreign.isFinished)
    }

    @Test("Operations also work in Foundation's queue, with dependencies across the two")
    func plainQueue() {
        let plain = OperationQueue()
        let (a, b, c) = (InstantOperation(), InstantOperation(), InstantOperation())
        b.addDependency(a)
        c.addDependency(b)
        plain.addOperation(b)
        queue.addOperation(c)
        plain.addOperation(a)
        c.waitUntilFinished()
        plain.waitUntilAllOperationsAreFinished()
        #expect(a.isFinished && b.isFinished)
    }
}
