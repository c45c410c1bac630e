// SPDX-License-Identifier: MIT
import Foundation
import NetworkingTransport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("SecurityPolicy", .timeLimit(.minutes(1)))
struct SecurityPolicyTests {
    /// One change to a policy.
    struct Change: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var apply: @Sendable (SecurityPolicy) throws -> Void
    }

    private func parsed(_ identity: TestIdentity) throws -> [X509Certificate] {
        try identity.chain.map { try X509Certificate(der: $0.der) }
    }

    static let unusable: [Change] = [
        Change(testDescription: "names checked, invalid allowed, no pins") { $0.allowInvalidCertificates = true },
        Change(testDescription: "versions the wrong way round") {
            $0.minimumTLSVersion = .v1_3
            $0.maximumTLSVersion = .v1_2
        },
        Change(testDescription: "an anchor that does not parse") { $0.anchorCertificates = [Data("junk".utf8)] },
        Change(testDescription: "an anchor that is no root") {
            $0.anchorCertificates = [try TestChains.intermediate.get().certificate.der]
        },
        Change(testDescription: "no such revocation list") {
            $0.certificateRevocationList = URL(fileURLWithPath: "/nonexistent/list.pem")
        },
        Change(testDescription: "a revocation list that is no file") {
            $0.certificateRevocationList = URL(string: "http://127.0.0.1:9/list.pem")
        },
        Change(testDescription: "a revocation list that is none") {
            $0.certificateRevocationList = URL(fileURLWithPath: "/etc/hostname")
        },
        Change(testDescription: "stapling required of invalid certificates") {
            $0.allowInvalidCertificates = true
            $0.validatesDomainName = false
            $0.requiresOCSPStapling = true
        },
    ]

    @Test("Settings that cannot work are told, and no configuration is made of them", arguments: unusable)
    func validation(_ change: Change) throws {
        let policy = SecurityPolicy.default()
        try policy.validate()
        try change.apply(policy)
        for _ in 0..<2 {
            let told = #expect(throws: ServerTrustError.self) { try policy.validate() }
            let thrown = #expect(throws: ServerTrustError.self) { try policy.tlsConfiguration(clientIdentity: nil) }
            #expect(told?.rule == .settings && told == thrown)
            #expect(told?.urlErrorCode == .secureConnectionFailed)
        }
    }

    @Test("Pinning without usable pins is told", arguments: [SSLPinningMode.certificate, .publicKey])
    func pinsValidation(mode: SSLPinningMode) throws {
        let policy = SecurityPolicy(pinningMode: mode)
        #expect(throws: ServerTrustError.self) { try policy.validate() }
        let certificate = try TestChains.good.get().certificate
        policy.pinnedCertificates = [certificate.der]
        try policy.validate()
        policy.pinnedCertificates = [certificate.der, Data(certificate.pem.utf8)]
        let error = #expect(throws: ServerTrustError.self) { try policy.validate() }
        #expect(error?.reason.contains("PEM") == true)
    }

    static let changes: [Change] = [
        Change(testDescription: "pins") { $0.pinnedCertificates = [try TestChains.unrelated.get().certificate.der] },
        Change(testDescription: "more pins") {
            $0.pinnedCertificates.insert(try TestChains.root.get().certificate.der)
        },
        Change(testDescription: "anchors") { $0.anchorCertificates = [try TestChains.root.get().certificate.der] },
        Change(testDescription: "invalid") { $0.allowInvalidCertificates = true },
        Change(testDescription: "names") { $0.validatesDomainName = false },
        Change(testDescription: "minimum") { $0.minimumTLSVersion = .v1_3 },
        Change(testDescription: "maximum") { $0.maximumTLSVersion = .v1_3 },
        Change(testDescription: "stapling") { $0.requiresOCSPStapling = true },
    ]

    @Test("Each setting changes the identity that connections are shared by", arguments: changes)
    func identity(_ change: Change) throws {
        let pin = try TestChains.good.get().certificate.der
        let policy = SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: [pin])
        let before = try policy.tlsConfiguration(clientIdentity: nil)
        #expect(try policy.tlsConfiguration(clientIdentity: nil) === before)
        let copy = try #require(policy.copy() as? SecurityPolicy)
        #expect(try copy.tlsConfiguration(clientIdentity: nil).identity == before.identity)
        try change.apply(copy)
        #expect(try copy.tlsConfiguration(clientIdentity: nil).identity != before.identity)
        #expect(try policy.tlsConfiguration(clientIdentity: nil).identity == before.identity)
        let other = SecurityPolicy(pinningMode: .certificate, pinnedCertificates: [pin])
        #expect(try other.tlsConfiguration(clientIdentity: nil).identity != before.identity)
    }

    @Test("All default policies share one configuration; a client identity has its own")
    func defaultConfiguration() throws {
        let policy = SecurityPolicy.default()
        let configuration = try policy.tlsConfiguration(clientIdentity: nil)
        #expect(try SecurityPolicy.default().tlsConfiguration(clientIdentity: nil) === configuration)
        #expect(try SecurityPolicy(pinningMode: .none).tlsConfiguration(clientIdentity: nil) === configuration)
        #expect(configuration.minimumVersion == .v1_2 && configuration.verifyStatus == nil)

        let good = try TestChains.good.get()
        let client = try ClientIdentity(
            certificateChainPEM: Data(good.chainPEM.utf8), privateKeyPEM: Data(good.key.pem.utf8))
        let own = try policy.tlsConfiguration(clientIdentity: client)
        #expect(own.identity != configuration.identity && own.clientIdentity != nil)
        #expect(try policy.tlsConfiguration(clientIdentity: client) === own)
        #expect(try policy.tlsConfiguration(clientIdentity: nil) === configuration)
        policy.validatesDomainName = false
        policy.validatesDomainName = true
        #expect(try policy.tlsConfiguration(clientIdentity: nil) === configuration)
    }

    @Test("A configuration keeps the settings that it was made of")
    func snapshot() throws {
        let good = try TestChains.good.get()
        let policy = try SecurityPolicy.trustingTestRoot()
        let before = try policy.tlsConfiguration(clientIdentity: nil)
        policy.anchorCertificates = []
        let after = try policy.tlsConfiguration(clientIdentity: nil)
        #expect(try before.verify(parsed(good), "example.com") == nil)
        #expect(try after.verify(parsed(good), "example.com") is ServerTrustError)
        #expect(try before.verify(parsed(good), "other.example") is ServerTrustError)
        #expect(before.verify([], "example.com") is ServerTrustError)
    }

    /// A policy that decides by itself.
    final class OwnPolicy: SecurityPolicy, @unchecked Sendable {
        nonisolated(unsafe) var answer = true
        override func evaluate(_ serverTrust: ServerTrust, forDomain domain: String?) -> Bool {
            answer && domain == "example.com"
        }
        override func copy(with zone: NSZone? = nil) -> Any {
            let copy = super.copy(with: zone)
            (copy as? OwnPolicy)?.answer = answer
            return copy
        }
    }

    @Test("A subclass is asked in the handshake and shares connections with nobody")
    func subclass() throws {
        let chain = try parsed(TestChains.selfSigned.get())
        let policy = OwnPolicy(pinningMode: .none)
        let configuration = try policy.tlsConfiguration(clientIdentity: nil)
        #expect(configuration.verify(chain, "example.com") == nil)
        #expect(configuration.verify(chain, "other.example") is ServerTrustError)
        policy.answer = false
        #expect(configuration.verify(chain, "example.com") is ServerTrustError)

        #expect(try policy.tlsConfiguration(clientIdentity: nil).identity == configuration.identity)
        #expect(
            try OwnPolicy(pinningMode: .none).tlsConfiguration(clientIdentity: nil).identity != configuration.identity)
        #expect(try SecurityPolicy.default().tlsConfiguration(clientIdentity: nil).identity != configuration.identity)
        let copy = try #require(policy.copy() as? OwnPolicy)
        #expect(!copy.answer)
        #expect(try copy.tlsConfiguration(clientIdentity: nil).identity != configuration.identity)
    }

    @Test("A subclass that says no to a good chain is named in the error")
    func subclassRejection() throws {
        let policy = OwnPolicy(pinningMode: .none)
        policy.anchorCertificates = [try TestChains.root.get().certificate.der]
        policy.answer = false
        let verify = try policy.tlsConfiguration(clientIdentity: nil).verify
        let error = try #require(
            verify(parsed(TestChains.good.get()), "example.com") as? ServerTrustError)
        #expect(error.rule == .evaluation && error.reason.contains("OwnPolicy"))
    }

    @Test("A subclass's verdict under other settings does not count for the request that began under these")
    func subclassChangedMeanwhile() throws {
        let policy = OwnPolicy(pinningMode: .none)
        let verify = try policy.tlsConfiguration(clientIdentity: nil).verify
        policy.minimumTLSVersion = .v1_3
        let error = verify(try parsed(TestChains.good.get()), "example.com") as? ServerTrustError
        #expect(error?.rule == .evaluation)
    }

    @Test("A policy is released with the last request that uses it")
    func noCycle() throws {
        weak var weakPolicy: SecurityPolicy?
        weak var weakOwn: OwnPolicy?
        do {
            let policy = try SecurityPolicy.trustingTestRoot()
            let own = OwnPolicy(pinningMode: .none)
            _ = try policy.tlsConfiguration(clientIdentity: nil)
            _ = try own.tlsConfiguration(clientIdentity: nil)
            weakPolicy = policy
            weakOwn = own
        }
        #expect(weakPolicy == nil && weakOwn == nil)
    }

    @Test("Certificates are read from a bundle, DER or PEM")
    func bundle() throws {
        let directory = try TemporaryDirectory()
        let good = try TestChains.good.get()
        let unrelated = try TestChains.unrelated.get().certificate
        let root = try TestChains.root.get().certificate
        try directory.write(good.certificate.der, to: "a.cer")
        try directory.write(good.chainPEM, to: "b.pem")
        try directory.write(root.pem, to: "c.crt")
        try directory.write(unrelated.der, to: "d.der")
        try directory.write("junk", to: "e.cer")
        try directory.write(try TestChains.privateRoot.get().certificate.der, to: "f.txt")
        let bundle = try #require(Bundle(path: directory.path))
        #expect(
            SecurityPolicy.certificates(in: bundle)
                == Set((good.chain + [root, unrelated]).map(\.der)))
    }

    @Test("Certificates are read from a file's content, DER or PEM with anything around it")
    func content() throws {
        let good = try TestChains.good.get()
        let root = try TestChains.root.get().certificate
        let (pem, chain) = (root.pem, good.chainPEM)
        let mixed = "a comment\n\(chain)# another\r\n\(pem)"
        #expect(try SecurityPolicy.certificates(from: Data(mixed.utf8)) == Set((good.chain + [root]).map(\.der)))
        #expect(try SecurityPolicy.certificates(from: root.der) == [root.der])
        let windows = Data(pem.replacingOccurrences(of: "\n", with: "\r\n").utf8)
        #expect(try SecurityPolicy.certificates(from: windows) == [root.der])
        // The first block counts, too.
        #expect(try SecurityPolicy.certificates(from: Data(("\u{FEFF}" + pem).utf8)) == [root.der])
        let broken = chain + pem.prefix(pem.count / 2)
        for content in [Data(), Data("-----BEGIN PRIVATE KEY-----".utf8), root.der.dropLast(), Data(broken.utf8)] {
            let error = #expect(throws: ServerTrustError.self) { try SecurityPolicy.certificates(from: content) }
            #expect(error?.rule == .settings)
        }
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = try SecurityPolicy.certificates(from: Data(pem.utf8))
        try policy.validate()
        #expect(try policy.failure(good.trust, "example.com") == nil)
    }

    @Test("Many threads may read, change and evaluate one policy")
    func threads() throws {
        let policy = try SecurityPolicy.trustingTestRoot()
        let trust = try TestChains.good.get().trust
        DispatchQueue.concurrentPerform(iterations: 64) { index in
            if index.isMultiple(of: 4) { policy.validatesDomainName = index.isMultiple(of: 8) }
            _ = try? policy.tlsConfiguration(clientIdentity: nil)
            _ = policy.evaluate(trust, forDomain: "example.com")
        }
        #expect(policy.failure(trust, "example.com") == nil)
    }
}
