// SPDX-License-Identifier: MIT
internal import FoundationNetworking

/// The tasks of a session, as a value.
///
/// | event                        | tasks                 | the session                                            |
/// |------------------------------|-----------------------|--------------------------------------------------------|
/// | made                         | known, not kept alive | –                                                      |
/// | begun                        | kept alive            | –                                                      |
/// | ended, and everything told   | forgotten             | when it finishes, and it was the last: is invalid      |
/// | `finish`                     | –                     | makes no more; is invalid at once without tasks        |
struct SessionRegistry {
    enum Phase: Equatable {
        case valid
        /// No task is made any more; those there are go on.
        case finishing
        case invalid
    }

    private struct Entry {
        weak var face: URLSessionTask?
        /// From the beginning to the end.
        var kept: URLSessionTask?
    }

    private(set) var phase = Phase.valid
    private var entries: [Int: Entry] = [:]
    private var lastIdentifier = 0

    /// The identifier of a new task.
    mutating func makeIdentifier() -> Int {
        lastIdentifier &+= 1
        return lastIdentifier
    }

    mutating func insert(_ face: URLSessionTask, _ identifier: Int) {
        entries[identifier] = Entry(face: face)
    }

    mutating func keep(_ face: URLSessionTask, _ identifier: Int) {
        entries[identifier, default: Entry()].kept = face
    }

    /// True: the session is invalid now, and its delegate is to be told.
    mutating func remove(_ identifier: Int) -> (wasLast: Bool, released: URLSessionTask?) {
        let entry = entries.removeValue(forKey: identifier)
        guard phase == .finishing, entries.isEmpty else { return (false, entry?.kept) }
        phase = .invalid
        return (true, entry?.kept)
    }

    /// True: the session is invalid now, and its delegate is to be told.
    mutating func finish() -> Bool {
        guard phase == .valid else { return false }
        phase = entries.isEmpty ? .invalid : .finishing
        return phase == .invalid
    }

    /// Oldest first.
    var faces: [URLSessionTask] {
        entries.sorted { $0.key < $1.key }.compactMap { $0.value.kept ?? $0.value.face }
    }
}
