// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

/// The library's own store of responses: those used most recently in memory, and all on a disk.
///
/// A look-up is answered at once if the response is in memory, waits for its place on the disk, or is known to be
/// nowhere. The disk is read on the thread for caches, and a response that was read is in memory after that. Each
/// change is seen at once; files are changed on that thread, one after the other.
final class ResponseStore: Sendable {
    let disk: DiskStore
    let state: Locked<State>

    init(memoryCapacity: Int, disk: DiskStore) {
        self.disk = disk
        state = Locked(State(memoryCapacity))
    }

    // MARK: Looking

    var moment: CacheRemovals.Moment { state.withLock { $0.removals.now } }

    func wasRemoved(_ key: CacheKey, since moment: CacheRemovals.Moment) -> Bool {
        state.withLock { $0.removals.contains(key.digest, since: moment) }
    }

    /// True if nothing at all is stored, as far as that is known.
    var isKnownToBeEmpty: Bool {
        guard disk.isKnownToBeEmpty else { return false }
        lookSoon()
        return state.withLock { $0.memory.count == 0 && $0.pending.isEmpty }
    }

    /// Returns true if a response may be stored under a key. Does not read the disk.
    func mayHold(_ key: CacheKey) -> Bool {
        // Also where memory answers: another process may have changed what is there.
        lookSoon()
        if state.withLock({ $0.recent(key.digest) != nil }) { return true }
        return disk.holds(key.digest) != .absent
    }

    /// Returns the response under a key, if it is known without a look at the disk; nil: it is not.
    func recentResponse(for key: CacheKey) -> StoredResponse? {
        let response = state.withLock { $0.recent(key.digest) }
        if response != nil { disk.noteUse(of: key.digest) }
        return response?.filtered
    }

    /// Returns the response under a key. May read the disk.
    func response(for key: CacheKey) -> StoredResponse? {
        if let recent = recentResponse(for: key) {
            lookSoon()
            return recent
        }
        let (moment, isRemoved) = state.withLock { ($0.removals.now, $0.diskRemovals > 0) }
        guard !isRemoved, let response = disk.response(for: key.digest) else { return nil }
        let (found, dropped) = state.withLock { state -> (StoredResponse?, [StoredResponse]) in
            // Something else may be there by now, or nothing.
            if let recent = state.recent(key.digest) { return (recent.filtered, []) }
            guard !state.removals.contains(key.digest, since: moment) else { return (nil, []) }
            return (response, state.keep(response, for: key.digest))
        }
        withExtendedLifetime(dropped) {}
        return found
    }

    /// Looks in the background, now and then, for changes that other processes have made to the files. Does not wait
    /// for that.
    private func lookSoon() {
        guard disk.isDue else { return }
        let isFirst = state.withLock { state in
            defer { state.isLooking = true }
            return !state.isLooking
        }
        guard isFirst else { return }
        Runtime.current.onCachingThread { [self] in
            let changed = disk.look()
            let dropped = state.withLock { state in
                state.isLooking = false
                return changed.compactMap { state.pending[$0] == nil ? state.memory.removeValue(forKey: $0) : nil }
            }
            withExtendedLifetime(dropped) {}
        }
    }

    // MARK: Storing

    /// - Parameters:
    ///   - isRefreshed: true if the content is there already.
    ///   - moment: when it was asked for: if its URL was removed since then, it is not stored.
    /// - Returns: true if it was stored.
    @discardableResult
    func store(
        _ response: StoredResponse, for key: CacheKey, isRefreshed: Bool = false,
        since moment: CacheRemovals.Moment = .max
    ) -> Bool {
        let now = Runtime.current.uptime
        let hasDisk = disk.isThere
        var dropped: [StoredResponse] = []
        var forgotten: [DiskStore.Place]?
        var (starts, wasQuiet) = (false, true)
        // What is written goes into memory then: until then it is found where it waits.
        let waits = hasDisk && !response.isInMemoryOnly && !isRefreshed
        let response = waits ? response : response.filtered
        let isStored = state.withLock { state in
            guard !state.removals.contains(key.digest, since: moment) else { return false }
            if !waits || !state.hasRoomToWait {
                dropped = state.keep(response, for: key.digest)
            }
            guard hasDisk else { return true }
            if isRefreshed, state.isFresh(onDisk: key.digest, at: now) { return true }
            guard !response.isInMemoryOnly, state.hasRoomToWait else {
                // What is on the disk is another one.
                if let old = state.takePending(key.digest) { dropped.append(old) }
                forgotten = disk.forget(key.digest).map { [$0] } ?? []
                return true
            }
            if let old = state.wait(response, for: key.digest) { dropped.append(old) }
            starts = !state.isWriting
            wasQuiet = now - state.lastWrite >= Self.gathering
            state.isWriting = true
            return true
        }
        withExtendedLifetime(dropped) {}
        if let forgotten { eraseSoon(forgotten) }
        if starts { beginWriting(wasQuiet: wasQuiet) }
        return isStored
    }

    /// Seconds that responses wait for more to be written with where some were written just before: where many come,
    /// most of the work is that of beginning to write.
    private static let gathering = 0.02
    /// The number of responses that are written before other work has its turn on the thread.
    private static let batch = 64

    private func beginWriting(wasQuiet: Bool) {
        let begin: @Sendable () -> Void = { [self] in Runtime.current.onCachingThread { self.write() } }
        if wasQuiet { begin() } else { Runtime.current.after(Self.gathering, begin) }
    }

    private func write() {
        let (batch, moment) = state.withLock { state in
            let batch = state.takeTurns(atMost: Self.batch)
            state.isWriting = !batch.isEmpty
            return (batch, state.removals.now)
        }
        guard !batch.isEmpty else { return }
        let responses = batch.map { (key: $0.key, response: $0.waiting.response.filtered) }
        disk.add(responses)
        let now = Runtime.current.uptime
        let (places, dropped) = state.withLock { state in
            state.lastWrite = now
            var (places, dropped): ([DiskStore.Place], [StoredResponse]) = ([], [])
            for (turn, (key, response)) in zip(batch, responses) {
                // It gave way to one that is in memory only. One that waits replaces it at its own turn.
                let isGone = state.pending[key] == nil
                dropped += state.didWrite(key, turn.waiting.number, response)
                if isGone || state.removals.contains(key, since: moment), let place = disk.forget(key) {
                    places.append(place)
                }
            }
            return (places, dropped)
        }
        withExtendedLifetime(dropped) {}
        if !places.isEmpty { disk.erase(places) }
        Runtime.current.onCachingThread { [self] in write() }
    }

    // MARK: Removing

    /// Removes all responses of a key's URL, and drops those that are under way to it.
    func remove(_ key: CacheKey) { eraseSoon(forget(key.resource)) }

    /// The same, done to the files when the function returns.
    func removeNow(_ key: CacheKey) {
        let places = forget(key.resource)
        // The first look erases what it finds of the URL.
        disk.lookIfNeeded()
        disk.erase(places)
    }

    /// Erases what the disk has forgotten: at these places, and where the first look finds more of it.
    private func eraseSoon(_ places: [DiskStore.Place]) {
        guard !places.isEmpty || disk.needsLook else { return }
        Runtime.current.onCachingThread { [disk] in
            disk.erase(places)
            disk.lookIfNeeded()
        }
    }

    private func forget(_ resource: CacheKey.Resource) -> [DiskStore.Place] {
        let (places, dropped) = state.withLock { state in
            let dropped = state.remove(resource)
            return (disk.forget(resource), dropped)
        }
        withExtendedLifetime(dropped) {}
        return places
    }

    /// Removes all responses, drops those that are under way, and calls `whenDone` after the files were changed, on the
    /// thread for caches.
    func removeAll(_ whenDone: @escaping @Sendable () -> Void) {
        beginRemovingAll()
        Runtime.current.onCachingThread { [self] in
            endRemovingAll()
            whenDone()
        }
    }

    /// The same, done to the files when the function returns.
    func removeAllNow() {
        beginRemovingAll()
        endRemovingAll()
    }

    /// Begins a removal of all responses: those that are stored from now on stay.
    private func beginRemovingAll() {
        let dropped = state.withLock { state in
            disk.forgetAll()
            state.diskRemovals += 1
            return state.removeAll()
        }
        // Outside the lock, since they hold values of the program.
        withExtendedLifetime(dropped) {}
    }

    private func endRemovingAll() {
        disk.removeAll()
        state.withLock { $0.diskRemovals -= 1 }
    }

    /// Removes the responses that were stored after a moment, in seconds since 1970. Those that wait for the disk count
    /// as stored after it.
    func removeAll(since seconds: Double) {
        let hasDisk = disk.isThere
        let dropped = state.withLock { state in
            // What is in memory does not say when it came there; what is on the disk does, and is read again.
            hasDisk ? state.removeAll() : state.removeAll(since: seconds)
        }
        withExtendedLifetime(dropped) {}
        disk.removeAll(since: seconds)
    }

    // MARK: Capacities

    var memoryUsage: Int { state.withLock { $0.memory.totalCost } }

    func setCapacities(memory: Int, disk diskCapacity: Int) {
        let dropped = state.withLock { state in
            state.memory.capacity == max(0, memory) ? [] : state.memory.setCapacity(memory)
        }
        withExtendedLifetime(dropped) {}
        if disk.setCapacity(diskCapacity) { Runtime.current.onCachingThread { [disk] in disk.makeRoom() } }
    }
}
