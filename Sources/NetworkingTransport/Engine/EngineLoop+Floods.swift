// SPDX-License-Identifier: MIT
internal import COpenSSL

/// Servers that send as fast as they can what nobody waits for: HTTP/2 frames, or TLS messages, without content.
extension EngineLoop {
    private static let floodMessage = """
        The server sends without end what belongs to no response: frames of HTTP/2, or messages of TLS, without content.
        """

    /// libcurl was kept from reading on: see `ReadTurn`.
    func noteLongTurn(on socket: Int32, of pool: ConnectionPool) {
        let drivers = pool.drivers.filter { $0.transfer != nil && $0.socket == socket }
        // libcurl may have read from others meanwhile, whose time had come.
        guard let poller, let source = readTurn.refusedSource, drivers.contains(where: { $0.reads(from: source) })
        else { return }
        let lastUse = drivers.reduce(0) { max($0, $1.lastUse) }
        if poller.sockets.noteLongRead(on: socket, lastUse: lastUse, now: now) { floods.append((socket, pool)) }
    }

    /// Ends what is on such connections, and them. Not while events are handled: transfers end.
    func endFloods() {
        let found = floods
        floods = []
        // One that has been closed since may have given its number to another.
        for (socket, pool) in found where poller?.sockets.isFlooded(socket) == true {
            for driver in pool.drivers where driver.transfer != nil && driver.socket == socket {
                abort(driver, TransferError(.badResponse, message: Self.floodMessage))
            }
            if poller?.sockets.pool(of: socket) == Int(pool.id) { discard(socket, of: pool) }
        }
    }
}

extension TransferDriver {
    /// Whether this is what the transfer's connection reads from.
    fileprivate func reads(from source: OpaquePointer) -> Bool {
        easy.tlsConnection.map { SSL_get_rbio(OpaquePointer($0)) } == source
    }
}
