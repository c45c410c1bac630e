// SPDX-License-Identifier: MIT
internal import COpenSSL

/// Limiting what is read at a time: see `ReadTurn`.
extension PeerVerification {
    /// Has every connection of an `SSL_CTX` ask the turn of its context before it reads.
    static func limitReading(on sslContext: OpaquePointer) {
        // When the first handshake begins libcurl has given the connection what it reads from.
        SSL_CTX_set_info_callback(sslContext) { ssl, type, _ in
            guard type == SSL_CB_HANDSHAKE_START, let ssl, let source = SSL_get_rbio(ssl),
                BIO_get_callback_ex(source) == nil, let turn = PeerVerification.context(of: ssl)?.turn
            else { return }
            // The context lives as long as the connection.
            BIO_set_callback_arg(source, Unmanaged.passUnretained(turn).toOpaque().assumingMemoryBound(to: CChar.self))
            BIO_set_callback_ex(source, PeerVerification.askBeforeReading)
        }
    }

    /// Says that there is nothing to read now when the turn is over: libcurl waits for the socket then, which can be read at
    /// once. So this is for what reads from a socket, not from another connection that has taken more from its own.
    private static let askBeforeReading: BIO_callback_fn_ex = { source, operation, _, _, _, _, result, _ in
        guard operation == BIO_CB_READ, let source, let argument = BIO_get_callback_arg(source),
            !Unmanaged<ReadTurn>.fromOpaque(argument).takeUnretainedValue().mayRead(from: source)
        else { return Int(result) }
        BIO_set_flags(source, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
        return -1
    }
}
