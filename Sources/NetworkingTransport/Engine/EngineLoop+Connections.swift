// SPDX-License-Identifier: MIT
internal import CCurl
internal import Glibc

/// Connections that are not to be used again.
extension EngineLoop {
    /// Makes sure that no new transfer uses the connection of a transfer that failed on it, nor another connection to
    /// the same origin, which may be as dead. Called before its handle leaves the multi.
    ///
    /// - Parameter isMislabeled: libcurl takes the connection for HTTP/2, which it is not.
    func giveUpConnections(of driver: TransferDriver, isMislabeled: Bool = false) {
        assertOnThread()
        guard let transfer = driver.transfer, let poller else { return }
        let isShared = driver.isOnHTTP2 || poller.sockets.isMultiplexed(driver.socket)
        driver.forbidReuse()
        if isShared { poller.sockets.noteMultiplexed(driver.socket) }
        if isShared || isMislabeled {
            driver.pool.hasGivenUpConnections = true
            // Other transfers are on it and stay there, and libcurl would have more join them. Repeated failures on the
            // same connection are one reason only.
            if driver.pool.key.generation == admissions.generation(of: transfer.origin) {
                admissions.beginGeneration(at: transfer.origin)
            }
        }
        for socket in poller.sockets.giveUp(origin: transfer.origin) { discardUnused(socket) }
    }

    /// True if the end of a transfer shows that its connection is of no use.
    static func discreditsConnection(_ failure: TransferError?, code: CurlCode) -> Bool {
        switch failure?.kind {
        case .timedOut, .badResponse: true
        case nil: code == .CURLE_HTTP2 || code == .CURLE_WEIRD_SERVER_REPLY
        default: false
        }
    }

    /// Closes connections that were given up while in use. Called when a driver's transfer has ended.
    func discardGivenUp(after driver: TransferDriver) {
        guard let poller else { return }
        let user = UInt(bitPattern: Unmanaged.passUnretained(driver).toOpaque())
        poller.sockets.noteLocalPort(driver.localPort, of: driver.socket)
        if poller.sockets.noteEnd(of: user, on: driver.socket) { discard(driver.socket, of: driver.pool) }
        let pool = driver.pool
        guard pool.hasGivenUpConnections, pool.activeCount == 0 else { return }
        pool.hasGivenUpConnections = false
        for socket in poller.sockets.givenUp(in: pool.id) { discard(socket, of: pool) }
    }

    /// Ends a connection that no driver is known to use.
    ///
    /// A transfer that was paused in the same libcurl call in which it got an open connection has no socket yet: its
    /// local port identifies it.
    func discardUnused(_ socket: Int32) {
        guard let poller, let id = poller.sockets.pool(of: socket), poolsByID.indices.contains(id),
            let pool = poolsByID[id]
        else { return }
        if let port = Self.localPort(of: socket),
            let user = pool.drivers.first(where: { $0.transfer != nil && $0.socket < 0 && $0.localPort == port })
        {
            user.socket = socket
            poller.sockets.noteUse(of: socket, by: UInt(bitPattern: Unmanaged.passUnretained(user).toOpaque()))
            _ = poller.control(EPOLL_CTL_DEL, socket, 0, pool: pool.id)
            poller.sockets.noteRefused(socket)
            return
        }
        discard(socket, of: pool)
    }

    /// Ends a shared connection that the server has ended, unless a transfer on it may still receive the rest.
    func discardEnded(_ socket: Int32, of pool: ConnectionPool) {
        let port = Self.localPort(of: socket)
        let isInUse = pool.drivers.contains {
            $0.transfer != nil && ($0.socket == socket || $0.isConnected && $0.localPort == port)
        }
        if isInUse {
            _ = poller?.control(EPOLL_CTL_DEL, socket, 0, pool: pool.id)
        } else {
            discard(socket, of: pool)
        }
    }

    static func localPort(of socket: Int32) -> Int32? {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) } == 0
                // The port stands in the same place for IPv6.
                ? $0.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    Int32(UInt16(bigEndian: $0.pointee.sin_port))
                } : nil
        }
    }

    /// Ends a connection that no transfer uses, so that libcurl finds it dead when it looks whether it can be used. The
    /// peer's last bytes are read, because with bytes to read it passes for alive. libcurl closes the descriptor.
    func discard(_ socket: Int32, of pool: ConnectionPool) {
        _ = poller?.control(EPOLL_CTL_DEL, socket, 0, pool: pool.id)
        poller?.sockets.noteRefused(socket)
        guard shutdown(socket, Int32(SHUT_RDWR)) == 0 || errno == ENOTCONN else { return }
        withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 16) { buffer in
            // As much as a socket's buffer may hold: from now on the kernel refuses more.
            for _ in 0..<1024 where recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) <= 0 { return }
        }
    }
}
