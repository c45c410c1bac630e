// SPDX-License-Identifier: MIT
internal import CLinux
internal import COpenSSL
internal import Glibc

/// Ends connections on which servers send what no transfer waits for: HTTP/2 frames, TLS messages, or the framing of
/// chunks, without content.
extension EngineLoop {
    private static let floodMessage = """
        The server sends without end what belongs to no response: frames of HTTP/2, messages of TLS, or framing, without \
        content.
        """

    /// Judges whether what libcurl has read from a connection was of use.
    ///
    /// - Parameter isVain: True: no transfer received anything of it.
    func judgeReading(on socket: Int32, of pool: ConnectionPool, isVain: Bool) {
        guard let poller, poller.sockets.noteRead(on: socket, isVain: isVain) else { return }
        let port = knownPort(of: socket, in: poller)
        // libcurl keeps what a transfer does not take at present. What follows a challenge that libcurl answers is
        // dropped before a handler sees it.
        var (isHeldUp, isDropped) = (false, false)
        for driver in pool.drivers where driver.isOn(socket, port: port) {
            isHeldUp = isHeldUp || driver.isReceivePaused || driver.isHeld
            isDropped = isDropped || driver.isHoldingHead
            poller.sockets.addCredit(driver.useCredit, to: socket)
            driver.useCredit = 0
        }
        guard !isHeldUp, let count = Self.bytesRead(from: socket) else { return }
        if poller.sockets.look(at: socket, bytesRead: count, isVain: isVain, isJudged: !isDropped, now: now) {
            floods.append((socket, pool))
        }
    }

    /// Returns our port of a connection, by which the transfers on it are found; 0: it has none.
    private func knownPort(of socket: Int32, in poller: Poller) -> Int32 {
        var port = poller.sockets.localPort(of: socket)
        if port == 0 {
            port = Self.localPort(of: socket) ?? 0
            poller.sockets.noteLocalPort(port, of: socket)
        }
        return port
    }

    /// Bytes that came on a connection and were read; nil: the kernel does not say.
    private static func bytesRead(from socket: Int32) -> UInt64? {
        var (received, unread): (UInt64, Int32) = (0, 0)
        guard on_bytes_received(socket, &received) == 0, ioctl(socket, UInt(FIONREAD), &unread) == 0 else { return nil }
        let count = UInt64(max(0, unread))
        return received >= count ? received - count : nil
    }

    /// Credits a connection with what a transfer has received on it. Called when the transfer ends, or leaves the
    /// connection.
    ///
    /// - Parameter isWhole: True: nothing more is to come for it.
    func noteUse(by driver: TransferDriver, isWhole: Bool) {
        guard let poller else { return }
        let credit = driver.useCredit
        driver.useCredit = 0
        let known = driver.socket >= 0 ? driver.socket : nil
        guard let socket = known ?? poller.sockets.socket(ofPort: driver.localPort, in: driver.pool.id) else { return }
        poller.sockets.addCredit(credit, to: socket)
        if !isWhole { poller.sockets.noteAbandoned(on: socket) }
    }

    /// Takes note that libcurl was kept from reading on: see `ReadTurn`.
    func noteLongTurn(on socket: Int32, of pool: ConnectionPool) {
        guard let poller, let source = readTurn.refusedSource else { return }
        // All that share the connection: of what the one that opened it waits for, nothing may come for long.
        let port = knownPort(of: socket, in: poller)
        let drivers = pool.drivers.filter { $0.isOn(socket, port: port) }
        // libcurl may have read from others meanwhile, whose time had come. It keeps what a transfer does not take.
        guard drivers.contains(where: { $0.reads(from: source) }),
            !drivers.contains(where: { $0.isReceivePaused || $0.isHeld })
        else { return }
        let lastUse = drivers.reduce(0) { max($0, $1.lastUse) }
        if poller.sockets.noteLongRead(on: socket, lastUse: lastUse, now: now) { floods.append((socket, pool)) }
    }

    /// Ends flooded connections and the transfers on them. Not while events are handled, because transfers end.
    func endFloods() {
        let found = floods
        floods = []
        // One that has been closed since may have given its number to another.
        for (socket, pool) in found where poller?.sockets.isFlooded(socket) == true {
            let port = poller?.sockets.localPort(of: socket) ?? 0
            for driver in pool.drivers where driver.isOn(socket, port: port) {
                abort(driver, TransferError(.badResponse, message: Self.floodMessage))
            }
            if poller?.sockets.pool(of: socket) == Int(pool.id) { discard(socket, of: pool) }
        }
    }
}

extension TransferDriver {
    /// True if a transfer is on the connection with this socket, or with this port at our end; 0: the port is not
    /// known.
    fileprivate func isOn(_ socket: Int32, port: Int32) -> Bool {
        transfer != nil && (self.socket == socket || (port > 0 && isConnected && localPort == port))
    }

    /// True if the transfer's connection reads from `source`.
    fileprivate func reads(from source: OpaquePointer) -> Bool {
        easy.tlsConnection.map { SSL_get_rbio(OpaquePointer($0)) } == source
    }
}
