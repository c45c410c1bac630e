// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import NetworkingTransport
@testable import OperationNetworkingCore

@Suite("TrustStore", .timeLimit(.minutes(1)))
struct TrustStoreTests {
    private func isTrusted(_ store: TrustStore, _ identity: TestIdentity) throws -> Bool {
        ChainVerifier(store: store).verify(try identity.chain.map { try X509Certificate(der: $0.der) }).isTrusted
    }

    /// A folder with a root under the name that OpenSSL looks for.
    private func hashedFolder(_ root: TestCertificate) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        let file = try directory.write(root.pem, to: "root.pem")
        let hash = try ExternalProgram("openssl").run(["x509", "-in", file.path, "-noout", "-hash"])
        let name = String(decoding: hash, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines) + ".0"
        try directory.write(root.pem, to: name)
        return directory
    }

    @Test("Without the machine's roots an evaluator trusts its anchors, and is not made to be kept")
    func anchorsWithoutRoots() throws {
        var settings = SecurityPolicySettings()
        settings.anchorCertificates = [try TestChains.privateRoot.get().certificate.der]
        let missing = TrustStoreError(placesTried: ["/nowhere"])
        let alone = ServerTrustEvaluator(settings: settings, revocationList: nil) { .failure(missing) }
        #expect(alone.isProvisional)
        #expect(alone.failure(of: try TestChains.privateLeaf.get().trust, domain: "example.com") == nil)
        #expect(alone.failure(of: try TestChains.good.get().trust, domain: "example.com") != nil)
        let directory = try TemporaryDirectory()
        let roots = try directory.write(TestChains.root.get().certificate.pem, to: "roots.pem")
        let store = TrustStore.system(environment: ["SSL_CERT_FILE": roots.path])
        let both = ServerTrustEvaluator(settings: settings, revocationList: nil) { store }
        #expect(!both.isProvisional)
        for chain in [TestChains.privateLeaf, TestChains.good] {
            #expect(both.failure(of: try chain.get().trust, domain: "example.com") == nil)
        }
    }

    @Test("SSL_CERT_FILE is the store, and the only one")
    func file() throws {
        let directory = try TemporaryDirectory()
        let roots = [TestChains.root, TestChains.privateRoot]
        let file = try directory.write(try roots.map { try $0.get().certificate.pem }.joined(), to: "roots.pem")
        let store = try TrustStore.system(environment: ["SSL_CERT_FILE": file.path]).get()
        #expect(try isTrusted(store, TestChains.good.get()))
        #expect(try isTrusted(store, TestChains.privateLeaf.get()))
        #expect(try !isTrusted(store, TestChains.selfSigned.get()))
    }

    @Test("SSL_CERT_DIR is the store, alone or with SSL_CERT_FILE, and loaded on demand")
    func folders() throws {
        let first = try hashedFolder(TestChains.root.get().certificate)
        let second = try hashedFolder(TestChains.privateRoot.get().certificate)
        let store = try TrustStore.system(environment: ["SSL_CERT_DIR": "\(first.path):\(second.path)"]).get()
        #expect(try isTrusted(store, TestChains.good.get()))
        // More anchors do not lose the folders.
        let more = try TrustStore(
            base: store, anchors: [try X509Certificate(der: TestChains.selfSigned.get().certificate.der)])
        for identity in [TestChains.good, TestChains.privateLeaf, TestChains.selfSigned] {
            #expect(try isTrusted(more, identity.get()))
        }
        let both = try TrustStore.system(
            environment: [
                "SSL_CERT_DIR": second.path, "SSL_CERT_FILE": first.file("root.pem").path,
            ]
        ).get()
        #expect(try isTrusted(both, TestChains.good.get()) && isTrusted(both, TestChains.privateLeaf.get()))
    }

    @Test("Where nothing is found the error names every place and what is wrong with it")
    func nothing() throws {
        let directory = try TemporaryDirectory()
        let junk = try directory.write("junk", to: "junk.pem")
        let missing = directory.file("missing").path
        for (environment, parts) in [
            (["SSL_CERT_FILE": missing], [missing, "SSL_CERT_FILE"]),
            (["SSL_CERT_FILE": junk.path], [junk.path]),
            (["SSL_CERT_DIR": "\(missing):\(directory.path)"], [missing, directory.path, "rehash"]),
            (["SSL_CERT_FILE": missing, "SSL_CERT_DIR": missing], ["SSL_CERT_FILE", "SSL_CERT_DIR"]),
        ] {
            let error = #expect(throws: TrustStoreError.self) { try TrustStore.system(environment: environment).get() }
            for part in parts { #expect(error?.description.contains(part) == true, "\(error as Any)") }
        }
    }

    @Test("Empty variables are as good as none")
    func emptyVariables() throws {
        let none = try? TrustStore.system(environment: [:]).get()
        let empty = try? TrustStore.system(environment: ["SSL_CERT_FILE": "", "SSL_CERT_DIR": ""]).get()
        #expect((none == nil) == (empty == nil))
    }

    @Test("Many threads verify against one store")
    func threads() throws {
        let folder = try hashedFolder(TestChains.root.get().certificate)
        let store = try TrustStore.system(environment: ["SSL_CERT_DIR": folder.path]).get()
        let chain = try TestChains.good.get().chain.map { try X509Certificate(der: $0.der) }
        let host = try #require(CertificateHostName("example.com"))
        DispatchQueue.concurrentPerform(iterations: 64) { _ in
            var verifier = ChainVerifier(store: store)
            verifier.host = host
            precondition(verifier.verify(chain, keepsChain: true).chain.count == 3)
        }
    }

    @Test("What fails leaves nothing in OpenSSL's error queue")
    func errorQueue() throws {
        #expect(throws: OpenSSLError.self) { try X509Certificate(der: Data("junk".utf8)) }
        #expect(throws: OpenSSLError.self) { try CertificateRevocationList.lists(in: Data("junk".utf8)) }
        _ = try isTrusted(TrustStore(anchors: []), TestChains.good.get())
        #expect(OpenSSLError.drain().entries.isEmpty)
    }
}
