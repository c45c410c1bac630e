// SPDX-License-Identifier: MIT
import AFNetworking

extension Symbol {
    static var security: [Symbol] {
        [
            available("AFSSLPinningMode", "AFSSLPinningMode") { (_: AFSSLPinningMode) in },
            available("AFSSLPinningModeNone", "None", "none") { (_: Void) in
                _ = [AFSSLPinningMode.None, AFSSLPinningMode.none]
            },
            available("AFSSLPinningModePublicKey", "PublicKey", "publicKey") { (_: Void) in
                _ = [AFSSLPinningMode.PublicKey, .publicKey]
            },
            available("AFSSLPinningModeCertificate", "Certificate", "certificate") { (_: Void) in
                _ = [AFSSLPinningMode.Certificate, .certificate]
            },
            available("AFSecurityPolicy", "AFSecurityPolicy") { (_: AFSecurityPolicy) in },
            available("AFSecurityPolicy.SSLPinningMode", "SSLPinningMode", "sslPinningMode") {
                (policy: AFSecurityPolicy) in _ = [policy.SSLPinningMode, policy.sslPinningMode]
            },
            available("AFSecurityPolicy.pinnedCertificates", "pinnedCertificates", note: "A Set<Data>.") {
                (policy: AFSecurityPolicy) in
                policy.pinnedCertificates = [Data()]
                policy.pinnedCertificates = NSSet(object: Data()) as? Set<Data>
                _ = [policy.pinnedCertificates.count, policy.pinnedCertificates?.count ?? 0]
            },
            available("AFSecurityPolicy.allowInvalidCertificates", "allowInvalidCertificates") {
                (policy: AFSecurityPolicy) in policy.allowInvalidCertificates = true
            },
            available("AFSecurityPolicy.validatesDomainName", "validatesDomainName") {
                (policy: AFSecurityPolicy) in policy.validatesDomainName = false
            },
            available("+[AFSecurityPolicy defaultPolicy]", "defaultPolicy()", "default()") { (_: Void) in
                _ = [AFSecurityPolicy.defaultPolicy(), AFSecurityPolicy.default()]
            },
            available(
                "+[AFSecurityPolicy policyWithPinningMode:]", "policyWithPinningMode(_:)", "init(pinningMode:)",
                note: "No pins are loaded: give them, or use certificates(in:)."
            ) { (mode: AFSSLPinningMode) in
                _ = [AFSecurityPolicy.policyWithPinningMode(mode), AFSecurityPolicy(pinningMode: mode)]
            },
            available(
                "-[AFSecurityPolicy evaluateServerTrust:]", "evaluateServerTrust(_:)", note: "Takes a ServerTrust."
            ) { (policy: AFSecurityPolicy, trust: ServerTrust) in
                _ = typed(Bool.self, policy.evaluateServerTrust(trust))
            },
            available(
                "-[AFSecurityPolicy evaluateServerTrust:forDomain:]", "evaluateServerTrust(_:forDomain:)",
                note: "Takes a ServerTrust."
            ) { (policy: AFSecurityPolicy, trust: ServerTrust) in
                _ = typed(Bool.self, policy.evaluateServerTrust(trust, forDomain: "example.com"))
            },
        ]
    }
}
