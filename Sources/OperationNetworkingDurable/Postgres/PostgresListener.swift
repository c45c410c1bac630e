// SPDX-License-Identifier: MIT
internal import CPostgres
internal import Foundation
internal import NetworkingSupport

/// Hears of other processes' changes by `LISTEN`, on a thread and a connection of its own.
///
/// It yields after each pause, too: a notification may be lost with a connection, or with a pooler between.
final class PostgresListener: Sendable {
    private let target: PostgresTarget
    private let watchers: ChangeWatchers
    private let pause: Double
    private let thread = WorkerPool(name: "ON.listen", limit: 1, patience: 1)
    /// Wakes the thread.
    private let bell = PostgresBell()

    /// - Parameter pause: seconds without a notification after which a change is taken for possible.
    init(_ target: PostgresTarget, watchers: ChangeWatchers, pause: Double) {
        self.target = target
        self.watchers = watchers
        self.pause = pause
    }

    /// Begins to listen, until there is no watcher.
    func start() {
        let (target, watchers, pause, bell) = (target, watchers, pause, bell)
        thread.perform {
            while watchers.goesOn() {
                do {
                    try Self.listen(target, watchers, pause, bell)
                } catch {
                    // What went wrong is the next call's to report.
                    watchers.tell()
                    bell.wait(pause)
                }
            }
        }
    }

    /// Ends soon, if there is no watcher any more.
    func wake() { bell.ring() }

    private static func listen(
        _ target: PostgresTarget, _ watchers: ChangeWatchers, _ pause: Double, _ bell: PostgresBell
    ) throws {
        let connection = try PostgresConnection(target, functions: try PostgresLibrary.load())
        // The name has letters, figures and _ only.
        try connection.execute("LISTEN \(PostgresSession.channel(of: target))")
        // There may have been changes before.
        watchers.tell()
        while watchers.goesOn() {
            _ = try connection.waitForNotification(or: bell.descriptor, timeout: pause)
            watchers.tell()
        }
    }
}
