// SPDX-License-Identifier: MIT
#if ServiceLifecycle
    public import Foundation
    public import ServiceLifecycle

    /// A durable queue as a service of swift-service-lifecycle, with the package trait `ServiceLifecycle`.
    ///
    /// It sends what is in the store, and waits for more. A graceful shutdown, such as that of a `ServiceGroup` after
    /// SIGTERM, drains it; a cancellation gives back what runs.
    public struct DurableRequestService: Service {
        private let queue: DurableRequestQueue
        private let timeout: TimeInterval?

        /// A service that runs a queue.
        ///
        /// - Parameters:
        ///   - queue: the queue, which nothing else runs.
        ///   - timeout: seconds that a drain lets requests take, before the rest is given back. 20 by default; nil: as
        ///     long as it takes.
        public init(_ queue: DurableRequestQueue, drainTimeout timeout: TimeInterval? = 20) {
            self.queue = queue
            self.timeout = timeout
        }

        /// Runs the queue until the service is shut down.
        ///
        /// - Throws: as ``DurableRequestQueue/run(endsWhenEmpty:)`` does.
        public func run() async throws {
            try await withGracefulShutdownHandler {
                try await queue.run(endsWhenEmpty: false)
            } onGracefulShutdown: {
                Task { await queue.drain(timeout: timeout) }
            }
        }
    }
#endif
