// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

/// A child of the progress that was current when a task was made. It follows every change of the task's progress, and
/// controls it. The task's progress itself cannot be the child: a child of an unknown total never counts for its parent
/// on Linux, also when its total is known later.
// Sendable because `state` is a lock; all else is Foundation's.
final class ProgressLink: Progress, @unchecked Sendable {
    private struct State {
        weak var controlled: LinkedProgress?
        /// By the last call, which may have come before there was a progress to control.
        var isPaused = false
    }

    private let state = Locked(State())

    /// - Parameter parent: the current progress of the calling thread.
    init(childOf parent: Progress) {
        super.init(parent: parent, userInfo: nil)
        totalUnitCount = 1
    }

    /// Controls a progress from now on. Called once, before other code has the progress.
    func control(_ progress: LinkedProgress) {
        isPausable = true
        cancellationHandler = { [weak progress] in progress?.cancel() }
        state.withLock { state in
            state.controlled = progress
            // Under the lock, so that it comes before a resume by another thread. It calls no other code: the progress
            // has neither children nor handlers yet, and its task is suspended on a queue.
            if state.isPaused { progress.pause() }
        }
    }

    // A parent makes these calls in the order of the calls of its own. Foundation's handlers have no order.

    override func pause() {
        super.pause()
        note(isPaused: true)?.pause()
    }

    override func resume() {
        super.resume()
        note(isPaused: false)?.resume()
    }

    /// Returns the progress to do the same to, if there is one yet.
    private func note(isPaused: Bool) -> LinkedProgress? {
        state.withLock { state in
            state.isPaused = isPaused
            return state.controlled
        }
    }
}
