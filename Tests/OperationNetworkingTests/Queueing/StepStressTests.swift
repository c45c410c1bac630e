// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("Requests with block operations as steps between them", .timeLimit(.minutes(3)))
struct StepStressTests {
    @Test("Cancelled in any order while they run, all end, and nothing runs before what it depends on")
    func cancelled() throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
        for seed in 0..<QueueStressTests.rounds {
            var random = SeededRandom(seed: seed &+ 3_000_000)
            let queue = RequestOperationQueue()
            queue.maxConcurrentOperationCount = [1, 4, 64][Int(seed % 3)]
            // The queue alone keeps what ends: that is how programs write it.
            let early = Counter()
            fill(queue, server.url(), early, &random)
            #expect(becomesTrue { queue.queuedOperationCount == 0 }, "seed \(seed)")
            #expect(early.value == 0, "seed \(seed)")
        }
    }

    private func fill(_ queue: RequestOperationQueue, _ url: URL, _ early: Counter, _ random: inout SeededRandom) {
        func step(after others: [Operation]) -> Operation {
            let waited = others.map { Unretained($0) }
            let block = BlockOperation {
                if waited.contains(where: { $0.operation?.isFinished == false }) { early.add() }
            }
            for other in others { block.addDependency(other) }
            return block
        }
        let requests = (0..<8).map { _ in HTTPRequestOperation(request: URLRequest(url: url)) }
        let middle = step(after: Array(requests.prefix(4)))
        for request in requests.suffix(4) { request.addDependency(middle) }
        let steps = [step(after: requests), middle] + (0..<4).map { step(after: [requests[$0 * 2]]) }
        queue.addOperations((requests + steps).shuffled(using: &random), waitUntilFinished: false)
        // Some of them have ended, some are under way.
        let ended = Int.random(in: 0..<8, using: &random)
        #expect(becomesTrue { requests.filter(\.isFinished).count >= ended })
        switch Int.random(in: 0..<4, using: &random) {
        case 0: queue.cancelAllOperations()
        case 1: for step in steps { step.cancel() }
        case 2: for operation in [middle] + requests { operation.cancel() }
        default: for operation in (requests + steps).shuffled(using: &random) { operation.cancel() }
        }
    }
}

/// An operation that is looked at without keeping it.
private struct Unretained: @unchecked Sendable {
    // Weak references are read on any thread.
    weak var operation: Operation?
    init(_ operation: Operation) { self.operation = operation }
}
