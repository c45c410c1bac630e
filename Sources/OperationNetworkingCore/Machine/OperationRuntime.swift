// SPDX-License-Identifier: MIT
package import Dispatch
package import Foundation
internal import NetworkingSupport
package import NetworkingTransport

/// The threads and the engine that operations run on. A simulation puts its own in place, and so do stubs.
package protocol OperationRuntime: Sendable {
    /// Tells one installation from another. Nil: the live runtime.
    var identity: ObjectIdentifier? { get }
    /// True if the caller is on the network thread, which owns every attempt.
    var isNetworkThread: Bool { get }
    /// Runs `work` on the network thread, in order with the caller's other commands to it.
    func onNetworkThread(_ work: @escaping @Sendable () -> Void)
    /// Runs `work` on the network thread once nothing is left to receive for the moment, or before too long.
    func atNetworkRest(_ work: @escaping @Sendable () -> Void)
    /// Runs `work` on the network thread some milliseconds later: something else may have done it by then.
    func soonOnNetworkThread(_ work: @escaping @Sendable () -> Void)
    func start(_ transfer: Transfer)
    func cancel(_ transfer: Transfer)
    func resumeReceiving(_ transfer: Transfer)
    /// Suspends a transfer in its place, or puts it back into the waiting list if it has not been sent.
    func hold(_ transfer: Transfer)
    /// Lets a transfer go on that was held.
    func release(_ transfer: Transfer)
    /// Runs a serializer, or other work that waits for nothing, on one of a few threads, of which no origin gets all.
    func onParsingThread(for origin: String, _ work: @escaping @Sendable () -> Void)
    /// Runs a user's block or serializer that may wait, even for another operation: there is a thread for each.
    func onBlockThread(_ work: @escaping @Sendable () -> Void)
    /// Runs work that changes files, and calls nothing that may wait, on one of a few threads.
    func onFileThread(_ work: @escaping @Sendable () -> Void)
    /// Runs the cancellation that a Swift task asks for, or work that resumes a task, on one of a few threads.
    func onCancellingThread(_ work: @escaping @Sendable () -> Void)
    /// True if the caller's thread is one of the library's, on which no Swift task is cancelled.
    var holdsNoTask: Bool { get }
    /// Runs `work` on the user's queue, or the main queue.
    func on(_ queue: DispatchQueue, _ work: @escaping @Sendable () -> Void)
    /// Runs a completion on the user's queue, or the main queue, after notifications that wait for that queue.
    func complete(on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void)
    /// Stops the program if the caller is not on a queue of `on(_:_:)`.
    func assertOn(_ queue: DispatchQueue)
    /// Runs `work` after this call has returned, on any thread.
    func later(_ work: @escaping @Sendable () -> Void)
    /// Runs `work`, which must not block, on any thread when `seconds` have passed.
    func after(_ seconds: TimeInterval, _ work: @escaping @Sendable () -> Void)
    /// Runs the user's asynchronous work, such as an interceptor's, off the library's threads.
    func task<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) -> Task<Result, Never>
    /// Seconds since some moment.
    var uptime: TimeInterval { get }
    /// The date, by which stored responses age.
    var date: Date { get }
    /// A number from 0 up to 1, for what is left to chance.
    var chance: Double { get }
    /// Returns the number of requests to one origin that the engine has in flight at a time, over so many connections
    /// at most.
    func capacity(ofOrigin origin: String, connections: Int) -> Int
    /// Calls `body` whenever the capacity of an origin may have changed. Nil: that of any.
    func whenCapacityChanges(_ body: @escaping @Sendable (_ origin: String?) -> Void)
    /// Makes a change to a cache, after those before it, on the one thread for that.
    func onCachingThread(_ work: @escaping @Sendable () -> Void)
}

extension OperationRuntime {
    package var identity: ObjectIdentifier? { nil }
    package func onCancellingThread(_ work: @escaping @Sendable () -> Void) { onBlockThread(work) }
    package func onFileThread(_ work: @escaping @Sendable () -> Void) { onBlockThread(work) }
    package var holdsNoTask: Bool { true }

    /// Runs a serializer's work on a thread that suits it: the library's serializers wait for nothing, a user's may
    /// wait for anything.
    package func parse(
        with serializer: any URLResponseSerialization, for origin: String, _ work: @escaping @Sendable () -> Void
    ) {
        let waitsForNobody = (serializer as? HTTPResponseSerializer)?.waitsForNobody == true
        if waitsForNobody { onParsingThread(for: origin, work) } else { onBlockThread(work) }
    }

    package func atNetworkRest(_ work: @escaping @Sendable () -> Void) { onNetworkThread(work) }
    package func soonOnNetworkThread(_ work: @escaping @Sendable () -> Void) { onNetworkThread(work) }
    package func complete(on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) { on(queue, work) }
    package func assertOn(_ queue: DispatchQueue) { dispatchPrecondition(condition: .onQueue(queue)) }
    package var date: Date { Date() }
    package func whenCapacityChanges(_ body: @escaping @Sendable (_ origin: String?) -> Void) {}
    package func onCachingThread(_ work: @escaping @Sendable () -> Void) { LiveRuntime.caching.perform(work) }
}

/// The runtime of work that belongs to no operation, and of operations that have no runtime of their own.
package enum Runtime {
    #if DEBUG
        /// Replaced, if at all, before the first operation is made.
        package nonisolated(unsafe) static var current: any OperationRuntime = LiveRuntime()
    #else
        package static let current = LiveRuntime()
    #endif
}

/// The network thread, threads of our own for parsing and for the user's blocks, and dispatch queues for the rest.
package struct LiveRuntime: OperationRuntime {
    /// As many threads as processors for one origin, and two at least, so that one long parse does not hold up all
    /// others; and one more, so that what one origin sends does not hold up the others.
    private static let parsing = {
        let share = max(2, ProcessInfo.processInfo.activeProcessorCount)
        return WorkerPool(name: "ON.parsing", limit: share + 1, laneLimit: share)
    }()
    /// Blocks may wait for operations, whose blocks may wait in turn: a limit would be a deadlock.
    private static let blocks = WorkerPool(name: "ON.blocks", limit: .max, eagerLimit: 16, patience: 10)
    /// A disk gets no faster by more threads, and a batch of downloads has as many ends as members.
    private static let files = WorkerPool(name: "ON.files", limit: 8, patience: 10)
    fileprivate static let caching = WorkerPool(name: "ON.caching", limit: 1, patience: 10)

    /// Has a thread of its own, also when a program blocks all that dispatch shares out.
    private static let timers = DispatchQueue(label: "OperationNetworking.timers")

    package init() {}

    /// True if the caller is a user's block, which may wait.
    static var isBlockThread: Bool { blocks.isCurrentThread }

    package var isNetworkThread: Bool { TransportEngine.shared.isCurrentThread }

    package func onNetworkThread(_ work: @escaping @Sendable () -> Void) { TransportEngine.shared.perform(work) }
    package func atNetworkRest(_ work: @escaping @Sendable () -> Void) { TransportEngine.shared.performAtRest(work) }
    package func soonOnNetworkThread(_ work: @escaping @Sendable () -> Void) {
        TransportEngine.shared.performSoon(work)
    }
    package func start(_ transfer: Transfer) { TransportEngine.shared.start(transfer) }
    package func cancel(_ transfer: Transfer) { TransportEngine.shared.cancel(transfer) }
    package func resumeReceiving(_ transfer: Transfer) { TransportEngine.shared.resumeReceiving(transfer) }
    package func hold(_ transfer: Transfer) { TransportEngine.shared.hold(transfer) }
    package func release(_ transfer: Transfer) { TransportEngine.shared.release(transfer) }
    package func onParsingThread(for origin: String, _ work: @escaping @Sendable () -> Void) {
        Self.parsing.perform(lane: origin, work)
    }
    package func onBlockThread(_ work: @escaping @Sendable () -> Void) { Self.blocks.perform(work) }
    package func onCancellingThread(_ work: @escaping @Sendable () -> Void) { WorkerPool.cancelling.perform(work) }
    package func onFileThread(_ work: @escaping @Sendable () -> Void) { Self.files.perform(work) }
    package var holdsNoTask: Bool { isNetworkThread || WorkerPool.isOnOne }
    package func on(_ queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
    package func complete(on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) {
        NotificationMailbox.shared.expectDelivery(on: queue)
        queue.async {
            NotificationMailbox.shared.deliver(on: queue)
            work()
        }
    }
    package func later(_ work: @escaping @Sendable () -> Void) { DispatchQueue.global().async(execute: work) }
    package func after(_ seconds: TimeInterval, _ work: @escaping @Sendable () -> Void) {
        Self.timers.asyncAfter(deadline: .now() + seconds, execute: work)
    }
    package func task<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) -> Task<Result, Never> {
        Task.detached { await work() }
    }
    package var uptime: TimeInterval { Double(MonotonicClock.now) / 1e9 }
    package var chance: Double { Double.random(in: 0..<1) }
    package func capacity(ofOrigin origin: String, connections: Int) -> Int {
        TransportEngine.shared.capacity(ofOrigin: origin, connections: connections)
    }
    package func whenCapacityChanges(_ body: @escaping @Sendable (_ origin: String?) -> Void) {
        TransportEngine.shared.whenCapacityChanges(body)
    }
}
