// SPDX-License-Identifier: MIT
internal import COpenSSL
internal import Foundation
internal import Glibc

/// A certificate cannot say what it is asked to.
package struct CertificateFormError: Error, CustomStringConvertible {
    package let description: String
}

/// The contents of a certificate to be made (RFC 5280).
struct CertificateForm {
    enum Kind {
        case authority
        case leaf(dnsNames: [String], ipAddresses: [String], usages: [TestCertificateAuthority.Usage])
    }

    let subject: String
    let key: TestKey
    let validity: TestCertificateAuthority.Validity
    let kind: Kind

    /// The certificate, signed with its own key.
    func selfSigned() throws -> TestCertificate { try make(issuer: nil, key) }

    func signed(by issuer: TestCertificate, _ issuerKey: TestKey) throws -> TestCertificate {
        try issuer.withPointer { try make(issuer: $0, issuerKey) }
    }

    private func make(issuer: OpaquePointer?, _ issuerKey: TestKey) throws -> TestCertificate {
        let certificate = try OpenSSLFailure.check(X509_new(), "X509_new")
        defer { X509_free(certificate) }
        // Version 3.
        try OpenSSLFailure.check(X509_set_version(certificate, 2), "the version")
        try setSerialNumber(of: certificate)
        try setNames(of: certificate, issuer: issuer)
        let (start, end) = period
        try Self.set(X509_getm_notBefore(certificate), to: start)
        try Self.set(X509_getm_notAfter(certificate), to: end)
        try key.withPointer { try OpenSSLFailure.check(X509_set_pubkey(certificate, $0), "the public key") }
        try addExtensions(to: certificate, issuer: issuer ?? certificate)
        // Ed25519 has its own digest.
        let digest = issuerKey.kind == .ed25519 ? nil : EVP_sha256()
        let size = issuerKey.withPointer { X509_sign(certificate, $0, digest) }
        guard size > 0 else { throw OpenSSLFailure("X509_sign") }
        return TestCertificate(der: try DEREncoding.data { i2d_X509(certificate, $0) })
    }

    private static func set(_ time: UnsafeMutablePointer<ASN1_STRING>?, to date: Date) throws {
        guard let seconds = Int(exactly: date.timeIntervalSince1970.rounded(.down)) else {
            throw CertificateFormError(description: "no certificate has the time \(date.timeIntervalSince1970)")
        }
        _ = try OpenSSLFailure.check(ASN1_TIME_set(time, seconds), "the time \(date)")
    }

    private func setSerialNumber(of certificate: OpaquePointer) throws {
        let number = try OpenSSLFailure.check(BN_new(), "BN_new")
        defer { BN_free(number) }
        try OpenSSLFailure.check(BN_rand(number, 159, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY), "BN_rand")
        _ = try OpenSSLFailure.check(
            BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)), "the serial number")
    }

    private func setNames(of certificate: OpaquePointer, issuer: OpaquePointer?) throws {
        let name = X509_get_subject_name(certificate)
        // Not checked for its length, which a test may exceed, as it is with MBSTRING_UTF8.
        for (kind, text) in [(NID_organizationName, "Tests"), (NID_commonName, subject)] {
            let bytes = Array(text.utf8)
            try OpenSSLFailure.check(
                X509_NAME_add_entry_by_NID(name, kind, V_ASN1_UTF8STRING, bytes, Int32(bytes.count), -1, 0), "a name")
        }
        let issuerName = X509_get_subject_name(issuer ?? certificate)
        try OpenSSLFailure.check(X509_set_issuer_name(certificate, issuerName), "the issuer")
    }

    private var period: (start: Date, end: Date) {
        let day: TimeInterval = 24 * 60 * 60
        let now = Date()
        return switch validity {
        case .current: (now - day, now + 30 * day)
        case .expired: (now - 30 * day, now - day)
        case .notYetValid: (now + day, now + 30 * day)
        case .between(let start, let end): (start, end)
        }
    }

    // MARK: Extensions

    private func addExtensions(to certificate: OpaquePointer, issuer: OpaquePointer) throws {
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
        func add(_ kind: Int32, _ value: String) throws {
            let made = try OpenSSLFailure.check(X509V3_EXT_conf_nid(nil, &context, kind, value), value)
            defer { X509_EXTENSION_free(made) }
            try OpenSSLFailure.check(X509_add_ext(certificate, made, -1), value)
        }
        switch kind {
        case .authority:
            try add(NID_basic_constraints, "critical,CA:TRUE")
            try add(NID_key_usage, "critical,keyCertSign,cRLSign")
        case .leaf(let dnsNames, let ipAddresses, let usages):
            try add(NID_basic_constraints, "critical,CA:FALSE")
            try add(NID_key_usage, "critical,digitalSignature,keyEncipherment")
            if !usages.isEmpty { try add(NID_ext_key_usage, usages.map(\.openSSLName).joined(separator: ",")) }
            let names = try Self.names(dnsNames, ipAddresses)
            if !names.isEmpty { try Self.add(NID_subject_alt_name, DEREncoding.element(0x30, names), to: certificate) }
        }
        try add(NID_subject_key_identifier, "hash")
        try add(NID_authority_key_identifier, "keyid:always")
    }

    /// Adds what OpenSSL's text form cannot say.
    private static func add(_ kind: Int32, _ value: Data, to certificate: OpaquePointer) throws {
        let string = try OpenSSLFailure.check(ASN1_OCTET_STRING_new(), "ASN1_OCTET_STRING_new")
        defer { ASN1_OCTET_STRING_free(string) }
        try OpenSSLFailure.check(ASN1_OCTET_STRING_set(string, Array(value), Int32(value.count)), "an extension")
        let made = try OpenSSLFailure.check(X509_EXTENSION_create_by_NID(nil, kind, 0, string), "an extension")
        defer { X509_EXTENSION_free(made) }
        try OpenSSLFailure.check(X509_add_ext(certificate, made, -1), "an extension")
    }

    /// GeneralNames, as they are: also such as no authority would put there.
    private static func names(_ dnsNames: [String], _ ipAddresses: [String]) throws -> Data {
        let names =
            dnsNames.map { DEREncoding.element(0x82, Data($0.utf8)) }
            + (try ipAddresses.map { DEREncoding.element(0x87, Data(try addressBytes($0))) })
        return Data(names.joined())
    }

    /// An address in network byte order.
    private static func addressBytes(_ address: String) throws -> [UInt8] {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            if inet_pton(family, address, &bytes) == 1 { return bytes }
        }
        throw CertificateFormError(description: "“\(address)” is no IP address")
    }
}

extension TestCertificateAuthority.Usage {
    fileprivate var openSSLName: String {
        switch self {
        case .serverAuthentication: "serverAuth"
        case .clientAuthentication: "clientAuth"
        case .codeSigning: "codeSigning"
        }
    }
}
