// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import OperationNetworkingCore

/// What waits for an operation's completion, such as a batch, comes after its end.
@Suite(.timeLimit(.minutes(1))) struct CompletionOrderTests {
    @Test(
        "With dependents that wait for completion blocks, too, alone and in a queue that calls start()",
        arguments: [false, true], [false, true])
    func followers(hasBlock: Bool, isInQueue: Bool) async throws {
        let operation = HTTPRequestOperation.make()
        operation.dependentsWaitForCompletionBlocks = true
        let log = Recorder<String>()
        if hasBlock {
            operation.setCompletionBlockWithSuccess({ _, _ in log.append("block") }) { operation, _ in
                log.append(operation.isFinished ? "block, finished" : "block")
            }
        }
        let waits = operation.afterCompletion { operation in
            log.append(operation.isFinished ? "finished" : "unfinished")
        }
        #expect(waits)
        let queue = OperationQueue()
        if isInQueue { queue.enqueue([operation]) } else { operation.start() }
        try await eventually("what waits is called") { log.count == (hasBlock ? 2 : 1) }
        #expect(log.values == (hasBlock ? ["block", "finished"] : ["finished"]))
    }
}
