// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import NetworkingTransport
internal import OperationNetworking

/// A runtime whose transfers stubs answer; all else is another runtime's.
struct StubRuntime: OperationRuntime {
    let base: any OperationRuntime
    let engine: StubEngine
    /// True if operations that the user's blocks make are answered, too.
    let isAmbient: Bool

    var identity: ObjectIdentifier? { ObjectIdentifier(engine) }
    var isNetworkThread: Bool { base.isNetworkThread }
    func onNetworkThread(_ work: @escaping @Sendable () -> Void) { base.onNetworkThread(work) }
    func start(_ transfer: Transfer) { engine.start(transfer) }
    func cancel(_ transfer: Transfer) { engine.cancel(transfer) }
    func resumeReceiving(_ transfer: Transfer) { engine.resumeReceiving(transfer) }
    func hold(_ transfer: Transfer) { engine.hold(transfer, true) }
    func release(_ transfer: Transfer) { engine.hold(transfer, false) }
    func onParsingThread(for origin: String, _ work: @escaping @Sendable () -> Void) {
        base.onParsingThread(for: origin, work)
    }
    func onBlockThread(_ work: @escaping @Sendable () -> Void) { base.onBlockThread(surrounded(work)) }
    func onCancellingThread(_ work: @escaping @Sendable () -> Void) { base.onCancellingThread(surrounded(work)) }
    func onFileThread(_ work: @escaping @Sendable () -> Void) { base.onFileThread(surrounded(work)) }
    var holdsNoTask: Bool { base.holdsNoTask }
    func on(_ queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) { base.on(queue, surrounded(work)) }
    func complete(on queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) {
        base.complete(on: queue, surrounded(work))
    }
    func assertOn(_ queue: DispatchQueue) { base.assertOn(queue) }
    func later(_ work: @escaping @Sendable () -> Void) { base.later(work) }
    func after(_ seconds: TimeInterval, _ work: @escaping @Sendable () -> Void) { base.after(seconds, work) }

    func task<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) -> Task<Result, Never> {
        guard isAmbient else { return base.task(work) }
        return base.task { await InstalledRuntimes.with(self) { await work() } }
    }

    var uptime: TimeInterval { base.uptime }
    var date: Date { base.date }
    var chance: Double { base.chance }
    func capacity(ofOrigin origin: String, connections: Int) -> Int {
        base.capacity(ofOrigin: origin, connections: connections)
    }

    /// The user's code may make operations: they are as those of the task that made this one.
    private func surrounded(_ work: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        guard isAmbient else { return work }
        return { InstalledRuntimes.with(self) { work() } }
    }
}
