// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworking
import TestServer
import Testing

@Suite("Pinning", .timeLimit(.minutes(1)))
struct PinningTests {
    static let modes = [SSLPinningMode.certificate, .publicKey]

    @Test(
        "Leaf, intermediate and root count as pins, sent or not, with every kind of key",
        arguments: modes, TestKey.Kind.allCases)
    func positions(mode: SSLPinningMode, kind: TestKey.Kind) throws {
        let root = try TestCertificateAuthority(name: "Root \(kind)", key: kind)
        let intermediate = try root.makeIntermediate(key: kind)
        let leaf = try intermediate.issue(dnsNames: ["example.com"], key: TestKey(kind))
        #expect(leaf.chain.count == 2)
        for allowInvalid in [false, true] {
            for pin in [leaf.certificate, intermediate.certificate, root.certificate] {
                let policy = SecurityPolicy(pinningMode: mode, pinnedCertificates: [pin.der])
                policy.anchorCertificates = [root.certificate.der]
                policy.allowInvalidCertificates = allowInvalid
                #expect(policy.failure(try leaf.trust, "example.com") == nil)
                let withRoot = try ServerTrust(certificates: (leaf.chain + [root.certificate]).map(\.der))
                #expect(policy.failure(withRoot, "example.com") == nil)
            }
        }
    }

    @Test("A re-issued certificate with the same key matches a public-key pin, not a certificate pin")
    func reissued() throws {
        let key = try TestKey()
        let authority = try TestChains.intermediate.get()
        let old = try authority.issue(dnsNames: ["example.com"], key: key)
        let new = try authority.issue(dnsNames: ["example.com"], key: key)
        #expect(old.certificate != new.certificate)
        let byKey = try SecurityPolicy.trustingTestRoot(.publicKey, pins: [old.certificate])
        #expect(byKey.failure(try new.trust, "example.com") == nil)
        let byCertificate = try SecurityPolicy.trustingTestRoot(.certificate, pins: [old.certificate])
        let failure = try #require(byCertificate.failure(try new.trust, "example.com"))
        #expect(failure.rule == .pinnedCertificate)
        #expect(failure.urlErrorCode == .serverCertificateUntrusted)
    }

    @Test("A pinned certificate that is merely sent along proves nothing", arguments: modes, [false, true])
    func appendedPin(mode: SSLPinningMode, allowInvalid: Bool) throws {
        // What somebody in the middle can do: an own certificate for the host, with the real server's public one behind it.
        let pinned = try TestChains.good.get()
        let forged = [
            try TestChains.intermediate.get().issue(dnsNames: ["example.com"]), try TestChains.selfSigned.get(),
        ]
        let policy = try SecurityPolicy.trustingTestRoot(mode, pins: [pinned.certificate], allowInvalid: allowInvalid)
        for identity in forged {
            let trust = try ServerTrust(certificates: (identity.chain + pinned.chain).map(\.der))
            #expect(policy.failure(trust, "example.com") != nil)
            #expect(policy.failure(trust, nil) != nil)
        }
    }

    @Test("A certificate signed by a pinned authority's server certificate is not that authority's", arguments: modes)
    func misusedLeaf(mode: SSLPinningMode) throws {
        let root = try TestChains.privateRoot.get()
        let forged = try TestCertificateAuthority(misusing: TestChains.privateLeaf.get())
            .issue(dnsNames: ["example.com"])
        for allowInvalid in [false, true] {
            let policy = SecurityPolicy(pinningMode: mode, pinnedCertificates: [root.certificate.der])
            policy.anchorCertificates = [root.certificate.der]
            policy.allowInvalidCertificates = allowInvalid
            #expect(policy.failure(try TestChains.privateLeaf.get().trust, "example.com") == nil)
            #expect(policy.failure(try forged.trust, "example.com") != nil)
        }
    }

    @Test("Pins that are no certificates match nothing and break nothing", arguments: modes)
    func unparsablePins(mode: SSLPinningMode) throws {
        let good = try TestChains.good.get()
        let policy = try SecurityPolicy.trustingTestRoot(mode)
        policy.pinnedCertificates = [Data(), Data("junk".utf8)]
        #expect(policy.failure(try good.trust, "example.com") != nil)
        policy.pinnedCertificates.insert(good.certificate.der)
        #expect(policy.failure(try good.trust, "example.com") == nil)
    }

    @Test("The error names the pins by the beginning of their SHA-256", arguments: modes)
    func pinsTried(mode: SSLPinningMode) throws {
        let pin = try TestChains.unrelated.get().certificate
        let policy = try SecurityPolicy.trustingTestRoot(mode, pins: [pin])
        let failure = try #require(policy.failure(try TestChains.good.get().trust, "example.com"))
        let digest = try sha256(of: pin, keyOnly: mode == .publicKey)
        #expect(failure.pinsTried == [String(digest.prefix(16))])
        #expect(failure.rule == (mode == .certificate ? .pinnedCertificate : .pinnedPublicKey))
        #expect(failure.description.contains(digest.prefix(16)))
    }

    /// SHA-256 of a certificate or its SubjectPublicKeyInfo by the `openssl` command: not the code under test.
    private func sha256(of certificate: TestCertificate, keyOnly: Bool) throws -> String {
        let directory = try TemporaryDirectory()
        var file = try directory.write(certificate.der, to: "data")
        let openssl = try ExternalProgram("openssl")
        if keyOnly {
            let key = try directory.write(
                try openssl.run(["x509", "-inform", "DER", "-in", file.path, "-pubkey", "-noout"]), to: "key.pem")
            file = directory.file("key.der")
            try openssl.run(["pkey", "-pubin", "-in", key.path, "-outform", "DER", "-out", file.path])
        }
        return String(decoding: try openssl.run(["dgst", "-sha256", "-r", file.path]).prefix(64), as: UTF8.self)
    }
}
