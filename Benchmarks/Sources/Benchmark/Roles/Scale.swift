// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworking

/// What scheduling costs, with operations that have next to nothing to do.
///
/// The library's operations have a URL of a scheme that is not supported, `none://`: they go through the whole life of a
/// request (queue, start, end, completion block) and fail before a connection would be made. Foundation's are empty
/// `BlockOperation`s with a completion block.
enum Scale {
    /// How operations depend on each other: `chains` chains of equal length.
    private struct Shape {
        let count: Int
        let chains: Int

        init(_ options: Options) throws {
            count = try options.count("count")
            chains = try options.count("chains")
        }

        /// Makes every operation depend on the one before it in its chain.
        func link(_ operations: [Operation]) {
            let length = count / chains
            for index in operations.indices where index % length != 0 {
                operations[index].addDependency(operations[index - 1])
            }
        }
    }

    static func runLibrary(_ options: Options) throws -> Figures {
        let shape = try Shape(options)
        let queue = RequestOperationQueue()
        return try measure(shape, in: queue, budget: try options.number("budget")) { completions in
            guard let url = URL(string: "none://nowhere") else { return [] }
            let completionQueue = DispatchQueue(label: "benchmark.completion")
            return (0..<shape.count).map { _ in
                let operation = HTTPRequestOperation(request: URLRequest(url: url))
                operation.completionQueue = completionQueue
                operation.setCompletionBlockWithSuccess(nil) { _, _ in completions.count() }
                return operation
            }
        }
    }

    static func runFoundation(_ options: Options) throws -> Figures {
        let shape = try Shape(options)
        return try measure(shape, in: OperationQueue(), budget: try options.number("budget")) { completions in
            (0..<shape.count).map { _ in
                let operation = BlockOperation {}
                operation.completionBlock = { completions.count() }
                return operation
            }
        }
    }

    /// Seconds for making the dependencies, and from the enqueueing to the last completion. A run that takes longer than
    /// `budget` is left: `isComplete` is 0 then.
    private static func measure(
        _ shape: Shape, in queue: OperationQueue, budget: Double, make: (Countdown) -> [Operation]
    ) throws -> Figures {
        let completions = Countdown(shape.count)
        let operations = make(completions)
        let start = monotonicSeconds()
        if shape.chains < shape.count { shape.link(operations) }
        let linked = monotonicSeconds()
        DispatchQueue.global().async { queue.addOperations(operations, waitUntilFinished: false) }
        let isComplete = completions.wait(seconds: budget)
        return [
            "linkSeconds": linked - start, "runSeconds": monotonicSeconds() - linked, "isComplete": isComplete ? 1 : 0,
            "finished": Double(shape.count - completions.remaining),
        ]
    }
}
