// SPDX-License-Identifier: MIT

/// Servers that send as fast as they can what nobody waits for: HTTP/2 frames, or TLS messages, without content.
extension EngineLoop {
    private static let floodMessage = """
        The server sends without end what belongs to no response: frames of HTTP/2, or messages of TLS, without content.
        """

    /// libcurl was kept from reading on: see `ReadTurn`.
    func noteLongTurn(on socket: Int32, of pool: ConnectionPool) {
        guard poller?.sockets.noteLongRead(on: socket, isVain: !readTurn.isUseful, now: now) == true else { return }
        floods.append((socket, pool))
    }

    /// Ends what is on such connections, and them. Not while events are handled: transfers end.
    func endFloods() {
        let found = floods
        floods = []
        for (socket, pool) in found {
            for driver in pool.drivers where driver.transfer != nil && driver.socket == socket {
                abort(driver, TransferError(.badResponse, message: Self.floodMessage))
            }
            if poller?.sockets.pool(of: socket) == Int(pool.id) { discard(socket, of: pool) }
        }
    }
}
