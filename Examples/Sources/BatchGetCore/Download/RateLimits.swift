// SPDX-License-Identifier: MIT
internal import Synchronization

/// The limits of a run: one for all, and one for each host.
final class RateLimits: Sendable {
    private struct State {
        var total: TokenBucket?
        var hosts: [String: TokenBucket] = [:]
    }

    private let perHost: Int64
    private let state: Mutex<State>

    /// - Parameters:
    ///   - total: bytes a second; 0: any number.
    ///   - perHost: likewise.
    init(total: Int64, perHost: Int64) {
        self.perHost = perHost
        state = Mutex(State(total: total > 0 ? TokenBucket(rate: total, at: .now) : nil))
    }

    /// Takes bytes that came from a host.
    ///
    /// - Returns: how long the one who took them has to wait.
    func take(_ count: Int, from host: String) -> Duration {
        let now = ContinuousClock.now
        return state.withLock { state in
            let delay = state.total?.take(count, at: now) ?? .zero
            guard perHost > 0 else { return delay }
            return max(delay, state.hosts[host, default: TokenBucket(rate: perHost, at: now)].take(count, at: now))
        }
    }
}
