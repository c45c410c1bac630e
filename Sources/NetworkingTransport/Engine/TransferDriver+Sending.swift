// SPDX-License-Identifier: MIT
internal import CCurl
internal import COpenSSL
internal import Glibc

extension TransferDriver {
    /// True if the request may go out on the connection that libcurl has found for it. False: end the transfer.
    ///
    /// - Parameter localPort: Our port of the connection.
    func maySend(fromPort localPort: Int32) -> Bool {
        guard let transfer else { return false }
        self.localPort = localPort
        isConnected = true
        noteKept(false)
        lastActivity = loop.now
        guard !hasReportedHead else {
            // libcurl begins again where a server breaks a stream off to be asked over HTTP/1.1. The server's next
            // answer would be taken for the rest of this response.
            failure = TransferError(
                .connectionLost,
                message: "The server broke off its response. The request was received, and is not sent again.")
            return false
        }
        sendings += 1
        guard sendings <= Self.maximumSendings else {
            failure = endlessChallenge
            return false
        }
        noteTLS()
        let made = easy.long(CURLINFO_NUM_CONNECTS)
        if expectsHTTP2, made > connectionsMade {
            // It is not there any more, and what libcurl has made in its place would get HTTP/1.1.
            wantsFreshConnection = true
            return false
        }
        if made > connectionsMade { loop.noteConnection(to: transfer.origin, in: pool) }
        defer { connectionsMade = made }
        let isHTTP2 = isOnHTTP2
        if !isHTTP2, made == connectionsMade, hasUnreadBytes {
            // They would be taken for the answer. On another connection an authentication would begin anew, and not
            // end.
            guard sendings == 1 else {
                failure = TransferError(.badResponse, message: "The server sent more than its response.")
                return false
            }
            wantsFreshConnection = true
            return false
        }
        // Known before the response, which may be long in coming: waiting transfers can share the connection.
        if isHTTP2 {
            loop.noteVersion(of: transfer.origin, isHTTP2: true)
            listen()
            if case .none = body {} else { loop.poller?.sockets.noteWindows(socket) }
        }
        let connection = SendLedger.Connection(isNew: made > connectionsMade, isHTTP2: isHTTP2)
        if transfer.request.avoidsUsedConnections, !transfer.ledger.hasSent, !connection.isNew, !isHTTP2 {
            wantsFreshConnection = true
            return false
        }
        switch transfer.ledger.send(isIdempotent: transfer.request.isIdempotent, on: connection) {
        case .send:
            if reportsBodyAtOnce { loop.noteAwaitedSending(self) }
            return true
        case .sendOnFreshConnection:
            wantsFreshConnection = true
            return false
        case .giveUp:
            failure = repetitionError
            return false
        }
    }

    /// Sendings, or refusals of a tunnel, beyond which a server's or proxy's challenges count as endless: NTLM takes
    /// three of each.
    static let maximumSendings = 20

    /// The error of a transfer whose challenges libcurl would go on answering.
    var endlessChallenge: TransferError {
        let isProxys = !isConnected || collector.status == 407
        return TransferError(
            isProxys ? .proxyAuthentication : .badResponse,
            message: "\(isProxys ? "The proxy" : "The server") has asked for authentication "
                + "\(Self.maximumSendings) times, and has not taken an answer.")
    }

    /// True if unread bytes are on the connection, which was in use before: the server has sent them unasked. libcurl
    /// leaves what follows a response in the socket, or in what OpenSSL has of a record.
    private var hasUnreadBytes: Bool {
        if let ssl = easy.tlsConnection, SSL_has_pending(OpaquePointer(ssl)) == 1 { return true }
        return loop.poller?.sockets.holds(ofPort: localPort, in: pool.id) { socket in
            var count: Int32 = 0
            return ioctl(socket, UInt(FIONREAD), &count) == 0 && count > 0
        } ?? false
    }

    private func noteTLS() {
        guard transfer?.request.isSecure == true, let ssl = easy.tlsConnection else { return }
        tlsVersion = SSL_get_version(OpaquePointer(ssl))
        guard let cipher = SSL_get_current_cipher(OpaquePointer(ssl)) else { return }
        tlsCipher = SSL_CIPHER_get_name(cipher)
        tlsCipherSuite = SSL_CIPHER_get_protocol_id(cipher)
    }

    /// The error of a request that may, or may not, have been acted on.
    static var lostError: TransferError {
        TransferError(
            .connectionLost,
            message: "The connection was lost before an answer came. The request may have reached the server.")
    }

    /// The error of a request that went unanswered, and cannot be sent again, or not once more.
    var repetitionError: TransferError {
        guard transfer?.ledger.isRefused == true else { return Self.lostError }
        return TransferError(
            .connectionLost, message: "The server refused the request without looking at it, and it is not sent again.")
    }

    /// True if the transfer's connection is HTTP/2: agreed to in the TLS handshake, or known before.
    var isOnHTTP2: Bool {
        if pool.route?.httpVersion == .http2PriorKnowledge { return true }
        guard transfer?.request.isSecure == true, let ssl = easy.tlsConnection else { return false }
        var bytes: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(OpaquePointer(ssl), &bytes, &count)
        return count == 2 && bytes?[0] == UInt8(ascii: "h") && bytes?[1] == UInt8(ascii: "2")
    }
}
