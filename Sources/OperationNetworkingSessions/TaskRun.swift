// SPDX-License-Identifier: MIT
internal import FoundationNetworking
internal import NetworkingSupport
internal import OperationNetworkingCore

/// A session's task that a Swift task waits for.
final class TaskRun<Value: Sendable>: Sendable {
    private struct State {
        var task: URLSessionTask?
        var isCancelled = false
    }

    private let state = Locked(State())

    func value(
        _ make: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> URLSessionTask
    ) async throws -> Value {
        try await withCancellation {
            try await withCheckedThrowingContinuation { continuation in
                // A subclass may call a handler more than once.
                let once = FirstAnswer<Result<Value, any Error>> { continuation.resumeUnlocked(with: $0) }
                let task = make { once.give($0) }
                let isCancelled = state.withLock { state in
                    state.task = task
                    return state.isCancelled
                }
                if isCancelled { task.cancel() } else { task.resume() }
            }
        } by: { [state] in
            let task = state.withLock { state in
                state.isCancelled = true
                return state.task
            }
            task?.cancel()
        }
    }
}
