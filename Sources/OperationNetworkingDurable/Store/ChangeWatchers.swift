// SPDX-License-Identifier: MIT
internal import NetworkingSupport

/// Streams that yield when a store may have changed.
final class ChangeWatchers: Sendable {
    private struct State {
        var next = 0
        var continuations: [Int: AsyncStream<Void>.Continuation] = [:]
        var isPolling = false
        var isFinished = false
    }

    private let state = Locked(State())

    /// Returns a new stream, and true if there was nothing that looks for changes.
    func add() -> (stream: AsyncStream<Void>, isFirst: Bool) {
        // One change that waits says all.
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (key, isFirst) = state.withLock { state -> (Int?, Bool) in
            guard !state.isFinished else { return (nil, false) }
            state.next += 1
            state.continuations[state.next] = continuation
            defer { state.isPolling = true }
            return (state.next, !state.isPolling)
        }
        if let key {
            continuation.onTermination = { [weak self] _ in self?.remove(key) }
        } else {
            continuation.finish()
        }
        return (stream, isFirst)
    }

    private func remove(_ key: Int) {
        let gone = state.withLock { $0.continuations.removeValue(forKey: key) }
        withExtendedLifetime(gone) {}
    }

    /// True while there is a stream. After false, the next stream is a first one again.
    func goesOn() -> Bool {
        state.withLock { state in
            state.isPolling = !state.isFinished && !state.continuations.isEmpty
            return state.isPolling
        }
    }

    func tell() {
        for continuation in state.withLock({ Array($0.continuations.values) }) { continuation.yield() }
    }

    func finish() {
        let all = state.withLock { state in
            state.isFinished = true
            defer { state.continuations = [:] }
            return Array(state.continuations.values)
        }
        for continuation in all { continuation.finish() }
    }
}
