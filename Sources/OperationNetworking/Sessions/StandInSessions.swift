// SPDX-License-Identifier: MIT
internal import FoundationNetworking
internal import NetworkingSupport

/// The sessions that load for sessions of Foundation's which were made with the configuration of one of this library's, and
/// so have its protocol class.
final class StandInSessions: Sendable {
    private struct Entry {
        weak var session: URLSession?
        let standIn: OperationURLSession
    }

    static let shared = StandInSessions()

    private let entries = Locked<[ObjectIdentifier: Entry]>([:])

    /// The one for `session`, made of its configuration. It goes after the session has.
    func session(for session: URLSession) -> OperationURLSession {
        let id = ObjectIdentifier(session)
        if let known = entries.withLock({ $0[id] }), known.session === session { return known.standIn }
        let new = OperationURLSession(configuration: session.configuration)
        let (standIn, released) = entries.withLock { entries -> (OperationURLSession, [ObjectIdentifier: Entry]) in
            let gone = entries.filter { $0.value.session == nil }
            for id in gone.keys { entries[id] = nil }
            if let known = entries[id] { return (known.standIn, gone) }
            entries[id] = Entry(session: session, standIn: new)
            return (new, gone)
        }
        withExtendedLifetime(released) {}
        return standIn
    }
}
