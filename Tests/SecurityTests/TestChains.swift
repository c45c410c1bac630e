// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworking
import TestServer

/// The chains that most tests here use, made once.
enum TestChains {
    /// Stands for a root that the machine trusts: put into `anchorCertificates`.
    static let root = Result { try TestCertificateAuthority(name: "Public Root") }
    static let intermediate = Result { try root.get().makeIntermediate(name: "Public Intermediate") }
    /// example.com, under root and intermediate.
    static let good = Result {
        try intermediate.get().issue(dnsNames: ["example.com", "*.wild.example.com"], ipAddresses: ["192.0.2.1"])
    }
    /// example.com, for itself.
    static let selfSigned = Result { try TestCertificateAuthority.selfSigned(dnsNames: ["example.com"]) }
    static let selfSignedExpired = Result {
        try TestCertificateAuthority.selfSigned(dnsNames: ["example.com"], validity: .expired)
    }
    /// A root that nobody trusts.
    static let privateRoot = Result { try TestCertificateAuthority(name: "Private Root") }
    /// example.com, under that.
    static let privateLeaf = Result { try privateRoot.get().issue(dnsNames: ["example.com"]) }
    /// A certificate that appears in no chain.
    static let unrelated = Result { try TestCertificateAuthority.selfSigned(dnsNames: ["unrelated.example"]) }
}

extension TestIdentity {
    var trust: ServerTrust {
        get throws { try ServerTrust(certificates: chain.map(\.der)) }
    }
}

extension SecurityPolicy {
    /// A policy for which `TestChains.root` is a root of the machine.
    static func trustingTestRoot(
        _ mode: SSLPinningMode = .none, pins: [TestCertificate] = [], allowInvalid: Bool = false,
        validatesName: Bool = true
    ) throws -> SecurityPolicy {
        let policy = SecurityPolicy(pinningMode: mode, pinnedCertificates: Set(pins.map(\.der)))
        policy.anchorCertificates = [try TestChains.root.get().certificate.der]
        policy.allowInvalidCertificates = allowInvalid
        policy.validatesDomainName = validatesName
        return policy
    }

    /// The error of `evaluation(of:forDomain:)`, seen to agree with `evaluate(_:forDomain:)`.
    func failure(_ trust: ServerTrust, _ domain: String?) -> ServerTrustError? {
        let accepted = evaluate(trust, forDomain: domain)
        switch evaluation(of: trust, forDomain: domain) {
        case .success:
            precondition(accepted)
            return nil
        case .failure(let error):
            precondition(!accepted)
            return error
        }
    }
}
