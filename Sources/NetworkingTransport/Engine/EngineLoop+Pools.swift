// SPDX-License-Identifier: MIT
internal import CCurl

/// Making, finding and closing pools.
extension EngineLoop {
    /// Pools without transfers that are kept for their connections and sessions.
    static let idlePoolLimit = 64

    /// The pool that `request` belongs to. Nil: out of memory.
    func pool(for request: TransferRequest, generation: UInt32) -> ConnectionPool? {
        assertOnThread()
        if let lastPool, lastPool.brokenBy == nil, lastPool.serves(request, generation: generation) { return lastPool }
        let key = ConnectionPoolKey(request, generation: generation)
        if let pool = pools[key] {
            lastPool = pool
            return pool
        }
        guard let poller else { return nil }
        let id = freePoolIDs.popLast() ?? poolsByID.count
        guard let pool = ConnectionPool(key: key, id: UInt32(id), request: request, poller: poller) else {
            if id < poolsByID.count { freePoolIDs.append(id) }
            return nil
        }
        if id == poolsByID.count { poolsByID.append(pool) } else { poolsByID[id] = pool }
        setConnectionLimits(of: pool)
        pools[key] = pool
        lastPool = pool
        return pool
    }

    func noteActivated(in pool: ConnectionPool) {
        pool.activeCount += 1
        if pool.activeCount == 1 { idlePools.remove(Int(pool.id)) }
    }

    func noteEnded(in pool: ConnectionPool) {
        pool.activeCount -= 1
        if pool.activeCount == 0 { idlePools.append(Int(pool.id)) }
    }

    /// Releases what a pool without transfers has kept for long enough: most of its easy handles, in each of which
    /// libcurl has buffers, and later its connections.
    func tidy(_ pool: ConnectionPool) {
        guard pool.activeCount == 0 else { return }
        if now >= pool.idleSince &+ spareDriverTime {
            for driver in pool.removeSpareDrivers() { idleHeap.remove(driver) }
        }
        guard let end = pool.idleEnd(after: capacities.idleTime), now >= end else { return lookLater(atIdle: pool) }
        guard pool.holdsProgram else { return closeIdleConnections(pool.multi.observer.connectionCount, of: pool) }
        // One that something happened in is looked at once more in this pass.
        if pool.isTouched { lookLater(atIdle: pool) } else { close(pool) }
    }

    /// Sees to it that a pool without transfers is tidied when it is time.
    func lookLater(atIdle pool: ConnectionPool) {
        pool.deadline = min(
            pool.hasSpareDrivers ? pool.idleSince &+ spareDriverTime : .max,
            pool.idleEnd(after: capacities.idleTime) ?? .max)
        if pool.deadline != .max { deadlineHeap.look(at: pool, by: pool.deadline) }
    }

    /// Nanoseconds without transfers after which a pool keeps few easy handles.
    private var spareDriverTime: UInt64 { min(5_000_000_000, capacities.idleTime / 4) }

    /// Closes the pools that have stood idle for longest when many do. In the command phase only.
    func evictIdlePools() {
        while idlePools.count > Self.idlePoolLimit, let id = idlePools.first {
            // One that something happened in is looked at once more in this pass.
            guard let pool = poolsByID[id], !pool.isTouched else { return }
            close(pool)
        }
    }

    /// A multi handle that reported an error is not used again: its active transfers end with that error.
    func breakUp(_ pool: ConnectionPool, code: CurlMultiCode) {
        assertOnThread()
        pools[pool.key] = nil
        if lastPool === pool { lastPool = nil }
        let error = code.transferError(systemErrno: pool.multi.observer.failure)
        for driver in pool.drivers where driver.transfer != nil {
            driver.isReusable = false
            abort(driver, error)
        }
        close(pool)
    }

    /// Frees the pool's handles and connections.
    func close(_ pool: ConnectionPool) {
        assertOnThread()
        if pools[pool.key] === pool { pools[pool.key] = nil }
        if lastPool === pool { lastPool = nil }
        readTurn.begin()
        for driver in pool.close() { idleHeap.remove(driver) }
        deadlineHeap.remove(pool)
        pool.deadline = .max
        let id = Int(pool.id)
        idlePools.remove(id)
        guard poolsByID[id] === pool else { return }
        poolsByID[id] = nil
        freePoolIDs.append(id)
    }
}
