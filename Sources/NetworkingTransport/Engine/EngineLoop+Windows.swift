// SPDX-License-Identifier: MIT
internal import CCurl

/// Connections that could be written to, if the server took more: see `SocketTable.noteWriting(on:isVain:now:)`.
extension EngineLoop {
    /// Tells libcurl that there is room to write.
    func offerRoom(on socket: Int32, of pool: ConnectionPool) {
        let reads = contentReads
        act(on: pool, socket: socket, events: CURL_CSELECT_OUT)
        guard let poller else { return }
        let change = poller.sockets.noteWriting(on: socket, isVain: contentReads == reads, now: now)
        follow(change, socket, of: pool.id)
    }

    /// Looks for room to write again on the connections on which it was not looked for.
    func handleRested() {
        guard let poller else { return }
        for (socket, change) in poller.sockets.takeRested(now: now) {
            guard let id = poller.sockets.pool(of: socket) else { continue }
            follow(change, socket, of: UInt32(id))
        }
    }

    /// Nanoseconds without activity after which libcurl looks for the end of a response.
    private static let endLookDelay: UInt64 = 5_000_000

    /// Takes note that something moved on an HTTP/2 transfer that has begun to receive its response while it sends.
    /// libcurl may take in the response's end then and not look at it before something else arrives, which may be
    /// never.
    func noteAwaitedEnd(_ driver: TransferDriver) {
        guard driver.awaitsEnd, !driver.isLookDue else { return }
        driver.isLookDue = true
        awaitedEnds.append(driver)
        nextEndLook = min(nextEndLook, now &+ Self.endLookDelay)
    }

    /// Has libcurl look at the transfers on which nothing has moved for a moment, once each.
    func handleAwaitedEnds() {
        let drivers = awaitedEnds
        awaitedEnds = []
        nextEndLook = .max
        for driver in drivers where driver.transfer != nil && driver.isLookDue {
            let time = driver.lastActivity &+ Self.endLookDelay
            guard time <= now else {
                awaitedEnds.append(driver)
                nextEndLook = min(nextEndLook, time)
                continue
            }
            driver.isLookDue = false
            guard driver.socket >= 0, poller?.sockets.isConnection(driver.socket) == true else { continue }
            act(on: driver.pool, socket: driver.socket, events: CURL_CSELECT_IN)
        }
    }

    func follow(_ change: SocketTable.Change, _ socket: Int32, of pool: UInt32) {
        guard case .modify(let interest) = change, let poller else { return }
        if !poller.control(EPOLL_CTL_MOD, socket, interest, pool: pool) { poller.sockets.noteRefused(socket) }
    }
}
