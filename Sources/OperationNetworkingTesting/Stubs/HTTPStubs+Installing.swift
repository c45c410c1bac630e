// SPDX-License-Identifier: MIT
internal import Foundation
public import OperationNetworking
internal import NetworkingSupport

extension HTTPStubs {
    /// The stubs that `withInstalled(_:)`, or the Swift Testing trait, has installed for the present Swift task.
    @TaskLocal public static var current: HTTPStubs?

    /// Makes a runtime for operations that these stubs answer.
    ///
    /// - Parameter isAmbient: also those that the blocks of such operations make.
    func makeRuntime(isAmbient: Bool = false) -> StubRuntime {
        let base = Simulation.runtime
        return StubRuntime(base: base ?? LiveRuntime(), engine: StubEngine(self, base), isAmbient: isAmbient)
    }

    /// Answers the requests of the operations that a manager makes, or configures, from now on.
    public func install(on manager: HTTPRequestOperationManager) { manager.install(makeRuntime()) }

    /// Answers the requests of the tasks that a manager makes from now on.
    public func install(on manager: URLSessionManager) { manager.install(makeRuntime()) }

    /// Answers the requests of the tasks that a session makes from now on, those of `data(for:)` and its like included.
    public func install(on session: OperationURLSession) { session.install(makeRuntime()) }

    /// Answers the requests of an operation that has not been started.
    public func install(on operation: URLConnectionOperation) { operation.install(makeRuntime()) }

    /// Lets the operations that a manager makes from now on go to servers again.
    public static func uninstall(from manager: HTTPRequestOperationManager) { manager.install(nil) }

    /// Lets the tasks that a manager makes from now on go to servers again.
    public static func uninstall(from manager: URLSessionManager) { manager.install(nil) }

    /// Lets the tasks that a session makes from now on go to servers again.
    public static func uninstall(from session: OperationURLSession) { session.install(nil) }

    /// Answers the requests of all operations that `body` makes, of any manager or session. Those made in its Swift
    /// task and the tasks that this one makes (not by `Task.detached`), in blocks of operations that these stubs
    /// answer, and in rules' and interceptors' asynchronous functions. Other tests that run meanwhile are not affected.
    ///
    /// An operation belongs to the task that makes it, not to the one that starts it. One that has its own stubs, or
    /// those of its manager or session, keeps them. What is made on a thread of Dispatch, or by Foundation for
    /// `URLSession.data(for:)`, is in no task: install on the manager or session, or on the process.
    ///
    /// Images that are in the `imageCache` of an `ImageDownloader` are not asked for, whatever stubs they came from.
    /// Use a downloader with a cache of its own, or with none.
    public func withInstalled<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async rethrows -> Value {
        let runtime = makeRuntime(isAmbient: true)
        return try await Self.$current.withValue(self) {
            try await InstalledRuntimes.with(runtime, body)
        }
    }

    /// Answers the requests of all operations of the process that are made from now on, until the installation is
    /// removed, and that have no nearer stubs. Not for tests that run in parallel: each sees the requests of the
    /// others.
    ///
    /// ```swift
    /// override func setUp() {
    ///     let installation = stubs.installOnProcess()
    ///     addTeardownBlock { installation.remove() }
    /// }
    /// ```
    ///
    /// - Returns: what takes the stubs away again. Installations may be nested; the latest one counts.
    public func installOnProcess() -> Installation {
        Installation(id: InstalledRuntimes.addToProcess(makeRuntime(isAmbient: true)))
    }

    /// Stubs that answer the requests of the whole process.
    public final class Installation: Sendable {
        private let id: Locked<UInt?>

        init(id: UInt) { self.id = Locked(id) }

        /// Ends the installation. Operations that were made meanwhile keep their stubs. Later calls have no effect.
        public func remove() {
            if let id = id.withLock({ $0.take() }) { InstalledRuntimes.removeFromProcess(id) }
        }
    }
}
