// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworking

/// GET requests through Foundation's `URLSession`, or this library's with `own=true`, with completion handlers, for a while;
/// `tasks` of them for each connection, or one, are there at any time.
// Sendable because everything mutable is touched on the session's serial delegate queue only.
final class URLSessionLoad: @unchecked Sendable {
    private let session: URLSession
    private let done = DispatchSemaphore(value: 0)
    private let url: URL
    private let expectedLength: Int
    private var window: MeasuringWindow
    private var failure: String?

    static func run(_ options: Options) throws -> Figures {
        guard let url = URL(string: try options.string("url")) else { throw BenchmarkError("url= is no URL") }
        let connections = try options.count("connections")
        let load = URLSessionLoad(
            url: url, isOwn: options.flag("own"), connections: connections, expectedLength: try options.count("length"),
            window: MeasuringWindow(warmUp: try options.number("warmup"), seconds: try options.number("seconds")))
        return try load.run(inFlight: connections * (options.optionalString("tasks").flatMap(Int.init) ?? 1))
    }

    private init(url: URL, isOwn: Bool, connections: Int, expectedLength: Int, window: MeasuringWindow) {
        self.url = url
        self.expectedLength = expectedLength
        self.window = window
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = connections
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        session =
            isOwn
            ? OperationURLSession(configuration: configuration, delegate: nil, delegateQueue: queue)
            : URLSession(configuration: configuration, delegate: nil, delegateQueue: queue)
    }

    private func run(inFlight: Int) throws -> Figures {
        for _ in 0..<inFlight { enqueue() }
        guard done.wait(timeout: .now() + 60) == .success else { throw BenchmarkError("no end after 60 s") }
        if let failure { throw BenchmarkError(failure) }
        return window.figures ?? [:]
    }

    private func enqueue() {
        let begin = monotonicSeconds()
        session.dataTask(with: url) { [self] data, _, error in
            guard failure == nil, window.figures == nil else { return }
            guard data?.count == expectedLength else {
                failure = error.map { "\($0)" } ?? "unexpected content"
                done.signal()
                return
            }
            if window.count(since: begin) {
                enqueue()
            } else {
                done.signal()
            }
        }.resume()
    }
}
