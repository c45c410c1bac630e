// SPDX-License-Identifier: MIT
internal import COpenSSL

/// Asks OpenSSL whether a chain leads from a server's certificate to one that is trusted.
package struct ChainVerifier: Sendable {
    /// The requirements for the certificates of a chain.
    package enum Profile: Sendable {
        /// All that a TLS client should check: dates, purposes, constraints, key sizes.
        case tlsServer
        /// Each certificate was signed by the next, which was allowed to sign; dates, purposes and key sizes are not
        /// checked.
        case signaturesOnly
    }

    /// The certificates that chains may end in.
    package var store: TrustStore
    /// True if a chain may end in any certificate of the store, not in roots only.
    package var acceptsPartialChains = false
    package var profile = Profile.tlsServer
    /// The name that the first certificate must be for; nil: any.
    package var host: CertificateHostName?

    package init(store: TrustStore) { self.store = store }

    /// Verifies the chain of a server: its own certificate first, the others in any order.
    ///
    /// - Parameter keepsChain: True: the result holds the chain that was built.
    package func verify(_ certificates: [X509Certificate], keepsChain: Bool = false) -> ChainVerification {
        OpenSSLError.leavingQueueUntouched { run(certificates, keepsChain: keepsChain) }
    }

    private func run(_ certificates: [X509Certificate], keepsChain: Bool) -> ChainVerification {
        guard let leaf = certificates.first else { return .failure(.X509_V_ERR_UNSPECIFIED) }
        guard let untrusted = CertificateStack(certificates.dropFirst()), let context = X509_STORE_CTX_new() else {
            return .failure(.X509_V_ERR_OUT_OF_MEM)
        }
        defer { X509_STORE_CTX_free(context) }
        guard X509_STORE_CTX_init(context, store.handle, leaf.handle, untrusted.handle) == 1, configure(context, leaf)
        else {
            return .failure(.X509_V_ERR_OUT_OF_MEM)
        }
        let isTrusted = X509_verify_cert(context) == 1
        let code = X509VerifyResult(rawValue: X509_STORE_CTX_get_error(context))
        guard isTrusted, code == .X509_V_OK else {
            let depth = Int(X509_STORE_CTX_get_error_depth(context))
            let subject = X509_STORE_CTX_get_current_cert(context).flatMap { X509Certificate(sharing: $0)?.subject }
            return ChainVerification(
                result: code == .X509_V_OK ? .X509_V_ERR_UNSPECIFIED : code, depth: depth,
                subject: subject ?? leaf.subject, chain: [])
        }
        var chain: [X509Certificate] = []
        if keepsChain {
            for handle in CertificateStack.handles(in: X509_STORE_CTX_get0_chain(context)) {
                guard let certificate = X509Certificate(sharing: handle) else {
                    return .failure(.X509_V_ERR_OUT_OF_MEM)
                }
                chain.append(certificate)
            }
        }
        return ChainVerification(result: .X509_V_OK, depth: 0, subject: nil, chain: chain)
    }

    private func configure(_ context: OpaquePointer, _ leaf: X509Certificate) -> Bool {
        guard let parameters = X509_STORE_CTX_get0_param(context) else { return false }
        var flags = UInt(0)
        switch profile {
        case .tlsServer:
            guard X509_STORE_CTX_set_default(context, "ssl_server") == 1 else { return false }
            // 112 bits: what OpenSSL's own security level 2 asks of the keys and signatures of a chain.
            X509_VERIFY_PARAM_set_auth_level(parameters, 2)
            if store.checksRevocation { flags |= UInt(X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL) }
        case .signaturesOnly:
            X509_VERIFY_PARAM_set_auth_level(parameters, 0)
            flags |= UInt(X509_V_FLAG_NO_CHECK_TIME)
        }
        if acceptsPartialChains { flags |= UInt(X509_V_FLAG_PARTIAL_CHAIN) }
        guard X509_VERIFY_PARAM_set_flags(parameters, flags) == 1 else { return false }
        switch host {
        case nil: return true
        case .domain(let name):
            // Which OpenSSL does not see.
            if leaf.matchesByWildcard(underscored: name) { return true }
            X509_VERIFY_PARAM_set_hostflags(parameters, X509Certificate.hostFlags)
            return !name.isEmpty && X509_VERIFY_PARAM_set1_host(parameters, name, name.utf8.count) == 1
        case .address(let text):
            return X509_VERIFY_PARAM_set1_ip_asc(parameters, text) == 1
        }
    }
}

/// The result of verifying a chain.
package struct ChainVerification: Sendable {
    /// `X509_V_OK` or the first thing that was wrong.
    package let result: X509VerifyResult
    /// The position of the certificate that was wrong: 0 is the server's own.
    package let depth: Int
    /// The subject of the certificate that was wrong.
    package let subject: String?
    /// The chain as built, server's certificate first, when it is trusted and was asked for.
    package let chain: [X509Certificate]

    package var isTrusted: Bool { result == .X509_V_OK }

    static func failure(_ result: X509VerifyResult) -> ChainVerification {
        ChainVerification(result: result, depth: 0, subject: nil, chain: [])
    }
}

extension X509Certificate {
    /// Names count as subject alternative names only, never as the common name (RFC 9525, section 6.3).
    fileprivate static let hostFlags = UInt32(
        X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT)

    /// Returns true if one of the certificate's subject alternative names is this host.
    package func matches(_ host: CertificateHostName) -> Bool {
        OpenSSLError.leavingQueueUntouched {
            switch host {
            case .domain(let name):
                guard !name.isEmpty else { return false }
                return X509_check_host(handle, name, name.utf8.count, Self.hostFlags, nil) == 1
                    || matchesByWildcard(underscored: name)
            case .address(let text):
                return X509_check_ip_asc(handle, text, 0) == 1
            }
        }
    }

    /// Returns true if a wildcard stands for the first label of a name, with an underscore in it: such names are no
    /// host names (RFC 1123, section 2.1), and OpenSSL has no wildcard for them, but they are in use, and browsers and
    /// curl take them.
    fileprivate func matchesByWildcard(underscored name: String) -> Bool {
        let label = name.utf8.prefix { $0 != UInt8(ascii: ".") }
        guard label.contains(UInt8(ascii: "_")) else { return false }
        // As a name that a wildcard may stand for. It is another name, so one that is spelt out does not count.
        let other = String(label.map { _ in "x" }) + String(decoding: name.utf8.dropFirst(label.count), as: UTF8.self)
        var matched: UnsafeMutablePointer<CChar>?
        defer { CRYPTO_free(matched, nil, 0) }
        guard X509_check_host(handle, other, other.utf8.count, Self.hostFlags, &matched) == 1, let matched else {
            return false
        }
        return matched[0] == CChar(bitPattern: UInt8(ascii: "*"))
    }
}
