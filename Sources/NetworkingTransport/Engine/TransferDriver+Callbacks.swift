// SPDX-License-Identifier: MIT
internal import CCurl

/// The C callbacks. Each gets the driver's pointer; the driver lives as long as its easy handle.
extension TransferDriver {
    @inline(__always)
    private static func from(_ context: UnsafeMutableRawPointer) -> TransferDriver {
        Unmanaged<TransferDriver>.fromOpaque(context).takeUnretainedValue()
    }

    static let headerCallback: curl_write_callback = { bytes, size, count, context in
        guard let bytes, let context else { return 0 }
        let lines = UnsafeRawBufferPointer(start: bytes, count: size &* count)
        let driver = from(context)
        guard driver.receive(headerLines: lines) else {
            driver.giveUpStream()
            return 0
        }
        return lines.count
    }

    static let writeCallback: curl_write_callback = { bytes, size, count, context in
        guard let bytes, let context else { return 0 }
        let driver = from(context)
        let taken = driver.receive(content: UnsafeRawBufferPointer(start: bytes, count: size &* count))
        if taken == 0 { driver.giveUpStream() }
        return taken
    }

    static let readCallback: curl_write_callback = { bytes, size, count, context in
        guard let bytes, let context else { return Int(CURL_READFUNC_ABORT) }
        return from(context).readContent(into: UnsafeMutableRawBufferPointer(start: bytes, count: size &* count))
    }

    static let seekCallback: curl_seek_callback = { context, offset, origin in
        guard let context, offset == 0, origin == SEEK_SET else { return CURL_SEEKFUNC_CANTSEEK }
        return from(context).rewindContent() ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
    }

    static let preRequestCallback: curl_prereq_callback = { context, _, _, _, localPort in
        guard let context else { return CURL_PREREQFUNC_ABORT }
        return from(context).maySend(fromPort: localPort) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }

    /// libcurl reads a proxy's answer to CONNECT byte by byte, and calls this for each.
    static let progressCallback: curl_xferinfo_callback = { context, _, _, _, _ in
        guard let context else { return 1 }
        return from(context).noteTunnelByte() ? 0 : 1
    }

    static let debugCallback: curl_debug_callback = { _, kind, bytes, size, context in
        guard kind == CURLINFO_TEXT, let bytes, let context else { return 0 }
        from(context).hear(UnsafeRawBufferPointer(start: bytes, count: size))
        return 0
    }

    static let sslContextCallback: curl_ssl_ctx_callback = { _, sslContext, context in
        guard let sslContext, let context else { return CURLE_ABORTED_BY_CALLBACK }
        return from(context).installVerification(on: sslContext) ? CURLE_OK : CURLE_SSL_CONNECT_ERROR
    }

    private func installVerification(on sslContext: UnsafeMutableRawPointer) -> Bool {
        guard let transfer, let peer = TLSPeer(sslContext: sslContext) else { return false }
        let context: PeerVerificationContext
        let didDecide: @Sendable (PeerVerificationContext) -> Void = { [loop] context in
            loop.submit(.decided(context))
        }
        switch peer {
        case .server:
            guard let host = Self.host(of: transfer.request.url) else { return false }
            // Within another connection, that of an HTTPS proxy, what is left unread is no longer in the socket.
            let turn = pool.proxy?.scheme == .https ? nil : loop.readTurn
            context = PeerVerificationContext(
                configuration: transfer.request.tls, host: host, turn: turn, didDecide: didDecide)
        case .proxy:
            guard let proxy = pool.proxy, let tls = proxy.tls, let host = Self.host(of: proxy.url) else {
                return false
            }
            context = PeerVerificationContext(
                configuration: tls, peer: .proxy, host: host, turn: loop.readTurn, didDecide: didDecide)
        }
        verification = context
        return PeerVerification.install(on: sslContext, context: context)
    }

    /// The host that libcurl connects to, by its own parser: an IP address without brackets, a name without the
    /// trailing dot.
    static func host(of url: String) -> String? {
        guard let parsed = curl_url() else { return nil }
        defer { curl_url_cleanup(parsed) }
        guard curl_url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK else { return nil }
        var part: UnsafeMutablePointer<CChar>?
        if curl_url_get(parsed, CURLUPART_HOST, &part, UInt32(CURLU_PUNYCODE)) != CURLUE_OK {
            guard curl_url_get(parsed, CURLUPART_HOST, &part, 0) == CURLUE_OK else { return nil }
        }
        guard let part else { return nil }
        defer { curl_free(part) }
        var host = Substring(String(cString: part))
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        if host.hasSuffix(".") { host = host.dropLast() }
        return host.isEmpty ? nil : String(host)
    }
}
