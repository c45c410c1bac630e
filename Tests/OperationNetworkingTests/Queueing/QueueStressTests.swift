// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// Finishes on another thread soon after it is started.
private final class NetworkOperation: TestOperation, @unchecked Sendable {
    let network: Network
    init(_ network: Network, host: String?, callsOut: Bool) {
        self.network = network
        super.init(host: host, callsOut: callsOut)
    }
    override func begin() { network.submit(self) }
}

/// One thread that ends what was started, unless it is paused.
private final class Network: @unchecked Sendable {
    private let condition = NSCondition()
    /// Guarded by `condition`.
    private var pending: [NetworkOperation] = []
    /// Guarded by `condition`.
    private var isStopped = false
    let limit: Int
    let mostExecuting = Locked(0)

    init(limit: Int) {
        self.limit = limit
        Thread.detachNewThread { self.run() }
    }

    func submit(_ operation: NetworkOperation) {
        condition.lock()
        pending.append(operation)
        condition.signal()
        condition.unlock()
    }

    func stop() {
        condition.lock()
        isStopped = true
        condition.signal()
        condition.unlock()
    }

    private func run() {
        while true {
            condition.lock()
            while pending.isEmpty, !isStopped { condition.wait() }
            let batch = pending
            pending = []
            let stops = isStopped
            condition.unlock()
            for operation in batch where operation.isExecuting { operation.finish() }
            if stops, batch.isEmpty { return }
        }
    }
}

@Suite("Queue and graph under load from several threads", .timeLimit(.minutes(5)))
struct QueueStressTests {
    /// `QUEUEING_STRESS_ROUNDS` sets how many seeds are run.
    static let rounds = ProcessInfo.processInfo.environment["QUEUEING_STRESS_ROUNDS"].flatMap(UInt64.init) ?? 60

    @Test("Any interleaving ends with everything finished, each operation once", arguments: 0..<rounds)
    func interleavings(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let network = Network(limit: 3)
        defer { network.stop() }
        let queues = [RequestOperationQueue(), RequestOperationQueue()]
        queues[0].maxConcurrentOperationCount = Int.random(in: 1...4, using: &random)
        queues[1].maxConcurrentOperationsPerHost = Int.random(in: 0...2, using: &random)
        let ran = Counter()
        var operations: [Operation] = []
        var foreignCount = 0
        for index in 0..<120 {
            let operation: Operation
            switch Int.random(in: 0..<10, using: &random) {
            case 0...1:
                operation = BlockOperation { ran.add() }
                foreignCount += 1
            case 2: operation = InstantOperation(host: "a")
            default:
                operation = NetworkOperation(
                    network, host: ["a", "b", nil][index % 3], callsOut: Int.random(in: 0..<6, using: &random) == 0)
            }
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                if let upstream = operations.randomElement(using: &random) { operation.addDependency(upstream) }
            }
            operations.append(operation)
        }
        let all = operations
        let seeds = (0..<4).map { _ in random.next() }
        let remaining = Counter()
        for (thread, seed) in seeds.enumerated() {
            remaining.add()
            Thread.detachNewThread {
                var random = SeededRandom(seed: seed)
                for index in stride(from: thread, to: all.count, by: seeds.count) {
                    queues[index % 7 == 0 ? 1 : 0].addOperation(all[index])
                    for _ in 0..<3 { Self.disturb(all, queues, &random) }
                }
                remaining.add(-1)
            }
        }
        #expect(becomesTrue(within: 60) { remaining.value == 0 })
        for queue in queues { queue.isSuspended = false }
        for operation in all { (operation as? TestOperation)?.resume() }
        let finished = becomesTrue(within: 60) { queues.allSatisfy { $0.queuedOperationCount == 0 } }
        #expect(finished, "seed \(seed): \(queues.map(\.queuedOperations))")
        guard finished else { return }
        for queue in queues { queue.waitUntilAllOperationsAreFinished() }
        #expect(all.allSatisfy { $0.isFinished })
        #expect(ran.value <= foreignCount)
        for queue in queues { #expect(queue.state.withLock { $0.scheduler.running } == 0) }
    }

    private static func disturb(
        _ operations: [Operation], _ queues: [RequestOperationQueue], _ random: inout SeededRandom
    ) {
        let index = Int.random(in: 0..<operations.count, using: &random)
        let own = operations[index] as? TestOperation
        switch Int.random(in: 0..<40, using: &random) {
        case 0...9: own?.pause()
        case 10...22: own?.resume()
        case 23...24: own?.cancel()
        case 25...28: own?.queuePriority = [.low, .normal, .veryHigh].randomElement(using: &random) ?? .normal
        case 29...30: queues[index % 2].isSuspended.toggle()
        case 31...32: own?.isReady == true ? own?.pause() : own?.resume()
        case 33...34:
            // Only towards earlier ones: no cycle, also with the foreign ones, whose edges nobody checks.
            if index > 0 { own?.addDependency(operations[Int.random(in: 0..<index, using: &random)]) }
        case 35...36:
            if let upstream = own?.dependencies.randomElement(using: &random) { own?.removeDependency(upstream) }
        case 37: queues[0].maxConcurrentOperationCount = Int.random(in: 1...4, using: &random)
        case 38: queues[1].maxConcurrentOperationsPerHost = Int.random(in: 0...2, using: &random)
        default: _ = queues[index % 2].queuedOperations
        }
    }

    @Test("Barriers added from several threads divide what runs", arguments: 0..<rounds)
    func barriers(seed: UInt64) {
        var random = SeededRandom(seed: seed &+ 2_000_000)
        let network = Network(limit: 3)
        defer { network.stop() }
        let queue = RequestOperationQueue()
        queue.maxConcurrentOperationCount = 3
        let (barriers, remaining) = (Counter(), Counter())
        let seeds = (0..<3).map { _ in random.next() }
        for seed in seeds {
            remaining.add()
            Thread.detachNewThread {
                var random = SeededRandom(seed: seed)
                // No dependencies: an operation before a barrier that waits for one behind it waits for ever.
                for _ in 0..<60 {
                    switch Int.random(in: 0..<6, using: &random) {
                    case 0:
                        queue.addBarrierBlock {
                            #expect(queue.state.withLock { $0.scheduler.running } == 0)
                            barriers.add()
                        }
                    case 1: queue.addOperation {}
                    default: queue.addOperation(NetworkOperation(network, host: nil, callsOut: false))
                    }
                }
                remaining.add(-1)
            }
        }
        #expect(becomesTrue { remaining.value == 0 })
        queue.waitUntilAllOperationsAreFinished()
        #expect(queue.queuedOperationCount == 0)
    }

    @Test("The progresses of two queues that two threads keep busy may have one parent, and end that")
    func progressesOfOneParent() {
        let count = 5000
        let queues = [RequestOperationQueue(), RequestOperationQueue()]
        let parent = Progress(totalUnitCount: 2)
        for queue in queues {
            queue.progress.totalUnitCount = Int64(count)
            parent.addChild(queue.progress, withPendingUnitCount: 1)
        }
        DispatchQueue.concurrentPerform(iterations: 2) { index in
            for _ in 0..<count { queues[index].addOperation(InstantOperation()) }
        }
        #expect(queues.allSatisfy { $0.progress.completedUnitCount == count })
        #expect(parent.isFinished && parent.fractionCompleted == 1 && parent.completedUnitCount == 2)
    }

    @Test("Cancelling everything while others add and finish leaves nothing behind", arguments: 0..<rounds)
    func cancelAll(seed: UInt64) {
        var random = SeededRandom(seed: seed &+ 1_000_000)
        let network = Network(limit: 3)
        defer { network.stop() }
        let queue = RequestOperationQueue()
        queue.maxConcurrentOperationCount = 3
        queue.isSuspended = Bool.random(using: &random)
        let operations = (0..<100).map { _ in NetworkOperation(network, host: nil, callsOut: false) }
        for index in 1..<100 where index % 3 != 0 {
            operations[index].addDependency(operations[Int.random(in: 0..<index, using: &random)])
        }
        let remaining = Counter()
        for thread in 0..<2 {
            remaining.add()
            Thread.detachNewThread {
                for index in stride(from: thread, to: 100, by: 2) { queue.addOperation(operations[index]) }
                remaining.add(-1)
            }
        }
        for _ in 0..<5 { queue.cancelAllOperations() }
        #expect(becomesTrue { remaining.value == 0 })
        queue.cancelAllOperations()
        #expect(becomesTrue { queue.queuedOperationCount == 0 })
        #expect(operations.allSatisfy { $0.isFinished })
    }
}
