// SPDX-License-Identifier: MIT
internal import CCurl
internal import Glibc
internal import NetworkingSupport
internal import Synchronization

/// The engine's inside: everything that happens on the network thread.
///
/// One pass of `drain` handles, in this order and never mixed: socket events, libcurl's timers, finished transfers,
/// idle transfers, commands. Transfers are added and removed in the later phases only, because a descriptor that is
/// closed while a batch of events is walked may come back in the same batch under the same number.
// Sendable because everything mutable is confined to the network thread, except the mailbox, which has its own lock.
final class EngineLoop: @unchecked Sendable {
    let mailbox = EngineMailbox()
    let thread = NetworkThread()
    let maximumHeaderBytes: Int
    let capacities: OriginCapacities
    /// Nil: the engine could not be set up, see `setupError`.
    let poller: Poller?
    /// Written before any other thread knows the engine.
    private(set) var setupError: TransferError?

    // All that follows: network thread. What is looked at in every pass is not checked for overlapping accesses: nothing
    // is called while such a field is changed.

    /// The time of this pass.
    @exclusivity(unchecked) var now = MonotonicClock.now
    var admissions: AdmissionTable<Transfer>
    @exclusivity(unchecked) var nextArrival: UInt64 = 0
    var pools: [ConnectionPoolKey: ConnectionPool] = [:]
    /// By `ConnectionPool.id`: what an epoll event names. Nil: free.
    @exclusivity(unchecked) var poolsByID: [ConnectionPool?] = []
    var freePoolIDs: [Int] = []
    /// The ids of the pools without transfers, in the order in which their last one ended.
    var idlePools = RecencyList()
    /// The pool of the last transfer: most often that of the next one.
    @exclusivity(unchecked) var lastPool: ConnectionPool?
    @exclusivity(unchecked) var touched: [ConnectionPool] = []
    /// Pools that libcurl wants to be called for.
    @exclusivity(unchecked) var deadlineHeap = DeadlineHeap<ConnectionPool>()
    /// Drivers that have an idle limit.
    @exclusivity(unchecked) var idleHeap = DeadlineHeap<TransferDriver>()
    /// Pools without transfers that are to be looked at in this pass.
    @exclusivity(unchecked) private var expiredPools: [ConnectionPool] = []
    /// Whole seconds after which an idle connection is not used again.
    @exclusivity(unchecked) var idleConnectionAge: Int
    /// Transfers that were held before they had a slot, or put back. They are in no list of waiters.
    var heldWaiters: [ObjectIdentifier: Transfer] = [:]
    /// Closures to call when the number of transfers that an origin allows may have changed.
    var capacityObservers: [@Sendable (_ origin: String?) -> Void] = []
    /// By descriptor that is no transfer's: the closure to call when its event occurs. See `watch`.
    var watches: [Int32: @Sendable () -> Void] = [:]
    /// The watched descriptors whose event occurred in this pass.
    var readyWatches: [Int32] = []
    /// Drivers for which libcurl is to look for the end of a response, and the time of the next look.
    @exclusivity(unchecked) var awaitedEnds: [TransferDriver] = []
    @exclusivity(unchecked) var nextEndLook = UInt64.max
    /// Drivers whose content libcurl was given in one piece, to be reported once it was sent, and the time of the next
    /// look.
    @exclusivity(unchecked) var awaitedSendings: [TransferDriver] = []
    @exclusivity(unchecked) var nextSendingLook = UInt64.max
    /// The limit of the time for which libcurl may read when it is called.
    let readTurn = ReadTurn()
    /// The time at which a transfer was found silent while sockets were left to be read; 0: none was.
    @exclusivity(unchecked) private var silenceTime: UInt64 = 0
    /// Pools of which some kept transfers are to be handed over again: see `handleKept()`.
    @exclusivity(unchecked) var poolsWithKept: [ConnectionPool] = []
    /// Connections on which a server sends without end what no transfer waits for.
    var floods: [(socket: Int32, pool: ConnectionPool)] = []
    /// The number of times that something of an exchange came, or was asked for.
    @exclusivity(unchecked) var uses = 0
    /// The number of times that libcurl asked for content to send.
    @exclusivity(unchecked) var contentReads = 0
    @exclusivity(unchecked) var isShutDown = false
    /// A pass is under way: commands of this thread are handled before it ends.
    @exclusivity(unchecked) private var isDraining = false
    /// Commands to handle in this pass.
    @exclusivity(unchecked) private var commands: [EngineCommand] = []
    @exclusivity(unchecked) private var commandsInHand: [EngineCommand] = []
    /// The work for a moment of rest.
    @exclusivity(unchecked) private var restWork: [@Sendable () -> Void] = []
    /// The work for `delayedWorkTime`.
    @exclusivity(unchecked) private var delayedWork: [@Sendable () -> Void] = []
    /// The time of the delayed work; `.max`: there is no such work.
    @exclusivity(unchecked) private var delayedWorkTime: UInt64 = .max

    init(maximumHeaderBytes: Int, eventBatchSize: Int, connectionsPerOrigin: Int) {
        self.maximumHeaderBytes = maximumHeaderBytes
        admissions = AdmissionTable(connectionLimit: connectionsPerOrigin)
        capacities = OriginCapacities(connectionLimit: connectionsPerOrigin)
        idleConnectionAge = capacities.idleConnectionAge
        let status = CurlGlobal.status
        poller = Poller(mailbox: mailbox, batchSize: eventBatchSize)
        if poller == nil {
            var error = TransferError(.other, message: "The engine's descriptors could not be made.")
            error.systemErrno = errno
            setupError = error
        } else {
            setupError = status == .CURLE_OK ? nil : TransferError.curl(status, text: "libcurl could not be set up.")
        }
    }

    /// Starts the network thread.
    func start() {
        guard setupError == nil, let poller else { return }
        let isStarted = thread.start(
            descriptor: poller.descriptor, drain: { [self] in drain() }, end: { [self] in closePools() })
        if !isStarted { setupError = TransferError(.other, message: "The network thread could not be started.") }
    }

    func assertOnThread() { precondition(thread.isCurrent, "On another thread than the engine's") }

    /// Submits a command, from any thread. In a pass of the network thread it is handled in the same pass. Other code
    /// on that thread, from another source of its run loop, leaves it in the mailbox like any other thread.
    func submit(_ command: EngineCommand) {
        if thread.isCurrent, isDraining || isShutDown {
            commands.append(command)
        } else if setupError != nil || !mailbox.post(command) {
            refuse(command)
        }
    }

    /// Handles a command when no thread is left to do so: a transfer still ends, once, and work is done, because a
    /// caller waits for its result.
    func refuse(_ command: EngineCommand) {
        switch command {
        case .start(let transfer) where transfer.phase == .created:
            let error = setupError ?? TransferError(.cancelled, message: "The engine has been shut down.")
            transfer.finish(TransferOutcome(error: error, timings: TransferTimings()))
        case .perform(let work), .performAtRest(let work), .performSoon(let work):
            work()
        default:
            break
        }
    }

    // MARK: The loop

    /// Nanoseconds after which a series of rounds without a look at the sockets ends.
    private static let roundTime: UInt64 = 5_000_000

    /// The number of looks at the sockets after which work for a moment of rest is done even without such a moment.
    private static let looksBeforeRest = 4

    /// Handles everything there is to do now.
    ///
    /// Goes on until the epoll set is empty, not until a batch is: the run loop notices the set when it becomes ready,
    /// not while it is, so whatever is left behind would be forgotten.
    private func drain() {
        assertOnThread()
        guard let poller else { return }
        isDraining = true
        defer { isDraining = false }
        var isBusy = true
        var looks = 0
        while isBusy, !isShutDown {
            thread.parkIfProcessEnds()
            let count = poller.poll()
            now = MonotonicClock.now
            let hasMail = handleSockets(count)
            if hasMail { mailbox.take(into: &commands) }
            handleWatches()
            if poller.sockets.nextLook <= now { handleRested() }
            // Bounded, so that the other sockets need not wait for transfers that start transfers, nor for a server
            // that sends without end, of which libcurl reads a hundred pieces at a time.
            var rounds = 0
            var isDue = true
            while isDue, rounds < 16, rounds == 0 || MonotonicClock.now &- now < Self.roundTime, !isShutDown {
                handleTimers()
                if nextEndLook <= now { handleAwaitedEnds() }
                if nextSendingLook <= now { handleAwaitedSendings() }
                if delayedWorkTime <= now { handleDelayedWork() }
                handleFinished()
                handleIdle(isQuiet: count == 0)
                if !poolsWithKept.isEmpty { handleKept() }
                handleCommands()
                isDue = askForTimeouts() || !commands.isEmpty
                rounds += 1
            }
            looks += 1
            if count == 0 || looks % Self.looksBeforeRest == 0 { handleRest() }
            // What was done at rest may have told libcurl something that it wants to be called for at once.
            isBusy =
                count > 0 || isDue || !commands.isEmpty || !restWork.isEmpty || !touched.isEmpty
                || !poolsWithKept.isEmpty
        }
        guard !isShutDown else { return }
        armTimer()
    }

    /// Does what was left for a moment of rest.
    func handleRest() {
        guard !restWork.isEmpty else { return }
        let work = restWork
        restWork = []
        for item in work { item() }
    }

    /// Work may wait this long, in nanoseconds, for something that makes it needless.
    private static let workDelay: UInt64 = 2_000_000

    private func delay(_ work: @escaping @Sendable () -> Void) {
        if delayedWork.isEmpty { delayedWorkTime = now + Self.workDelay }
        delayedWork.append(work)
    }

    func handleDelayedWork() {
        let work = delayedWork
        delayedWork = []
        delayedWorkTime = .max
        for item in work { item() }
    }

    /// Passes readiness on to libcurl. True: the mailbox has something.
    private func handleSockets(_ count: Int) -> Bool {
        guard let poller else { return false }
        var hasMail = false
        for index in 0..<count {
            let event = poller.event(index)
            if event.pool == Poller.enginePool {
                if poller.isTimer(event.descriptor) { poller.acknowledgeTimer() } else { hasMail = true }
                continue
            }
            if event.pool == Poller.watchPool {
                readyWatches.append(event.descriptor)
                continue
            }
            guard Int(event.pool) < poolsByID.count,
                let pool = poolsByID[Int(event.pool)]
            else { continue }
            switch poller.sockets.event(on: event.descriptor) {
            case .wanted:
                break
            case .unwanted:
                _ = poller.control(EPOLL_CTL_DEL, event.descriptor, 0, pool: event.pool)
                continue
            case .unasked:
                // Comes again at once where that was the end.
                follow(.modify(SocketTable.ended), event.descriptor, of: event.pool)
                continue
            case .hungUp:
                discardEnded(event.descriptor, of: pool)
                continue
            case .unsolicited:
                // The server closes an idle connection, most often.
                discardUnused(event.descriptor)
                continue
            }
            var events: Int32 = 0
            if event.readiness & EPOLLIN.rawValue != 0 { events |= CURL_CSELECT_IN }
            if event.readiness & EPOLLOUT.rawValue != 0 { events |= CURL_CSELECT_OUT }
            if event.readiness & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { events |= CURL_CSELECT_ERR }
            if events == CURL_CSELECT_OUT {
                offerRoom(on: event.descriptor, of: pool)
            } else {
                follow(poller.sockets.noteReading(on: event.descriptor), event.descriptor, of: event.pool)
                let before = uses
                act(on: pool, socket: event.descriptor, events: events)
                judgeReading(on: event.descriptor, of: pool, isVain: uses == before)
            }
        }
        return hasMail
    }

    /// Serves libcurl's timers that are due.
    private func handleTimers() {
        while let pool = deadlineHeap.first, pool.heapDeadline <= now {
            guard pool.deadline <= now || pool.deadline == .max else {
                deadlineHeap.postponeFirst(to: pool.deadline)
                continue
            }
            deadlineHeap.remove(pool)
            guard pool.deadline <= now else { continue }
            pool.deadline = .max
            guard pool.activeCount > 0 else {
                expiredPools.append(pool)
                continue
            }
            act(on: pool, socket: CURL_SOCKET_TIMEOUT, events: 0)
        }
    }

    func act(on pool: ConnectionPool, socket: Int32, events: Int32) {
        touch(pool)
        guard pool.brokenBy == nil else { return }
        pool.mayHaveFinished = true
        readTurn.begin()
        let code = pool.multi.act(on: socket, events: events)
        if code != .CURLM_OK { pool.brokenBy = code }
        if readTurn.refusedSource != nil, socket != CURL_SOCKET_TIMEOUT { noteLongTurn(on: socket, of: pool) }
    }

    /// Takes note that libcurl did, or was asked to do, something in this pass.
    func touch(_ pool: ConnectionPool) {
        guard !pool.isTouched else { return }
        pool.isTouched = true
        touched.append(pool)
    }

    /// Ends the transfers that libcurl is done with.
    private func handleFinished() {
        var index = 0
        // `touched` may grow meanwhile: a freed slot starts the next transfer.
        while index < touched.count {
            let pool = touched[index]
            index += 1
            pool.mayHaveFinished = false
            if pool.brokenBy == nil, pool.multi.observer.failure != 0 { pool.brokenBy = .CURLM_INTERNAL_ERROR }
            if let code = pool.brokenBy {
                breakUp(pool, code: code)
                continue
            }
            while let (easy, code) = pool.multi.nextFinished() {
                var owner: UnsafeMutableRawPointer?
                guard on_curl_getinfo_pointer(easy, CURLINFO_PRIVATE, &owner) == CURLE_OK, let owner else { continue }
                complete(Unmanaged<TransferDriver>.fromOpaque(owner).takeUnretainedValue(), code: code)
            }
        }
    }

    private func handleCommands() {
        guard !commands.isEmpty else { return }
        swap(&commands, &commandsInHand)
        for command in commandsInHand { handle(command) }
        commandsInHand.removeAll(keepingCapacity: true)
    }

    private func handle(_ command: EngineCommand) {
        switch command {
        case .start(let transfer): start(transfer)
        case .cancel(let transfer): cancel(transfer)
        case .resumeReceiving(let transfer): resumeReceiving(transfer)
        case .resumeSending(let transfer, let attempt): resumeSending(transfer, attempt: attempt)
        case .perform(let work): work()
        case .performAtRest(let work): restWork.append(work)
        case .performSoon(let work): delay(work)
        case .hold(let transfer): hold(transfer)
        case .release(let transfer): release(transfer)
        case .limitChanged: changeLimit()
        case .admit(let origin): admit(origin)
        case .decided(let context): endHold(by: context)
        case .shutdown: shutDown()
        }
    }

    /// Asks libcurl when it wants to be called next. True: at once.
    ///
    /// Asking after every pass, instead of listening to CURLMOPT_TIMERFUNCTION, costs less and loses nothing. libcurl
    /// calls that function only when its deadline changes, so one served early would never be reported again.
    private func askForTimeouts() -> Bool {
        var isDue = false
        // Pools for which libcurl was called after `handleFinished()` had seen them: nothing else would wake us for the
        // transfers that it is done with.
        var unseen: [ConnectionPool] = []
        for pool in touched {
            // One that was closed has nothing to wait for.
            guard poolsByID[Int(pool.id)] === pool else {
                pool.isTouched = false
                continue
            }
            guard !pool.mayHaveFinished, pool.brokenBy == nil, pool.multi.observer.failure == 0 else {
                unseen.append(pool)
                continue
            }
            pool.isTouched = false
            guard pool.activeCount > 0 else {
                pool.idleSince = now
                lookLater(atIdle: pool)
                continue
            }
            guard let milliseconds = pool.multi.timeout() else {
                pool.deadline = .max
                continue
            }
            pool.deadline = now &+ UInt64(milliseconds) &* 1_000_000
            deadlineHeap.look(at: pool, by: pool.deadline)
            if milliseconds == 0 { isDue = true }
        }
        touched.removeAll(keepingCapacity: true)
        touched += unseen
        return isDue || !unseen.isEmpty
    }

    private func armTimer() {
        let next = min(
            idleHeap.first?.heapDeadline ?? .max, deadlineHeap.first?.heapDeadline ?? .max, delayedWorkTime,
            poller?.sockets.nextLook ?? .max, nextEndLook, nextSendingLook)
        if next != .max { poller?.wake(at: next) }
    }

    /// Nanoseconds for which sockets are read before a silent transfer is ended: a flood does not keep it alive.
    private static let readingTime: UInt64 = 1_000_000_000

    private func mayReadFirst() -> Bool {
        if silenceTime == 0 { silenceTime = now }
        return now &- silenceTime < Self.readingTime
    }

    /// Looks at the transfers whose time has come, and ends those that stand still. Also closes connections that were
    /// idle for too long, and flooded ones.
    ///
    /// - Parameter isQuiet: the last look at the sockets has found nothing. Otherwise what a transfer waits for may lie
    ///   there unread, as after the process stood still, and is read first.
    private func handleIdle(isQuiet: Bool) {
        if isQuiet { silenceTime = 0 }
        while let pool = expiredPools.popLast() { tidy(pool) }
        if !floods.isEmpty { endFloods() }
        while let driver = idleHeap.first, driver.heapDeadline <= now {
            guard driver.transfer != nil, driver.idleLimit > 0 || driver.discardDeadline > 0 || driver.isOverdue
            else {
                idleHeap.remove(driver)
                continue
            }
            if let next = driver.nextIdleCheck(now: now) {
                idleHeap.postponeFirst(to: next)
            } else if driver.discardDeadline > 0 || driver.hasEarlyResponse {
                idleHeap.remove(driver)
                driver.giveUpStream()
                complete(driver, code: .CURLE_OK)
            } else {
                // The next look is at once.
                guard isQuiet || !mayReadFirst() else { return }
                idleHeap.remove(driver)
                let seconds = Double(driver.idleLimit) / 1_000_000_000
                abort(
                    driver,
                    TransferError(
                        .timedOut, message: "Nothing moved for \(seconds) seconds while \(driver.phase.rawValue)."))
            }
        }
    }

    /// Work that was left for later.
    var hasWorkLeft: Bool { !restWork.isEmpty || !delayedWork.isEmpty }

    /// Takes the commands that no pass will handle any more. After `isShutDown`.
    func takeUnhandledCommands() -> [EngineCommand] {
        let left = commands + mailbox.close()
        commands = []
        return left
    }
}
