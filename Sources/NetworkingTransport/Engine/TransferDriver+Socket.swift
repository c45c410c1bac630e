// SPDX-License-Identifier: MIT
internal import CCurl
internal import COpenSSL
internal import Glibc

extension TransferDriver {
    /// Makes a socket for a connection that this transfer needs; CURL_SOCKET_BAD: it cannot be made.
    func openSocket(_ address: curl_sockaddr) -> Int32 {
        // libcurl may have sent the request before, on a connection that is gone: a proxy's answer comes first again.
        isConnected = false
        isRefusedByProxy = false
        refusalBytes = 0
        let descriptor = Glibc.socket(
            address.family, address.socktype | Int32(SOCK_CLOEXEC.rawValue), address.protocol)
        guard descriptor >= 0 else {
            socketError = errno
            return CURL_SOCKET_BAD
        }
        loop.poller?.sockets.noteOpened(
            descriptor, for: SocketTable.Owner(pool: pool.id, origin: transfer?.origin ?? -1))
        return descriptor
    }

    /// Tells the server that a transfer has ended before its response.
    ///
    /// A libcurl that keeps the reset of a stream back until something else is sent closes the connection instead, once
    /// no transfer is on it.
    func giveUpStream() {
        if CurlGlobal.keepsResetsBack, isOnHTTP2 { forbidReuse() }
    }

    /// Has libcurl close the connection once no transfer is on it any more.
    func forbidReuse() {
        explainEnd()
        _ = easy.set(CURLOPT_FORBID_REUSE, 1)
        isPlain = false
    }

    /// Counts bytes that came in as progress, also those that make no whole TLS record yet, which libcurl does not
    /// report. Not those of other transfers on a shared connection, nor what is about the connection alone, as HTTP/2's
    /// PING.
    func noteReceivedBytes(now: UInt64) {
        guard socket >= 0, mayClaimReceivedBytes else { return }
        var information = tcp_info()
        var size = socklen_t(MemoryLayout<tcp_info>.size)
        guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &information, &size) == 0,
            size >= MemoryLayout<tcp_info>.offset(of: \.tcpi_last_ack_recv) ?? .max
        else { return }
        let silence = UInt64(information.tcpi_last_data_recv) &* 1_000_000
        if silence < now { lastActivity = max(lastActivity, now &- silence) }
    }

    /// True if bytes that libcurl does not report can be for this transfer only.
    private var mayClaimReceivedBytes: Bool {
        guard isOnHTTP2 else {
            return pool.activeCount == 1 || loop.poller?.sockets.isMultiplexed(socket) == false
        }
        // libcurl would have reported whole records for this stream.
        guard isAmidstRecord else { return false }
        return pool.activeCount == 1
            || (localPort > 0
                && !pool.drivers.contains { $0 !== self && $0.transfer != nil && $0.localPort == localPort })
    }

    /// True if a part of a TLS record is here, and the rest of it is not.
    private var isAmidstRecord: Bool {
        guard let ssl = easy.tlsConnection.map(OpaquePointer.init) else { return false }
        // Once OpenSSL has taken a record's head, and has no byte of the rest, only its state says so: "read body".
        return SSL_has_pending(ssl) == 1 || SSL_rstate_string(ssl).map { strcmp($0, "RB") == 0 } ?? false
    }

    /// Counts bytes that the peer has acknowledged since the last look as progress, though no callback reports them.
    func noteKernelProgress(now: UInt64) {
        guard socket >= 0 else { return }
        if case .none = body { return }
        var unsent: Int32 = 0
        guard ioctl(socket, UInt(TIOCOUTQ), &unsent) == 0 else { return }
        if unsentBytes >= 0, unsent < unsentBytes { lastActivity = now }
        unsentBytes = unsent
    }
}
