// SPDX-License-Identifier: MIT
internal import CCurl
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
        guard socket >= 0, !isOnHTTP2, pool.activeCount == 1 || loop.poller?.sockets.isMultiplexed(socket) == false
        else { return }
        var information = tcp_info()
        var size = socklen_t(MemoryLayout<tcp_info>.size)
        guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &information, &size) == 0,
            size >= MemoryLayout<tcp_info>.offset(of: \.tcpi_last_ack_recv) ?? .max
        else { return }
        let silence = UInt64(information.tcpi_last_data_recv) &* 1_000_000
        if silence < now { lastActivity = max(lastActivity, now &- silence) }
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
