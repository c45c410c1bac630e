// SPDX-License-Identifier: MIT
internal import FoundationNetworking
internal import NetworkingSupport
internal import OperationNetworkingCore

/// The tasks of a session, as a value.
///
/// | event                        | tasks                 | the session                                            |
/// |------------------------------|-----------------------|--------------------------------------------------------|
/// | gets its identifier          | counted               | waits for it (2)                                       |
/// | made                         | kept alive            | – (1)                                                  |
/// | begun                        | kept alive            | –                                                      |
/// | ended, and all events sent   | forgotten             | when it finishes, and it was the last: is invalid      |
/// | `finish`                     | –                     | makes no more; is invalid at once without tasks        |
///
/// 1. A task keeps its session, which the task's holder may have released. A task that was not begun, and that only the
///    session has, must not: the two would keep each other for good. No event says that a reference is gone, so such a
///    task is looked at when another is made, and some time after its making.
/// 2. The identifier decides whether there is a task. What happens to the session while the task is being made happens
///    to a session that has it: it is one of those that go on, or are cancelled.
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

    /// The steps for the caller after a task was taken in.
    struct Insertion: Equatable, Sendable {
        /// To call `takeUnheld()` before long.
        var looks = false
        /// To cancel the task, as the others were meanwhile.
        var cancels = false
    }

    private struct WebSocket {
        weak var task: URLSessionWebSocketTask?
    }

    private(set) var phase = Phase.valid
    /// The tasks were cancelled when the session was invalidated.
    private var isCancelled = false
    private var entries: [Int: Entry] = [:]
    /// Tasks with an identifier that were not taken in yet.
    private var making = 0
    /// Foundation's, which do not count as tasks here.
    private var sockets: [WebSocket] = []
    /// Tasks that were not begun when they were last looked at, and that others had.
    private var idle: [Int] = []
    /// A later look at them is arranged.
    private var isWatched = false
    /// Foundation counts the tasks that it makes in the session itself, from 1.
    private var lastIdentifier = 1_000_000

    /// The identifier of a new task, and whether there may be one. If so, `insert` has to follow.
    mutating func makeIdentifier() -> (identifier: Int, isValid: Bool) {
        lastIdentifier &+= 1
        if phase == .valid { making += 1 }
        return (lastIdentifier, phase == .valid)
    }

    /// Takes a new task in. One that was made too late can only fail, and holds up nothing.
    @discardableResult
    mutating func insert(_ task: SessionTask, face: URLSessionTask? = nil) -> Insertion {
        guard !task.isRefused else { return Insertion() }
        making = max(0, making - 1)
        entries[task.identifier] = Entry(task: task, face: face)
        guard face != nil else { return Insertion(cancels: isCancelled) }
        idle.append(task.identifier)
        defer { isWatched = true }
        return Insertion(looks: !isWatched, cancels: isCancelled)
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
        guard phase == .finishing, isEmpty else { return (false, entry) }
        phase = .invalid
        return (true, entry)
    }

    /// True: the session is invalid now, and its delegate is to be notified.
    ///
    /// - Parameter cancels: the caller cancels the tasks that are there.
    mutating func finish(cancels: Bool = false) -> Bool {
        if cancels { isCancelled = true }
        guard phase == .valid else { return false }
        phase = isEmpty ? .invalid : .finishing
        return phase == .invalid
    }

    private var isEmpty: Bool { entries.isEmpty && making == 0 }

    // MARK: Web sockets

    /// Notes a web socket, without keeping it alive. False: no task is made any more.
    mutating func note(_ socket: URLSessionWebSocketTask) -> Bool {
        guard phase == .valid else { return false }
        // Foundation makes one kind by another, which was noted then.
        guard !sockets.contains(where: { $0.task === socket }) else { return true }
        sockets.removeAll { $0.task == nil }
        sockets.append(WebSocket(task: socket))
        return true
    }

    /// The web sockets that somebody still has.
    var webSockets: [URLSessionWebSocketTask] { sockets.compactMap { $0.task } }

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
