// SPDX-License-Identifier: MIT
internal import FoundationNetworking
internal import NetworkingSupport
internal import OperationNetworkingCore

/// The tasks of a session, as a value.
///
/// | event                        | tasks                 | the session                                            |
/// |------------------------------|-----------------------|--------------------------------------------------------|
/// | made                         | kept alive            | – (1)                                                  |
/// | begun                        | kept alive            | –                                                      |
/// | ended, and all events sent   | forgotten             | when it finishes, and it was the last: is invalid      |
/// | `finish`                     | –                     | makes no more; is invalid at once without tasks        |
///
/// 1. A task keeps its session, which the task's holder may have released. A task that was not begun, and that only the
///    session has, must not: the two would keep each other for good. No event says that a reference is gone, so such a
///    task is looked at when another is made, and some time after its making.
struct SessionRegistry {
    enum Phase: Equatable {
        case valid
        /// No task is made any more; those there are go on.
        case finishing
        case invalid
    }

    struct Entry {
        let task: SessionTask
        /// The face that the user holds; nil: it is not kept alive, because a holder of its operation may begin it.
        var face: URLSessionTask?
        var hasBegun = false
    }

    private(set) var phase = Phase.valid
    private var entries: [Int: Entry] = [:]
    /// Tasks that were not begun when they were last looked at, and that others had.
    private var idle: [Int] = []
    /// A later look at them is arranged.
    private var isWatched = false
    /// Foundation counts the tasks that it makes in the session itself, from 1.
    private var lastIdentifier = 1_000_000

    /// The identifier of a new task.
    mutating func makeIdentifier() -> Int {
        lastIdentifier &+= 1
        return lastIdentifier
    }

    /// A task that was made too late can only fail, and holds up nothing.
    ///
    /// - Returns: whether the caller is to call `takeUnheld()` before long.
    @discardableResult
    mutating func insert(_ task: SessionTask, face: URLSessionTask? = nil) -> Bool {
        guard phase == .valid else { return false }
        entries[task.identifier] = Entry(task: task, face: face)
        guard face != nil else { return false }
        idle.append(task.identifier)
        defer { isWatched = true }
        return !isWatched
    }

    /// Takes the tasks that were not begun and that only the session has, once each. `looksAgain`: the caller is to
    /// look again.
    mutating func takeUnheld() -> (tasks: [SessionTask], looksAgain: Bool) {
        let tasks = takeUnheld(amongLast: idle.count)
        isWatched = !idle.isEmpty
        return (tasks, isWatched)
    }

    /// The same among the last that were made.
    mutating func takeUnheld(amongLast count: Int) -> [SessionTask] {
        guard !idle.isEmpty else { return [] }
        var tasks: [SessionTask] = []
        var held: [Int] = []
        for identifier in idle.suffix(count) {
            guard let index = entries.index(forKey: identifier), entries[index].value.face != nil,
                !entries[index].value.hasBegun
            else { continue }
            if isKnownUniquelyReferenced(&entries.values[index].face) {
                tasks.append(entries[index].value.task)
            } else {
                held.append(identifier)
            }
        }
        idle.removeLast(min(count, idle.count))
        idle += held
        return tasks
    }

    /// Stops keeping alive a task that was not begun.
    ///
    /// - Returns: what is to be released after the unlock.
    mutating func letGo(_ identifier: Int) -> URLSessionTask? {
        guard entries[identifier]?.hasBegun == false else { return nil }
        return entries[identifier]?.face.take()
    }

    /// - Returns: what is to be released after the unlock.
    mutating func keep(_ face: URLSessionTask, of task: SessionTask) -> Entry? {
        entries.updateValue(Entry(task: task, face: face, hasBegun: true), forKey: task.identifier)
    }

    /// The same for another face of a task that has begun. One that has ended meanwhile stays forgotten.
    mutating func replaceFace(_ face: URLSessionTask, of task: SessionTask) -> Entry? {
        guard entries[task.identifier] != nil else { return nil }
        return keep(face, of: task)
    }

    /// True: the session is invalid now, and its delegate is to be notified. The entry is to be released after the
    /// unlock.
    mutating func remove(_ identifier: Int) -> (wasLast: Bool, released: Entry?) {
        let entry = entries.removeValue(forKey: identifier)
        guard phase == .finishing, entries.isEmpty else { return (false, entry) }
        phase = .invalid
        return (true, entry)
    }

    /// True: the session is invalid now, and its delegate is to be notified.
    mutating func finish() -> Bool {
        guard phase == .valid else { return false }
        phase = entries.isEmpty ? .invalid : .finishing
        return phase == .invalid
    }

    /// Oldest first.
    var tasks: [Entry] { entries.sorted { $0.key < $1.key }.map(\.value) }
}

/// The registry behind its lock, for a session and for code that looks at it without keeping the session.
final class SharedSessionRegistry: Sendable {
    private let registry = Locked(SessionRegistry())

    /// Nothing is called out of `body`.
    func withLock<Result>(_ body: (inout sending SessionRegistry) -> sending Result) -> sending Result {
        registry.withLock(body)
    }
}
