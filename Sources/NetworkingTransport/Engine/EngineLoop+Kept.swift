// SPDX-License-Identifier: MIT
internal import CCurl

/// Transfers that libcurl keeps until another one has made a connection to their origin, which they may be able to share.
///
/// When one of a multi's transfers gets on or ends, libcurl (7.88) tries the first of those that it keeps, whatever
/// origin that is for, and puts it behind the others if it has to go on waiting. Those that are kept for a host that
/// does not answer come up each time, and the ones of a host that does could be left until they time out. So the engine
/// hands those again over to libcurl for which something has changed. Nothing of their requests was sent.
extension EngineLoop {
    /// A connection to an origin was made. Called by libcurl, which must not be asked for anything now.
    func noteConnection(to origin: Int, in pool: ConnectionPool) {
        guard pool.keptCounts[origin] != nil else { return }
        noteDue(origin, pool)
    }

    /// A transfer has ended: others may wait for the connection that it had or was making.
    func noteLeaving(_ origin: Int, _ pool: ConnectionPool) {
        guard pool.keptCounts[origin] != nil, !pool.dueOrigins.contains(origin) else { return }
        // Where another makes one, they wait for that.
        guard
            !pool.drivers.contains(where: {
                $0.transfer != nil && $0.transfer?.origin == origin && $0.socket >= 0 && !$0.isConnected
            })
        else { return }
        noteDue(origin, pool)
    }

    private func noteDue(_ origin: Int, _ pool: ConnectionPool) {
        if pool.dueOrigins.isEmpty { poolsWithKept.append(pool) }
        pool.dueOrigins.insert(origin)
    }

    /// Hands transfers over again that libcurl keeps. In a phase in which transfers may leave.
    func handleKept() {
        let pools = poolsWithKept
        poolsWithKept = []
        for pool in pools {
            let origins = pool.dueOrigins
            pool.dueOrigins = []
            guard pool.brokenBy == nil, !isShutDown else { continue }
            for driver in pool.drivers where driver.mayBeKept && driver.hasNoConnection {
                guard let transfer = driver.transfer, origins.contains(transfer.origin) else { continue }
                handAgain(driver)
            }
        }
    }

    private func handAgain(_ driver: TransferDriver) {
        let pool = driver.pool
        touch(pool)
        readTurn.begin()
        var code = pool.multi.remove(driver.easy)
        if code == .CURLM_OK { code = pool.multi.add(driver.easy) }
        driver.noteHandedAgain()
        guard code != .CURLM_OK else { return }
        driver.isReusable = false
        abort(driver, code.transferError())
    }
}
