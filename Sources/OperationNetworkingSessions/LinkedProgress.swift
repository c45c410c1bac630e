// SPDX-License-Identifier: MIT
internal import Foundation

/// The progress of a task that was made while there was a current one.
// Sendable because `link` is immutable; `Progress` is Sendable.
final class LinkedProgress: Progress, @unchecked Sendable {
    /// A child of the progress that was current when the task was made. It follows every change of this one. This one
    /// itself cannot be the child: a child of an unknown total never counts for its parent on Linux, also when its
    /// total is known later.
    private let link: Progress

    private init(link: Progress) {
        self.link = link
        super.init(parent: nil, userInfo: nil)
    }

    /// Makes the progress of a task: of an unknown total, and no child of the thread's present one.
    ///
    /// - Parameter link: follows the progress, and controls it; nil: there was no current progress.
    static func make(
        link: Progress?, cancel: @escaping @Sendable () -> Void, pause: @escaping @Sendable () -> Void,
        resume: @escaping @Sendable () -> Void
    ) -> Progress {
        let progress: Progress = link.map { LinkedProgress(link: $0) } ?? Progress(parent: nil)
        // Neither finished nor of a fraction.
        progress.totalUnitCount = -1
        progress.isPausable = true
        progress.cancellationHandler = cancel
        progress.pausingHandler = pause
        progress.resumingHandler = resume
        link?.isPausable = true
        link?.cancellationHandler = { [weak progress] in progress?.cancel() }
        link?.pausingHandler = { [weak progress] in progress?.pause() }
        link?.resumingHandler = { [weak progress] in progress?.resume() }
        return progress
    }

    override var totalUnitCount: Int64 { didSet { follow() } }
    override var completedUnitCount: Int64 { didSet { follow() } }

    private func follow() {
        guard totalUnitCount > 0 else { return }
        link.totalUnitCount = totalUnitCount
        link.completedUnitCount = completedUnitCount
    }
}
