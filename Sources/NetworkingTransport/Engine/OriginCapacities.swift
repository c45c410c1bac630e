// SPDX-License-Identifier: MIT
internal import NetworkingSupport
internal import Synchronization

/// How many transfers the engine carries out at a time to an origin, for any thread to ask.
final class OriginCapacities: Sendable {
    /// What `TransportEngine.maximumConnectionsPerHost` was set to last.
    let connectionLimit: Atomic<Int>
    /// What `TransportEngine.maximumConnections` was set to last.
    let totalConnectionLimit = Atomic(Int.max)
    /// What `TransportEngine.idleConnectionTimeout` was set to last, in nanoseconds.
    let idleConnectionTimeout = Atomic<UInt64>(60_000_000_000)
    /// The origins that answer in HTTP/2.
    private let multiplexed = Locked<Set<String>>([])
    /// The size of `multiplexed`, so that whoever asks need not take the lock while there is none.
    private let multiplexedCount = Atomic<Int>(0)
    /// Beyond it the set begins anew: it only says what a response says again.
    private static let setLimit = 4096

    init(connectionLimit: Int) { self.connectionLimit = Atomic(connectionLimit) }

    /// `idleConnectionTimeout` in whole seconds, for libcurl, which takes 0 for no limit.
    var idleConnectionAge: Int { max(1, Int((idleTime &+ 999_999_999) / 1_000_000_000)) }

    /// In nanoseconds.
    var idleTime: UInt64 { idleConnectionTimeout.load(ordering: .relaxed) }

    func capacity(of origin: String, connections: Int) -> Int {
        let limit = connectionLimit.load(ordering: .relaxed)
        guard multiplexedCount.load(ordering: .relaxed) > 0, multiplexed.withLock({ $0.contains(origin) }) else {
            return min(limit, connections)
        }
        return max(limit, AdmissionTable<Transfer>.streamLimit)
    }

    /// Takes note that an origin begins, or ceases, to answer in HTTP/2.
    func note(_ origin: String, isHTTP2: Bool) {
        let count = multiplexed.withLock { set in
            if isHTTP2 {
                if set.count >= Self.setLimit { set = [] }
                set.insert(origin)
            } else {
                set.remove(origin)
            }
            return set.count
        }
        multiplexedCount.store(count, ordering: .relaxed)
    }
}
