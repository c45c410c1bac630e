// SPDX-License-Identifier: MIT
internal import Foundation
internal import OperationNetworking

/// Resident memory while many requests run through, 256 of them queued at a time.
// Sendable because everything mutable is touched on `queue` only, or before the first request.
final class Soak: @unchecked Sendable {
    private let manager: HTTPRequestOperationManager
    private let queue = DispatchQueue(label: "benchmark.completion")
    private let done = DispatchSemaphore(value: 0)
    private let url: String
    private let total: Int
    private let firstSample: Int
    private var enqueued = 0
    private var ended = 0
    private var failure: String?
    private var firstKiB = 0.0
    private var mostKiB = 0.0

    static func run(_ options: Options) throws -> Figures {
        let soak = Soak(url: try options.string("url"), total: try options.count("count"))
        return try soak.run()
    }

    private init(url: String, total: Int) {
        self.url = url
        self.total = total
        firstSample = total / 10
        NetworkEngine.maximumConnectionsPerHost = 64
        manager = HTTPRequestOperationManager()
        manager.responseSerializer = HTTPResponseSerializer()
        manager.completionQueue = queue
    }

    private func run() throws -> Figures {
        let start = monotonicSeconds()
        queue.sync { for _ in 0..<256 { enqueue() } }
        guard done.wait(timeout: .now() + 120) == .success else { throw BenchmarkError("no end after 120 s") }
        return try queue.sync {
            if let failure { throw BenchmarkError(failure) }
            return [
                "firstKiB": firstKiB, "lastKiB": ProcessUsage.residentKiB, "mostKiB": mostKiB,
                "seconds": monotonicSeconds() - start,
            ]
        }
    }

    private func enqueue() {
        guard enqueued < total else { return }
        enqueued += 1
        manager.get(
            url, success: { [self] _, _ in completed() },
            failure: { [self] _, error in
                failure = failure ?? "\(error)"
                done.signal()
            })
    }

    private func completed() {
        ended += 1
        if ended == firstSample { firstKiB = ProcessUsage.residentKiB }
        if ended > firstSample, ended % 1_000 == 0 { mostKiB = max(mostKiB, ProcessUsage.residentKiB) }
        if ended == total {
            done.signal()
        } else {
            enqueue()
        }
    }
}
