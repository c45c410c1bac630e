// SPDX-License-Identifier: MIT
internal import CCurl
internal import NetworkingSupport
internal import Synchronization

/// Hands transfers to libcurl and takes them back, in the phases of a pass in which that is allowed.
extension EngineLoop {
    /// Hands a transfer that has a slot to libcurl.
    func activate(_ transfer: Transfer, _ origin: Int) {
        transfer.ticket = nil
        transfer.origin = origin
        guard let pool = pool(for: transfer.request, generation: admissions.generation(of: origin)),
            let driver = pool.takeDriver(loop: self)
        else {
            admissions.leave(origin)
            return finish(transfer, TransferError.noMemory(for: "a transfer"))
        }
        makeRoom(for: pool)
        if let error = hand(transfer, to: driver) {
            driver.end()
            giveBack(driver)
            admissions.leave(origin)
            return finish(transfer, error)
        }
        transfer.phase = .active
        transfer.driver = driver
        noteActivated(in: pool)
        if driver.idleLimit > 0 { idleHeap.look(at: driver, by: driver.firstIdleCheck) }
    }

    /// Sets the handle up and adds it to its pool's multi.
    private func hand(_ transfer: Transfer, to driver: TransferDriver, freshConnection: Bool = false) -> TransferError?
    {
        touch(driver.pool)
        if let error = driver.begin(transfer, freshConnection: freshConnection) { return error }
        driver.handler?.transferDidBegin(transfer)
        let code = driver.pool.multi.add(driver.easy)
        guard code != .CURLM_OK else { return nil }
        driver.isReusable = false
        return code.transferError()
    }

    func resumeReceiving(_ transfer: Transfer) {
        assertOnThread()
        guard let driver = transfer.driver, driver.isReceivePaused else { return }
        driver.isReceivePaused = false
        driver.lastActivity = now
        applyPauses(driver)
    }

    /// Resumes receiving after other transfers have had their turn.
    func resumeAtRest(_ transfer: Transfer) {
        submit(.performAtRest { [self] in resumeReceiving(transfer) })
    }

    func resumeSending(_ transfer: Transfer, attempt: Int) {
        assertOnThread()
        guard let driver = transfer.driver, driver.attempt == attempt, driver.isSendPaused else { return }
        driver.isSendPaused = false
        driver.lastActivity = now
        applyPauses(driver)
    }

    /// Tells libcurl in which directions the transfer may go on.
    func applyPauses(_ driver: TransferDriver) {
        touch(driver.pool)
        // What libcurl kept comes at once.
        readTurn.begin()
        let code = driver.applyPauses()
        // libcurl has no connection for the transfer at the moment, which is to be repeated on another: there is
        // nothing to pause, and what comes later is paused when it comes.
        if code != .CURLE_OK, code != .CURLE_BAD_FUNCTION_ARGUMENT { complete(driver, code: code) }
    }

    /// Ends an active transfer for a reason of our own.
    func abort(_ driver: TransferDriver, _ error: TransferError) {
        driver.failure = error
        driver.wantsFreshConnection = false
        complete(driver, code: .CURLE_ABORTED_BY_CALLBACK)
    }

    /// Ends an active transfer, unless it is tried once more: the driver goes back to its pool, the handler is called,
    /// and the next transfer gets the slot.
    func complete(_ driver: TransferDriver, code: CurlCode) {
        assertOnThread()
        guard let transfer = driver.transfer else { return }
        if isTriedAgain(driver, code: code), restart(driver) { return }
        let outcome = driver.outcome(code: code)
        if Self.discreditsConnection(driver.failure, code: code) {
            giveUpConnections(of: driver)
        } else if code == .CURLE_ABORTED_BY_CALLBACK {
            driver.giveUpStream()
        }
        noteUse(by: driver, isWhole: code == .CURLE_OK || !driver.isOnHTTP2)
        takeBack(driver)
        let origin = transfer.origin
        transfer.finish(outcome)
        admit(origin)
    }

    /// Takes a transfer that has sent nothing yet back from libcurl. It waits again.
    func putBack(_ driver: TransferDriver) {
        assertOnThread()
        guard let transfer = driver.transfer else { return }
        let handler = driver.handler
        takeBack(driver)
        transfer.driver = nil
        transfer.phase = .waiting
        handler?.transferDidQueue(transfer)
        heldWaiters[ObjectIdentifier(transfer)] = transfer
        admit(transfer.origin)
    }

    private func takeBack(_ driver: TransferDriver) {
        guard let transfer = driver.transfer else { return }
        let pool = driver.pool
        // It may close the connection, and look for the server's goodbye.
        readTurn.begin()
        if pool.multi.remove(driver.easy) != .CURLM_OK { driver.isReusable = false }
        let origin = transfer.origin
        driver.end()
        giveBack(driver)
        touch(pool)
        noteEnded(in: pool)
        discardGivenUp(after: driver)
        if transfer.hasExtraConnection {
            transfer.hasExtraConnection = false
            pool.extraConnections -= 1
            setConnectionLimits(of: pool)
        }
        takeSlotBack(of: transfer)
        admissions.leave(origin)
        noteLeaving(origin, pool)
    }

    /// Hands a transfer to libcurl once more, on a new connection. False: it has failed with `driver.failure`.
    private func restart(_ driver: TransferDriver) -> Bool {
        guard let transfer = driver.transfer, driver.rewindContent() else {
            driver.failure = driver.repetitionError
            return false
        }
        readTurn.begin()
        let removal = driver.pool.multi.remove(driver.easy)
        guard removal == .CURLM_OK else {
            driver.isReusable = false
            driver.failure = removal.transferError()
            return false
        }
        discardGivenUp(after: driver)
        driver.failure = hand(transfer, to: driver, freshConnection: true)
        return driver.failure == nil
    }

    /// True if a transfer that has ended is to be handed to libcurl once more. Called once for each end.
    private func isTriedAgain(_ driver: TransferDriver, code: CurlCode) -> Bool {
        guard !isShutDown, driver.pool.brokenBy == nil else { return false }
        if driver.wantsFreshConnection { return true }
        guard let transfer = driver.transfer, driver.failure == nil, !driver.hasEarlyResponse else { return false }
        if isLostOnHTTP2(driver, code: code) || transfer.ledger.isRefused && !driver.isHeld,
            transfer.ledger.beginRepetition(isIdempotent: transfer.request.isIdempotent)
        {
            return true
        }
        guard !transfer.hasReclaimedDescriptors,
            failedForDescriptors(driver, code: code)
        else { return false }
        transfer.hasReclaimedDescriptors = true
        return reclaimDescriptors()
    }

    /// True if the server may have ended the HTTP/2 connection: libcurl repeats nothing by itself then.
    private func isLostOnHTTP2(_ driver: TransferDriver, code: CurlCode) -> Bool {
        switch code {
        case .CURLE_HTTP2:
            true
        case .CURLE_PARTIAL_FILE, .CURLE_GOT_NOTHING, .CURLE_RECV_ERROR, .CURLE_SEND_ERROR, .CURLE_OK:
            // The server may have ended a reused connection before the request came: even without an error, where it
            // sent GOAWAY.
            driver.transfer?.ledger.wasHTTP2 == true && driver.collector.totalBytes == 0 && driver.connectionsMade == 0
                && !driver.endsEarly
        default:
            false
        }
    }

    private func giveBack(_ driver: TransferDriver) {
        driver.pool.giveBack(driver)
        if !driver.isReusable { idleHeap.remove(driver) }
    }

    // MARK: The end

    /// Ends every transfer and the thread.
    func shutDown() {
        assertOnThread()
        guard !isShutDown else { return }
        isShutDown = true
        let error = TransferError(.cancelled, message: "The engine was shut down.")
        for pool in poolsByID {
            guard let pool else { continue }
            for driver in pool.drivers where driver.transfer != nil { abort(driver, error) }
        }
        for transfer in admissions.removeAllWaiters() + Array(heldWaiters.values) { finish(transfer, error) }
        heldWaiters = [:]
        thread.stop()
    }

    /// Closes the pools: the last thing that the network thread does.
    func closePools() {
        // Handling a command may add another.
        while true {
            let commands = takeUnhandledCommands()
            guard !commands.isEmpty || hasWorkLeft else { break }
            for command in commands { refuse(command) }
            handleRest()
            handleDelayedWork()
        }
        watches = [:]
        awaitedEnds = []
        awaitedSendings = []
        for pool in poolsByID {
            if let pool { close(pool) }
        }
        touched = []
    }
}
