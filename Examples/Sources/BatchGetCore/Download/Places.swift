// SPDX-License-Identifier: MIT
internal import Synchronization

/// How many requests there are, of files that have begun or wait, so that one file is split only where no other one would have
/// to wait for it.
final class Places: Sendable {
    private struct State {
        var total = 0
        var hosts: [String: Int] = [:]
    }

    private let limit: Int
    private let perHost: Int
    private let state = Mutex(State())

    init(limit: Int, perHost: Int) {
        self.limit = limit
        self.perHost = perHost > 0 ? perHost : .max
    }

    /// Whether there is a place for one more request to a host.
    func isFree(for host: String) -> Bool {
        state.withLock { $0.total < limit && $0.hosts[host, default: 0] < perHost }
    }

    func take(_ host: String) {
        state.withLock { state in
            state.total += 1
            state.hosts[host, default: 0] += 1
        }
    }

    /// - Returns: whether others may have a place now.
    func release(_ host: String) -> Bool {
        state.withLock { state in
            state.total -= 1
            let count = state.hosts[host, default: 1] - 1
            state.hosts[host] = count > 0 ? count : nil
            return state.total < limit
        }
    }
}
