// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import NetworkingTransport
internal import OperationNetworking

/// The threads of the library as steps of a scheduler. It has no network: stubs answer.
final class SimulatedRuntime: OperationRuntime, Sendable {
    let scheduler: SimulatedScheduler
    let executor: SimulatedExecutor
    /// Real, so that cookies and stored responses of the process are as old as they are.
    private let start = Date()

    init(_ scheduler: SimulatedScheduler) {
        self.scheduler = scheduler
        executor = SimulatedExecutor(scheduler)
    }

    var identity: ObjectIdentifier? { ObjectIdentifier(self) }
    var isNetworkThread: Bool { scheduler.isNetworkThread }
    func onNetworkThread(_ work: @escaping @Sendable () -> Void) { scheduler.onNetworkThread(work) }

    func start(_ transfer: Transfer) {
        let error = SimulationError.noStubs(url: transfer.request.url)
        scheduler.onNetworkThread {
            let outcome = TransferError(.substituted, message: error.description, cause: error)
            transfer.finish(TransferOutcome(error: outcome, timings: TransferTimings()))
        }
    }

    func cancel(_ transfer: Transfer) {}
    func resumeReceiving(_ transfer: Transfer) {}
    func hold(_ transfer: Transfer) {}
    func release(_ transfer: Transfer) {}
    func onParsingThread(for origin: String, _ work: @escaping @Sendable () -> Void) { scheduler.onPool(work) }
    func onBlockThread(_ work: @escaping @Sendable () -> Void) { scheduler.onPool(work) }
    func on(_ queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) {
        scheduler.on(ObjectIdentifier(queue), work)
    }
    /// There is one thread.
    func assertOn(_ queue: DispatchQueue) {}
    func later(_ work: @escaping @Sendable () -> Void) { scheduler.onPool(work) }
    func after(_ seconds: TimeInterval, _ work: @escaping @Sendable () -> Void) {
        scheduler.after(seconds, isSleep: false, work)
    }
    func task<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) -> Task<Result, Never> {
        Task(executorPreference: executor) { await work() }
    }
    var uptime: TimeInterval { scheduler.now }
    var date: Date { start + scheduler.now }
    var chance: Double { scheduler.chance }
    func capacity(ofOrigin origin: String, connections: Int) -> Int { min(6, connections) }
}

/// Runs the pieces of asynchronous functions as steps.
final class SimulatedExecutor: TaskExecutor {
    private let scheduler: SimulatedScheduler

    init(_ scheduler: SimulatedScheduler) { self.scheduler = scheduler }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        scheduler.onPool { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
