// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworking

/// GET requests through a manager of operations or of sessions (`face=sessions`), with a success block, for a while; from its
/// cache with `cached=true`; over HTTP/2 with `version=2`. With `cache=default` the manager keeps the cache that it has by
/// itself; `among=N` asks for N URLs in turn, `among=0` for another one each time, and `fill=true` ends when each was asked
/// for once and is on the disk. `ca=` is a file with the certificate authority that is trusted.
///
/// Four requests for each connection, or `tasks=`, are in the queue at any time: every completion enqueues the next.
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
    /// Nil: one URL.
    private var among: Int?
    private var number = 0
    private var ended = 0
    private var threads = 0.0
    private var isFilling = false

    static func run(_ options: Options) throws -> Figures {
        let connections = try options.count("connections")
        let load = LibraryLoad(
            url: try options.string("url"), connections: connections, expectedLength: try options.count("length"),
            window: MeasuringWindow(warmUp: try options.number("warmup"), seconds: try options.number("seconds")))
        let cache = options.flag("cached") ? URLCache(memoryCapacity: 1 << 24, diskCapacity: 0, diskPath: nil) : nil
        if options.optionalString("version") == "2" {
            load.manager.httpVersionPreference = load.url.hasPrefix("https:") ? .http2 : .http2PriorKnowledge
        }
        if let authority = options.optionalString("ca") {
            let policy = SecurityPolicy(pinningMode: .none)
            policy.anchorCertificates = try SecurityPolicy.certificates(
                from: Data(contentsOf: URL(fileURLWithPath: authority)))
            load.manager.securityPolicy = policy
        }
        if options.optionalString("face") == "sessions" {
            load.sessions = load.makeSessions(connections, cache)
        } else if options.optionalString("cache") != "default" {
            load.manager.urlCache = cache
        }
        load.among = options.optionalString("among").flatMap { Int($0) }
        load.isFilling = options.flag("fill")
        return try load.run(inFlight: connections * (options.optionalString("tasks").flatMap(Int.init) ?? 4))
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
        queue.sync { for _ in 0..<inFlight { enqueue() } }
        guard done.wait(timeout: .now() + 60) == .success else { throw BenchmarkError("no end after 60 s") }
        return try queue.sync {
            if let failure { throw BenchmarkError(failure) }
            if isFilling {
                waitForDisk()
                return [:]
            }
            return (window.figures ?? [:]).merging(["threads": threads]) { own, _ in own }
        }
    }

    /// Until nothing has been added to the folder for caches for a while.
    private func waitForDisk() {
        let folder = URL(fileURLWithPath: ProcessInfo.processInfo.environment["XDG_CACHE_HOME"] ?? "/nonexistent")
        var (last, quiet) = (0, 0)
        while quiet < 5 {
            usleep(100_000)
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.fileSizeKey])
            let size = (files?.allObjects ?? []).compactMap { ($0 as? URL)?.path }
                .compactMap { try? FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int }.reduce(0, +)
            quiet = size == last ? quiet + 1 : 0
            last = size
        }
    }

    private var nextURL: String {
        guard let among else { return url }
        number += 1
        return url + "?\(among == 0 ? number : number % among)"
    }

    private func enqueue() {
        let url = nextURL
        let begin = monotonicSeconds()
        if let sessions {
            sessions.get(
                url, success: { [self] _, object in take(object, since: begin) }, failure: { [self] in stop("\($1)") })
        } else {
            manager.get(
                url, success: { [self] _, object in take(object, since: begin) }, failure: { [self] in stop("\($1)") })
        }
    }

    private func take(_ object: Any?, since begin: Double) {
        guard (object as? Data)?.count == expectedLength else { return stop("unexpected content") }
        ended += 1
        if among != nil, ended.isMultiple(of: 64) { threads = max(threads, ProcessUsage.threads) }
        if isFilling {
            if ended == among {
                done.signal()
            } else if ended < among ?? 0 {
                enqueue()
            }
        } else if window.count(since: begin) {
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
