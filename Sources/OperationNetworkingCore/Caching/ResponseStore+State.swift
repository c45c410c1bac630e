// SPDX-License-Identifier: MIT
internal import NetworkingSupport

extension ResponseStore {
    /// The responses in memory, and those that wait for their place on the disk.
    struct State: Sendable {
        struct Waiting: Sendable {
            let response: StoredResponse
            let number: UInt
        }

        /// Bytes that may wait for the disk; a response that comes when there are more is kept in memory only.
        private static let maximumPending = 16 << 20
        private static let maximumWaiting = 16384
        /// Seconds for which what a 304 says of a response is kept in memory only, after it was written once.
        private static let refreshPause = 5.0
        private static let maximumRefreshes = 1024

        var memory: CostBoundCache<CacheKey.Digest, StoredResponse>
        /// The responses that wait to be written to the disk.
        private(set) var pending: [CacheKey.Digest: Waiting] = [:]
        /// The order of those that wait; those before `first` have had their turn.
        private var order: [(key: CacheKey.Digest, number: UInt)] = []
        private var first = 0
        private var pendingCost = 0
        private var number: UInt = 0
        /// The keys of what waits or is in memory, and some of what was.
        private var keys = KeysByResource<CacheKey.Digest>()
        /// The times at which the update by a 304 was written, in seconds of the runtime's uptime.
        private var refreshes: [CacheKey.Digest: Double] = [:]
        /// True while a write is under way or about to begin.
        var isWriting = false
        /// The time of the last write, in seconds of the runtime's uptime.
        var lastWrite = -Double.infinity
        /// True while a look at changes by other processes is under way or about to begin.
        var isLooking = false
        /// The number of removals of all responses that have not been done to the files yet: what is read from these
        /// counts as removed.
        var diskRemovals = 0
        var removals = CacheRemovals()

        init(_ memoryCapacity: Int) {
            memory = CostBoundCache(capacity: memoryCapacity, preferredCostAfterPurge: memoryCapacity)
        }

        /// Returns the response that waits for the disk or is in memory. It may be unfiltered.
        mutating func recent(_ key: CacheKey.Digest) -> StoredResponse? {
            pending[key]?.response ?? memory.value(forKey: key)
        }

        /// Puts a response into memory.
        ///
        /// - Returns: the responses that are no longer kept, to be released outside the lock.
        mutating func keep(_ response: StoredResponse, for key: CacheKey.Digest) -> [StoredResponse] {
            let dropped = memory.insert(response, forKey: key, cost: response.cost)
            note(key)
            return dropped
        }

        private mutating func note(_ key: CacheKey.Digest) {
            keys.insert(key)
            if keys.isOvergrown(for: memory.count + pending.count) { keys = KeysByResource(memory.keys + pending.keys) }
        }

        var hasRoomToWait: Bool { pendingCost < Self.maximumPending && order.count - first < Self.maximumWaiting }

        /// Returns true if the disk's copy of a response is recent enough, given that the content is the same.
        mutating func isFresh(onDisk key: CacheKey.Digest, at now: Double) -> Bool {
            guard pending[key] == nil else { return false }
            if let last = refreshes[key], now - last < Self.refreshPause { return true }
            if refreshes.count >= Self.maximumRefreshes { refreshes = [:] }
            refreshes[key] = now
            return false
        }

        /// - Returns: the response that waited under the key until now.
        mutating func wait(_ response: StoredResponse, for key: CacheKey.Digest) -> StoredResponse? {
            let old = takePending(key)
            number &+= 1
            pending[key] = Waiting(response: response, number: number)
            pendingCost += response.cost
            // The turn of the response that it replaces has no effect.
            order.append((key, number))
            note(key)
            return old
        }

        mutating func takePending(_ key: CacheKey.Digest) -> StoredResponse? {
            guard let waiting = pending.removeValue(forKey: key) else { return nil }
            pendingCost -= waiting.response.cost
            return waiting.response
        }

        /// Returns the next responses to be written, each key once. They stay in `pending` until they have been
        /// written.
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

        /// Moves a response that was written into memory, unless another one came meanwhile, or it was removed.
        ///
        /// - Returns: the responses that are no longer kept, to be released outside the lock.
        mutating func didWrite(_ key: CacheKey.Digest, _ number: UInt, _ response: StoredResponse) -> [StoredResponse] {
            guard pending[key]?.number == number, let old = takePending(key) else { return [response] }
            return [old] + keep(response, for: key)
        }

        /// Removes all responses of a URL.
        ///
        /// - Returns: the responses that were there, to be released outside the lock.
        mutating func remove(_ resource: CacheKey.Resource) -> [StoredResponse] {
            removals.note(resource)
            var dropped: [StoredResponse] = []
            for key in keys.take(resource) {
                dropped += [memory.removeValue(forKey: key), takePending(key)].compactMap { $0 }
            }
            return dropped
        }

        /// - Returns: the responses that were there, to be released outside the lock.
        mutating func removeAll() -> [StoredResponse] {
            removals.noteAll()
            defer {
                pending = [:]
                order = []
                first = 0
                pendingCost = 0
                keys = KeysByResource()
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
