// SPDX-License-Identifier: MIT
internal import COpenSSL
internal import Foundation

/// An SSL_CTX for a server's connections.
package final class TLSServerContext: Sendable {
    // Safe because it is not changed after `init`, and OpenSSL makes connections of it on any thread.
    private nonisolated(unsafe) let pointer: OpaquePointer

    package init(_ settings: TLSSettings) throws {
        pointer = try OpenSSLFailure.check(SSL_CTX_new(TLS_server_method()), "SSL_CTX_new")
        let isSet = ONSSL_SSL_CTX_set_proto_versions(
            pointer, settings.minimumVersion.number, settings.maximumVersion.number)
        try OpenSSLFailure.check(isSet, "the versions of TLS")
        // What is old or weak is for the client to refuse.
        SSL_CTX_set_security_level(pointer, 0)
        try OpenSSLFailure.check(SSL_CTX_set_cipher_list(pointer, "DEFAULT"), "ciphers")
        try setIdentity(settings)
        try setClientAuthentication(settings.clientAuthentication)
        SSL_CTX_set_alpn_select_cb(pointer, Self.selection(settings.protocols), nil)
    }

    deinit { SSL_CTX_free(pointer) }

    private func setIdentity(_ settings: TLSSettings) throws {
        // Nothing is shown but what was given; what waits to be sent may lie elsewhere at the next try.
        let modes = SSL_MODE_NO_AUTO_CHAIN | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
        SSL_CTX_ctrl(pointer, SSL_CTRL_MODE, Int(modes), nil)
        for (index, certificate) in settings.chain.enumerated() {
            try certificate.withPointer { certificate in
                if index == 0 {
                    try OpenSSLFailure.check(SSL_CTX_use_certificate(pointer, certificate), "the certificate")
                } else {
                    let isAdded = SSL_CTX_ctrl(pointer, SSL_CTRL_CHAIN_CERT, 1, UnsafeMutableRawPointer(certificate))
                    try OpenSSLFailure.check(Int32(isAdded), "the chain")
                }
            }
        }
        try settings.key.withPointer { try OpenSSLFailure.check(SSL_CTX_use_PrivateKey(pointer, $0), "the key") }
    }

    private func setClientAuthentication(_ authentication: TLSSettings.ClientAuthentication) throws {
        let (mode, roots) =
            switch authentication {
            case .none: (SSL_VERIFY_NONE, [TestCertificate]())
            case .optional(let roots): (SSL_VERIFY_PEER, roots)
            case .required(let roots): (SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, roots)
            }
        SSL_CTX_set_verify(pointer, mode, nil)
        let store = SSL_CTX_get_cert_store(pointer)
        for root in roots {
            try root.withPointer { try OpenSSLFailure.check(X509_STORE_add_cert(store, $0), "a root") }
        }
        // Without it no session with a client's certificate is resumed.
        let name = Array("TestServer".utf8)
        try OpenSSLFailure.check(SSL_CTX_set_session_id_context(pointer, name, UInt32(name.count)), "sessions")
    }

    // MARK: Protocols

    private typealias Selection =
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?,
            UnsafePointer<UInt8>?, UInt32, UnsafeMutableRawPointer?
        ) -> Int32

    private static func selection(_ protocols: TLSSettings.ApplicationProtocols) -> Selection {
        switch protocols {
        case .http1: selectHTTP1
        case .http2: selectHTTP2
        case .http2OrHTTP1: selectBest
        }
    }

    private static let selectHTTP1: Selection = { _, chosen, length, offered, count, _ in
        TLSServerContext.select(["http/1.1"], chosen, length, offered, count)
    }

    private static let selectHTTP2: Selection = { _, chosen, length, offered, count, _ in
        TLSServerContext.select(["h2"], chosen, length, offered, count)
    }

    private static let selectBest: Selection = { _, chosen, length, offered, count, _ in
        TLSServerContext.select(["h2", "http/1.1"], chosen, length, offered, count)
    }

    /// Chooses the first of `wanted` that the client offers; where it offers none, nothing is said of protocols.
    private static func select(
        _ wanted: [String], _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
        _ length: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ count: UInt32
    ) -> Int32 {
        guard let offered else { return SSL_TLSEXT_ERR_NOACK }
        let list = UnsafeBufferPointer(start: offered, count: Int(count))
        for name in wanted {
            var index = 0
            while index < list.count {
                let size = Int(list[index])
                let end = index + 1 + size
                guard end <= list.count else { break }
                if list[index + 1..<end].elementsEqual(name.utf8) {
                    chosen?.pointee = offered + index + 1
                    length?.pointee = UInt8(size)
                    return SSL_TLSEXT_ERR_OK
                }
                index = end
            }
        }
        return SSL_TLSEXT_ERR_NOACK
    }

    // MARK: Connections

    /// An SSL that waits for a client at a socket.
    package func makeConnection(on descriptor: Int32) throws -> OpaquePointer {
        let ssl = try OpenSSLFailure.check(SSL_new(pointer), "SSL_new")
        guard SSL_set_fd(ssl, descriptor) == 1 else {
            SSL_free(ssl)
            throw OpenSSLFailure("SSL_set_fd")
        }
        SSL_set_accept_state(ssl)
        return ssl
    }

    /// An SSL that waits for a client, between two new memory BIOs.
    package func makeConnection() throws -> (ssl: OpaquePointer, received: OpaquePointer, toSend: OpaquePointer) {
        let ssl = try OpenSSLFailure.check(SSL_new(pointer), "SSL_new")
        guard let received = BIO_new(BIO_s_mem()) else {
            SSL_free(ssl)
            throw OpenSSLFailure("BIO_new")
        }
        guard let toSend = BIO_new(BIO_s_mem()) else {
            BIO_free(received)
            SSL_free(ssl)
            throw OpenSSLFailure("BIO_new")
        }
        SSL_set_bio(ssl, received, toSend)
        SSL_set_accept_state(ssl)
        return (ssl, received, toSend)
    }
}

extension TLSVersion {
    fileprivate var number: Int32 {
        switch self {
        case .v1_0: TLS1_VERSION
        case .v1_1: TLS1_1_VERSION
        case .v1_2: TLS1_2_VERSION
        case .v1_3: TLS1_3_VERSION
        }
    }
}
