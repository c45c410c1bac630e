// SPDX-License-Identifier: MIT
internal import COpenSSL
internal import Foundation

/// Puts a `TLSConfiguration` in charge of the handshakes of one `SSL_CTX`.
enum PeerVerification {
    /// Called from CURLOPT_SSL_CTX_FUNCTION with the `SSL_CTX *`. False when the verification could not be installed:
    /// the handshake must not go on.
    ///
    /// Sets the protocol versions too. The context is kept until the `SSL_CTX` is freed, since a connection outlives
    /// the transfer that opened it.
    static func install(on sslContext: UnsafeMutableRawPointer, context: PeerVerificationContext) -> Bool {
        guard contextIndex >= 0 else { return false }
        TrustStore.loadSystemInBackground()
        return OpenSSLError.leavingQueueUntouched {
            let handle = OpaquePointer(sslContext)
            let configuration = context.configuration
            let maximum = configuration.maximumVersion?.protocolNumber ?? 0
            guard ONSSL_SSL_CTX_set_proto_versions(handle, configuration.minimumVersion.protocolNumber, maximum) == 1
            else { return false }
            // OpenSSL 3 has TLS 1.0 and 1.1 at this level only.
            if configuration.minimumVersion < .v1_2 { SSL_CTX_set_security_level(handle, 0) }
            // libcurl installs one, before it asks us, whenever the environment has SSLKEYLOGFILE.
            if !TransportEngine.logsTLSSecrets { SSL_CTX_set_keylog_callback(handle, nil) }
            if configuration.verifyStatus != nil {
                guard ONSSL_SSL_CTX_request_ocsp(handle, checkStapledResponse) == 1 else { return false }
            }
            let retained = Unmanaged.passRetained(context)
            guard SSL_CTX_set_ex_data(handle, contextIndex, retained.toOpaque()) == 1 else {
                retained.release()
                return false
            }
            SSL_CTX_set_cert_verify_callback(handle, verifyChain, retained.toOpaque())
            if configuration.clientIdentity == nil { SSL_CTX_set_client_cert_cb(handle, noteCertificateRequest) }
            SSL_CTX_set_verify(handle, SSL_VERIFY_PEER, nil)
            attend(handle)
            return true
        }
    }

    /// The index at which an `SSL_CTX` keeps its context; negative when OpenSSL had no memory for it.
    private static let contextIndex = ONSSL_SSL_CTX_get_ex_new_index { _, pointer, _, _, _, _ in
        guard let pointer else { return }
        Unmanaged<PeerVerificationContext>.fromOpaque(pointer).release()
    }

    /// The context that was installed for a connection.
    static func context(of ssl: OpaquePointer) -> PeerVerificationContext? {
        guard let sslContext = SSL_get_SSL_CTX(ssl), let pointer = SSL_CTX_get_ex_data(sslContext, contextIndex)
        else { return nil }
        return Unmanaged<PeerVerificationContext>.fromOpaque(pointer).takeUnretainedValue()
    }

    private static let verifyChain: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = {
        store, argument in
        guard let store, let argument else { return 0 }
        let context = Unmanaged<PeerVerificationContext>.fromOpaque(argument).takeUnretainedValue()
        let failure = OpenSSLError.leavingQueueUntouched { () -> (any Error)? in
            guard let chain = sentChain(of: store) else { return OpenSSLError.drain() }
            return context.verify(chain)
        }
        guard let failure else {
            X509_STORE_CTX_set_error(store, X509_V_OK)
            return 1
        }
        let result = (failure as? any X509VerifyResultConvertible)?.x509VerifyResult
        let code = result == nil || result == .X509_V_OK ? .X509_V_ERR_APPLICATION_VERIFICATION : result
        X509_STORE_CTX_set_error(store, (code ?? .X509_V_ERR_APPLICATION_VERIFICATION).rawValue)
        return 0
    }

    private static let checkStapledResponse: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = {
        ssl, _ in
        guard let ssl, let context = context(of: ssl) else { return 0 }
        // A resumed session has no certificate; the one it stands for was verified with its response.
        if SSL_session_reused(ssl) == 1 { return 1 }
        var bytes: UnsafePointer<UInt8>?
        let count = ONSSL_SSL_get_ocsp_response(ssl, &bytes)
        let response = bytes.flatMap { count > 0 ? Data(bytes: $0, count: count) : nil }
        return OpenSSLError.leavingQueueUntouched { context.verifyStatus(response) } ? 1 : 0
    }

    /// There is no certificate to show; that one was asked for may be why the handshake fails.
    private static let noteCertificateRequest:
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?, UnsafeMutablePointer<OpaquePointer?>?
        ) -> Int32 = { ssl, _, _ in
            if let ssl { context(of: ssl)?.wasAskedForCertificate = true }
            return 0
        }

    /// The chain as the server sent it, leaf first.
    private static func sentChain(of store: OpaquePointer) -> [X509Certificate]? {
        guard let leaf = X509_STORE_CTX_get0_cert(store) else { return nil }
        let others = CertificateStack.handles(in: X509_STORE_CTX_get0_untrusted(store))
        var chain: [X509Certificate] = []
        for handle in others.first == leaf ? others : [leaf] + others {
            guard let certificate = X509Certificate(sharing: handle) else { return nil }
            chain.append(certificate)
        }
        return chain
    }
}

extension TLSVersion {
    /// The number that stands for the version on the wire and in OpenSSL.
    var protocolNumber: Int32 {
        switch self {
        case .v1_0: TLS1_VERSION
        case .v1_1: TLS1_1_VERSION
        case .v1_2: TLS1_2_VERSION
        case .v1_3: TLS1_3_VERSION
        }
    }
}
