import Dispatch
import Foundation
import NetworkingSupport
import NetworkingTransport

@testable import OperationNetworking

/// The library's threads and engine, simulated.
// Sendable because the simulation has one thread.
final class SimulatedRuntime: OperationRuntime, @unchecked Sendable {
    /// The simulation that is running.
    var scheduler: Scheduler
    var engine: ScriptedEngine

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
    func onParsingThread(_ work: @escaping @Sendable () -> Void) { scheduler.onPool(work) }
    func onBlockThread(_ work: @escaping @Sendable () -> Void) { scheduler.onPool(work) }
    func on(_ queue: DispatchQueue, _ work: @escaping @Sendable () -> Void) {
        scheduler.on(ObjectIdentifier(queue), work)
    }
    func later(_ work: @escaping @Sendable () -> Void) { scheduler.onPool(work) }
    func after(_ seconds: TimeInterval, _ work: @escaping @Sendable () -> Void) { scheduler.after(seconds, work) }
    var uptime: TimeInterval { scheduler.now }
    func capacity(ofOrigin origin: String) -> Int { ScriptedEngine.capacity }
}
