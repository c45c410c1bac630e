// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworking

/// A large batch with 64 requests under way at a server that does not answer is cancelled.
enum Cancellation {
    static func run(_ options: Options) throws -> Figures {
        let count = try options.count("count")
        let connections = try options.count("connections")
        let server = try StallingServer()
        guard let url = URL(string: "http://127.0.0.1:\(server.port)/") else { throw BenchmarkError("no URL") }
        NetworkEngine.maximumConnectionsPerHost = connections
        let queue = RequestOperationQueue()
        queue.maxConcurrentOperationCount = connections
        let completionQueue = DispatchQueue(label: "benchmark.completion")
        let completions = Countdown(count)
        let start = monotonicSeconds()
        let operations = (0..<count).map { _ -> HTTPRequestOperation in
            let operation = HTTPRequestOperation(request: URLRequest(url: url))
            operation.completionQueue = completionQueue
            operation.setCompletionBlockWithSuccess(nil) { _, _ in completions.count() }
            return operation
        }
        let batch = OperationBatch(operations)
        batch.completionQueue = completionQueue
        let end = DispatchSemaphore(value: 0)
        batch.setCompletionBlock { _ in end.signal() }

        let made = monotonicSeconds()
        batch.enqueue(on: queue)
        let enqueued = monotonicSeconds()
        while server.requestCount < connections, monotonicSeconds() - enqueued < 10 { usleep(1_000) }
        guard server.requestCount == connections else {
            throw BenchmarkError("\(server.requestCount) requests under way instead of \(connections)")
        }

        let cancelled = monotonicSeconds()
        batch.cancel()
        let returned = monotonicSeconds()
        guard completions.wait(seconds: 30) else { throw BenchmarkError("\(completions.remaining) never completed") }
        let lastCompletion = monotonicSeconds()
        guard end.wait(timeout: .now() + 30) == .success else { throw BenchmarkError("the batch never completed") }
        let ended = monotonicSeconds()
        return [
            "enqueueSeconds": enqueued - made, "cancelCallSeconds": returned - cancelled,
            "lastCompletionSeconds": lastCompletion - cancelled, "batchSeconds": ended - cancelled,
            "allSeconds": ended - start,
        ]
    }
}
