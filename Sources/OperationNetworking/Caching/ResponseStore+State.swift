// SPDX-License-Identifier: MIT
internal import NetworkingSupport

extension ResponseStore {
    /// What is in memory, and what waits for its place on the disk.
    struct State: Sendable {
        struct Waiting: Sendable {
            let response: StoredResponse
            let number: UInt
        }

        /// Bytes that may wait for the disk; what comes when there are more is kept in memory only.
        private static let maximumPending = 16 << 20
        private static let maximumWaiting = 16384
        /// Seconds for which what a 304 says of a response is kept in memory only, after it was written once.
        private static let refreshPause = 5.0
        private static let maximumRefreshes = 1024

        var memory: CostBoundCache<CacheKey.Digest, StoredResponse>
        /// What goes to the disk.
        private(set) var pending: [CacheKey.Digest: Waiting] = [:]
        /// In what order; those before `first` have gone.
        private var order: [(key: CacheKey.Digest, number: UInt)] = []
        private var first = 0
        private var pendingCost = 0
        private var number: UInt = 0
        /// When what a 304 says was written, in seconds of the runtime's uptime.
        private var refreshes: [CacheKey.Digest: Double] = [:]
        /// Somebody is writing, or about to.
        var isWriting = false
        /// When something was written last, in seconds of the runtime's uptime.
        var lastWrite = -Double.infinity
        /// Somebody is looking what other processes did, or about to.
        var isLooking = false
        /// Removals of all there is that have not been done to the files: what is read from these is removed already.
        var diskRemovals = 0
        var removals = CacheRemovals()

        init(_ memoryCapacity: Int) {
            memory = CostBoundCache(capacity: memoryCapacity, preferredCostAfterPurge: memoryCapacity)
        }

        /// What comes out is not filtered.
        mutating func recent(_ key: CacheKey.Digest) -> StoredResponse? {
            pending[key]?.response ?? memory.value(forKey: key)
        }

        var hasRoomToWait: Bool { pendingCost < Self.maximumPending && order.count - first < Self.maximumWaiting }

        /// Whether what the disk has of a response is recent enough, if its content is the same.
        mutating func isFresh(onDisk key: CacheKey.Digest, at now: Double) -> Bool {
            guard pending[key] == nil else { return false }
            if let last = refreshes[key], now - last < Self.refreshPause { return true }
            if refreshes.count >= Self.maximumRefreshes { refreshes = [:] }
            refreshes[key] = now
            return false
        }

        /// - Returns: what waited under the key, and does not any more.
        mutating func wait(_ response: StoredResponse, for key: CacheKey.Digest) -> StoredResponse? {
            let old = takePending(key)
            number &+= 1
            pending[key] = Waiting(response: response, number: number)
            pendingCost += response.cost
            // What it takes the place of has a turn that comes to nothing.
            order.append((key, number))
            return old
        }

        mutating func takePending(_ key: CacheKey.Digest) -> StoredResponse? {
            guard let waiting = pending.removeValue(forKey: key) else { return nil }
            pendingCost -= waiting.response.cost
            return waiting.response
        }

        /// The next that are to be written, each key once. They go on waiting until they have been.
        mutating func takeTurns(atMost count: Int) -> [(key: CacheKey.Digest, waiting: Waiting)] {
            var turns: [(key: CacheKey.Digest, waiting: Waiting)] = []
            while first < order.count, turns.count < count {
                let (key, number) = order[first]
                first += 1
                if let waiting = pending[key], waiting.number == number { turns.append((key, waiting)) }
            }
            if first == order.count || first > 4096 {
                order.removeFirst(first)
                first = 0
            }
            return turns
        }

        /// A response has its place, unless another one came meanwhile, or it was removed: it goes into memory.
        ///
        /// - Returns: what is no longer there.
        mutating func didWrite(_ key: CacheKey.Digest, _ number: UInt, _ response: StoredResponse) -> [StoredResponse] {
            guard pending[key]?.number == number, let old = takePending(key) else { return [response] }
            return [old] + memory.insert(response, forKey: key, cost: response.cost)
        }

        /// - Returns: what was there, to be let go of by somebody who holds no lock.
        mutating func removeAll() -> [StoredResponse] {
            removals.noteAll()
            defer {
                pending = [:]
                order = []
                first = 0
                pendingCost = 0
                refreshes = [:]
            }
            return memory.removeAll() + pending.values.map(\.response)
        }

        mutating func removeAll(since seconds: Double) -> [StoredResponse] {
            removals.noteAll()
            return memory.keys.compactMap { key in
                memory.value(forKey: key).map { $0.responseTime > seconds } == true
                    ? memory.removeValue(forKey: key) : nil
            }
        }
    }
}

extension StoredResponse {
    /// Bytes that it takes in memory, about.
    var cost: Int { content.count + head.rawFields.count + 400 }
}
