// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore

/// Figures for an optimised build on an idle machine:
/// `QUEUEING_FIGURES=1 swift test -c release -Xswiftc -enable-testing --filter QueueingFigures`.
@Suite(
    "Cost of scheduling", .serialized, .timeLimit(.minutes(5)),
    .enabled(if: ProcessInfo.processInfo.environment["QUEUEING_FIGURES"] != nil))
struct QueueFiguresTests {
    private static func seconds(_ body: () -> Void) -> Double {
        let begin = MonotonicClock.now
        body()
        return Double(MonotonicClock.now - begin) / 1e9
    }

    /// The best of some runs of operations that finish at once, from the first enqueued to the last finished.
    private static func best(
        _ count: Int, dependOn distance: Int?, in makeQueue: () -> OperationQueue = { RequestOperationQueue() },
        make: () -> Operation = { InstantOperation() }, rounds: Int = 5
    ) -> Double {
        (0..<rounds).map { _ in
            let operations = (0..<count).map { _ in make() }
            let queue = makeQueue()
            if let distance {
                for index in distance..<count { operations[index].addDependency(operations[index - distance]) }
            }
            return seconds { queue.addOperations(operations, waitUntilFinished: true) }
        }.min() ?? 0
    }

    @Test("Chains cost at most three times what independent operations cost")
    func chains() {
        let independent = Self.best(20_000, dependOn: nil)
        let chain = Self.best(20_000, dependOn: 1)
        let independent10 = Self.best(10_000, dependOn: nil)
        let chains = Self.best(10_000, dependOn: 100)
        let operations = (0..<20_000).map { _ in InstantOperation() }
        let edges = Self.seconds {
            for index in 1..<operations.count { operations[index].addDependency(operations[index - 1]) }
        }
        print("19 999 edges \(edges) s")
        print("20 000 independent \(independent) s, chain \(chain) s (\(chain / independent))")
        print("10 000 independent \(independent10) s, 100 × 100 \(chains) s (\(chains / independent10))")
        let blocks = Self.best(20_000, dependOn: nil, make: { BlockOperation {} })
        let blockChain = Self.best(20_000, dependOn: 1, make: { BlockOperation {} })
        let foundation = Self.best(20_000, dependOn: nil, in: { OperationQueue() }, make: { BlockOperation {} })
        print("20 000 blocks \(blocks) s, chain \(blockChain) s; Foundation, independent \(foundation) s")
        #expect(chain <= 3 * independent)
        #expect(chains <= 3 * independent)
    }

    @Test("The cost grows with the number of operations and no faster")
    func growth() {
        for count in [1_000, 4_000, 10_000, 100_000] {
            print("chain of \(count): \(Self.best(count, dependOn: 1, rounds: 3)) s")
        }
        for count in [1_000, 4_000] {
            let foundation = Self.best(
                count, dependOn: 1, in: { OperationQueue() }, make: { BlockOperation {} }, rounds: 1)
            print("Foundation, chain of \(count): \(foundation) s")
        }
    }

    @Test("20 000 enqueued operations are cancelled within half a second", arguments: [nil, 1])
    func cancel(distance: Int?) {
        let queue = RequestOperationQueue()
        let operations = (0..<20_000).map { _ in ManualOperation() }
        if let distance {
            for index in distance..<operations.count {
                operations[index].addDependency(operations[index - distance])
            }
        }
        let time = Self.seconds {
            queue.addOperations(operations, waitUntilFinished: false)
            queue.cancelAllOperations()
        }
        print("enqueue and cancel 20 000: \(time) s")
        #expect(operations.allSatisfy { $0.isFinished })
        #expect(time < 0.5 * Patience.factor)
    }

    @Test("Bookkeeping is about a hundred bytes an operation")
    func memory() {
        let count = 100_000
        let operations = (0..<count).map { _ in ManualOperation() }
        let queue = RequestOperationQueue()
        queue.isSuspended = true
        let before = ResidentMemory.bytes
        queue.addOperations(operations, waitUntilFinished: false)
        let bytes = (ResidentMemory.bytes - before) / count
        print("\(bytes) bytes a queued operation, entry \(MemoryLayout<SchedulerState.Entry>.stride)")
        #expect(bytes < 160)
        queue.cancelAllOperations()
    }
}
