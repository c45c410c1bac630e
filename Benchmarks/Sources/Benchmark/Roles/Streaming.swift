// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworking

/// A large response that is read piece by piece and thrown away: `through=` is `chunks`, `own` (a data delegate of
/// `OperationURLSession`) or `urlsession` (of Foundation's).
enum Streaming {
    static func run(_ options: Options) throws -> Figures {
        guard let url = URL(string: try options.string("url")), let idleURL = URL(string: try options.string("idleurl"))
        else { throw BenchmarkError("url= or idleurl= is no URL") }
        let through = try options.string("through")
        // After one small request, so that the engine is there: what is measured is what the large one adds.
        _ = try read(idleURL, through)
        ProcessUsage.resetPeak()
        let idle = ProcessUsage.residentKiB
        let cpu = ProcessUsage.cpuSeconds
        let start = monotonicSeconds()
        let count = try read(url, through)
        let end = monotonicSeconds()
        guard count == (try options.count("length")) else { throw BenchmarkError("\(count) bytes came") }
        return [
            "seconds": end - start, "cpuSeconds": ProcessUsage.cpuSeconds - cpu, "bytes": Double(count),
            "peakOverIdleKiB": max(0, ProcessUsage.peakKiB - idle),
        ]
    }

    /// - Returns: how many bytes came.
    private static func read(_ url: URL, _ through: String) throws -> Int {
        let reader = Reader()
        switch through {
        case "chunks":
            Task {
                do {
                    for try await chunk in HTTPRequestOperation(request: URLRequest(url: url)).chunks {
                        reader.take(chunk.count)
                    }
                    reader.end(nil)
                } catch {
                    reader.end(error)
                }
            }
        case "own":
            OperationURLSession(configuration: .ephemeral, delegate: reader, delegateQueue: nil).dataTask(with: url)
                .resume()
        case "urlsession":
            URLSession(configuration: .ephemeral, delegate: reader, delegateQueue: nil).dataTask(with: url).resume()
        default: throw BenchmarkError("through= is neither chunks, own nor urlsession")
        }
        return try reader.wait()
    }

    /// Counts what comes.
    // Sendable because one thread at a time counts, and the count is read when the semaphore was signalled.
    private final class Reader: NSObject, URLSessionDataDelegate, @unchecked Sendable {
        private let done = DispatchSemaphore(value: 0)
        private var count = 0
        private var error: (any Error)?

        func take(_ bytes: Int) { count += bytes }

        func end(_ error: (any Error)?) {
            self.error = error
            done.signal()
        }

        func wait() throws -> Int {
            guard done.wait(timeout: .now() + 120) == .success else { throw BenchmarkError("no end after 120 s") }
            if let error { throw BenchmarkError("\(error)") }
            return count
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) { take(data.count) }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            end(error)
        }
    }
}
