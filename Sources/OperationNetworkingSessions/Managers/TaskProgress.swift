// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import OperationNetworkingCore

/// A task's progress in one direction, and the block that receives it.
///
/// `Progress` of Foundation is not safe to change from several threads at once: it is changed where the task's blocks
/// are called only, one piece of work at a time. What comes before the manager's queue gets to it is merged, so that a
/// fast transfer does not flood it.
final class TaskProgress: Sendable {
    enum Direction { case upload, download }

    private struct State {
        var completed: Int64 = 0
        var total: Int64 = -1
        var isScheduled = false
    }

    let progress: Progress
    private let block: (@Sendable (Progress) -> Void)?
    private let state = Locked(State())

    /// A child of the calling thread's current progress, if there is one.
    ///
    /// To be made before the task: Foundation's tasks have a progress from their beginning, which is not used here, and
    /// which would take the place of the child.
    static func makeLink() -> ProgressLink? {
        // Where the thread keeps nothing at all, it keeps no progress: no need to make a key to look for it.
        guard Thread.current.threadDictionary.count > 0, let current = Progress.current() else { return nil }
        return ProgressChanges.perform { ProgressLink(childOf: current) }
    }

    /// - Parameter link: follows the progress, and controls it.
    init(of face: URLSessionTask, link: ProgressLink?, block: (@Sendable (Progress) -> Void)?) {
        progress = LinkedProgress.make(
            link: link, cancel: { [weak face] in face?.cancel() }, pause: { [weak face] in face?.suspend() },
            resume: { [weak face] in face?.resume() })
        self.block = block
    }

    /// - Parameters:
    ///   - completed: bytes in all.
    ///   - total: bytes expected; −1: unknown.
    /// - Returns: true: an `update` is to be scheduled.
    func note(_ completed: Int64, of total: Int64) -> Bool {
        state.withLock { state in
            // Reported already: what a program has set itself since then stays.
            guard state.completed != completed || state.total != total else { return false }
            state.completed = completed
            state.total = total
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
    }

    /// Sets the progress to what was noted last. Called by the task's mailbox.
    func update() {
        let (completed, total) = state.withLock { state in
            state.isScheduled = false
            return (state.completed, state.total)
        }
        guard progress.completedUnitCount != completed || progress.totalUnitCount != total else { return }
        set(completed, of: total)
        block?(progress)
    }

    private func set(_ completed: Int64, of total: Int64) {
        ProgressChanges.perform {
            progress.totalUnitCount = total
            progress.completedUnitCount = completed
        }
    }

    /// Brings the progress to its end, before the completion handler is called. Called by the task's mailbox.
    ///
    /// - Parameter isComplete: everything was transferred. A total that was not known before is then what came.
    func finish(isComplete: Bool) {
        update()
        guard isComplete, progress.totalUnitCount != progress.completedUnitCount || progress.totalUnitCount <= 0 else {
            return
        }
        let isEmpty = progress.completedUnitCount <= 0
        // Foundation calls a progress of 0 of 0 unfinished, and a parent would wait for it for ever.
        let total = isEmpty ? 1 : progress.completedUnitCount
        set(total, of: total)
        if !isEmpty { block?(progress) }
    }
}
