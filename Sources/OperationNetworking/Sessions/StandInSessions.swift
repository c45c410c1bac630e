// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport

/// The sessions that load for sessions of Foundation's which were made with the configuration of one of this library's, and
/// so have its protocol class.
///
/// Nobody tells when such a session goes, so those that have nothing to do go after a while, and are made again when they
/// are needed: they have nothing that the configuration does not say.
final class StandInSessions: Sendable {
    private struct Entry {
        weak var session: URLSession?
        let standIn: OperationURLSession
        /// Somebody has asked for it since it was looked at.
        var wasUsed = true
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        /// Somebody will look.
        var isLookDue = false

        /// The one for `session`, if it is there: not one for a session that had its place in memory before.
        mutating func use(_ id: ObjectIdentifier, for session: URLSession) -> OperationURLSession? {
            guard let known = entries[id], known.session === session else { return nil }
            entries[id]?.wasUsed = true
            return known.standIn
        }
    }

    static let shared = StandInSessions(idleTime: 60)

    private let state = Locked(State())
    /// Seconds without anything to do, after which one goes by the next look.
    private let idleTime: TimeInterval

    init(idleTime: TimeInterval) {
        self.idleTime = idleTime
    }

    /// The one for `session`, made of its configuration.
    func session(for session: URLSession) -> OperationURLSession {
        let id = ObjectIdentifier(session)
        if let known = state.withLock({ $0.use(id, for: session) }) { return known }
        let new = OperationURLSession(configuration: session.configuration)
        let (standIn, replaced, looks) = state.withLock { state -> (OperationURLSession, Entry?, Bool) in
            // Another thread's.
            if let known = state.use(id, for: session) { return (known, nil, false) }
            let replaced = state.entries.updateValue(Entry(session: session, standIn: new), forKey: id)
            defer { state.isLookDue = true }
            return (new, replaced, !state.isLookDue)
        }
        withExtendedLifetime(replaced) {}
        if looks { lookLater() }
        return standIn
    }

    private func lookLater() {
        Runtime.current.after(idleTime) { [self] in look() }
    }

    /// Lets go of those that have nothing to do, and had nothing since the last look.
    private func look() {
        let busy = state.withLock { $0.entries.mapValues(\.standIn) }.filter { !$0.value.allTasks.isEmpty }
        let (released, looksAgain) = state.withLock { state -> ([Entry], Bool) in
            var released: [Entry] = []
            for (id, entry) in state.entries {
                let isBusy = busy[id] === entry.standIn
                if entry.wasUsed || isBusy {
                    state.entries[id]?.wasUsed = isBusy
                } else {
                    state.entries[id] = nil
                    released.append(entry)
                }
            }
            state.isLookDue = !state.entries.isEmpty
            return (released, state.isLookDue)
        }
        withExtendedLifetime((busy, released)) {}
        if looksAgain { lookLater() }
    }
}
