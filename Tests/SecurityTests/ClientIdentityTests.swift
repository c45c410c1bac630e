// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import NetworkingTransport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("ClientIdentity", .timeLimit(.minutes(1)))
struct ClientIdentityTests {
    private func identity(_ kind: TestKey.Kind = .p256) throws -> TestIdentity {
        try TestChains.intermediate.get().issue(dnsNames: ["client"], key: TestKey(kind))
    }

    private func code(_ body: () throws -> ClientIdentity) -> ClientIdentityError.Code? {
        do {
            _ = try body()
            return nil
        } catch {
            return (error as? ClientIdentityError)?.code
        }
    }

    @Test("A PEM chain with its key", arguments: TestKey.Kind.allCases)
    func pem(kind: TestKey.Kind) throws {
        let identity = try identity(kind)
        let read = try ClientIdentity(
            certificateChainPEM: Data(identity.chainPEM.utf8), privateKeyPEM: Data(identity.key.pem.utf8))
        let chain = String(decoding: read.material.certificateChainPEM, as: UTF8.self)
        #expect(chain.components(separatedBy: "BEGIN CERTIFICATE").count - 1 == identity.chain.count)
        #expect(String(decoding: read.material.privateKeyPEM, as: UTF8.self).contains("BEGIN PRIVATE KEY"))
    }

    @Test("An encrypted key needs its password", arguments: ["-aes-256-cbc", "-aes128"])
    func encrypted(cipher: String) throws {
        let identity = try identity()
        let directory = try TemporaryDirectory()
        let plain = try directory.write(identity.key.pem, to: "plain.key")
        let openssl = try ExternalProgram("openssl")
        // PKCS#8, and the older form with a Proc-Type header.
        let arguments =
            cipher == "-aes128"
            ? ["ec", "-in", plain.path, "-aes128", "-passout", "pass:päss"]
            : ["pkcs8", "-topk8", "-in", plain.path, "-v2", "aes-256-cbc", "-passout", "pass:päss"]
        let key = try openssl.run(arguments)
        let chain = Data(identity.chainPEM.utf8)
        #expect(code { try ClientIdentity(certificateChainPEM: chain, privateKeyPEM: key, password: "päss") } == nil)
        #expect(code { try ClientIdentity(certificateChainPEM: chain, privateKeyPEM: key) } == .passwordRequired)
        for password in ["", "wrong", String(repeating: "x", count: 5000)] {
            #expect(
                code { try ClientIdentity(certificateChainPEM: chain, privateKeyPEM: key, password: password) }
                    == .wrongPassword)
        }
    }

    @Test("PKCS#12, with the chain in order")
    func pkcs12() throws {
        let identity = try TestChains.intermediate.get().makeIntermediate(name: "Clients").issue(dnsNames: ["client"])
        #expect(identity.chain.count == 3)
        let file = try identity.pkcs12(password: "secret")
        let read = try ClientIdentity(pkcs12: file, password: "secret")
        let pem = try ClientIdentity(
            certificateChainPEM: Data(identity.chainPEM.utf8), privateKeyPEM: Data(identity.key.pem.utf8))
        #expect(read.material.fingerprint == pem.material.fingerprint)
        #expect(read.material.certificateChainPEM == pem.material.certificateChainPEM)
        #expect(code { try ClientIdentity(pkcs12: file, password: "other") } == .wrongPassword)
        #expect(code { try ClientIdentity(pkcs12: file, password: "") } == .wrongPassword)
        #expect(code { try ClientIdentity(pkcs12: file.prefix(100), password: "secret") } == .invalidPKCS12)
        #expect(code { try ClientIdentity(pkcs12: Data(), password: "secret") } == .invalidPKCS12)
        #expect(try identity.pkcs12(password: "").isEmpty == false)
        #expect(code { try ClientIdentity(pkcs12: identity.pkcs12(password: ""), password: "") } == nil)
    }

    @Test("What does not fit together or does not parse is refused, each with its code")
    func refused() throws {
        let identity = try identity()
        let chain = Data(identity.chainPEM.utf8)
        let key = Data(identity.key.pem.utf8)
        let other = Data(try TestKey().pem.utf8)
        #expect(code { try ClientIdentity(certificateChainPEM: chain, privateKeyPEM: other) } == .keyMismatch)
        #expect(code { try ClientIdentity(certificateChainPEM: key, privateKeyPEM: key) } == .invalidCertificate)
        #expect(code { try ClientIdentity(certificateChainPEM: Data(), privateKeyPEM: key) } == .invalidCertificate)
        #expect(code { try ClientIdentity(certificateChainPEM: chain, privateKeyPEM: chain) } == .invalidPrivateKey)
        #expect(code { try ClientIdentity(certificateChainPEM: chain, privateKeyPEM: Data()) } == .invalidPrivateKey)
        #expect(
            code { try ClientIdentity(certificateChainPEM: chain, privateKeyPEM: key.dropLast(60)) }
                == .invalidPrivateKey)
        let reversed = Data(identity.chain.reversed().map(\.pem).joined().utf8)
        #expect(code { try ClientIdentity(certificateChainPEM: reversed, privateKeyPEM: key) } == .keyMismatch)
    }

    @Test("Neither key nor password is in a description, a dump or an error")
    func secrets() throws {
        let identity = try identity()
        let read = try ClientIdentity(
            certificateChainPEM: Data(identity.chainPEM.utf8), privateKeyPEM: Data(identity.key.pem.utf8))
        var dumped = ""
        dump(read, to: &dumped)
        dump(read.material, to: &dumped)
        let texts = [
            "\(read)", String(reflecting: read), String(describing: read.material), String(reflecting: read.material),
            dumped,
        ]
        for text in texts {
            #expect(!text.contains("PRIVATE"))
            #expect(!text.contains("privateKeyPEM"))
        }
        let file = try identity.pkcs12(password: "secret")
        do {
            _ = try ClientIdentity(pkcs12: file, password: "hunter2")
            Issue.record("a wrong password was taken")
        } catch {
            #expect(!"\(error)\(String(reflecting: error))".contains("hunter2"))
        }
    }

    @Test("Mutated keys and files crash nothing")
    func mutated() throws {
        let identity = try identity()
        let file = try identity.pkcs12(password: "secret")
        let chain = Data(identity.chainPEM.utf8)
        let key = Data(identity.key.pem.utf8)
        var random = SeededRandom(seed: 7)
        for _ in 0..<150 {
            func mutate(_ data: Data) -> Data {
                (ServerTrustTests.Mutation.allCases.randomElement(using: &random) ?? .flipBit)
                    .apply(to: data, using: &random)
            }
            _ = try? ClientIdentity(pkcs12: mutate(file), password: "secret")
            _ = try? ClientIdentity(certificateChainPEM: mutate(chain), privateKeyPEM: key)
            _ = try? ClientIdentity(certificateChainPEM: chain, privateKeyPEM: mutate(key))
        }
    }
}
