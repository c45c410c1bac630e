// SPDX-License-Identifier: MIT
internal import NetworkingSupport

/// The streams of a queue's events.
final class EventStreams: Sendable {
    private struct State {
        var next = 0
        var continuations: [Int: AsyncStream<DurableRequestEvent>.Continuation] = [:]
    }

    private let state = Locked(State())

    /// True if somebody listens.
    var isWatched: Bool { state.withLock { !$0.continuations.isEmpty } }

    /// - Parameter capacity: events that wait for a slow reader; further ones push out the oldest.
    func add(capacity: Int) -> AsyncStream<DurableRequestEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DurableRequestEvent.self, bufferingPolicy: .bufferingNewest(capacity))
        let key = state.withLock { state in
            state.next += 1
            state.continuations[state.next] = continuation
            return state.next
        }
        continuation.onTermination = { [weak self] _ in
            let gone = self?.state.withLock { $0.continuations.removeValue(forKey: key) }
            withExtendedLifetime(gone) {}
        }
        return stream
    }

    func yield(_ event: DurableRequestEvent) {
        for continuation in state.withLock({ Array($0.continuations.values) }) { continuation.yield(event) }
    }

    func finish() {
        let all = state.withLock { state in
            defer { state.continuations = [:] }
            return Array(state.continuations.values)
        }
        for continuation in all { continuation.finish() }
    }
}
