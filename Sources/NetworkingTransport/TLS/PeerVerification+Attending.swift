// SPDX-License-Identifier: MIT
internal import COpenSSL

/// A connection's alerts, and its permissions to read and send: see `ReadTurn` and `PeerVerificationContext.permission`.
extension PeerVerification {
    /// Has every connection of an `SSL_CTX` tell its context of alerts, and ask it before it reads or sends.
    static func attend(_ sslContext: OpaquePointer) {
        SSL_CTX_set_info_callback(sslContext) { ssl, type, value in
            guard type == SSL_CB_HANDSHAKE_START || type == SSL_CB_READ_ALERT, let ssl,
                let context = PeerVerification.context(of: ssl)
            else { return }
            if type == SSL_CB_READ_ALERT {
                // The level is in the byte above.
                context.alert = UInt8(truncatingIfNeeded: value)
            } else if context.asks {
                // When the first handshake begins libcurl has given the connection what it reads from and writes to.
                PeerVerification.attend(to: ssl, context)
            }
        }
    }

    private static func attend(to ssl: OpaquePointer, _ context: PeerVerificationContext) {
        for end in Set([SSL_get_rbio(ssl), SSL_get_wbio(ssl)]) {
            guard let end, BIO_get_callback_ex(end) == nil else { continue }
            // The context lives as long as the connection.
            BIO_set_callback_arg(
                end, Unmanaged.passUnretained(context).toOpaque().assumingMemoryBound(to: CChar.self))
            BIO_set_callback_ex(end, ask)
        }
    }

    private static let ask: BIO_callback_fn_ex = { end, operation, _, _, _, _, result, _ in
        let hasFailedToSend = operation == BIO_CB_WRITE | BIO_CB_RETURN && result <= 0
        guard operation == BIO_CB_READ || operation == BIO_CB_WRITE || hasFailedToSend, let end,
            let argument = BIO_get_callback_arg(end)
        else { return Int(result) }
        let context = Unmanaged<PeerVerificationContext>.fromOpaque(argument).takeUnretainedValue()
        if hasFailedToSend {
            if BIO_test_flags(end, BIO_FLAGS_SHOULD_RETRY) == 0 { context.isBroken = true }
            return Int(result)
        }
        if operation == BIO_CB_READ {
            // There is nothing to read now when the turn is over: libcurl waits for the socket then, which can be read
            // at once. So this is for what reads from a socket, not from another connection that has taken more from
            // its own.
            guard let turn = context.turn, !context.isBroken, !turn.mayRead(from: end) else { return Int(result) }
            BIO_set_flags(end, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
            return -1
        }
        switch context.permission {
        case .granted: return Int(result)
        case .pending: BIO_set_flags(end, BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
        case .refused: BIO_clear_flags(end, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
        }
        return -1
    }
}
