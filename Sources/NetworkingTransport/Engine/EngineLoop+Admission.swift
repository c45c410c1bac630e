// SPDX-License-Identifier: MIT
internal import Synchronization

/// Starts, stops and holds transfers, and chooses the next. In the command phase, and when a transfer has ended.
extension EngineLoop {
    func start(_ transfer: Transfer) {
        assertOnThread()
        guard transfer.phase == .created else { return }
        guard !isShutDown else { return refuse(.start(transfer)) }
        if transfer.isCancelled {
            return finish(transfer, TransferError(.cancelled, message: "Cancelled before it was started."))
        }
        transfer.startTime = now
        transfer.arrival = nextArrival
        nextArrival &+= 1
        transfer.phase = .waiting
        if case .source(let source) = transfer.request.body, transfer.request.announcesNothing(of: source) {
            return checkEmptiness(of: source, for: transfer)
        }
        if transfer.isHeld { heldWaiters[ObjectIdentifier(transfer)] = transfer } else { enter(transfer) }
        evictIdlePools()
    }

    func cancel(_ transfer: Transfer) {
        assertOnThread()
        let error = TransferError(.cancelled, message: "The transfer was cancelled.")
        switch transfer.phase {
        case .created:
            transfer.isCancelled = true
        case .waiting:
            heldWaiters[ObjectIdentifier(transfer)] = nil
            withdraw(transfer)
            finish(transfer, error)
        case .active:
            if let driver = transfer.driver { abort(driver, error) }
        case .finished:
            break
        }
    }

    func hold(_ transfer: Transfer) {
        assertOnThread()
        guard !transfer.isHeld, transfer.phase != .finished else { return }
        transfer.isHeld = true
        switch transfer.phase {
        case .waiting:
            guard !transfer.awaitsEmptiness else { return }
            withdraw(transfer)
            heldWaiters[ObjectIdentifier(transfer)] = transfer
        case .active:
            guard let driver = transfer.driver else { return }
            // Before the request has gone out nothing is lost by beginning anew, and a connection that is being made
            // would send it.
            guard transfer.mayHaveReachedServer else { return putBack(driver) }
            applyPauses(driver)
            lendSlot(of: transfer)
        case .created, .finished:
            break
        }
    }

    func release(_ transfer: Transfer) {
        assertOnThread()
        guard transfer.isHeld else { return }
        transfer.isHeld = false
        switch transfer.phase {
        case .waiting:
            guard !transfer.awaitsEmptiness else { return }
            heldWaiters[ObjectIdentifier(transfer)] = nil
            enter(transfer)
        case .active:
            guard let driver = transfer.driver else { return }
            takeSlotBack(of: transfer)
            driver.lastActivity = now
            applyPauses(driver)
        case .created, .finished:
            break
        }
    }

    func changeLimit() {
        assertOnThread()
        admissions.connectionLimit = capacities.connectionLimit.load(ordering: .relaxed)
        admissions.totalConnectionLimit = capacities.totalConnectionLimit.load(ordering: .relaxed)
        idleConnectionAge = capacities.idleConnectionAge
        for pool in poolsByID {
            guard let pool else { continue }
            setConnectionLimits(of: pool)
            // Its idle connections may be too old now.
            touch(pool)
        }
        for origin in admissions.contended { admit(origin) }
        capacityDidChange(of: nil)
    }

    /// Calls the observers of the origins' capacities. Nil: all may have changed.
    private func capacityDidChange(of origin: String?) {
        for observer in capacityObservers { observer(origin) }
    }

    /// Gives free slots to waiting transfers.
    func admit(_ origin: Int) {
        assertOnThread()
        while !isShutDown, let (transfer, origin) = admissions.next(after: origin) { activate(transfer, origin) }
    }

    /// Lends the slot of an active transfer to others until `takeSlotBack(of:)`, or its end.
    private func lendSlot(of transfer: Transfer) {
        guard let driver = transfer.driver, !transfer.hasLentSlot else { return }
        transfer.hasLentSlot = true
        admissions.lend(transfer.origin)
        // libcurl counts connections, too: one more for good, as the transfer may need another than the one it is on.
        if !transfer.hasExtraConnection {
            transfer.hasExtraConnection = true
            driver.pool.extraConnections += 1
            setConnectionLimits(of: driver.pool)
        }
        admit(transfer.origin)
    }

    /// Takes back the slot of a transfer that goes on, or leaves.
    func takeSlotBack(of transfer: Transfer) {
        guard transfer.hasLentSlot else { return }
        transfer.hasLentSlot = false
        admissions.takeBack(transfer.origin)
    }

    /// Takes note of the version that an origin's connection speaks. From libcurl's callbacks, which may add no
    /// transfer.
    func noteVersion(of origin: Int, isHTTP2: Bool) {
        guard admissions.noteVersion(at: origin, isHTTP2: isHTTP2) else { return }
        let name = admissions.name(of: origin)
        capacities.note(name, isHTTP2: isHTTP2)
        submit(.admit(origin: origin))
        submit(.perform { [self] in capacityDidChange(of: name) })
    }

    /// Asks for a slot.
    func enter(_ transfer: Transfer) {
        let request = transfer.request
        let verdict = admissions.enter(
            transfer, origin: request.origin, priority: request.priority, arrival: transfer.arrival,
            beginsAlone: request.route?.httpVersion == .http2PriorKnowledge)
        switch verdict {
        case .admitted(let origin): activate(transfer, origin)
        case .waits(let ticket):
            transfer.ticket = ticket
            transfer.handler?.transferDidQueue(transfer)
        }
    }

    private func withdraw(_ transfer: Transfer) {
        guard let ticket = transfer.ticket else { return }
        transfer.ticket = nil
        admissions.withdraw(ticket)
    }

    /// Ends a transfer that libcurl never had.
    func finish(_ transfer: Transfer, _ error: TransferError) {
        let timings = TransferTimings(
            queued: transfer.startTime > 0 ? Double(now &- transfer.startTime) / 1_000_000_000 : 0)
        transfer.finish(TransferOutcome(error: error, timings: timings))
    }
}
