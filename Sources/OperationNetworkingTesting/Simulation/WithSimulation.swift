// SPDX-License-Identifier: MIT
public import Foundation
internal import Glibc
internal import NetworkingSupport
internal import OperationNetworking

/// Runs a test many times in virtual time, each time in another order of what could happen at the same time.
///
/// ```swift
/// try await withSimulation { simulation in
///     let stubs = HTTPStubs()
///     stubs.on(
///         "GET", "/books",
///         respond: .sequence([
///             StubResponse(status: 503), .json(["The Lathe of Heaven"]),
///         ]))
///     let manager = HTTPRequestOperationManager(
///         baseURL: URL(string: "https://api.example.org/"))
///     manager.retryPolicy = RetryPolicy()
///     stubs.install(on: manager)
///     let books = try await manager.makeOperation(method: "GET", "books")
///         .decoded([String].self)
///     guard books.count == 1 else { throw WrongBooks() }
/// }
/// ```
///
/// **Virtual time.** Time-outs (`timeoutInterval`, `totalTimeout`), back-off and `Retry-After`, delays of stubs and the
/// age of stored responses go by a clock that moves on when nothing else is left to happen: a test of ten minutes of
/// retries takes a moment. ``Simulation/clock`` is that clock. `Task.sleep`, `Date()` and timers of Dispatch are the
/// real ones.
///
/// **Order.** What operations that `body` makes do on the library's threads, what comes from stubs, callbacks on
/// queues, and the pieces of `body` and its child tasks between two `await`s are steps on one thread; a seed decides
/// which is next. The same seed gives the same order, as long as nothing else takes part: tasks made by `Task { }` and
/// `Task.detached`, the main actor, session tasks' delegates, and content that goes to or comes from files and streams
/// are on other threads. They work, and are waited for a moment before the clock moves on, but no seed orders them.
///
/// **Network.** The simulation has no network: operations need stubs, which are installed within `body`, and others
/// fail. `body` must not block its thread, as by a semaphore.
///
/// A failure is printed with its seed. With that `seed`, or in the environment variable `OPERATION_NETWORKING_SEED`,
/// the body runs once, in that order.
///
/// - Parameters:
///   - interleavings: how many times; 100 by default.
///   - seed: of the only run; nil, the default: a seed by chance for each.
///   - standstill: real seconds without anything to do after which a run is given up; 5 by default.
///   - isolation: the actor that waits, which is the caller's by default.
///   - body: is given the simulation. Every run has to begin from the same state: make managers and stubs in it.
/// - Throws: ``SimulationError``, with the error that `body` threw and the seed.
public func withSimulation(
    interleavings: Int = 100, seed: UInt64? = nil, standstill: TimeInterval = 5,
    isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable (Simulation) async throws -> Void
) async throws {
    let given = seed ?? ProcessInfo.processInfo.environment["OPERATION_NETWORKING_SEED"].flatMap { UInt64($0) }
    var seeds = SystemRandomNumberGenerator()
    for number in 0..<(given == nil ? max(1, interleavings) : 1) {
        let seed = given ?? seeds.next() >> 16
        if let error = await SimulationRun.perform(seed: seed, number: number, standstill: standstill, body) {
            _ = Data((error.description + "\n").utf8).withUnsafeBytes { BrokenPipes.write($0, to: STDERR_FILENO) }
            throw error
        }
        try Task.checkCancellation()
    }
}

/// One run on a separate thread.
private enum SimulationRun {
    /// Nil: the body ended without an error.
    static func perform(
        seed: UInt64, number: Int, standstill: TimeInterval,
        _ body: @escaping @Sendable (Simulation) async throws -> Void
    ) async -> SimulationError? {
        let scheduler = SimulatedScheduler(seed: seed, standstill: standstill)
        let runtime = SimulatedRuntime(scheduler)
        let simulation = Simulation(seed: seed, runtime)
        let result = Locked<Result<Void, any Error>?>(nil)
        // Inherits the values that are local to the task, as of a test.
        let task = Task(executorPreference: runtime.executor) {
            let outcome: Result<Void, any Error>
            do {
                try await Simulation.$current.withValue(simulation) {
                    try await InstalledRuntimes.with(runtime) { try await body(simulation) }
                }
                outcome = .success(())
            } catch {
                outcome = .failure(error)
            }
            result.withLock { $0 = outcome }
            // The scheduler may wait for news.
            scheduler.onPool {}
        }
        let stalled = await withTaskCancellationHandler {
            await run(simulation, scheduler, task) { result.withLock { $0 != nil } }
        } onCancel: {
            // A test's time limit, for one. While virtual time goes on nothing else would end the body.
            task.cancel()
        }
        let virtual = scheduler.now
        if stalled { return .stalled(seed: seed, time: virtual) }
        if case .failure(let error) = result.withLock({ $0 }) {
            return .failed(error, seed: seed, run: number + 1, time: virtual)
        }
        return simulation.hasFailed ? .noted(seed: seed, run: number + 1, time: virtual) : nil
    }

    /// Runs the scheduler on a thread until the body has ended. Returns true if it stood still before.
    private static func run(
        _ simulation: Simulation, _ scheduler: SimulatedScheduler, _ task: Task<Void, Never>,
        until hasEnded: @escaping @Sendable () -> Bool
    ) async -> Bool {
        await withCheckedContinuation { continuation in
            let thread = Thread {
                let isStalled = simulation.surround {
                    var isStalled = false
                    do throws(SimulatedScheduler.Failure) {
                        try scheduler.run { hasEnded() }
                    } catch {
                        isStalled = true
                        task.cancel()
                    }
                    scheduler.finish()
                    return isStalled
                }
                continuation.resume(returning: isStalled)
            }
            thread.name = "simulation"
            thread.stackSize = 8 << 20
            thread.start()
        }
    }
}

/// An error of a simulation, with the seed that replays it.
public enum SimulationError: Error, Sendable, LocalizedError, CustomStringConvertible {
    /// The body threw an error. `run` counts from 1; `time` is virtual, in seconds since the run began.
    case failed(any Error, seed: UInt64, run: Int, time: TimeInterval)
    /// A failure was noted. See ``Simulation/noteFailure()``.
    case noted(seed: UInt64, run: Int, time: TimeInterval)
    /// The body waits for what can never happen, or takes its time outside the simulation.
    case stalled(seed: UInt64, time: TimeInterval)
    /// An operation made in the body has no stubs. The operation's error.
    case noStubs(url: String)

    /// The seed that replays it. `nil` of an operation's error.
    public var seed: UInt64? {
        switch self {
        case .failed(_, let seed, _, _), .noted(let seed, _, _), .stalled(let seed, _): seed
        case .noStubs: nil
        }
    }

    /// The error that the body threw. `nil`: nothing.
    public var bodyError: (any Error)? {
        if case .failed(let error, _, _, _) = self { error } else { nil }
    }

    /// One line, with the seed.
    public var description: String {
        switch self {
        case .failed(let error, let seed, let run, let time):
            "the simulation failed in run \(run) after \(time) seconds, seed \(seed): \(error)"
        case .noted(let seed, let run, let time):
            "the simulation failed in run \(run) after \(time) seconds, seed \(seed)"
        case .stalled(let seed, let time):
            "the simulation came to a standstill after \(time) seconds, seed \(seed): its body waits for something that "
                + "no operation, stub or clock of the simulation will bring about"
        case .noStubs(let url):
            "a simulation has no network to send a request to: install stubs for \(url) in its body"
        }
    }

    /// The same as `description`.
    public var errorDescription: String? { description }
}
