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
        var figures: Figures
        switch try options.string("to") {
        case "destination":
            operation.downloadDestination = DownloadDestination(fileURL: file)
            figures = try Transferring.run(operation)
        case "stream":
            operation.outputStream = OutputStream(url: file, append: false)
            figures = try Transferring.run(operation)
        case "task":
            let session = OperationURLSession(configuration: .ephemeral)
            figures = try Transferring.measure { end in
                session.downloadTask(with: url) { location, _, error in
                    guard let location else { return end(error) }
                    do {
                        try FileManager.default.moveItem(at: location, to: file)
                        end(nil)
                    } catch {
                        end(error)
                    }
                }.resume()
            }
        default: throw BenchmarkError("to= is neither destination nor stream nor task")
        }
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
        guard size == (try options.count("length")) else { throw BenchmarkError("the file has \(size ?? 0) bytes") }
        figures["bytes"] = size.map(Double.init)
        return figures
    }
}

/// One operation, from start to completion block, or a task.
enum Transferring {
    // Sendable because it is read after the semaphore was signalled.
    private final class Outcome: @unchecked Sendable {
        var error: (any Error)?
    }

    static func run(_ operation: HTTPRequestOperation) throws -> Figures {
        operation.completionQueue = DispatchQueue(label: "benchmark.completion")
        return try measure { end in
            operation.setCompletionBlockWithSuccess({ _, _ in end(nil) }, failure: { end($1) })
            operation.start()
        }
    }

    /// - Parameter begin: begins what is measured, and hands over what is to be called at its end.
    static func measure(_ begin: (@escaping @Sendable ((any Error)?) -> Void) -> Void) throws -> Figures {
        let done = DispatchSemaphore(value: 0)
        let outcome = Outcome()
        ProcessUsage.resetPeak()
        let idle = ProcessUsage.residentKiB
        let cpu = ProcessUsage.cpuSeconds
        let start = monotonicSeconds()
        begin { error in
            outcome.error = error
            done.signal()
        }
        guard done.wait(timeout: .now() + 120) == .success else { throw BenchmarkError("no end after 120 s") }
        let end = monotonicSeconds()
        if let error = outcome.error { throw BenchmarkError("\(error)") }
        return [
            "seconds": end - start, "cpuSeconds": ProcessUsage.cpuSeconds - cpu,
            "peakOverIdleKiB": max(0, ProcessUsage.peakKiB - idle),
        ]
    }
}
