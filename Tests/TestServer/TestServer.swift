// SPDX-License-Identifier: MIT
package import Foundation
internal import FoundationNetworking
internal import NIOCore
internal import NIOPosix
package import TestTLS

/// An HTTP/1.1 server in this process that answers with scripts, also bad ones, and records what it was asked.
///
/// ```swift
/// let server = try TestServer()
/// server.respond(to: "/hello") { _ in .ok("hello") }
/// server.enqueue(.ok("x").ending(.reset, afterBodyBytes: 0))
/// ```
/// It stops when `stop()` is called or the object goes away.
package final class TestServer: Sendable {
    package struct Limits: Sendable {
        /// How much of a request's body is kept.
        package var recordedBody = 16 << 20
        /// Whether requests with Expect: 100-continue are told to go on.
        package var answersExpectContinue = true
        /// The size of the kernel's buffers for each connection; nil: the system's own.
        package var receiveBuffer: Int?
        package var sendBuffer: Int?
        package init() {}
    }

    package let port: Int
    /// The addresses it listens on.
    package let addresses: [String]
    private let core: ServerCore
    private let tls: Monitor<TLSServerContext?>
    private let listeners: [any Channel]
    private let isSecure: Bool

    /// Listens on a free port, the same one at each address.
    ///
    /// - Parameters:
    ///   - greeting: Played on each connection when it is accepted, before requests are read. With `tls` it goes through
    ///     TLS; to disturb a handshake leave `tls` out and use a URL with the scheme https.
    package init(
        tls settings: TLSSettings? = nil, addresses: [String] = ["127.0.0.1"], limits: Limits = Limits(),
        greeting: [ScriptStep] = []
    ) throws {
        Self.withoutSharedCache
        let core = ServerCore(limits: limits, greeting: greeting)
        let tls = Monitor(try settings.map(TLSServerContext.init))
        var bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 2048)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try Self.prepare(channel, core: core, tls: tls.withLock { $0 })
                }
            }
        // Set on the listening socket: connections inherit it before their windows are announced.
        if let size = limits.receiveBuffer {
            bootstrap = bootstrap.serverChannelOption(.socketOption(.so_rcvbuf), value: SocketOptionValue(size))
        }
        if let size = limits.sendBuffer {
            bootstrap = bootstrap.serverChannelOption(.socketOption(.so_sndbuf), value: SocketOptionValue(size))
        }
        listeners = try Self.bind(bootstrap, to: addresses)
        self.core = core
        self.tls = tls
        self.addresses = addresses
        self.port = listeners.first?.localAddress?.port ?? 0
        self.isSecure = settings != nil
    }

    /// Ports come again: what one test's server sent must not be the answer to another test's request.
    private static let withoutSharedCache: Void = {
        URLCache.shared = URLCache(memoryCapacity: 0, diskCapacity: 0, diskPath: nil)
    }()

    /// Binds to a free port at the first address and to the same at the others, where it may be taken: then tries again.
    private static func bind(_ bootstrap: ServerBootstrap, to addresses: [String]) throws -> [any Channel] {
        var attempts = 5
        while true {
            var listeners: [any Channel] = []
            do {
                for address in addresses {
                    let port = listeners.first?.localAddress?.port ?? 0
                    listeners.append(try bootstrap.bind(host: address, port: port).wait())
                }
                return listeners
            } catch {
                for listener in listeners { listener.close(promise: nil) }
                attempts -= 1
                guard attempts > 0, !listeners.isEmpty else { throw error }
            }
        }
    }

    deinit {
        for listener in listeners { listener.close(promise: nil) }
        core.monitor.withLock { $0.isStopped = true }
        core.closeConnections()
    }

    private static func prepare(_ channel: any Channel, core: ServerCore, tls: TLSServerContext?) throws {
        let handler = ConnectionHandler(core: core)
        let pipeline = channel.pipeline.syncOperations
        if let tls {
            try pipeline.addHandler(TLSHandshakeObserver { handler.note($0) })
            try pipeline.addHandler(TLSServerHandler(tls))
        }
        try pipeline.addHandler(handler)
    }

    /// Refuses new connections and ends those that are open. Doing it again changes nothing.
    package func stop() {
        for listener in listeners { try? listener.close().wait() }
        core.monitor.withLock { $0.isStopped = true }
        core.closeConnections()
        _ = core.monitor.wait(timeout: 5) { $0.closers.isEmpty ? true : nil }
    }

    /// Ends all connections that are open now, as if the server had been restarted.
    package func closeConnections() {
        core.closeConnections()
        _ = core.monitor.wait(timeout: 5) { $0.closers.isEmpty ? true : nil }
    }

    /// Secures connections accepted from now on in another way: another certificate on the same port.
    package func replaceTLS(with settings: TLSSettings) throws {
        let context = try TLSServerContext(settings)
        tls.withLock { $0 = context }
    }

    // MARK: Addresses

    /// A URL of this server. `path` is taken as it is: percent-encode what has to be.
    package func url(_ path: String = "/", host: String? = nil, scheme: String? = nil) -> URL {
        let name = host ?? addresses[0]
        let authority = name.contains(":") ? "[\(name)]" : name
        let text = "\(scheme ?? (isSecure ? "https" : "http"))://\(authority):\(port)\(path)"
        guard let url = URL(string: text) else { preconditionFailure("not a URL: \(text)") }
        return url
    }

    // MARK: Answers

    /// Answers requests for `path` (without query) with what `handler` returns. It is called on the server's thread and
    /// must not block: use gates in the response instead. With `.afterHead` the request is not complete when it is called.
    package func respond(
        to path: String, at moment: ScriptedResponse.Moment = .afterRequest,
        with handler: @escaping @Sendable (RecordedRequest) -> ScriptedResponse
    ) {
        core.monitor.withLock { $0.routes[path] = ServerCore.Route(moment: moment, handler: handler) }
    }

    /// Answers requests for `path` always with `response`.
    package func respond(to path: String, _ response: ScriptedResponse) {
        respond(to: path, at: response.moment) { _ in response }
    }

    /// Answers what neither `respond(to:)` nor `enqueue` answers. Without it: 404.
    package func respondToOthers(
        at moment: ScriptedResponse.Moment = .afterRequest,
        with handler: @escaping @Sendable (RecordedRequest) -> ScriptedResponse
    ) {
        core.monitor.withLock { $0.fallback = ServerCore.Route(moment: moment, handler: handler) }
    }

    /// Answers the next request for which there is no `respond(to:)` with the first of these, the one after it with the
    /// second, and so on.
    package func enqueue(_ responses: ScriptedResponse...) {
        core.monitor.withLock { $0.queue += responses }
    }
}

// MARK: - What it was asked

extension TestServer {
    /// All requests whose heads have come, in that order.
    package var requests: [RecordedRequest] { core.monitor.withLock { $0.requests } }

    /// All connections that were accepted, in that order.
    package var connections: [RecordedConnection] { core.monitor.withLock { $0.connections } }

    /// How many connections were accepted.
    package var connectionCount: Int { core.monitor.withLock { $0.connections.count } }

    package var openConnectionCount: Int { core.monitor.withLock { $0.closers.count } }

    /// The largest number of connections that were open at once.
    package var maximumSimultaneousConnections: Int { core.monitor.withLock { $0.maximumOpen } }

    /// The oldest complete request that this method has not returned yet; waits for it.
    package func nextRequest(timeout: TimeInterval = 10) async throws -> RecordedRequest {
        var request: RecordedRequest?
        try await eventually("a request", timeout: timeout) {
            request = core.monitor.withLock(Self.takeRequest)
            return request != nil
        }
        return try request ?? { throw TimedOutWaiting(description: "no request") }()
    }

    /// As `nextRequest`, but blocks the calling thread.
    package func waitForNextRequest(timeout: TimeInterval = 10) throws -> RecordedRequest {
        guard let request = core.monitor.wait(timeout: timeout, until: Self.takeRequest) else {
            throw TimedOutWaiting(description: "no request came within \(timeout) s")
        }
        return request
    }

    private static func takeRequest(_ state: inout ServerCore.State) -> RecordedRequest? {
        guard state.handedOut < state.requests.count, state.requests[state.handedOut].isComplete else { return nil }
        state.handedOut += 1
        return state.requests[state.handedOut - 1]
    }
}
