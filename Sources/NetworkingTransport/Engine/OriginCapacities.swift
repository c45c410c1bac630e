// SPDX-License-Identifier: MIT
internal import NetworkingSupport
internal import Synchronization

/// The number of transfers that the engine carries out at a time to an origin, for any thread to ask.
final class OriginCapacities: Sendable {
    /// The latest value of `TransportEngine.maximumConnectionsPerHost`.
    let connectionLimit: Atomic<Int>
    /// The latest value of `TransportEngine.maximumConnections`.
    let totalConnectionLimit = Atomic(Int.max)
    /// The latest value of `TransportEngine.idleConnectionTimeout`, in nanoseconds.
    let idleConnectionTimeout = Atomic<UInt64>(60_000_000_000)
    /// The origins that answer in HTTP/2.
    private let multiplexed = Locked<Set<String>>([])
    /// The size of `multiplexed`, so that callers need not take the lock while the set is empty.
    private let multiplexedCount = Atomic<Int>(0)
    /// The size beyond which the set begins anew. The next responses fill it again.
    private static let setLimit = 4096

    init(connectionLimit: Int) { self.connectionLimit = Atomic(connectionLimit) }

    /// `idleConnectionTimeout` in whole seconds, for libcurl, which takes 0 for no limit.
    var idleConnectionAge: Int { max(1, Int((idleTime &+ 999_999_999) / 1_000_000_000)) }

    /// `idleConnectionTimeout`, in nanoseconds.
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
