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

    /// Looks for room to write where it was not looked for.
    func handleRested() {
        guard let poller else { return }
        for (socket, change) in poller.sockets.takeRested(now: now) {
            guard let id = poller.sockets.pool(of: socket) else { continue }
            follow(change, socket, of: UInt32(id))
        }
    }

    func follow(_ change: SocketTable.Change, _ socket: Int32, of pool: UInt32) {
        guard case .modify(let interest) = change, let poller else { return }
        if !poller.control(EPOLL_CTL_MOD, socket, interest, pool: pool) { poller.sockets.noteRefused(socket) }
    }
}
