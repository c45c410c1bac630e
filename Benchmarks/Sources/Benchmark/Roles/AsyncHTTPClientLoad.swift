// SPDX-License-Identifier: MIT
internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// GET requests through AsyncHTTPClient, on two event loops, for a while; one for each connection is under way at any
/// time, or `connections` as streams with `version=2`. With futures, which take less processor time here than `await`.
/// `ca=` is a file with the certificate authority that is trusted.
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
            window: MeasuringWindow(warmUp: try options.number("warmup"), seconds: try options.number("seconds")),
            isHTTP2: options.optionalString("version") == "2", authority: options.optionalString("ca"))
        return try load.run(inFlight: connections)
    }

    private init(
        url: String, connections: Int, expectedLength: Int, window: MeasuringWindow, isHTTP2: Bool, authority: String?
    ) {
        self.url = url
        self.expectedLength = expectedLength
        self.window = window
        var configuration = HTTPClient.Configuration()
        configuration.httpVersion = isHTTP2 ? .automatic : .http1Only
        if let authority {
            configuration.tlsConfiguration = .makeClientConfiguration()
            configuration.tlsConfiguration?.trustRoots = .file(authority)
        }
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
        let begin = monotonicSeconds()
        client.get(url: url).whenComplete { [self] result in
            switch result {
            case .success(let response):
                if ended(length: response.body?.readableBytes, since: begin) { enqueue() }
            case .failure(let error): stop("\(error)")
            }
        }
    }

    /// One more has ended; false when there is no more to do.
    private func ended(length: Int?, since begin: Double) -> Bool {
        guard length == expectedLength else {
            stop("unexpected content")
            return false
        }
        let goesOn = lock.withLock { failure == nil && window.count(since: begin) }
        if !goesOn { done.signal() }
        return goesOn
    }

    private func stop(_ reason: String) {
        lock.withLock { failure = failure ?? reason }
        done.signal()
    }
}
