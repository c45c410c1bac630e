// SPDX-License-Identifier: MIT
internal import NetworkingSupport

// Swift holds a task's lock while the task is cancelled and its handlers run, and takes that lock to resume the task. A
// handler that resumes another task, or that waits for a thread which does, waits for ever if that task is being
// cancelled, too, and waits for this one. So the library's handlers do nothing but ask for the cancellation; and where
// the caller may be such a handler of a user's, another thread resumes tasks.

/// Waits for `work`. When the Swift task is cancelled, `cancel` is called soon, on one of the library's threads; before
/// `work` if the task was cancelled before.
///
/// - Parameter runtime: the library's threads; nil: the process's.
package func withCancellation<Value>(
    on runtime: (any OperationRuntime)? = nil, isolation: isolated (any Actor)? = #isolation,
    of work: () async throws -> Value, by cancel: @escaping @Sendable () -> Void
) async rethrows -> Value {
    let runtime = runtime ?? Runtime.current
    // Nothing has begun then, and no cancellation is running at the moment.
    let wasCancelled = Task.isCancelled
    if wasCancelled { cancel() }
    return try await withTaskCancellationHandler(
        operation: work, onCancel: { if !wasCancelled { runtime.onCancellingThread(cancel) } }, isolation: isolation)
}

extension CheckedContinuation where T: Sendable {
    /// Resumes the task: at once on the library's threads, which hold no task's lock, and soon on others.
    package func resumeUnlocked(with result: sending Result<T, E>, on runtime: (any OperationRuntime)? = nil) {
        let runtime = runtime ?? Runtime.current
        guard !runtime.holdsNoTask else { return resume(with: result) }
        runtime.onCancellingThread { [result] in resume(with: result) }
    }
}

extension CheckedContinuation<Void, Never> {
    package func resumeUnlocked(on runtime: (any OperationRuntime)? = nil) {
        resumeUnlocked(with: .success(()), on: runtime)
    }
}
