// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import OperationNetworkingCore

// The tasks of a session, and what they report to it.

extension OperationURLSession {
    /// All tasks that are not over, oldest first. Does not block.
    var allTasks: [URLSessionTask] { registry.withLock { $0.tasks }.compactMap { $0.face ?? $0.task.knownFace } }

    /// Those that were resumed and are not over, oldest first. Does not block.
    var outstandingTasks: [URLSessionTask] {
        allTasks.filter { $0.ownFace?.task.withState { $0.machine.isOutstanding } ?? false }
    }

    /// The identifier of a new task, and whether there may be one. If so, the session has it from now on, and `add` has
    /// to follow.
    func makeTaskIdentifier() -> (identifier: Int, isValid: Bool) { registry.withLock { $0.makeIdentifier() } }

    /// True if tasks that are made now can only fail.
    var refusesTasks: Bool { registry.withLock { $0.phase != .valid } }

    /// The session keeps a new task. One that was being made when the session cancelled its tasks is cancelled as well.
    func add(_ task: SessionTask, _ face: URLSessionTask) {
        let (unheld, insertion) = registry.withLock { registry in
            let unheld = registry.takeUnheld(amongLast: 4)
            return (unheld, registry.insert(task, face: face))
        }
        for task in unheld { _ = task.withState { $0.leaveSession() } }
        if insertion.looks { Self.leaveUnheldTasks(of: registry, after: 0.002) }
        if insertion.cancels { task.cancel() }
    }

    /// Makes tasks that were not begun, and that only the session has, keep the session no longer. Tasks with other
    /// references are looked at again, at longer and longer intervals.
    private static func leaveUnheldTasks(of registry: SharedSessionRegistry, after seconds: TimeInterval) {
        Runtime.current.after(seconds) { [weak registry] in
            guard let registry else { return }
            let (tasks, looksAgain) = registry.withLock { $0.takeUnheld() }
            let sessions = tasks.map { $0.withState { $0.leaveSession() } }
            if looksAgain { leaveUnheldTasks(of: registry, after: min(seconds * 2, 60)) }
            withExtendedLifetime(sessions) {}
        }
    }

    /// The session keeps the task to its end from now on.
    func taskDidBegin(_ task: SessionTask) {
        let face = task.face
        let released = registry.withLock { $0.keep(face, of: task) }
        withExtendedLifetime(released) {}
        // Over meanwhile: its end, which takes the session away, may have come before the task was kept.
        if task.session == nil { remove(task) }
    }

    /// A data task became a download.
    func taskDidBecome(_ face: URLSessionDownloadTask, _ task: SessionTask) {
        let released = registry.withLock { $0.replaceFace(face, of: task) }
        withExtendedLifetime(released) {}
    }

    /// The client has received everything about the task.
    func taskDidEnd(_ task: SessionTask) { remove(task) }

    /// The last reference to a task that was never begun is gone.
    func taskDidGo(_ task: SessionTask) { remove(task) }

    private func remove(_ task: SessionTask) {
        // The task is released after the unlock.
        let (wasLast, released) = registry.withLock { $0.remove(task.identifier) }
        if wasLast { becomeInvalid() }
        withExtendedLifetime(released) {}
    }

    // MARK: Web sockets

    /// Notes a new web socket, which is closed at once if the session makes no tasks any more.
    func remembering(_ socket: URLSessionWebSocketTask) -> URLSessionWebSocketTask {
        let isWanted = registry.withLock { $0.note(socket) }
        if !isWanted { close([socket]) }
        return socket
    }

    func close(_ sockets: [URLSessionWebSocketTask]) {
        guard !sockets.isEmpty else { return }
        // Where Foundation's tasks are controlled: they may wait for a queue that this is called on.
        foreign.control.async {
            for socket in sockets { socket.cancel(with: .goingAway, reason: nil) }
        }
    }

    // MARK: The end

    func becomeInvalid() {
        client.perform(on: delegateQueue) { [self] in
            // Taken first: a notified delegate finds that the session has none.
            let delegate = currentDelegate.withLock { $0.take() }
            delegate?.urlSession(self, didBecomeInvalidWithError: nil)
        }
    }
}
