// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworking

/// A large response into a file.
enum Download {
    static func run(_ options: Options) throws -> Figures {
        guard let url = URL(string: try options.string("url")), let idleURL = URL(string: try options.string("idleurl"))
        else { throw BenchmarkError("url= or idleurl= is no URL") }
        let file = URL(fileURLWithPath: try options.string("file"))
        defer { try? FileManager.default.removeItem(at: file) }
        // After one small request, so that the engine is there: what is measured is what the download adds.
        _ = try Transferring.run(HTTPRequestOperation(request: URLRequest(url: idleURL)))

        let operation = HTTPRequestOperation(request: URLRequest(url: url))
        switch try options.string("to") {
        case "destination": operation.downloadDestination = DownloadDestination(fileURL: file)
        case "stream": operation.outputStream = OutputStream(url: file, append: false)
        default: throw BenchmarkError("to= is neither destination nor stream")
        }
        var figures = try Transferring.run(operation)
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
        guard size == (try options.count("length")) else { throw BenchmarkError("the file has \(size ?? 0) bytes") }
        figures["bytes"] = size.map(Double.init)
        return figures
    }
}

/// One operation, from start to completion block.
enum Transferring {
    // Sendable because it is read after the semaphore was signalled.
    private final class Outcome: @unchecked Sendable {
        var error: (any Error)?
    }

    static func run(_ operation: HTTPRequestOperation) throws -> Figures {
        let done = DispatchSemaphore(value: 0)
        let outcome = Outcome()
        operation.completionQueue = DispatchQueue(label: "benchmark.completion")
        operation.setCompletionBlockWithSuccess(
            { _, _ in done.signal() },
            failure: { _, error in
                outcome.error = error
                done.signal()
            })
        ProcessUsage.resetPeak()
        let idle = ProcessUsage.residentKiB
        let cpu = ProcessUsage.cpuSeconds
        let start = monotonicSeconds()
        operation.start()
        guard done.wait(timeout: .now() + 120) == .success else { throw BenchmarkError("no end after 120 s") }
        let end = monotonicSeconds()
        if let error = outcome.error { throw BenchmarkError("\(error)") }
        return [
            "seconds": end - start, "cpuSeconds": ProcessUsage.cpuSeconds - cpu,
            "peakOverIdleKiB": max(0, ProcessUsage.peakKiB - idle),
        ]
    }
}
