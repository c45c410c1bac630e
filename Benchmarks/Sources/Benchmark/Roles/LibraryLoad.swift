// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworking

/// GET requests through a manager of operations or of sessions (`face=sessions`), with a success block, for a while; from its
/// cache with `cached=true`; over HTTP/2 with `version=2`.
///
/// Four requests for each connection are in the queue at any time: every completion enqueues the next.
// Sendable because everything mutable is touched on `queue` only, or before the first request.
final class LibraryLoad: @unchecked Sendable {
    private let manager = HTTPRequestOperationManager()
    /// Nil: operations.
    private var sessions: HTTPSessionManager?
    private let queue = DispatchQueue(label: "benchmark.completion")
    private let done = DispatchSemaphore(value: 0)
    private let url: String
    private let expectedLength: Int
    private var window: MeasuringWindow
    private var failure: String?

    static func run(_ options: Options) throws -> Figures {
        let connections = try options.count("connections")
        let load = LibraryLoad(
            url: try options.string("url"), connections: connections, expectedLength: try options.count("length"),
            window: MeasuringWindow(warmUp: try options.number("warmup"), seconds: try options.number("seconds")))
        let cache = options.flag("cached") ? URLCache(memoryCapacity: 1 << 24, diskCapacity: 0, diskPath: nil) : nil
        if options.optionalString("version") == "2" { load.manager.httpVersionPreference = .http2PriorKnowledge }
        if options.optionalString("face") == "sessions" {
            load.sessions = load.makeSessions(connections, cache)
        } else {
            load.manager.urlCache = cache
        }
        return try load.run(inFlight: 4 * connections)
    }

    private init(url: String, connections: Int, expectedLength: Int, window: MeasuringWindow) {
        self.url = url
        self.expectedLength = expectedLength
        self.window = window
        NetworkEngine.maximumConnectionsPerHost = connections
        manager.responseSerializer = HTTPResponseSerializer()
        manager.completionQueue = queue
        manager.operationQueue.maxConcurrentOperationCount = connections
    }

    private func makeSessions(_ connections: Int, _ cache: URLCache?) -> HTTPSessionManager {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = connections
        configuration.urlCache = cache
        let sessions = HTTPSessionManager(baseURL: nil, sessionConfiguration: configuration)
        sessions.responseSerializer = HTTPResponseSerializer()
        sessions.completionQueue = queue
        return sessions
    }

    private func run(inFlight: Int) throws -> Figures {
        for _ in 0..<inFlight { enqueue() }
        guard done.wait(timeout: .now() + 60) == .success else { throw BenchmarkError("no end after 60 s") }
        return try queue.sync {
            if let failure { throw BenchmarkError(failure) }
            return window.figures ?? [:]
        }
    }

    private func enqueue() {
        if let sessions {
            sessions.get(url, success: { [self] _, object in take(object) }, failure: { [self] in stop("\($1)") })
        } else {
            manager.get(url, success: { [self] _, object in take(object) }, failure: { [self] in stop("\($1)") })
        }
    }

    private func take(_ object: Any?) {
        guard (object as? Data)?.count == expectedLength else { return stop("unexpected content") }
        if window.count() {
            enqueue()
        } else {
            done.signal()
        }
    }

    private func stop(_ reason: String) {
        failure = failure ?? reason
        done.signal()
    }
}
