// SPDX-License-Identifier: MIT
internal import COpenSSL
import Foundation
import TestServer

@testable import NetworkingTransport

/// A TLS handshake between two `SSL`s of this thread, without a network: the client's is made as libcurl makes it.
struct MemoryHandshake {
    struct Failed: Error { var reason: String }

    var identity: TestIdentity
    var ocspResponse: Data?
    var maximumServerVersion = Int32(0)
    /// Whether to shake hands a second time with the session of the first; the outcome is then the second one's.
    var resumes = false

    /// Whether the handshake came about, as the client sees it, and what it agreed on.
    struct Outcome {
        var isEstablished: Bool
        var isResumed: Bool
        var version: Int32
        /// `SSL_get_verify_result` of the client.
        var verifyResult: Int
        /// What the client left in the error queue.
        var error: OpenSSLError
    }

    /// - Parameter prepare: Called with the client's `SSL_CTX`; false ends the attempt.
    func run(prepare: (UnsafeMutableRawPointer) -> Bool) throws -> Outcome {
        guard let client = SSL_CTX_new(TLS_client_method()), let server = SSL_CTX_new(TLS_server_method()) else {
            throw Failed(reason: "SSL_CTX_new")
        }
        defer {
            SSL_CTX_free(client)
            SSL_CTX_free(server)
        }
        let directory = try TemporaryDirectory()
        let files = try identity.write(to: directory)
        guard SSL_CTX_use_certificate_chain_file(server, files.chain.path) == 1,
            SSL_CTX_use_PrivateKey_file(server, files.key.path, SSL_FILETYPE_PEM) == 1,
            SSL_CTX_ctrl(server, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(maximumServerVersion), nil) == 1
        else { throw Failed(reason: "server: \(OpenSSLError.drain())") }
        let response = ocspResponse.map { StapledBytes($0) }
        if let response {
            let callback: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = { ssl, argument in
                guard let ssl, let argument else { return SSL_TLSEXT_ERR_NOACK }
                return Unmanaged<StapledBytes>.fromOpaque(argument).takeUnretainedValue().staple(to: ssl)
            }
            SSL_CTX_callback_ctrl(
                server, SSL_CTRL_SET_TLSEXT_STATUS_REQ_CB,
                unsafeBitCast(callback, to: (@convention(c) () -> Void).self))
            SSL_CTX_ctrl(
                server, SSL_CTRL_SET_TLSEXT_STATUS_REQ_CB_ARG, 0, Unmanaged.passUnretained(response).toOpaque())
        }
        if maximumServerVersion != 0, maximumServerVersion < TLS1_2_VERSION {
            SSL_CTX_ctrl(server, SSL_CTRL_SET_MIN_PROTO_VERSION, 0, nil)
            SSL_CTX_set_security_level(server, 0)
        }
        guard prepare(UnsafeMutableRawPointer(client)) else { throw Failed(reason: "not prepared") }
        ERR_clear_error()
        return try withExtendedLifetime(response) {
            var session: OpaquePointer?
            defer { SSL_SESSION_free(session) }
            let outcome = try shakeHands(client, server, &session)
            return resumes ? try shakeHands(client, server, &session) : outcome
        }
    }

    private func shakeHands(
        _ client: OpaquePointer, _ server: OpaquePointer, _ session: inout OpaquePointer?
    ) throws -> Outcome {
        var left: OpaquePointer?
        var right: OpaquePointer?
        guard BIO_new_bio_pair(&left, 0, &right, 0) == 1, let asking = SSL_new(client), let answering = SSL_new(server)
        else { throw Failed(reason: "SSL_new") }
        defer {
            SSL_free(asking)
            SSL_free(answering)
        }
        SSL_set_bio(asking, left, left)
        SSL_set_bio(answering, right, right)
        SSL_set_connect_state(asking)
        SSL_set_accept_state(answering)
        if let session { SSL_set_session(asking, session) }
        var error = OpenSSLError.drain()
        for _ in 0..<20 {
            let result = SSL_do_handshake(asking)
            let wants = SSL_get_error(asking, result)
            if result == 1 || wants != SSL_ERROR_WANT_READ && wants != SSL_ERROR_WANT_WRITE {
                error = OpenSSLError.drain()
                break
            }
            _ = SSL_do_handshake(answering)
            ERR_clear_error()
        }
        let isEstablished = SSL_get_state(asking) == TLS_ST_OK
        if isEstablished {
            // TLS 1.3 sends tickets after the handshake: the first read takes them in.
            _ = SSL_do_handshake(answering)
            var byte = UInt8(0)
            _ = SSL_read(asking, &byte, 1)
            SSL_SESSION_free(session)
            session = SSL_get1_session(asking)
            // A connection that is not closed in good order takes its session with it.
            SSL_set_shutdown(asking, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
            SSL_set_shutdown(answering, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        }
        return Outcome(
            isEstablished: isEstablished, isResumed: SSL_session_reused(asking) == 1, version: SSL_version(asking),
            verifyResult: Int(SSL_get_verify_result(asking)), error: error)
    }
}

/// A stapled response that is given to OpenSSL as a copy of its own.
private final class StapledBytes {
    private let data: Data
    init(_ data: Data) { self.data = data }

    func staple(to ssl: OpaquePointer) -> Int32 {
        guard let copy = CRYPTO_malloc(data.count, #file, #line) else { return SSL_TLSEXT_ERR_NOACK }
        data.copyBytes(to: UnsafeMutableRawBufferPointer(start: copy, count: data.count))
        SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_STATUS_REQ_OCSP_RESP, data.count, copy)
        return SSL_TLSEXT_ERR_OK
    }
}
