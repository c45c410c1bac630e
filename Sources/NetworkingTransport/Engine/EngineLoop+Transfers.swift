internal import CCurl
internal import NetworkingSupport
internal import Synchronization

/// Beginning and ending transfers, in the phases of a pass in which that is allowed.
extension EngineLoop {
    func start(_ transfer: Transfer) {
        assertOnThread()
        guard transfer.phase == .created else { return }
        if transfer.isCancelled {
            return finish(transfer, TransferError(.cancelled, message: "Cancelled before it was started."))
        }
        transfer.startTime = now
        guard let partition = partition(for: transfer.request) else {
            return finish(transfer, TransferError(.outOfMemory, message: "No memory for a connection pool."))
        }
        let origin = partition.origin(transfer.request.origin)
        transfer.origin = origin
        transfer.phase = .waiting
        if origin.activeCount < connectionsPerOrigin, origin.waitingCount == 0 {
            activate(transfer, origin)
        } else {
            partition.waitingCount += 1
            origin.insert(transfer)
        }
        evictIdlePartitions()
    }

    func cancel(_ transfer: Transfer) {
        assertOnThread()
        let error = TransferError(.cancelled, message: "The transfer was cancelled.")
        switch transfer.phase {
        case .created:
            transfer.isCancelled = true
        case .waiting:
            let origin = transfer.origin
            finish(transfer, error)
            origin?.partition.waitingCount -= 1
            origin?.noteCancelled()
        case .active:
            if let driver = transfer.driver { abort(driver, error) }
        case .finished:
            break
        }
    }

    func resumeReceiving(_ transfer: Transfer) {
        assertOnThread()
        guard let driver = transfer.driver else { return }
        touch(driver.partition)
        let code = driver.resumeReceiving()
        if code != .CURLE_OK { complete(driver, code: code) }
    }

    func resumeSending(_ transfer: Transfer, attempt: Int) {
        assertOnThread()
        guard let driver = transfer.driver, driver.attempt == attempt else { return }
        touch(driver.partition)
        let code = driver.resumeSending()
        if code != .CURLE_OK { complete(driver, code: code) }
    }

    func changeLimit() {
        assertOnThread()
        connectionsPerOrigin = wantedConnectionsPerOrigin.load(ordering: .relaxed)
        for partition in partitionsByID {
            guard let partition else { continue }
            partition.setConnectionCacheSize(connectionCacheSize)
            for origin in partition.allOrigins { admit(origin) }
        }
    }

    /// Ends an active transfer for a reason of our own.
    func abort(_ driver: TransferDriver, _ error: TransferError) {
        driver.failure = error
        complete(driver, code: .CURLE_ABORTED_BY_CALLBACK)
    }

    /// Ends an active transfer: the driver goes back to its pool, the handler hears of it, the next one gets the slot.
    func complete(_ driver: TransferDriver, code: CurlCode) {
        assertOnThread()
        guard let transfer = driver.transfer, let origin = transfer.origin else { return }
        let partition = driver.partition
        let outcome = driver.outcome(code: code)
        let removal = partition.multi.remove(driver.easy)
        if removal != .CURLM_OK { driver.isReusable = false }
        driver.end()
        giveBack(driver)
        touch(partition)
        partition.activeCount -= 1
        origin.activeCount -= 1
        transfer.finish(outcome)
        admit(origin)
    }

    /// Gives free slots to waiting transfers.
    func admit(_ origin: OriginQueue) {
        guard !isShutDown, origin.partition.brokenBy == nil else { return }
        while origin.activeCount < connectionsPerOrigin, origin.waitingCount > 0, let transfer = origin.next() {
            origin.partition.waitingCount -= 1
            activate(transfer, origin)
        }
    }

    /// Hands a transfer to libcurl.
    private func activate(_ transfer: Transfer, _ origin: OriginQueue) {
        let partition = origin.partition
        guard let driver = partition.takeDriver(loop: self) else {
            return finish(transfer, TransferError(.outOfMemory, message: "No memory for a transfer."))
        }
        var error = driver.begin(transfer)
        if error == nil {
            let code = partition.multi.add(driver.easy)
            if code != .CURLM_OK {
                driver.isReusable = false
                error = code.transferError()
            }
        }
        if let error {
            driver.end()
            giveBack(driver)
            return finish(transfer, error)
        }
        transfer.phase = .active
        transfer.driver = driver
        partition.activeCount += 1
        origin.activeCount += 1
        useCounter += 1
        partition.lastUse = useCounter
        touch(partition)
        if driver.idleLimit > 0 { idleHeap.look(at: driver, by: driver.firstIdleCheck) }
    }

    private func giveBack(_ driver: TransferDriver) {
        driver.partition.giveBack(driver)
        if !driver.isReusable { idleHeap.remove(driver) }
    }

    /// Ends a transfer that libcurl never had.
    private func finish(_ transfer: Transfer, _ error: TransferError) {
        var timings = TransferTimings()
        if transfer.startTime > 0 { timings.queued = Double(now &- transfer.startTime) / 1_000_000_000 }
        transfer.finish(TransferOutcome(error: error, timings: timings))
    }

    // MARK: The end

    /// Ends every transfer and the thread.
    func shutDown() {
        assertOnThread()
        guard !isShutDown else { return }
        isShutDown = true
        let error = TransferError(.cancelled, message: "The engine was shut down.")
        for partition in partitionsByID {
            guard let partition else { continue }
            for driver in partition.drivers where driver.transfer != nil { abort(driver, error) }
            for origin in partition.allOrigins {
                while let transfer = origin.next() { finish(transfer, error) }
            }
            partition.waitingCount = 0
        }
        thread.stop()
    }

    /// The last thing the network thread does.
    func closePartitions() {
        for command in takeUnhandledCommands() { refuse(command) }
        for partition in partitionsByID {
            if let partition { close(partition) }
        }
        touched = []
    }
}
