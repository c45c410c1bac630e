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

    /// Tells the server of a transfer that ends before its response does that it works for nobody.
    ///
    /// A libcurl that keeps the reset of a stream to itself until something else is sent lets it learn that by the end of
    /// the connection, where nobody else is on it.
    func giveUpStream() {
        if CurlGlobal.keepsResetsBack, isOnHTTP2 { forbidReuse() }
    }

    /// Lets libcurl close the connection once nobody is on it any more.
    func forbidReuse() {
        explainEnd()
        _ = easy.set(CURLOPT_FORBID_REUSE, 1)
        isPlain = false
    }

    /// Bytes that came in are progress, also those that make no whole TLS record yet, of which libcurl says nothing. Not
    /// those of others on a shared connection, nor what is about the connection alone, as HTTP/2's PING.
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

    /// Whether bytes that libcurl says nothing of can be for this transfer only.
    private var mayClaimReceivedBytes: Bool {
        guard isOnHTTP2 else {
            return pool.activeCount == 1 || loop.poller?.sockets.isMultiplexed(socket) == false
        }
        // What came in whole records, libcurl would have told, had it been for this stream.
        guard isAmidstRecord else { return false }
        return pool.activeCount == 1
            || (localPort > 0
                && !pool.drivers.contains { $0 !== self && $0.transfer != nil && $0.localPort == localPort })
    }

    /// A part of a TLS record is here, and the rest of it is not.
    private var isAmidstRecord: Bool {
        guard let ssl = easy.tlsConnection.map(OpaquePointer.init) else { return false }
        // Once OpenSSL has taken a record's head, and has no byte of the rest, only its state says so: "read body".
        return SSL_has_pending(ssl) == 1 || SSL_rstate_string(ssl).map { strcmp($0, "RB") == 0 } ?? false
    }

    /// The peer's acknowledging what the kernel still held is progress, though no callback tells.
    func noteKernelProgress(now: UInt64) {
        guard socket >= 0 else { return }
        if case .none = body { return }
        var unsent: Int32 = 0
        guard ioctl(socket, UInt(TIOCOUTQ), &unsent) == 0 else { return }
        if unsentBytes >= 0, unsent < unsentBytes { lastActivity = now }
        unsentBytes = unsent
    }
}
