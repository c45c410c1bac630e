// SPDX-License-Identifier: MIT
package import Foundation
internal import Glibc
internal import SwiftASN1
internal import X509

/// A certificate authority for a test: nothing that it signs is trusted anywhere else, or outlives the process.
///
/// ```swift
/// let root = try TestCertificateAuthority()
/// let identity = try root.makeIntermediate().issue(dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"])
/// let server = try TestServer(tls: TLSSettings(identity))
/// ```
package struct TestCertificateAuthority: Sendable {
    /// When a certificate is valid.
    package enum Validity: Sendable {
        /// Since yesterday, for a month.
        case current
        /// Until yesterday.
        case expired
        /// From tomorrow on.
        case notYetValid
        case between(Date, Date)
    }

    /// What a leaf may be used for (extended key usage).
    package enum Usage: Sendable {
        case serverAuthentication, clientAuthentication, codeSigning
    }

    /// A root's own certificate, or an intermediate's.
    package let certificate: TestCertificate
    package let key: TestKey
    /// What a leaf has to show with it: this certificate and those above, without the root.
    private let path: [TestCertificate]

    /// A root, signed with its own key.
    package init(name: String = "Test Root", key: TestKey.Kind = .p256, validity: Validity = .current) throws {
        let key = try TestKey(key)
        self.key = key
        certificate = try Self.sign(
            subject: name, subjectKey: key, issuer: nil, issuerKey: key, validity: validity,
            extensions: Self.authorityExtensions(key: key, issuer: nil))
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
        let intermediate = try Self.sign(
            subject: name, subjectKey: key, issuer: certificate, issuerKey: self.key, validity: validity,
            extensions: Self.authorityExtensions(key: key, issuer: self.key))
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
        let leaf = try Self.sign(
            subject: commonName ?? dnsNames.first ?? ipAddresses.first ?? "Test Leaf", subjectKey: key,
            issuer: certificate, issuerKey: self.key, validity: validity,
            extensions: Self.leafExtensions(
                key: key, issuer: self.key, names: try Self.names(dnsNames, ipAddresses), usages: usages))
        return TestIdentity(chain: [leaf] + path, key: key)
    }

    /// A certificate for `localhost`, 127.0.0.1 and ::1: what most tests need.
    package func issueForLocalhost(key: TestKey? = nil) throws -> TestIdentity {
        try issue(dnsNames: ["localhost"], ipAddresses: ["127.0.0.1", "::1"], key: key)
    }

    /// A leaf that nobody but itself vouches for.
    package static func selfSigned(
        dnsNames: [String] = ["localhost"], ipAddresses: [String] = ["127.0.0.1"], key: TestKey.Kind = .p256,
        validity: Validity = .current
    ) throws -> TestIdentity {
        let key = try TestKey(key)
        let leaf = try sign(
            subject: dnsNames.first ?? "Test Leaf", subjectKey: key, issuer: nil, issuerKey: key, validity: validity,
            extensions: leafExtensions(
                key: key, issuer: nil, names: try names(dnsNames, ipAddresses), usages: [.serverAuthentication]))
        return TestIdentity(chain: [leaf], key: key)
    }
}

// MARK: - Signing

extension TestCertificateAuthority {
    private static func sign(
        subject: String, subjectKey: TestKey, issuer: TestCertificate?, issuerKey: TestKey, validity: Validity,
        extensions: Certificate.Extensions
    ) throws -> TestCertificate {
        let name = try DistinguishedName {
            OrganizationName("Tests")
            CommonName(subject)
        }
        let period = period(of: validity)
        return try TestCertificate(
            Certificate(
                version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: subjectKey.signing.publicKey,
                notValidBefore: period.start, notValidAfter: period.end, issuer: issuer?.x509.subject ?? name,
                subject: name, extensions: extensions, issuerPrivateKey: issuerKey.signing))
    }

    private static func period(of validity: Validity) -> (start: Date, end: Date) {
        let day: TimeInterval = 24 * 60 * 60
        let now = Date()
        return switch validity {
        case .current: (now - day, now + 30 * day)
        case .expired: (now - 30 * day, now - day)
        case .notYetValid: (now + day, now + 30 * day)
        case .between(let start, let end): (start, end)
        }
    }

    private static func keyIdentifiers(key: TestKey, issuer: TestKey?) throws -> [Certificate.Extension] {
        let own = SubjectKeyIdentifier(hash: key.signing.publicKey)
        let above = SubjectKeyIdentifier(hash: (issuer ?? key).signing.publicKey)
        return [
            try Certificate.Extension(own, critical: false),
            try Certificate.Extension(
                AuthorityKeyIdentifier(keyIdentifier: above.keyIdentifier), critical: false),
        ]
    }

    private static func authorityExtensions(key: TestKey, issuer: TestKey?) throws -> Certificate.Extensions {
        try Certificate.Extensions(
            [
                Certificate.Extension(BasicConstraints.isCertificateAuthority(maxPathLength: nil), critical: true),
                Certificate.Extension(KeyUsage(keyCertSign: true, cRLSign: true), critical: true),
            ] + keyIdentifiers(key: key, issuer: issuer))
    }

    private static func leafExtensions(
        key: TestKey, issuer: TestKey?, names: [GeneralName], usages: [Usage]
    ) throws -> Certificate.Extensions {
        var extensions = [
            try Certificate.Extension(BasicConstraints.notCertificateAuthority, critical: true),
            try Certificate.Extension(KeyUsage(digitalSignature: true, keyEncipherment: true), critical: true),
        ]
        if !usages.isEmpty {
            extensions.append(try Certificate.Extension(ExtendedKeyUsage(usages.map(\.x509)), critical: false))
        }
        if !names.isEmpty {
            extensions.append(try Certificate.Extension(SubjectAlternativeNames(names), critical: false))
        }
        return try Certificate.Extensions(extensions + keyIdentifiers(key: key, issuer: issuer))
    }

    private static func names(_ dnsNames: [String], _ ipAddresses: [String]) throws -> [GeneralName] {
        try dnsNames.map { .dnsName($0) }
            + ipAddresses.map { .ipAddress(ASN1OctetString(contentBytes: try addressBytes($0)[...])) }
    }

    /// An address in network byte order.
    private static func addressBytes(_ address: String) throws -> [UInt8] {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            if inet_pton(family, address, &bytes) == 1 { return bytes }
        }
        throw SystemError(call: "inet_pton(\(address))", code: EINVAL)
    }
}

extension TestCertificateAuthority.Usage {
    fileprivate var x509: ExtendedKeyUsage.Usage {
        switch self {
        case .serverAuthentication: .serverAuth
        case .clientAuthentication: .clientAuth
        case .codeSigning: .codeSigning
        }
    }
}
