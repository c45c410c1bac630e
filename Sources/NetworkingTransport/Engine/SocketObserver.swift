// SPDX-License-Identifier: MIT
internal import CCurl
internal import Glibc

/// Receives libcurl's wishes about the sockets of one pool and passes them on to the epoll set.
///
/// Owned by the pool's multi handle, because libcurl still calls it while that is being cleaned up.
final class SocketObserver {
    private let poller: Poller
    private let pool: UInt32
    /// Network thread. errno of the last refusal by the epoll set, after which the pool is not used any more; 0: none.
    private(set) var failure: Int32 = 0
    /// Network thread. The pool's connections that are open, or being made.
    private(set) var connectionCount = 0

    init(poller: Poller, pool: UInt32) {
        self.poller = poller
        self.pool = pool
    }

    /// CURLMOPT_SOCKETFUNCTION. Never called at the same time as anything else: network thread.
    static let callback: curl_socket_callback = { easy, socket, what, context, _ in
        // Never a refusal, which leaves libcurl with half-made transfers: the engine breaks the pool up, see `failure`.
        if let context { from(context).update(easy: easy, socket: socket, what: what) }
        return 0
    }

    /// CURLOPT_OPENSOCKETFUNCTION, with the driver for context: a socket that programs which this process runs do not
    /// inherit.
    static let openCallback: curl_opensocket_callback = { context, _, address in
        guard let context, let address = address?.pointee else { return CURL_SOCKET_BAD }
        let driver = Unmanaged<TransferDriver>.fromOpaque(context).takeUnretainedValue()
        let socket = driver.openSocket(address)
        if socket != CURL_SOCKET_BAD { driver.pool.multi.observer.connectionCount += 1 }
        return socket
    }

    /// CURLOPT_CLOSESOCKETFUNCTION.
    static let closeCallback: curl_closesocket_callback = { context, socket in
        if let context {
            let observer = from(context)
            observer.connectionCount -= 1
            if observer.poller.sockets.noteClosing(socket) {
                _ = observer.poller.control(EPOLL_CTL_DEL, socket, 0, pool: observer.pool)
            }
        }
        return close(socket)
    }

    private static func from(_ context: UnsafeMutableRawPointer) -> SocketObserver {
        Unmanaged<SocketObserver>.fromOpaque(context).takeUnretainedValue()
    }

    private func update(easy: UnsafeMutableRawPointer?, socket: Int32, what: Int32) {
        var interest: UInt32 = 0
        var holder: ObjectIdentifier?
        if what != CURL_POLL_REMOVE {
            if what & CURL_POLL_IN != 0 { interest |= SocketTable.readable }
            if what & CURL_POLL_OUT != 0 { interest |= SocketTable.writable }
            holder = noteSocket(socket, easy: easy)
        }
        switch poller.sockets.want(interest, socket, heldBy: holder) {
        case .none:
            break
        case .remove:
            // The descriptor may be closed already, which took it out of the set.
            _ = poller.control(EPOLL_CTL_DEL, socket, 0, pool: pool)
        case .add(let interest):
            // libcurl's own, for a name that is being looked up: not inherited either.
            if !poller.sockets.isConnection(socket) { _ = fcntl(socket, F_SETFD, FD_CLOEXEC) }
            watch(socket, interest, EPOLL_CTL_ADD, otherwise: EPOLL_CTL_MOD)
        case .modify(let kept) where interest == 0:
            // The engine's own wish, about a descriptor that libcurl may have closed already.
            if !poller.control(EPOLL_CTL_MOD, socket, kept, pool: pool) { poller.sockets.noteRefused(socket) }
        case .modify(let interest):
            watch(socket, interest, EPOLL_CTL_MOD, otherwise: EPOLL_CTL_ADD)
        }
    }

    private func watch(_ socket: Int32, _ interest: UInt32, _ operation: Int32, otherwise: Int32) {
        if poller.control(operation, socket, interest, pool: pool) { return }
        // A descriptor that was closed without libcurl's knowledge, or a number that is in use again.
        if errno == ENOENT || errno == EEXIST,
            poller.control(otherwise, socket, interest, pool: pool)
        {
            return
        }
        failure = errno
        poller.sockets.noteRefused(socket)
    }

    /// Tells the transfer which socket it is on: the idle timer asks the kernel what is still unsent there.
    ///
    /// - Returns: what the handshake on it waits for; nil: nothing.
    private func noteSocket(_ socket: Int32, easy: UnsafeMutableRawPointer?) -> ObjectIdentifier? {
        var owner: UnsafeMutableRawPointer?
        guard let easy, on_curl_getinfo_pointer(easy, CURLINFO_PRIVATE, &owner) == CURLE_OK, let owner else {
            return nil
        }
        let driver = Unmanaged<TransferDriver>.fromOpaque(owner).takeUnretainedValue()
        driver.socket = socket
        poller.sockets.noteUse(of: socket, by: UInt(bitPattern: owner))
        return driver.verification.flatMap { $0.permission == .pending ? ObjectIdentifier($0) : nil }
    }
}
