// SPDX-License-Identifier: MIT
internal import CPostgres
public import Foundation
internal import NetworkingSupport

/// A store in a PostgreSQL database, for many processes on many machines.
///
/// The database needs PostgreSQL 11 or later, this machine libpq (Debian's libpq5), which is looked for when the first
/// store is opened. The store has a schema of its own, which is made if there is none: for that the role needs `CREATE`
/// on the database.
///
/// ```swift
/// let store = try await PostgresRequestStore("postgresql:///jobs")
/// ```
/// All times are by the server's clock. A call that comes while the server is gone waits until it is there again, up to
/// `reconnectTimeout`; a commit that was not answered is found again by its number, so that nothing is done twice. A
/// pooler between must keep a session's connection (PgBouncer: `pool_mode = session`).
public final class PostgresRequestStore: RequestStore, CustomStringConvertible, CustomReflectable {
    /// The largest number of calls that share a transaction.
    private static let batchLimit = 64

    private let target: PostgresTarget
    /// The calls that wait for the thread; nil: closed.
    private let calls = Locked<[PostgresCall]?>([])
    /// The connection; nil: closed. Only the thread of `thread` takes it, so that nothing waits for this lock.
    private let session: Locked<PostgresSession?>
    /// Of its own, because libpq's calls wait for the server.
    private let thread: WorkerPool
    private let watchers = ChangeWatchers()
    private let listener: PostgresListener
    /// Rings when the store is closed, so that nothing waits for a server that is gone.
    private let bell = PostgresBell()

    /// Connects to a store, and makes it if there is none.
    ///
    /// - Parameters:
    ///   - connection: a connection string of libpq's: a URI, or "host=… dbname=…". What it does not say comes from
    ///     libpq's environment (`PGHOST`, `PGPASSWORD`, `PGSERVICE`) and `~/.pgpass`, where a password is best kept.
    ///   - schema: the schema that holds the tables; letters from a to z, figures and underscores. "operation_networking"
    ///     by default.
    ///   - connectTimeout: seconds that a connection may take, for each address of the server. 10 by default, 2 at least.
    ///   - statementTimeout: seconds that a statement may take, the wait for other transactions included. 60 by default.
    ///   - reconnectTimeout: seconds that calls wait for a server that is gone, before they throw. 30 by default.
    ///   - pollInterval: seconds without a notification of the server's after which ``changes()`` yields all the same.
    ///     5 by default.
    /// - Throws: ``RequestStoreError``: `.cannotOpen` (also where libpq is missing), `.newerVersion`, `.notAStore`,
    ///   `.readOnly`, `.full`, `.busy`.
    public init(
        _ connection: String, schema: String = "operation_networking", connectTimeout: TimeInterval = 10,
        statementTimeout: TimeInterval = 60, reconnectTimeout: TimeInterval = 30, pollInterval: TimeInterval = 5
    ) async throws {
        let thread = WorkerPool(name: "ON.store", limit: 1, patience: 10)
        let (target, session) = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<(PostgresTarget, Locked<PostgresSession?>), any Error>) in
            thread.perform {
                continuation.resume(
                    with: Result {
                        let functions = try PostgresLibrary.load()
                        var target = try PostgresTarget(connection, schema: schema, functions: functions)
                        target.connectTimeout = RecordRules.bounded(connectTimeout)
                        target.statementTimeout = min(max(RecordRules.bounded(statementTimeout), 0.1), 86_400)
                        target.reconnectTimeout = RecordRules.bounded(reconnectTimeout)
                        return (target, Locked(try Self.open(target, functions)))
                    })
            }
        }
        self.thread = thread
        self.target = target
        self.session = session
        listener = PostgresListener(target, watchers: watchers, pause: max(RecordRules.bounded(pollInterval), 0.01))
    }

    deinit {
        watchers.finish()
        listener.wake()
    }

    private static func open(_ target: PostgresTarget, _ functions: on_pq) throws -> PostgresSession {
        var conflicts = 0
        while true {
            do {
                let connection = try PostgresSchema.open(target, functions: functions, makes: true)
                return PostgresSession(connection, functions: functions)
            } catch PostgresFailure.connection(let message) {
                throw RequestStoreError(
                    .cannotOpen, place: target.place, problem: "the server cannot be used (\(message))",
                    advice: "check that it runs and accepts this role and database")
            } catch PostgresFailure.conflict(let message) {
                conflicts += 1
                if conflicts > 5 { throw PostgresFailure.conflict(message).error(place: target.place) }
            } catch let failure as PostgresFailure {
                throw failure.error(place: target.place)
            }
        }
    }

    /// Server and database, without user name and password.
    public var description: String { "\(target.place), schema \(target.schema)" }
    /// Shows what ``description`` says.
    public var customMirror: Mirror { Mirror(self, children: ["target": target]) }

    // MARK: Calls

    /// Runs `body` on the store's thread, in a transaction, with other calls unless it `isAlone`. After a transaction
    /// that did not happen it runs again.
    func perform<Result: Sendable>(
        isAlone: Bool = false, _ body: @escaping @Sendable (PostgresSession) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let result = Locked<Result?>(nil)
            let call = PostgresCall(
                isAlone: isAlone,
                run: { session in
                    let value = try body(session)
                    result.withLock { $0 = value }
                },
                finish: { error in
                    let value = result.withLock { $0 }
                    if let value, error == nil {
                        continuation.resume(returning: value)
                    } else {
                        continuation.resume(throwing: error ?? Self.closed)
                    }
                })
            // Only the first call that waits asks for the thread: it takes along those that have come by then.
            let (isOpen, isFirst) = calls.withLock { calls -> (Bool, Bool) in
                guard calls != nil else { return (false, false) }
                calls?.append(call)
                return (true, calls?.count == 1)
            }
            if !isOpen { continuation.resume(throwing: Self.closed) }
            if isFirst { thread.perform { [self] in runCalls() } }
        }
    }

    private static let closed = RequestStoreError(
        .closed, problem: "the store was closed", advice: "make a new one of the same database")

    /// On the store's thread.
    private func runCalls() {
        run(
            calls.withLock { calls -> [PostgresCall] in
                guard let waiting = calls else { return [] }
                calls = []
                return waiting
            })
    }

    /// On the store's thread.
    private func run(_ waiting: [PostgresCall]) {
        var rest = waiting[...]
        while let first = rest.first {
            let count = first.isAlone ? 1 : rest.prefix { !$0.isAlone }.prefix(Self.batchLimit).count
            let batch = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            let (outcomes, hasNews) = session.withLock { session in
                guard let session else { return (batch.map { _ in Self.closed as (any Error)? }, false) }
                return (session.run(batch, pause: { self.bell.wait($0) }), session.takeNews())
            }
            if hasNews { watchers.tell() }
            for (call, error) in zip(batch, outcomes) { call.finish(error) }
        }
    }

    // MARK: Changes

    /// Returns a stream that yields when the store may have changed. See ``RequestStore/changes()``.
    public func changes() -> AsyncStream<Void> {
        let (stream, isFirst) = watchers.add()
        if isFirst { listener.start() }
        return stream
    }

    /// Closes the store and its connections. See ``RequestStore/close()``.
    public func close() async {
        let waiting = calls.withLock { $0.take() ?? [] }
        bell.ring()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            thread.perform { [self] in
                run(waiting)
                let last = session.withLock { $0.take() }
                // The connection is closed here, outside the lock.
                withExtendedLifetime(last) {}
                continuation.resume()
            }
        }
        watchers.finish()
        listener.wake()
    }
}
