// SPDX-License-Identifier: MIT
internal import CCurl
internal import Glibc

/// Handshakes that wait for a verdict: see `PeerVerificationContext`.
extension EngineLoop {
    /// Has libcurl go on with the handshake that waited for a verdict.
    func endHold(by context: PeerVerificationContext) {
        assertOnThread()
        guard let poller, let (socket, interest) = poller.sockets.endHold(by: ObjectIdentifier(context)),
            let id = poller.sockets.pool(of: socket)
        else { return }
        let pool = UInt32(id)
        if !poller.control(EPOLL_CTL_ADD, socket, interest, pool: pool),
            !poller.control(EPOLL_CTL_MOD, socket, interest, pool: pool)
        {
            poller.sockets.noteRefused(socket)
        }
    }
}
