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
    private let target: PostgresTarget
    /// On a thread of their own, because libpq's calls wait for the server.
    let calls: StoreCalls<PostgresSession>
    private let watchers = ChangeWatchers()
    private let listener: PostgresListener
    /// Rings when the store is closed, so that nothing waits for a server that is gone.
    private let bell: PostgresBell

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
        let (thread, bell) = (StoreCalls<PostgresSession>.makeThread(), PostgresBell())
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
                        return (target, Locked(try Self.open(target, functions, bell)))
                    })
            }
        }
        self.bell = bell
        self.target = target
        calls = StoreCalls(session, on: thread, watchers: watchers, advice: "make a new one of the same database")
        listener = PostgresListener(target, watchers: watchers, pause: max(RecordRules.bounded(pollInterval), 0.01))
    }

    deinit {
        watchers.finish()
        listener.wake()
    }

    private static func open(
        _ target: PostgresTarget, _ functions: on_pq, _ bell: PostgresBell
    ) throws -> PostgresSession {
        var conflicts = 0
        while true {
            do {
                let connection = try PostgresSchema.open(target, functions: functions, makes: true)
                return PostgresSession(connection, functions: functions, pause: bell.wait)
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

    // MARK: Changes

    /// Returns a stream that yields when the store may have changed. See ``RequestStore/changes()``.
    public func changes() -> AsyncStream<Void> {
        let (stream, isFirst) = watchers.add()
        if isFirst { listener.start() }
        return stream
    }

    /// Closes the store and its connections. See ``RequestStore/close()``.
    public func close() async {
        bell.ring()
        await calls.close()
        listener.wake()
    }
}
