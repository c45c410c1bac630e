// SPDX-License-Identifier: MIT
internal import COpenSSL

/// The permissions of a connection to read and send: see `ReadTurn` and `PeerVerificationContext.permission`.
extension PeerVerification {
    /// Has every connection of an `SSL_CTX` ask its context before it reads or sends.
    static func attend(_ sslContext: OpaquePointer) {
        // When the first handshake begins libcurl has given the connection what it reads from and writes to.
        SSL_CTX_set_info_callback(sslContext) { ssl, type, _ in
            guard type == SSL_CB_HANDSHAKE_START, let ssl, let context = PeerVerification.context(of: ssl) else {
                return
            }
            for end in Set([SSL_get_rbio(ssl), SSL_get_wbio(ssl)]) {
                guard let end, BIO_get_callback_ex(end) == nil else { continue }
                // The context lives as long as the connection.
                BIO_set_callback_arg(
                    end, Unmanaged.passUnretained(context).toOpaque().assumingMemoryBound(to: CChar.self))
                BIO_set_callback_ex(end, PeerVerification.ask)
            }
        }
    }

    private static let ask: BIO_callback_fn_ex = { end, operation, _, _, _, _, result, _ in
        guard operation == BIO_CB_READ || operation == BIO_CB_WRITE, let end,
            let argument = BIO_get_callback_arg(end)
        else { return Int(result) }
        let context = Unmanaged<PeerVerificationContext>.fromOpaque(argument).takeUnretainedValue()
        if operation == BIO_CB_READ {
            // There is nothing to read now when the turn is over: libcurl waits for the socket then, which can be read
            // at once. So this is for what reads from a socket, not from another connection that has taken more from
            // its own.
            guard let turn = context.turn, !turn.mayRead(from: end) else { return Int(result) }
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
