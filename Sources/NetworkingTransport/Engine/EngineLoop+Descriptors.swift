// SPDX-License-Identifier: MIT
internal import CCurl
internal import Glibc

/// Getting by with few descriptors.
extension EngineLoop {
    /// True if a transfer failed because the process, or the system, has no descriptor left.
    func failedForDescriptors(_ driver: TransferDriver, code: CurlCode) -> Bool {
        switch code {
        case .CURLE_COULDNT_CONNECT:
            return Self.isShortage(driver.socketError)
        case .CURLE_COULDNT_RESOLVE_HOST, .CURLE_COULDNT_RESOLVE_PROXY, .CURLE_OUT_OF_MEMORY:
            // Looking a name up takes descriptors, too, and does not say that there were none.
            guard driver.transfer?.mayHaveReachedServer == false else { return false }
            let descriptor = eventfd(0, Int32(EFD_CLOEXEC))
            guard descriptor >= 0 else {
                driver.socketError = errno
                return Self.isShortage(errno)
            }
            _ = Glibc.close(descriptor)
            return false
        default:
            return false
        }
    }

    private static func isShortage(_ code: Int32) -> Bool { code == EMFILE || code == ENFILE }

    /// Closes idle connections, those of the pools that have been idle for longest first. False: no connection is idle.
    func reclaimDescriptors() -> Bool {
        assertOnThread()
        guard let poller else { return false }
        let idle = poller.sockets.idleConnections
        // A quarter, so that the next requests find descriptors, too, and most connections stay.
        var wanted = max(idle.values.reduce(0, +) / 4, 4)
        var isReclaimed = false
        while wanted > 0, let id = idlePools.first, let pool = poolsByID[id] {
            wanted -= (idle[pool.id] ?? 0) + 1
            close(pool)
            isReclaimed = true
        }
        for pool in poolsByID {
            guard wanted > 0, let pool, let count = idle[pool.id], count > 0 else { continue }
            closeIdleConnections(min(count, wanted), of: pool)
            wanted -= count
            isReclaimed = true
        }
        return isReclaimed
    }

    /// Closes idle connections of other pools if one more in this pool would exceed the limit. libcurl closes the
    /// pool's own. It gets what the other pools leave of the limit, or at least as many as the pool's transfers may
    /// need.
    func makeRoom(for pool: ConnectionPool) {
        let limit = admissions.totalConnectionLimit
        guard limit < .max, let poller else { return }
        var excess = poller.sockets.connectionCount + 1 - limit
        for (id, count) in excess > 0 ? poller.sockets.idleConnections : [:] where excess > 0 && id != pool.id {
            guard let other = poolsByID[Int(id)] else { continue }
            closeIdleConnections(min(count, excess), of: other)
            excess -= count
        }
        pool.setConnectionLimit(total: connectionsLeft(for: pool))
    }

    /// The number of connections that the other pools leave of the limit of all. At least as many as the pool's
    /// transfers may need, of which many share one over HTTP/2.
    private func connectionsLeft(for pool: ConnectionPool) -> Int {
        let limit = admissions.totalConnectionLimit
        guard limit < .max, let poller else { return limit }
        let others = poller.sockets.connectionCount - pool.multi.observer.connectionCount
        return max(limit - others, min(pool.activeCount + 1, admissions.connectionCount))
    }

    func setConnectionLimits(of pool: ConnectionPool) {
        pool.setConnectionLimits(perHost: admissions.connectionLimit, total: connectionsLeft(for: pool))
    }

    /// Has libcurl close the oldest idle connections of a pool that is in use.
    ///
    /// libcurl does so when a transfer needs a connection and the pool has as many as it may. So a transfer that cannot
    /// get one is added, as often as needed.
    func closeIdleConnections(_ count: Int, of pool: ConnectionPool) {
        guard pool.brokenBy == nil, let easy = EasyHandle() else { return }
        guard easy.set(CURLOPT_URL, "http://127.0.0.1:1/") == .CURLE_OK, easy.set(CURLOPT_PROXY, "") == .CURLE_OK,
            easy.set(CURLOPT_NOSIGNAL, 1) == .CURLE_OK, easy.set(CURLOPT_FRESH_CONNECT, 1) == .CURLE_OK,
            easy.setSocketFunctions(open: { _, _, _ in CURL_SOCKET_BAD }, close: { _, socket in Glibc.close(socket) })
                == .CURLE_OK
        else { return }
        // Transfers that were just added take their connections first: under the lower limit they would wait in libcurl,
        // which does not look at them again when it is raised.
        act(on: pool, socket: CURL_SOCKET_TIMEOUT, events: 0)
        _ = pool.multi.set(CURLMOPT_MAX_TOTAL_CONNECTIONS, 1)
        for _ in 0..<count where pool.brokenBy == nil && pool.multi.add(easy) == .CURLM_OK {
            act(on: pool, socket: CURL_SOCKET_TIMEOUT, events: 0)
            _ = pool.multi.remove(easy)
        }
        setConnectionLimits(of: pool)
    }
}
