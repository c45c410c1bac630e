internal import CCurl
internal import Glibc

/// Receives libcurl's wishes about the sockets of one partition and passes them on to the epoll set.
///
/// Owned by the partition's multi handle, because libcurl still calls it while that is being cleaned up.
final class SocketObserver {
    private let poller: Poller
    private let partition: UInt32
    /// Network thread. errno of the last refusal by the epoll set.
    private(set) var failure: Int32 = 0

    init(poller: Poller, partition: UInt32) {
        self.poller = poller
        self.partition = partition
    }

    /// CURLMOPT_SOCKETFUNCTION. Never called at the same time as anything else: network thread.
    static let callback: curl_socket_callback = { easy, socket, what, context, assigned in
        guard let context else { return -1 }
        let observer = Unmanaged<SocketObserver>.fromOpaque(context).takeUnretainedValue()
        return observer.update(easy: easy, socket: socket, what: what, isKnown: assigned != nil) ? 0 : -1
    }

    /// The multi handle that asks; set once, right after it was made.
    var multi: UnsafeMutableRawPointer?

    private func update(easy: UnsafeMutableRawPointer?, socket: Int32, what: Int32, isKnown: Bool) -> Bool {
        if what == CURL_POLL_REMOVE {
            // The descriptor may be closed already, which took it out of the set.
            _ = poller.control(EPOLL_CTL_DEL, socket, 0, partition: partition)
            return true
        }
        var interest: UInt32 = 0
        if what & CURL_POLL_IN != 0 { interest |= EPOLLIN.rawValue }
        if what & CURL_POLL_OUT != 0 { interest |= EPOLLOUT.rawValue }
        if !isKnown, let multi {
            // Any pointer but NULL: remembers that the socket is in the set.
            curl_multi_assign(multi, socket, multi)
        }
        noteSocket(socket, easy: easy)
        if poller.control(isKnown ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, interest, partition: partition) {
            return true
        }
        // A descriptor closed behind libcurl's account of it, or a number that is in use again.
        if errno == ENOENT || errno == EEXIST,
            poller.control(isKnown ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, interest, partition: partition)
        {
            return true
        }
        failure = errno
        return false
    }

    /// Tells the transfer which socket it is on: the idle timer asks the kernel what is still unsent there.
    private func noteSocket(_ socket: Int32, easy: UnsafeMutableRawPointer?) {
        var owner: UnsafeMutableRawPointer?
        guard let easy, on_curl_getinfo_pointer(easy, CURLINFO_PRIVATE, &owner) == CURLE_OK, let owner else { return }
        Unmanaged<TransferDriver>.fromOpaque(owner).takeUnretainedValue().socket = socket
    }
}
