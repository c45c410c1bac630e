// SPDX-License-Identifier: MIT
internal import COpenSSL
import Foundation
import Glibc
import TestServer
import Testing

@testable import NetworkingTransport
@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// An authority's files for `openssl ca`.
private struct RevocationAuthority {
    let root: TestCertificateAuthority
    let directory: TemporaryDirectory
    private let openssl: ExternalProgram

    init(_ root: TestCertificateAuthority) throws {
        self.root = root
        directory = try TemporaryDirectory()
        openssl = try ExternalProgram("openssl")
        try directory.write(root.certificate.pem, to: "ca.pem")
        try directory.write(root.key.pem, to: "ca.key")
        try directory.write("", to: "index.txt")
        try directory.write("01\n", to: "crlnumber")
        try directory.write(
            """
            [ca]
            default_ca = test
            [test]
            dir = \(directory.path)
            database = $dir/index.txt
            crlnumber = $dir/crlnumber
            certificate = $dir/ca.pem
            private_key = $dir/ca.key
            default_md = sha256
            default_crl_days = 30
            policy = any
            [any]
            commonName = optional
            """, to: "ca.cnf")
    }

    func revoke(_ certificate: TestCertificate) throws {
        let file = try directory.write(certificate.pem, to: "revoked.pem")
        try openssl.run(["ca", "-config", directory.file("ca.cnf").path, "-revoke", file.path])
    }

    /// Writes a list to `name`.
    @discardableResult
    func writeList(_ name: String, options: [String] = []) throws -> URL {
        let file = directory.file(name)
        try openssl.run(
            ["ca", "-config", directory.file("ca.cnf").path, "-gencrl", "-out", file.path] + options)
        return file
    }

    /// This authority's response about a certificate.
    ///
    /// - Parameter dates: When it was made and when the next one is due, in seconds from now.
    func response(
        _ certificate: TestCertificate, status: Int32 = V_OCSP_CERTSTATUS_GOOD, dates: (Int, Int?) = (-60, 3600)
    ) throws -> Data {
        let issuer = try X509Certificate(der: root.certificate.der)
        let leaf = try X509Certificate(der: certificate.der)
        let now = time(nil)
        let bio = try MemoryBIO(copyingPEM: Data(root.key.pem.utf8))
        let key = PEM_read_bio_PrivateKey(bio.handle, nil, nil, nil)
        let basic = OCSP_BASICRESP_new()
        let identifier = OCSP_cert_to_id(EVP_sha256(), leaf.handle, issuer.handle)
        let thisUpdate = ASN1_TIME_adj(nil, now, 0, dates.0)
        let nextUpdate = dates.1.flatMap { ASN1_TIME_adj(nil, now, 0, $0) }
        let revoked = ASN1_TIME_adj(nil, now, 0, -3600)
        defer {
            EVP_PKEY_free(key)
            OCSP_BASICRESP_free(basic)
            OCSP_CERTID_free(identifier)
            for date in [thisUpdate, nextUpdate, revoked] { ASN1_TIME_free(date) }
        }
        guard
            OCSP_basic_add1_status(
                basic, identifier, status, 0, status == V_OCSP_CERTSTATUS_REVOKED ? revoked : nil, thisUpdate,
                nextUpdate) != nil,
            OCSP_basic_sign(basic, issuer.handle, key, EVP_sha256(), nil, 0) == 1,
            let response = OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic)
        else { throw OpenSSLError.drain() }
        defer { OCSP_RESPONSE_free(response) }
        return try #require(X509Certificate.encoding { i2d_OCSP_RESPONSE(response, $0) })
    }
}

@Suite("Revocation", .timeLimit(.minutes(2)))
struct RevocationTests {
    private func policy(_ authority: RevocationAuthority) -> SecurityPolicy {
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [authority.root.certificate.der]
        return policy
    }

    @Test("A certificate on the list is rejected; one that no current list covers is, too", arguments: [true, false])
    func lists(isDER: Bool) throws {
        let authority = try RevocationAuthority(TestChains.root.get())
        let good = try authority.root.issue(dnsNames: ["example.com"])
        let bad = try authority.root.issue(dnsNames: ["example.com"])
        try authority.revoke(bad.certificate)
        var list = try authority.writeList("list.pem")
        if isDER {
            let der = authority.directory.file("list.der")
            try ExternalProgram("openssl").run(["crl", "-in", list.path, "-outform", "DER", "-out", der.path])
            list = der
        }
        let policy = policy(authority)
        #expect(policy.failure(try bad.trust, "example.com") == nil)
        policy.certificateRevocationList = list
        try policy.validate()
        #expect(policy.failure(try good.trust, "example.com") == nil)
        let failure = try #require(policy.failure(try bad.trust, "example.com"))
        #expect(failure.rule == .revocation && failure.urlErrorCode == .serverCertificateUntrusted)
        #expect(failure.verificationCode == Int(X509_V_ERR_CERT_REVOKED))
        // The intermediate's own certificates are covered by no list.
        let uncovered = try #require(policy.failure(try TestChains.good.get().trust, "example.com"))
        #expect(uncovered.verificationCode == Int(X509_V_ERR_UNABLE_TO_GET_CRL))
    }

    @Test("A list that is out of date, or whose issuer did not sign it, proves nothing")
    func unusableLists() throws {
        let authority = try RevocationAuthority(TestChains.root.get())
        let good = try authority.root.issue(dnsNames: ["example.com"])
        let policy = policy(authority)
        policy.certificateRevocationList = try authority.writeList(
            "old.pem", options: ["-crl_lastupdate", "20200101000000Z", "-crl_nextupdate", "20200201000000Z"])
        #expect(
            policy.failure(try good.trust, "example.com")?.verificationCode == Int(X509_V_ERR_CRL_HAS_EXPIRED))
        let impostor = try RevocationAuthority(TestCertificateAuthority(name: "Public Root"))
        policy.certificateRevocationList = try impostor.writeList("forged.pem")
        #expect(policy.failure(try good.trust, "example.com")?.rule != nil)
    }

    @Test("A list that could not be read is read again, also where its file has not changed")
    func unreadableForAMoment() async throws {
        let authority = try RevocationAuthority(TestChains.root.get())
        let list = try authority.writeList("list.pem")
        let content = try Data(contentsOf: list)
        let time = try #require(FileStamp(path: list.path))
        func write(_ data: Data) throws {
            let file = try FileHandle(forWritingTo: list)
            try file.write(contentsOf: data)
            // As if the file were the same: what failed was the reading.
            var times = [timespec(tv_sec: 1_700_000_000, tv_nsec: 0), timespec(tv_sec: 1_700_000_000, tv_nsec: 0)]
            #expect(futimens(file.fileDescriptor, &times) == 0)
            try file.close()
        }
        try write(Data(count: content.count))
        let policy = policy(authority)
        policy.certificateRevocationList = list
        #expect(throws: ServerTrustError.self) { try policy.tlsConfiguration(clientIdentity: nil) }
        let unreadable = FileStamp(path: list.path)
        try write(content)
        #expect(FileStamp(path: list.path) == unreadable && unreadable != time)
        try await eventually("the list is read") { (try? policy.tlsConfiguration(clientIdentity: nil)) != nil }
        let leaf = try authority.root.issue(dnsNames: ["example.com"])
        #expect(policy.failure(try leaf.trust, "example.com") == nil)
    }

    @Test("A list that changes on disk changes the verdict, and the identity that connections are shared by")
    func rereading() throws {
        let authority = try RevocationAuthority(TestChains.root.get())
        let leaf = try authority.root.issue(dnsNames: ["example.com"])
        let policy = policy(authority)
        policy.certificateRevocationList = try authority.writeList("list.pem")
        let before = try policy.tlsConfiguration(clientIdentity: nil)
        #expect(try policy.tlsConfiguration(clientIdentity: nil) === before)
        #expect(policy.failure(try leaf.trust, "example.com") == nil)
        try authority.revoke(leaf.certificate)
        try authority.writeList("list.pem")
        let after = try policy.tlsConfiguration(clientIdentity: nil)
        #expect(after.identity != before.identity)
        #expect(policy.failure(try leaf.trust, "example.com")?.rule == .revocation)
        #expect(after.verify([try X509Certificate(der: leaf.certificate.der)], "example.com") != nil)
    }

    /// A stapled response, and whether it will do.
    enum Staple: CaseIterable {
        case good, withoutNextUpdate
        case missing, revoked, unknown, old, early, oldWithoutNextUpdate, aboutAnother, byAnother, junk

        var isEnough: Bool { self == .good || self == .withoutNextUpdate }
    }

    @Test(
        "A stapled response is required, and has to say that the certificate is good", arguments: Staple.allCases,
        [TLS1_2_VERSION, TLS1_3_VERSION])
    func stapling(_ staple: Staple, version: Int32) throws {
        let authority = try RevocationAuthority(TestChains.root.get())
        let leaf = try authority.root.issue(dnsNames: ["example.com"])
        let response: Data?
        switch staple {
        case .good: response = try authority.response(leaf.certificate)
        case .missing: response = nil
        case .revoked: response = try authority.response(leaf.certificate, status: V_OCSP_CERTSTATUS_REVOKED)
        case .unknown: response = try authority.response(leaf.certificate, status: V_OCSP_CERTSTATUS_UNKNOWN)
        case .old: response = try authority.response(leaf.certificate, dates: (-7200, -3600))
        case .early: response = try authority.response(leaf.certificate, dates: (3600, 7200))
        case .withoutNextUpdate: response = try authority.response(leaf.certificate, dates: (-60, nil))
        case .oldWithoutNextUpdate: response = try authority.response(leaf.certificate, dates: (-8 * 86400, nil))
        case .aboutAnother:
            response = try authority.response(authority.root.issue(dnsNames: ["example.com"]).certificate)
        case .byAnother:
            let impostor = try RevocationAuthority(TestCertificateAuthority(name: "Public Root"))
            response = try impostor.response(leaf.certificate)
        case .junk: response = Data("junk".utf8)
        }
        let policy = policy(authority)
        policy.requiresOCSPStapling = true
        let context = PeerVerificationContext(
            configuration: try policy.tlsConfiguration(clientIdentity: nil), host: "example.com")
        let handshake = MemoryHandshake(identity: leaf, ocspResponse: response, maximumServerVersion: version)
        let outcome = try handshake.run { PeerVerification.install(on: $0, context: context) }
        #expect(outcome.isEstablished == staple.isEnough, "\(context.failure.map { "\($0)" } ?? "")")
        let failure = context.failure as? ServerTrustError
        #expect(staple.isEnough ? failure == nil : failure?.rule == .revocation)

        // Where it is not required, nothing is asked for.
        policy.requiresOCSPStapling = false
        let relaxed = PeerVerificationContext(
            configuration: try policy.tlsConfiguration(clientIdentity: nil), host: "example.com")
        #expect(try handshake.run { PeerVerification.install(on: $0, context: relaxed) }.isEstablished)
    }
}
