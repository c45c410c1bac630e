// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import NetworkingSupport
import NetworkingTransport

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// The library's threads and engine, simulated.
// Sendable because the simulation has one thread.
final class SimulatedRuntime: OperationRuntime, @unchecked Sendable {
    /// The simulation that is running.
    var scheduler: Scheduler
    var engine: ScriptedEngine
    private lazy var executor = SimulatedExecutor(self)

    init() {
        scheduler = Scheduler(seed: 0)
        engine = ScriptedEngine(scheduler)
    }

    var isNetworkThread: Bool { scheduler.isOnNetworkThread }
    func onNetworkThread(_ work: @escaping @Sendable () -> Void) { scheduler.onNetworkThread(work) }
    func start(_ transfer: Transfer) { scheduler.onNetworkThread { [engine] in engine.start(transfer) } }
    func cancel(_ transfer: Transfer) { scheduler.onNetworkThread { [engine] in engine.cancel(transfer) } }
    func resumeReceiving(_ transfer: Transfer) {}
    func hold(_ transfer: Transfer) { scheduler.onNetworkThread { [engine] in engine.hold(transfer, true) } }
    func release(_ transfer: Transfer) { scheduler.onNetworkThread { [engine] in engine.hold(transfer, false) } }
    func onParsingThread(for origin: String, _ work: @escaping @Sendable () -> Void) { scheduler.onPool(work) }
    func onBlockThread(_ work: @escaping @Sendable () -> Void) { scheduler.onPool(work) }
    func on(_ queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) {
        scheduler.on(ObjectIdentifier(queue), work)
    }
    /// There is one thread.
    func assertOn(_ queue: DispatchQueue) {}
    func onCachingThread(_ work: @escaping @Sendable () -> Void) { scheduler.on(ObjectIdentifier(self), work) }
    func later(_ work: @escaping @Sendable () -> Void) { scheduler.onPool(work) }
    func after(_ seconds: TimeInterval, _ work: @escaping @Sendable () -> Void) { scheduler.after(seconds, work) }
    func task<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) -> Task<Result, Never> {
        Task(executorPreference: executor) { await work() }
    }
    var uptime: TimeInterval { scheduler.now }
    var date: Date { Date(timeIntervalSince1970: 1_800_000_000 + scheduler.now) }
    var chance: Double { Double(scheduler.random.below(1024)) / 1024 }
    func capacity(ofOrigin origin: String, connections: Int) -> Int { min(ScriptedEngine.capacity, connections) }
}

/// Runs the pieces of asynchronous hooks as steps of the simulation.
// Sendable because the simulation has one thread.
private final class SimulatedExecutor: TaskExecutor, @unchecked Sendable {
    private unowned let runtime: SimulatedRuntime

    init(_ runtime: SimulatedRuntime) { self.runtime = runtime }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        runtime.scheduler.onPool { [self] in
            // Not nested: the concurrency runtime runs one job on a thread at a time.
            runtime.scheduler.atomically { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}
