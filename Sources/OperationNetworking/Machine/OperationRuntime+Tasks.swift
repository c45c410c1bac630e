// SPDX-License-Identifier: MIT
internal import NetworkingSupport

// Swift holds a lock of a task's while the task is cancelled and its handlers run, and takes it to let the task go on. A
// handler that lets another task go on, or that waits for a thread which does, waits for ever where that task is being
// cancelled, too, and waits for this one. So handlers of the library's do nothing but ask for the cancellation; and where the
// caller may be such a handler of a user's, tasks are let go on by another thread.

/// Waits for `work`. When the Swift task is cancelled, `cancel` is called on a thread of the library's, soon; before `work`
/// if it was cancelled before.
///
/// - Parameter runtime: the library's threads; nil: the process's.
package func withCancellation<Value>(
    on runtime: (any OperationRuntime)? = nil, isolation: isolated (any Actor)? = #isolation,
    of work: () async throws -> Value, by cancel: @escaping @Sendable () -> Void
) async rethrows -> Value {
    let runtime = runtime ?? Runtime.current
    // Nothing is begun, then, and nobody cancels it at the moment.
    let wasCancelled = Task.isCancelled
    if wasCancelled { cancel() }
    return try await withTaskCancellationHandler(
        operation: work, onCancel: { if !wasCancelled { runtime.onCancellingThread(cancel) } }, isolation: isolation)
}

extension CheckedContinuation where T: Sendable {
    /// Lets the task go on: at once on the library's threads, which hold no task's lock, and soon on others.
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
