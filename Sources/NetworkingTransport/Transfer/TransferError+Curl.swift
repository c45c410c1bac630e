// SPDX-License-Identifier: MIT
internal import CCurl

extension TransferError {
    /// The known facts about a transfer that libcurl ended with an error.
    struct Circumstances {
        /// The request had begun to go out.
        var wasConnected = false
        /// A final response head had arrived.
        var hasHead = false
        /// The request was sent in HTTP/2, and no reason is known for the end of the connection.
        var isBrokenHTTP2 = false
        /// The handshake that may have failed was the proxy's.
        var concernsProxy = false
        /// We offered a client certificate.
        var hasClientIdentity = false
        /// The server asked for a client certificate, and we had none.
        var wasAskedForIdentity = false
        /// The alert that the server sent on a connection that the transfer opened; nil: none is known.
        var alert: UInt8?
        var rejectedServer: RejectedServer?
        /// The error that the verification of the server found.
        var verificationFailure: (any Error)?
        var systemErrno: Int32 = 0
        /// The proxy's status for CONNECT; 0: no answer came.
        var connectStatus = 0
        /// The answer of a SOCKS proxy.
        var proxyCode = CURLPX_OK
    }

    /// The error for a libcurl code; `text` is what CURLOPT_ERRORBUFFER holds.
    static func curl(_ code: CurlCode, text: String, circumstances: Circumstances = Circumstances()) -> TransferError {
        let message = text.isEmpty ? code.text : text
        if let limit = exceededLimit(code, message, circumstances) {
            return TransferError(.tooLarge, message: limit, curlCode: Int(code.rawValue))
        }
        if let status = refusedConnect(circumstances) {
            return TransferError(
                status == 407 ? .proxyAuthentication : .proxy,
                message: "The proxy answered CONNECT with status \(status).", curlCode: Int(code.rawValue))
        }
        var error = TransferError(
            kind(of: code, message: message, text: text, circumstances), message: message, curlCode: Int(code.rawValue))
        if let reason = hiddenReason(code, text, circumstances) { error.message = reason }
        if error.kind == .clientCertificate || error.kind == .clientCertificateRequired,
            !message.contains("alert"), let alert = circumstances.certificateAlert
        {
            error.message += " (the server's alert: \(alert))"
        }
        if error.kind == .serverUntrusted {
            error.cause = circumstances.verificationFailure
            error.rejectedServer = circumstances.rejectedServer
        }
        error.systemErrno = circumstances.systemErrno
        return error
    }

    /// The limit of libcurl's that a response exceeded, as a message: libcurl calls most of that a want of memory. Nil:
    /// no limit was exceeded.
    ///
    /// The numbers are those of its sources: CURL_MAX_HTTP_HEADER, DYN_H2_HEADERS, DYN_H1_TRAILER,
    /// DYN_PROXY_CONNECT_HEADERS.
    private static func exceededLimit(
        _ code: CurlCode, _ message: String, _ circumstances: Circumstances
    ) -> String? {
        switch code {
        case .CURLE_OUT_OF_MEMORY, .CURLE_TOO_LARGE:
            guard circumstances.wasConnected, !circumstances.hasHead else { return nil }
            return
                "A line of the response's head, its status line or a field, has more than the 100 KiB that libcurl takes."
        case .CURLE_RECV_ERROR, .CURLE_HTTP2:
            if message.contains("memory in chunked-encoding") {
                return "A field after the response's content has more than the 4 KiB that libcurl takes."
            }
            if message.contains("CONNECT response too large") {
                return "A line of the proxy's answer to CONNECT has more than the 16 KiB that libcurl takes."
            }
            // The callback that fails is the one that takes fields.
            let isRefused = message.contains("nghttp2_session_mem_recv() returned -902")
            guard isRefused || message.contains("Too many CONTINUATION frames") else { return nil }
            return
                "The response's fields have more than the 128 KiB that libcurl takes in HTTP/2, or come in too many frames."
        default:
            return nil
        }
    }

    /// The true reason for a failure that libcurl's text does not give; nil: the text gives it.
    ///
    /// - Parameter text: The content of CURLOPT_ERRORBUFFER.
    private static func hiddenReason(_ code: CurlCode, _ text: String, _ circumstances: Circumstances) -> String? {
        switch code {
        case .CURLE_GOT_NOTHING where circumstances.isBrokenHTTP2:
            "The server broke the rules of HTTP/2, or sent a field of more than 64 KiB, and the connection was closed."
        case .CURLE_HTTP2_STREAM where text.isEmpty && !circumstances.hasHead:
            """
            The server ended the stream together with its response, before it had all of the request's content: libcurl \
            (7.88) loses such a response.
            """
        default:
            nil
        }
    }

    /// The value of CURLINFO_OS_ERRNO as far as it belongs to a failure: 0 for one that no system call of this transfer
    /// has caused.
    ///
    /// A handle keeps the number of the last connection that could not be made, or was lost, for good: through later
    /// transfers, and where one address of a host fails and the next does not. So it counts for what libcurl has set it
    /// with: a connection that could not be made, and the two failures that it names by the system's word.
    static func systemErrno(_ errno: Int32, of code: CurlCode, _ text: String) -> Int32 {
        switch code {
        case .CURLE_COULDNT_CONNECT, .CURLE_INTERFACE_FAILED: errno
        case .CURLE_SEND_ERROR: text.hasPrefix("Send failure") ? errno : 0
        case .CURLE_RECV_ERROR: text.hasPrefix("Recv failure") ? errno : 0
        default: 0
        }
    }

    /// The status that a proxy gave in place of a tunnel.
    private static func refusedConnect(_ circumstances: Circumstances) -> Int? {
        let status = circumstances.connectStatus
        return circumstances.hasHead || status == 0 || (200..<300).contains(status) ? nil : status
    }

    private static func kind(
        of code: CurlCode, message: String, text: String, _ circumstances: Circumstances
    ) -> Kind {
        if isSecurityCode(code) {
            if circumstances.verificationFailure != nil { return .serverUntrusted }
            return clientCertificateKind(message, circumstances) ?? .secureConnectionFailed
        }
        switch code {
        case .CURLE_URL_MALFORMAT:
            return .badURL
        case .CURLE_UNSUPPORTED_PROTOCOL:
            // Also libcurl's word for a status line of no HTTP version that it knows.
            return circumstances.wasConnected ? .badResponse : .unsupportedScheme
        case .CURLE_BAD_FUNCTION_ARGUMENT:
            // Of a connection: something in a response that libcurl's own parts refuse.
            return circumstances.wasConnected ? .badResponse : .other
        case .CURLE_COULDNT_RESOLVE_HOST, .CURLE_COULDNT_RESOLVE_PROXY:
            return .cannotFindHost
        case .CURLE_COULDNT_CONNECT, .CURLE_INTERFACE_FAILED:
            return .cannotConnect
        case .CURLE_PROXY:
            return isRefusal(circumstances.proxyCode) ? .proxyAuthentication : .proxy
        case .CURLE_OPERATION_TIMEDOUT:
            return .timedOut
        case .CURLE_SEND_ERROR, .CURLE_RECV_ERROR:
            if let kind = clientCertificateKind(message, circumstances) { return kind }
            // libcurl's own limit for a response's header fields has no code of its own before 8.6.
            if message.contains("Too large response headers") { return .tooLarge }
            return message.contains("chunk") ? .badResponse : .connectionLost
        case .CURLE_GOT_NOTHING:
            // So libcurl (before 8.1) ends with a connection that breaks the rules of HTTP/2.
            return circumstances.isBrokenHTTP2 ? .badResponse : .connectionLost
        case .CURLE_PARTIAL_FILE, .CURLE_HTTP2:
            // In HTTP/2 the server's goodbye, also the friendly one.
            return .connectionLost
        case .CURLE_HTTP2_STREAM where hiddenReason(code, text, circumstances) != nil:
            return .connectionLost
        case .CURLE_WEIRD_SERVER_REPLY, .CURLE_HTTP2_STREAM, .CURLE_HTTP3:
            return .badResponse
        case .CURLE_BAD_CONTENT_ENCODING:
            return .cannotDecodeContent
        case .CURLE_WRITE_ERROR:
            // No callback of ours refused: libcurl's chunk parser reports this way too.
            return message.contains("chunk") ? .badResponse : .cannotDecodeContent
        case .CURLE_OUT_OF_MEMORY:
            return .outOfMemory
        case .CURLE_TOO_LARGE, .CURLE_FILESIZE_EXCEEDED:
            return .tooLarge
        case .CURLE_SEND_FAIL_REWIND:
            return .bodyNotReplayable
        case .CURLE_READ_ERROR:
            return .bodySource
        case .CURLE_TOO_MANY_REDIRECTS:
            return .tooManyRedirects
        case .CURLE_SSL_CERTPROBLEM, .CURLE_SSL_CLIENTCERT:
            return .clientCertificate
        default:
            return .other
        }
    }

    /// True if a SOCKS proxy refused us for our credential, or for want of one.
    private static func isRefusal(_ code: CURLproxycode) -> Bool {
        code == CURLPX_USER_REJECTED || code == CURLPX_NO_AUTH
    }

    private static func isSecurityCode(_ code: CurlCode) -> Bool {
        switch code {
        case .CURLE_SSL_CONNECT_ERROR, .CURLE_PEER_FAILED_VERIFICATION, .CURLE_SSL_CIPHER, .CURLE_USE_SSL_FAILED,
            .CURLE_SSL_CACERT_BADFILE, .CURLE_SSL_CRL_BADFILE, .CURLE_SSL_ISSUER_ERROR,
            .CURLE_SSL_PINNEDPUBKEYNOTMATCH, .CURLE_SSL_INVALIDCERTSTATUS, .CURLE_SSL_ENGINE_NOTFOUND:
            true
        default:
            false
        }
    }

    /// The alerts with which servers refuse a client certificate, or want one, as OpenSSL names them in its errors.
    fileprivate static let certificateAlerts: [UInt8: String] = [
        40: "handshake failure", 42: "bad certificate", 43: "unsupported certificate", 44: "certificate revoked",
        45: "certificate expired", 46: "certificate unknown", 48: "unknown ca", 49: "access denied",
        116: "certificate required",
    ]

    /// With TLS 1.3 a server refuses a client certificate after the handshake, as an alert in place of a response;
    /// only the alert tells what it was about.
    ///
    /// libcurl's message has OpenSSL's name of it if libcurl failed to read. Where the server closed the connection while
    /// the request was still going out, libcurl failed to write, and read the alert after that.
    private static func clientCertificateKind(_ message: String, _ circumstances: Circumstances) -> Kind? {
        // Once a response has begun, an alert is about something else.
        guard !circumstances.hasHead, !circumstances.concernsProxy,
            let alert = message.contains("alert") ? message : circumstances.certificateAlert
        else { return nil }
        if alert.contains("certificate required"), !circumstances.hasClientIdentity {
            return .clientCertificateRequired
        }
        guard circumstances.hasClientIdentity || circumstances.wasAskedForIdentity else { return nil }
        let isRefused = certificateAlerts.values.contains { alert.contains($0) }
        guard isRefused else { return nil }
        return circumstances.hasClientIdentity ? .clientCertificate : .clientCertificateRequired
    }
}

extension TransferError.Circumstances {
    /// The name of the server's alert, if it is about a client certificate.
    fileprivate var certificateAlert: String? { alert.flatMap { TransferError.certificateAlerts[$0] } }
}
