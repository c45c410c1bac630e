// SPDX-License-Identifier: MIT
internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOPosix

/// GET requests through AsyncHTTPClient, on two event loops, for a while; one for each connection is under way at any
/// time. With futures, which take less processor time here than `await`.
// Sendable because everything mutable is guarded by `lock`.
final class AsyncHTTPClientLoad: @unchecked Sendable {
    private let client: HTTPClient
    private let done = DispatchSemaphore(value: 0)
    private let url: String
    private let expectedLength: Int
    private let lock = NSLock()
    private var window: MeasuringWindow
    private var failure: String?

    static func run(_ options: Options) throws -> Figures {
        let connections = try options.count("connections")
        let load = AsyncHTTPClientLoad(
            url: try options.string("url"), connections: connections, expectedLength: try options.count("length"),
            window: MeasuringWindow(warmUp: try options.number("warmup"), seconds: try options.number("seconds")))
        return try load.run(inFlight: connections)
    }

    private init(url: String, connections: Int, expectedLength: Int, window: MeasuringWindow) {
        self.url = url
        self.expectedLength = expectedLength
        self.window = window
        var configuration = HTTPClient.Configuration()
        configuration.httpVersion = .http1Only
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
        client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
    }

    private func run(inFlight: Int) throws -> Figures {
        for _ in 0..<inFlight { enqueue() }
        guard done.wait(timeout: .now() + 60) == .success else { throw BenchmarkError("no end after 60 s") }
        let (reason, figures) = lock.withLock { (failure, window.figures) }
        // What is still under way fails now, which changes nothing any more.
        try client.syncShutdown()
        if let reason { throw BenchmarkError(reason) }
        return figures ?? [:]
    }

    private func enqueue() {
        client.get(url: url).whenComplete { [self] result in
            switch result {
            case .success(let response):
                if ended(length: response.body?.readableBytes) { enqueue() }
            case .failure(let error): stop("\(error)")
            }
        }
    }

    /// One more has ended; false when there is no more to do.
    private func ended(length: Int?) -> Bool {
        guard length == expectedLength else {
            stop("unexpected content")
            return false
        }
        let goesOn = lock.withLock { failure == nil && window.count() }
        if !goesOn { done.signal() }
        return goesOn
    }

    private func stop(_ reason: String) {
        lock.withLock { failure = failure ?? reason }
        done.signal()
    }
}
