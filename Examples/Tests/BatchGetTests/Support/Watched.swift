// SPDX-License-Identifier: MIT
import Foundation
import Synchronization

/// A value that tests wait for.
final class Watched<Value: Sendable>: Sendable {
    private struct Waiter {
        let id: UUID
        let isFulfilled: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Value?, Never>
    }

    private struct State {
        var value: Value
        var waiters: [Waiter] = []
    }

    private let state: Mutex<State>

    init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    var value: Value { state.withLock { $0.value } }

    func update(_ change: @Sendable (inout Value) -> Void) {
        let (value, fulfilled) = state.withLock { state in
            change(&state.value)
            let value = state.value
            let fulfilled = state.waiters.filter { $0.isFulfilled(value) }
            state.waiters.removeAll { $0.isFulfilled(value) }
            return (value, fulfilled)
        }
        for waiter in fulfilled { waiter.continuation.resume(returning: value) }
    }

    /// Waits until the value is as it should be.
    @discardableResult
    func wait(
        for what: String, timeout: Duration = .seconds(30), until isFulfilled: @escaping @Sendable (Value) -> Bool
    ) async throws -> Value {
        let id = UUID()
        let watchdog = Task {
            try await Task.sleep(for: timeout)
            let late = state.withLock { state in
                let index = state.waiters.firstIndex { $0.id == id }
                return index.map { state.waiters.remove(at: $0) }
            }
            late?.continuation.resume(returning: nil)
        }
        defer { watchdog.cancel() }
        let result = await withCheckedContinuation { continuation in
            let present: Value? = state.withLock { state in
                if isFulfilled(state.value) { return state.value }
                state.waiters.append(Waiter(id: id, isFulfilled: isFulfilled, continuation: continuation))
                return nil
            }
            if let present { continuation.resume(returning: present) }
        }
        guard let result else { throw TestFailure("waited \(timeout) in vain for \(what)") }
        return result
    }
}
