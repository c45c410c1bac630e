// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport
internal import OperationNetworking

/// One run of a test in virtual time, with everything in the order that a seed decides. See
/// ``withSimulation(interleavings:seed:standstill:isolation:_:)``.
public struct Simulation: Sendable {
    /// The simulation that the present Swift task runs in. `nil`: none.
    @TaskLocal public static var current: Simulation?

    /// The seed that replays this order.
    public let seed: UInt64
    /// The virtual clock.
    public var clock: VirtualClock { VirtualClock(scheduler: simulated.scheduler) }
    private let simulated: SimulatedRuntime
    private let failed = Locked(false)

    /// The runtime of operations in the simulation that the present task runs in.
    static var runtime: SimulatedRuntime? { current?.simulated }

    init(seed: UInt64, _ runtime: SimulatedRuntime) {
        self.seed = seed
        simulated = runtime
    }

    /// Takes steps: operations that blocks of the user's make in them are in the simulation like those of its body.
    func surround(_ steps: () -> Bool) -> Bool {
        Self.$current.withValue(self) {
            InstalledRuntimes.with(simulated) { steps() }
        }
    }

    /// Waits in virtual time, which takes none.
    ///
    /// - Throws: `CancellationError`.
    public func sleep(for duration: Duration) async throws { try await clock.sleep(for: duration) }

    /// Notes that the test has failed in this run, without an error that its body throws. No other run follows. The
    /// traits for Swift Testing call it for every issue.
    public func noteFailure() { failed.withLock { $0 = true } }

    /// True if a failure was noted.
    var hasFailed: Bool { failed.withLock { $0 } }
}

/// The clock of a simulation, which moves on when nothing else is left to happen.
///
/// Its instants count from the beginning of the run.
public struct VirtualClock: Clock {
    let scheduler: SimulatedScheduler

    /// A moment of the virtual clock.
    public struct Instant: InstantProtocol {
        /// Since the run began.
        public let offset: Duration

        /// A later moment, or with a negative duration an earlier one.
        public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        /// From this moment to the other.
        public func duration(to other: Instant) -> Duration { other.offset - offset }

        /// Returns true if one moment is before another.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    /// The present moment.
    public var now: Instant { Instant(offset: .seconds(scheduler.now)) }

    /// Zero.
    public var minimumResolution: Duration { .zero }

    /// Waits until a moment has come.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let seconds = now.duration(to: deadline) / .seconds(1)
        try Task.checkCancellation()
        let continuation = Locked<CheckedContinuation<Void, Never>?>(nil)
        let isCancelled = Locked(false)
        let wake: @Sendable () -> Void = { continuation.withLock { $0.take() }?.resume() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiting in
                continuation.withLock { $0 = waiting }
                scheduler.after(seconds, isSleep: true, wake)
                if isCancelled.withLock({ $0 }) { wake() }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
            wake()
        }
        try Task.checkCancellation()
    }
}
