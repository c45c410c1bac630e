// SPDX-License-Identifier: MIT
package import Foundation

/// A certificate authority for a test: nothing that it signs is trusted anywhere else, or outlives the process.
///
/// ```swift
/// let root = try TestCertificateAuthority()
/// let identity = try root.makeIntermediate().issueForLocalhost()
/// let context = try TLSServerContext(TLSSettings(identity))
/// ```
package struct TestCertificateAuthority: Sendable {
    /// The time in which a certificate is valid.
    package enum Validity: Sendable {
        /// Since yesterday, for a month.
        case current
        /// Until yesterday.
        case expired
        /// From tomorrow on.
        case notYetValid
        case between(Date, Date)
    }

    /// The purpose that a leaf may be used for (extended key usage).
    package enum Usage: Sendable {
        case serverAuthentication, clientAuthentication, codeSigning
    }

    /// A root's own certificate, or an intermediate's.
    package let certificate: TestCertificate
    package let key: TestKey
    /// The certificates that a leaf has to show with it: this one and those above, without the root.
    private let path: [TestCertificate]

    /// A root, signed with its own key.
    package init(name: String = "Test Root", key: TestKey.Kind = .p256, validity: Validity = .current) throws {
        let key = try TestKey(key)
        self.key = key
        certificate = try CertificateForm(subject: name, key: key, validity: validity, kind: .authority).selfSigned()
        path = []
    }

    private init(certificate: TestCertificate, key: TestKey, path: [TestCertificate]) {
        self.certificate = certificate
        self.key = key
        self.path = path
    }

    /// Treats a leaf as if it could sign: what it issues must not be trusted.
    package init(misusing identity: TestIdentity) {
        self.init(certificate: identity.certificate, key: identity.key, path: identity.chain)
    }

    /// An authority under this one.
    package func makeIntermediate(
        name: String = "Test Intermediate", key: TestKey.Kind = .p256, validity: Validity = .current
    ) throws -> TestCertificateAuthority {
        let key = try TestKey(key)
        let intermediate = try CertificateForm(subject: name, key: key, validity: validity, kind: .authority)
            .signed(by: certificate, self.key)
        return TestCertificateAuthority(certificate: intermediate, key: key, path: [intermediate] + path)
    }

    /// Signs a certificate for a server or a client.
    ///
    /// - Parameters:
    ///   - commonName: By default the first name.
    ///   - dnsNames: Subject alternative names; wildcards as they are. With none and no address there is no such
    ///     extension: a certificate of the old kind that has only a common name.
    ///   - key: An existing key, to issue another certificate for it; by default a new P-256 key.
    package func issue(
        commonName: String? = nil, dnsNames: [String] = [], ipAddresses: [String] = [], key: TestKey? = nil,
        validity: Validity = .current, usages: [Usage] = [.serverAuthentication, .clientAuthentication]
    ) throws -> TestIdentity {
        let key = try key ?? TestKey()
        let leaf = try CertificateForm(
            subject: commonName ?? dnsNames.first ?? ipAddresses.first ?? "Test Leaf", key: key, validity: validity,
            kind: .leaf(dnsNames: dnsNames, ipAddresses: ipAddresses, usages: usages)
        ).signed(by: certificate, self.key)
        return TestIdentity(chain: [leaf] + path, key: key)
    }

    /// A certificate for `localhost`, 127.0.0.1 and ::1: what most tests need.
    package func issueForLocalhost(key: TestKey? = nil) throws -> TestIdentity {
        try issue(dnsNames: ["localhost"], ipAddresses: ["127.0.0.1", "::1"], key: key)
    }

    /// A leaf that only its own key has signed.
    package static func selfSigned(
        dnsNames: [String] = ["localhost"], ipAddresses: [String] = ["127.0.0.1"], key: TestKey.Kind = .p256,
        validity: Validity = .current
    ) throws -> TestIdentity {
        let key = try TestKey(key)
        let leaf = try CertificateForm(
            subject: dnsNames.first ?? "Test Leaf", key: key, validity: validity,
            kind: .leaf(dnsNames: dnsNames, ipAddresses: ipAddresses, usages: [.serverAuthentication])
        ).selfSigned()
        return TestIdentity(chain: [leaf], key: key)
    }
}
