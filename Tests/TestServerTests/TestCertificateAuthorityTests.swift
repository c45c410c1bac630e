// SPDX-License-Identifier: MIT
import Foundation
import Testing

@testable import TestServer

@Suite(.timeLimit(.minutes(2))) struct TestCertificateAuthorityTests {
    private func verify(_ identity: TestIdentity, _ root: TestCertificateAuthority, _ options: [String] = []) throws {
        let directory = try TemporaryDirectory()
        let anchor = try directory.write(root.certificate.pem, to: "root.pem").path
        let chain = try directory.write(identity.chain.map(\.pem).joined(), to: "chain.pem").path
        let leaf = try directory.write(identity.certificate.pem, to: "leaf.pem").path
        let arguments = ["verify", "-CAfile", anchor, "-untrusted", chain, "-purpose", "sslserver"]
        try ExternalProgram("openssl").run(arguments + options + [leaf])
    }

    @Test("OpenSSL accepts chains with every kind of key", arguments: TestKey.Kind.allCases)
    func keys(kind: TestKey.Kind) throws {
        let root = try TestCertificateAuthority(key: kind)
        let identity = try root.makeIntermediate(key: kind).issue(
            dnsNames: ["a.test", "*.b.test"], ipAddresses: ["127.0.0.1", "::1"], key: TestKey(kind))
        for option in ["-verify_hostname=a.test", "-verify_hostname=x.b.test", "-verify_ip=::1"] {
            try verify(identity, root, option.split(separator: "=").map(String.init))
        }
        #expect(throws: ExternalProgram.Failed.self) { try verify(identity, root, ["-verify_hostname", "c.test"]) }
        #expect(identity.key.publicKeyDER == identity.certificate.publicKeyDER)
    }

    @Test("OpenSSL rejects what is made to be rejected, for that reason")
    func rejections() throws {
        let root = try TestCertificateAuthority()
        let leaf = try root.issueForLocalhost()
        let cases: [(TestIdentity, String)] = [
            (try root.issue(dnsNames: ["a.test"], validity: .expired), "has expired"),
            (try root.issue(dnsNames: ["a.test"], validity: .notYetValid), "not yet valid"),
            (try root.issue(dnsNames: ["a.test"], usages: [.codeSigning]), "purpose"),
            (try TestCertificateAuthority().issue(dnsNames: ["a.test"]), "unable to get local issuer"),
            (try TestCertificateAuthority.selfSigned(), "self-signed"),
            (try TestCertificateAuthority(misusing: leaf).issue(dnsNames: ["a.test"]), "CA"),
        ]
        for (identity, reason) in cases {
            let error = #expect(throws: ExternalProgram.Failed.self) { try verify(identity, root) }
            #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
        }
    }

    @Test("A certificate can be issued again for the same key")
    func reissue() throws {
        let root = try TestCertificateAuthority()
        let first = try root.issueForLocalhost()
        let second = try root.issueForLocalhost(key: first.key)
        #expect(first.certificate != second.certificate)
        #expect(first.certificate.publicKeyDER == second.certificate.publicKeyDER)
    }

    @Test("PKCS#12 opens with its password only", arguments: [false, true])
    func pkcs12(legacy: Bool) throws {
        let identity = try TestCertificateAuthority().makeIntermediate().issueForLocalhost()
        let directory = try TemporaryDirectory()
        let file = try directory.write(try identity.pkcs12(password: "secret", legacy: legacy), to: "a.p12").path
        func open(_ password: String) throws -> String {
            let options =
                ["pkcs12", "-in", file, "-nodes", "-passin", "pass:\(password)"] + (legacy ? ["-legacy"] : [])
            return String(decoding: try ExternalProgram("openssl").run(options), as: UTF8.self)
        }
        #expect(try open("secret").components(separatedBy: "BEGIN CERTIFICATE").count == 3)
        #expect(throws: ExternalProgram.Failed.self) { try open("wrong") }
    }

    @Test(
        "TLS: name, version, client certificate and resumption are recorded",
        arguments: [
            TLSSessionInfo.Version.v1_2, .v1_3,
        ])
    func sessions(version: TLSSessionInfo.Version) async throws {
        let root = try TestCertificateAuthority()
        let client = try root.issue(commonName: "client")
        let server = try TestServer(
            tls: TLSSettings(
                try root.issueForLocalhost(), clientAuthentication: .required(roots: [root.certificate]),
                maximumVersion: version))
        server.respondToOthers { _ in .ok().ending(.close) }
        let directory = try TemporaryDirectory()
        let files = try client.write(to: directory)
        let command = """
            openssl s_client -connect 127.0.0.1:\(server.port) -servername localhost -cert \(files.chain.path) \
            -key \(files.key.path) -ign_eof
            """
        let session = directory.file("session").path
        let request = #"printf 'GET / HTTP/1.1\r\nHost: h\r\n\r\n'"#
        let shell = try ExternalProgram("sh")
        try shell.run(["-c", "\(request) | \(command) -sess_out \(session)"])
        try shell.run(["-c", "\(request) | \(command) -sess_in \(session)"])
        for isResumed in [false, true] {
            let tls = try #require(try await server.nextRequest().tls)
            #expect(tls.version == version)
            #expect(tls.serverName == "localhost")
            #expect(tls.clientCertificate == client.certificate.der)
            #expect(tls.isResumed == isResumed)
        }
    }
}
