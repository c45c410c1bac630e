// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// The decision about a server under fixed settings: AFSecurityPolicy's rules, with OpenSSL's answers.
final class ServerTrustEvaluator: Sendable {
    /// The roots that chains may end in, when the trusted roots are asked.
    private enum Roots {
        case system
        case own(TrustStore)
        case unavailable(ServerTrustError)
    }

    /// The evaluator of the default policy.
    static let `default` = ServerTrustEvaluator(settings: SecurityPolicySettings(), revocationList: nil)

    let settings: SecurityPolicySettings
    private let roots: Roots
    /// The machine's roots could not be read: that may be different soon.
    let isProvisional: Bool
    /// The pins that are certificates; others can match nothing.
    private let pins: [X509Certificate]
    private let pinnedKeys: Set<Data>

    /// - Parameters:
    ///   - revocationList: The contents of the file that the settings name.
    ///   - system: The machine's roots.
    init(
        settings: SecurityPolicySettings, revocationList: Result<Data, ServerTrustError>?,
        system: () -> Result<TrustStore, TrustStoreError> = { TrustStore.system }
    ) {
        self.settings = settings
        pins =
            settings.pinningMode == .none
            ? [] : settings.pinnedCertificates.compactMap { try? X509Certificate(der: $0) }
        pinnedKeys = settings.pinningMode == .publicKey ? Set(pins.map(\.publicKeyDER).filter { !$0.isEmpty }) : []
        guard !settings.anchorCertificates.isEmpty || revocationList != nil else {
            (roots, isProvisional) = (.system, false)
            return
        }
        let base = system()
        roots = Self.roots(for: settings, base: base, revocationList: revocationList)
        if case .failure = base { isProvisional = true } else { isProvisional = false }
    }

    private static func roots(
        for settings: SecurityPolicySettings, base: Result<TrustStore, TrustStoreError>,
        revocationList: Result<Data, ServerTrustError>?
    ) -> Roots {
        do {
            let anchors = settings.anchorCertificates.compactMap { try? X509Certificate(der: $0) }
            let lists = try revocationList.map { try CertificateRevocationList.lists(in: $0.get()) } ?? []
            // A private CA is enough on a machine without roots.
            let base = anchors.isEmpty ? try base.get() : try? base.get()
            return .own(try TrustStore(base: base, anchors: anchors, revocationLists: lists))
        } catch let error as ServerTrustError {
            return .unavailable(error)
        } catch let error as TrustStoreError {
            return .unavailable(.trustStore(error))
        } catch {
            return .unavailable(
                .settings("certificateRevocationList or anchorCertificates cannot be used: \(error)"))
        }
    }

    /// The verdict: nil trusts the server.
    ///
    /// - Parameter domain: The host that was to be reached; nil: any host.
    func failure(of trust: ServerTrust, domain: String?) -> ServerTrustError? {
        let evaluation = Evaluation(trust: trust.parsed, domain: domain)
        let allowsInvalid = settings.allowInvalidCertificates
        if domain != nil, allowsInvalid, settings.validatesDomainName,
            settings.pinningMode == .none || settings.pinnedCertificates.isEmpty
        {
            return evaluation.failure(
                .settings,
                "names cannot be checked in certificates that are not verified: pin them, or add their issuer "
                    + "to anchorCertificates", code: .secureConnectionFailed)
        }
        var host: CertificateHostName?
        if settings.validatesDomainName, let domain {
            host = CertificateHostName(domain)
            if host == nil {
                return evaluation.failure(.hostName, "no certificate can be for this host name")
            }
        }
        if settings.pinningMode != .none, pins.isEmpty {
            return evaluation.failure(
                settings.pinningMode == .publicKey ? .pinnedPublicKey : .pinnedCertificate, "nothing is pinned")
        }
        var built: [X509Certificate] = []
        if !allowsInvalid {
            switch verifiedChain(evaluation, host) {
            case .success(let chain): built = chain
            case .failure(let error): return error
            }
        }
        switch settings.pinningMode {
        case .none: return nil
        case .certificate: return certificatePinFailure(evaluation, host)
        case .publicKey: return publicKeyPinFailure(evaluation, host, built)
        }
    }

    /// The certificates and the host that are evaluated, and the errors that name them.
    private struct Evaluation {
        let trust: [X509Certificate]
        let domain: String?

        func failure(
            _ rule: ServerTrustError.Rule, _ reason: String, pins: [String] = [],
            code: URLError.Code = .serverCertificateUntrusted
        ) -> ServerTrustError {
            ServerTrustError(
                rule: rule, subject: trust.first?.subject, host: domain, reason: reason, pinsTried: pins,
                urlErrorCode: code)
        }

        func failure(
            _ result: ChainVerification, pins: [String] = [], rule: ServerTrustError.Rule? = nil
        ) -> ServerTrustError {
            ServerTrustError(result, host: domain, pinsTried: pins, rule: rule)
        }
    }

    /// Returns the roots that chains may end in: this machine's and the policy's own.
    func trustStore() -> Result<TrustStore, ServerTrustError> {
        switch roots {
        case .own(let own): .success(own)
        case .unavailable(let error): .failure(error)
        case .system: TrustStore.system.mapError { .trustStore($0) }
        }
    }

    /// Returns the chain to a trusted root, or the reason that no chain leads to one.
    private func verifiedChain(
        _ evaluation: Evaluation, _ host: CertificateHostName?
    ) -> Result<[X509Certificate], ServerTrustError> {
        let store: TrustStore
        switch trustStore() {
        case .success(let found): store = found
        case .failure(let error): return .failure(error)
        }
        var verifier = ChainVerifier(store: store)
        verifier.host = host
        let result = verifier.verify(evaluation.trust, keepsChain: settings.pinningMode == .publicKey)
        return result.isTrusted ? .success(result.chain) : .failure(evaluation.failure(result))
    }

    /// Certificate pinning: the chain has to be valid with nothing but the pins as anchors, and so ends in one of them.
    private func certificatePinFailure(_ evaluation: Evaluation, _ host: CertificateHostName?) -> ServerTrustError? {
        let tried = pins.map { SHA256Hasher.abbreviation(of: $0.der) }.sorted()
        guard let store = try? TrustStore(anchors: pins) else {
            return evaluation.failure(.pinnedCertificate, "out of memory", pins: tried)
        }
        var verifier = ChainVerifier(store: store)
        verifier.acceptsPartialChains = true
        verifier.host = host
        let result = verifier.verify(evaluation.trust, keepsChain: true)
        guard result.isTrusted else { return evaluation.failure(result, pins: tried, rule: .pinnedCertificate) }
        // Holds by construction; costs nothing to see for oneself.
        guard result.chain.contains(where: { pins.contains($0) }) else {
            return evaluation.failure(.pinnedCertificate, "no certificate of the chain is pinned", pins: tried)
        }
        return nil
    }

    /// Public-key pinning: a certificate that the server's own one leads to, or that one itself, has a pinned key.
    ///
    /// A pinned certificate that the server merely sends along proves nothing: certificates are public. So where the
    /// chain to a trusted root has no pinned key, signatures have to lead from the server's certificate to one that
    /// has.
    private func publicKeyPinFailure(
        _ evaluation: Evaluation, _ host: CertificateHostName?, _ built: [X509Certificate]
    ) -> ServerTrustError? {
        let tried = pinnedKeys.map { SHA256Hasher.abbreviation(of: $0) }.sorted()
        guard let leaf = evaluation.trust.first else {
            return evaluation.failure(.pinnedPublicKey, "the chain is empty", pins: tried)
        }
        if let host, settings.allowInvalidCertificates, !leaf.matches(host) {
            return evaluation.failure(.hostName, "the certificate is for another host", pins: tried)
        }
        if built.contains(where: { pinnedKeys.contains($0.publicKeyDER) }) { return nil }
        let anchors = Set((evaluation.trust + pins).filter { pinnedKeys.contains($0.publicKeyDER) })
        if let store = try? TrustStore(anchors: anchors) {
            var verifier = ChainVerifier(store: store)
            verifier.acceptsPartialChains = true
            verifier.profile = .signaturesOnly
            if verifier.verify(evaluation.trust).isTrusted { return nil }
        }
        let seen = evaluation.trust.map { SHA256Hasher.abbreviation(of: $0.publicKeyDER) }.joined(separator: ", ")
        return evaluation.failure(
            .pinnedPublicKey, "no public key of the chain is pinned (the server sent \(seen))", pins: tried)
    }
}

extension ServerTrustError {
    /// There are no roots to verify with.
    static func trustStore(_ error: TrustStoreError) -> ServerTrustError {
        ServerTrustError(rule: .trustStore, reason: "\(error)", urlErrorCode: .serverCertificateHasUnknownRoot)
    }

    /// Makes the error for OpenSSL's answer about a chain.
    ///
    /// - Parameter rule: The rule that stands for a chain that leads nowhere.
    init(_ result: ChainVerification, host: String?, pinsTried: [String], rule chainRule: Rule?) {
        var rule = chainRule ?? .chain
        var code = URLError.Code.serverCertificateUntrusted
        switch result.result {
        case .X509_V_ERR_CERT_HAS_EXPIRED: (rule, code) = (.validityPeriod, .serverCertificateHasBadDate)
        case .X509_V_ERR_CERT_NOT_YET_VALID: (rule, code) = (.validityPeriod, .serverCertificateNotYetValid)
        case .X509_V_ERR_HOSTNAME_MISMATCH, .X509_V_ERR_IP_ADDRESS_MISMATCH: rule = .hostName
        case .X509_V_ERR_CERT_REVOKED, .X509_V_ERR_UNABLE_TO_GET_CRL, .X509_V_ERR_CRL_HAS_EXPIRED,
            .X509_V_ERR_CRL_NOT_YET_VALID:
            rule = .revocation
        case .X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, .X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            .X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, .X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
            if chainRule == nil { code = .serverCertificateHasUnknownRoot }
        default: break
        }
        self.init(
            rule: rule, subject: result.subject, host: host,
            reason: "\(result.result) (certificate \(result.depth) of the chain)", pinsTried: pinsTried,
            verificationCode: Int(result.result.rawValue), urlErrorCode: code)
    }
}
