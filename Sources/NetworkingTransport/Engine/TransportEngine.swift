// SPDX-License-Identifier: MIT
internal import NetworkingSupport
internal import Synchronization

/// The one transport of the process: a network thread with a run loop, libcurl, and what is waiting for it.
package final class TransportEngine: Sendable {
    /// The engine that every operation uses. Never torn down.
    package static let shared = TransportEngine()

    /// The host of a URL as connections are made to it: an IP address in its usual notation and without brackets, a
    /// name in its ASCII form and without the trailing dot. Nil when libcurl finds none.
    package static func host(of url: String) -> String? { TransferDriver.host(of: url) }

    /// True if the secrets of TLS connections made from now on go to the file that the environment variable
    /// SSLKEYLOGFILE names. False by default.
    package static var logsTLSSecrets: Bool {
        get { keyLogging.load(ordering: .relaxed) }
        set { keyLogging.store(newValue, ordering: .relaxed) }
    }
    private static let keyLogging = Atomic(false)

    let loop: EngineLoop
    private static let defaultConnectionsPerHost = 6

    /// Creates a separate engine, with its own thread.
    ///
    /// - Parameters:
    ///   - maximumHeaderBytes: Header bytes of one transfer, interim responses and trailers included, beyond which it
    ///     ends with `.tooLarge`.
    ///   - eventBatchSize: Socket events taken from the kernel at a time.
    package init(maximumHeaderBytes: Int = 1 << 18, eventBatchSize: Int = 256) {
        loop = EngineLoop(
            maximumHeaderBytes: maximumHeaderBytes, eventBatchSize: max(eventBatchSize, 1),
            connectionsPerOrigin: Self.defaultConnectionsPerHost)
        loop.start()
    }

    deinit { loop.submit(.shutdown) }

    /// True if the caller runs on this engine's network thread, or the engine could not be set up and has no thread.
    package var isCurrentThread: Bool { loop.thread.isCurrent || loop.setupError != nil }

    /// Connections at a time to one origin, and so transfers, unless it answers in HTTP/2 (see
    /// `capacity(ofOrigin:connections:)`). Other transfers wait in the engine, highest priority first, then in order. 6
    /// by default; at least 1. Transfers that are held on their connections do not count.
    package var maximumConnectionsPerHost: Int {
        get { loop.capacities.connectionLimit.load(ordering: .relaxed) }
        set {
            loop.capacities.connectionLimit.store(max(newValue, 1), ordering: .relaxed)
            loop.submit(.limitChanged)
        }
    }

    /// Connections at a time to all origins, in use or idle. `Int.max` by default; at least 1. Origins that wait for
    /// one take turns.
    package var maximumConnections: Int {
        get { loop.capacities.totalConnectionLimit.load(ordering: .relaxed) }
        set {
            loop.capacities.totalConnectionLimit.store(max(newValue, 1), ordering: .relaxed)
            loop.submit(.limitChanged)
        }
    }

    /// Seconds after which an idle connection is not used again. 60 by default; at least 0.
    package var idleConnectionTimeout: Double {
        get { Double(loop.capacities.idleConnectionTimeout.load(ordering: .relaxed)) / 1_000_000_000 }
        set {
            // A century is for ever.
            let nanoseconds = newValue > 0 ? UInt64(min(newValue, 3_155_760_000) * 1_000_000_000) : 0
            loop.capacities.idleConnectionTimeout.store(nanoseconds, ordering: .relaxed)
            loop.submit(.limitChanged)
        }
    }

    /// The capabilities of the libcurl and the TLS library in use.
    package static var capabilities: TransportCapabilities { CurlGlobal.capabilities }

    /// Transfers that the engine carries out at a time to an origin: more of them wait in its list. As many as
    /// connections, or as streams once a response of the origin came in HTTP/2. From any thread, also with a lock held.
    ///
    /// - Parameters:
    ///   - origin: As in `RequestTarget.origin`.
    ///   - connections: The number of connections that the caller wants to use at most.
    package func capacity(ofOrigin origin: String, connections: Int = .max) -> Int {
        loop.capacities.capacity(of: origin, connections: connections)
    }

    /// Calls `body` on the network thread once, and whenever the capacity of an origin may have changed after that.
    ///
    /// - Parameter body: gets the origin, as in `RequestTarget.origin`. Nil: that of any may have changed.
    package func whenCapacityChanges(_ body: @escaping @Sendable (_ origin: String?) -> Void) {
        loop.submit(
            .perform { [loop] in
                if loop.thread.isCurrent { loop.capacityObservers.append(body) }
                body(nil)
            })
    }

    /// Begins a transfer. From any thread; on the network thread it takes effect in the same pass of its loop.
    package func start(_ transfer: Transfer) { loop.submit(.start(transfer)) }

    /// Ends a transfer with `.cancelled`, unless it has finished. From any thread, any number of times, also before
    /// `start`'s effect.
    package func cancel(_ transfer: Transfer) { loop.submit(.cancel(transfer)) }

    /// Lets content flow again after the handler answered `.pause`. From any thread.
    package func resumeReceiving(_ transfer: Transfer) { loop.submit(.resumeReceiving(transfer)) }

    /// Stops a transfer where it is, in both directions, without ending it. Its idle time stops, and a connection on
    /// which it has sent its request stays open. It has no slot meanwhile: one that waits, or has sent nothing yet,
    /// waits for a slot when it is released. From any thread, also before `start`'s effect.
    package func hold(_ transfer: Transfer) { loop.submit(.hold(transfer)) }

    /// Lets a held transfer go on where it was. From any thread.
    package func release(_ transfer: Transfer) { loop.submit(.release(transfer)) }

    /// Runs `work` on the network thread, in order with the other commands of the calling thread; when that thread has
    /// ended, or could not be started, on the calling thread.
    package func perform(_ work: @escaping @Sendable () -> Void) { loop.submit(.perform(work)) }

    /// Runs `work` as `perform` does, but when nothing is left to read from the sockets for the moment, or after a few
    /// looks at them: for what is better done once for much content than again and again for little.
    package func performAtRest(_ work: @escaping @Sendable () -> Void) { loop.submit(.performAtRest(work)) }

    /// Runs `work` as `perform` does, but some 2 ms later: for what something else may have done by then.
    package func performSoon(_ work: @escaping @Sendable () -> Void) { loop.submit(.performSoon(work)) }

    /// Calls `body` on the network thread whenever `descriptor` can be read, until `unwatch`. It has to read until
    /// nothing is left, or it is called again at once, and must not block. With `.priority`: once for each time that
    /// the kernel has something exceptional to report. On the network thread.
    ///
    /// - Returns: errno when it cannot be watched, or the thread has ended.
    package func watch(
        _ descriptor: Int32, for event: DescriptorEvent = .readable, _ body: @escaping @Sendable () -> Void
    ) -> Int32? {
        loop.watch(descriptor, for: event, body)
    }

    /// Ends a watch, before the descriptor is closed. On the network thread.
    package func unwatch(_ descriptor: Int32) { loop.unwatch(descriptor) }

    /// Ends every transfer with `.cancelled` and the thread, and returns when it has ended; on the network thread it
    /// returns at once. Any number of times. A transfer started afterwards ends at once, on the calling thread.
    package func shutdown() {
        loop.submit(.shutdown)
        if !loop.thread.isCurrent, loop.setupError == nil, !NetworkThread.isParking { loop.thread.join() }
    }
}
