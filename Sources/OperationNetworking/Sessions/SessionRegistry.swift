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

    struct Entry {
        let task: SessionTask
        /// What the user holds, from the beginning to the end.
        var face: URLSessionTask?
    }

    private(set) var phase = Phase.valid
    private var entries: [Int: Entry] = [:]
    /// Foundation counts the tasks that it makes in the session itself, from 1.
    private var lastIdentifier = 1_000_000

    /// The identifier of a new task.
    mutating func makeIdentifier() -> Int {
        lastIdentifier &+= 1
        return lastIdentifier
    }

    /// A task that was made too late can only fail, and holds up nothing.
    mutating func insert(_ task: SessionTask) {
        guard phase == .valid else { return }
        entries[task.identifier] = Entry(task: task)
    }

    /// - Returns: what is to be let go of after the unlock.
    mutating func keep(_ face: URLSessionTask, of task: SessionTask) -> Entry? {
        entries.updateValue(Entry(task: task, face: face), forKey: task.identifier)
    }

    /// The same for another face of a task that has begun. One that has ended meanwhile stays forgotten.
    mutating func replaceFace(_ face: URLSessionTask, of task: SessionTask) -> Entry? {
        guard entries[task.identifier] != nil else { return nil }
        return keep(face, of: task)
    }

    /// True: the session is invalid now, and its delegate is to be told. The entry is to be let go of after the unlock.
    mutating func remove(_ identifier: Int) -> (wasLast: Bool, released: Entry?) {
        let entry = entries.removeValue(forKey: identifier)
        guard phase == .finishing, entries.isEmpty else { return (false, entry) }
        phase = .invalid
        return (true, entry)
    }

    /// True: the session is invalid now, and its delegate is to be told.
    mutating func finish() -> Bool {
        guard phase == .valid else { return false }
        phase = entries.isEmpty ? .invalid : .finishing
        return phase == .invalid
    }

    /// Oldest first.
    var tasks: [Entry] { entries.sorted { $0.key < $1.key }.map(\.value) }
}
