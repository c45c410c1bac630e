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

    /// The one for `session`, made of its configuration. It goes after the session has, when another one is made.
    func session(for session: URLSession) -> OperationURLSession {
        let id = ObjectIdentifier(session)
        if let known = entries.withLock({ $0[id] }), known.session === session { return known.standIn }
        let new = OperationURLSession(configuration: session.configuration)
        // Looked at without the lock: who looks at a session may be the last one to hold it, and lets it go.
        let gone = entries.withLock { $0 }.filter { $0.value.session == nil }
        let (standIn, released) = entries.withLock { entries -> (OperationURLSession, [Entry]) in
            var released: [Entry] = []
            for (id, entry) in gone where entries[id]?.standIn === entry.standIn {
                entries[id] = nil
                released.append(entry)
            }
            // Another thread's, for this session: what was for one that had its place was among those that are gone.
            if let known = entries[id] { return (known.standIn, released) }
            entries[id] = Entry(session: session, standIn: new)
            return (new, released)
        }
        withExtendedLifetime((gone, released)) {}
        return standIn
    }
}
