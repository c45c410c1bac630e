// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation

/// The progress of a task. Cancelling, pausing and resuming it does so with the task. A task that was made while there
/// was a current progress counts for that by a link.
///
/// Foundation's handlers for pausing and resuming are not used: on Linux each call of one is a piece of work of its own
/// on a concurrent queue, and a resume may come before the pause that it answers.
// Sendable because `pauses` belongs to one queue; all else is immutable or Foundation's.
final class LinkedProgress: Progress, @unchecked Sendable {
    /// Follows the progress, and controls it; nil: there was no current progress.
    private let link: ProgressLink?
    private let suspendTask: @Sendable () -> Void
    private let resumeTask: @Sendable () -> Void
    /// The queue on which the task is suspended and resumed, in the order of the calls. One for each progress: the
    /// observers of one task do not hold up the others.
    private let turns = DispatchQueue(label: "OperationNetworking.progress")
    /// Suspensions of the task by this progress that no resume has answered. On `turns`.
    private var pauses = 0

    private init(link: ProgressLink?, pause: @escaping @Sendable () -> Void, resume: @escaping @Sendable () -> Void) {
        self.link = link
        suspendTask = pause
        resumeTask = resume
        super.init(parent: nil, userInfo: nil)
    }

    /// Makes the progress of a task: of an unknown total, and no child of the thread's present one.
    ///
    /// - Parameter link: follows the progress, and controls it; nil: there was no current progress.
    static func make(
        link: ProgressLink?, cancel: @escaping @Sendable () -> Void, pause: @escaping @Sendable () -> Void,
        resume: @escaping @Sendable () -> Void
    ) -> Progress {
        let progress = LinkedProgress(link: link, pause: pause, resume: resume)
        // Neither finished nor of a fraction.
        progress.totalUnitCount = -1
        progress.isPausable = true
        progress.cancellationHandler = cancel
        link?.control(progress)
        return progress
    }

    override var totalUnitCount: Int64 { didSet { follow() } }
    override var completedUnitCount: Int64 { didSet { follow() } }

    private func follow() {
        guard let link, totalUnitCount > 0 else { return }
        link.totalUnitCount = totalUnitCount
        link.completedUnitCount = completedUnitCount
    }

    override func pause() {
        super.pause()
        turns.async { [self] in
            pauses += 1
            suspendTask()
        }
    }

    override func resume() {
        super.resume()
        turns.async { [self] in
            // A task counts suspensions; a progress is paused or it is not, however often it was told so, by itself and
            // by its parent. What others have suspended stays so.
            let count = max(1, pauses)
            pauses = 0
            for _ in 0..<count { resumeTask() }
        }
    }
}
