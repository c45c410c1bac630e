// SPDX-License-Identifier: MIT
public import Foundation
internal import NetworkingSupport
public import OperationNetworkingCore

/// A queue whose requests survive the end of the process, a deployment, a power cut. It keeps them in a
/// ``RequestStore``, and sends each as an operation of a manager, whose settings hold.
///
/// Any number of queues, in any number of processes, may use one store; each that runs is a worker. A request that was
/// added is sent at least once, and one whose end was recorded is never sent again. Between the two, a worker that is
/// killed may have sent it without having recorded that: then it is sent again, POST and PATCH with the same
/// `Idempotency-Key`.
///
/// ```swift
/// let queue = DurableRequestQueue(store: store, manager: manager)
/// let login = try await queue.add(request, group: "nightly")
/// try await queue.add(
///     detail, group: "nightly", after: [login], priority: .high,
///     destination: file)
/// try await queue.run()
/// ```
public final class DurableRequestQueue: Sendable {
    /// The settings of a queue.
    public struct Configuration: Sendable {
        /// The largest number of requests that this queue sends at once. 32 by default.
        public var maximumConcurrentRequests = 32
        /// The largest number of requests to one host and port that are sent at once, by all workers of the store
        /// together. Nil by default: no limit. All workers should have the same.
        public var maximumRequestsPerHost: Int?
        /// Seconds after which the requests of a worker that is gone are given to others. They are renewed every third
        /// of that, and at least every second. 30 by default.
        public var leaseDuration: TimeInterval = 30
        /// The number of leases of one request that may run out before it fails. One that brings its worker down each
        /// time must not do so for ever. 25 by default.
        public var maximumLosses = 25
        /// The rules for further attempts of requests that have none of their own.
        public var retryPolicy = DurableRetryPolicy()
        /// Seconds that ended requests and their results stay in the store. A week by default. They are removed by a
        /// queue that runs, once an hour.
        public var retention: TimeInterval = 604_800
        /// Bytes of a response's content that are stored at most. A larger one is left out of the result, but for those
        /// with a destination. 1 MiB by default.
        public var maximumStoredContent = 1 << 20
        /// The source of secrets. Nil by default: a request with a `secretReference` fails.
        public var secretProvider: (any DurableSecretProvider)?
        /// The file on this machine that stands for a stored destination, for example the same name in a folder of this
        /// worker's. Called before each attempt, on any thread. An attempt fails with an error that it throws. Nil by
        /// default: the file that is stored.
        public var destinationResolver: (@Sendable (DownloadDestination) throws -> DownloadDestination)?
        /// Events that wait for a slow reader. Further ones push out the oldest. 10 000 by default.
        public var eventCapacity = 10_000

        /// The defaults.
        public init() {}
    }

    /// The place of the requests.
    public let store: any RequestStore
    /// The manager that makes the operations.
    public let manager: HTTPRequestOperationManager
    /// The settings.
    public let configuration: Configuration
    /// The unique name of this worker in the store, of machine, process and a random number.
    public let worker: String

    let streams = EventStreams()
    /// The run that is under way.
    let run = Locked<DurableRun?>(nil)

    /// A queue. It sends nothing before ``run(endsWhenEmpty:)``.
    public init(
        store: any RequestStore, manager: HTTPRequestOperationManager, configuration: Configuration = Configuration()
    ) {
        self.store = store
        self.manager = manager
        self.configuration = configuration
        let process = ProcessInfo.processInfo
        worker =
            "\(process.hostName.utf8.count > 100 ? "host" : process.hostName)/\(process.processIdentifier)/"
            + String(UInt64.random(in: .min ... .max), radix: 36)
    }

    // MARK: Running

    /// Sends requests until the store has none that is open, those of other workers included, or the task is cancelled,
    /// or ``drain(timeout:)`` is called.
    ///
    /// With `endsWhenEmpty` false it waits for further requests instead, of this process and others.
    ///
    /// A task that is cancelled cancels its operations, gives the requests back, and returns; partial downloads stay.
    ///
    /// - Parameter endsWhenEmpty: true by default.
    /// - Throws: the store's error, if it fails: then the operations were cancelled, and their requests go back, at the
    ///   latest when their leases run out. `DurableRequestError` with `.alreadyRunning`.
    public func run(endsWhenEmpty: Bool = true) async throws {
        let new = DurableRun(self, endsWhenEmpty: endsWhenEmpty)
        let isFree = run.withLock { run in
            guard run == nil else { return false }
            run = new
            return true
        }
        guard isFree else {
            throw DurableRequestError(
                .alreadyRunning, "the queue is running already", advice: "wait for its end, or make another queue")
        }
        // Not this task's child: what is under way is recorded also after a cancellation.
        let work = Task { try await new.work() }
        let result = await withTaskCancellationHandler {
            await work.result
        } onCancel: {
            new.stop()
        }
        let last = run.withLock { $0.take() }
        withExtendedLifetime(last) {}
        streams.finish()
        new.ended.open()
        try result.get()
    }

    /// Takes no more requests, and returns when those under way have ended, and with them ``run(endsWhenEmpty:)``. At once, if the
    /// queue is not running.
    ///
    /// - Parameter timeout: seconds after which the rest is cancelled and given back. Nil by default: as long as it
    ///   takes.
    public func drain(timeout: TimeInterval? = nil) async {
        guard let present = run.withLock({ $0 }) else { return }
        present.drain(timeout: timeout)
        await present.ended.wait()
    }

    /// A stream of what the queue does from now on. It ends with the run under way, or the next one; a reader that is
    /// slow loses the oldest events.
    public var events: AsyncStream<DurableRequestEvent> { streams.add(capacity: max(configuration.eventCapacity, 1)) }

    /// Cancels the open requests of a group, wherever its members run. Other workers hear of it when they renew their
    /// leases, within a second.
    @discardableResult
    public func cancel(group: String) async throws -> CancellationCounts {
        let counts = try await store.cancel(group: group)
        run.withLock { $0 }?.renewSoon()
        return counts
    }

    /// Cancels requests, as ``cancel(group:)`` does.
    @discardableResult
    public func cancel(_ ids: [DurableRequest.ID]) async throws -> CancellationCounts {
        let counts = try await store.cancel(ids)
        run.withLock { $0 }?.renewSoon()
        return counts
    }
}
