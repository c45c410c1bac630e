// SPDX-License-Identifier: MIT
internal import COpenSSL
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import NetworkingTransport
@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("PeerVerification inside a handshake", .timeLimit(.minutes(1)))
struct PeerVerificationTests {
    static let versions = [TLS1_2_VERSION, TLS1_3_VERSION]

    private func context(_ policy: SecurityPolicy, _ host: String = "example.com") throws -> PeerVerificationContext {
        PeerVerificationContext(configuration: try policy.tlsConfiguration(clientIdentity: nil), host: host)
    }

    @Test("A trusted server is accepted, in TLS 1.2 and 1.3, with every kind of key", arguments: TestKey.Kind.allCases)
    func accepted(kind: TestKey.Kind) throws {
        let identity = try TestChains.intermediate.get().issue(dnsNames: ["example.com"], key: TestKey(kind))
        for version in Self.versions {
            let context = try context(.trustingTestRoot())
            let outcome = try MemoryHandshake(identity: identity, maximumServerVersion: version).run {
                PeerVerification.install(on: $0, context: context)
            }
            #expect(outcome.isEstablished && outcome.version == version)
            #expect(outcome.verifyResult == 0 && context.failure == nil && outcome.error.entries.isEmpty)
        }
    }

    @Test("An untrusted server is rejected in the handshake, with OpenSSL's code", arguments: versions)
    func rejected(version: Int32) throws {
        let expired = try TestChains.root.get().issue(dnsNames: ["example.com"], validity: .expired)
        for (identity, host, code) in [
            (expired, "example.com", X509_V_ERR_CERT_HAS_EXPIRED),
            (try TestChains.good.get(), "other.example", X509_V_ERR_HOSTNAME_MISMATCH),
            (try TestChains.selfSigned.get(), "example.com", X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT),
        ] {
            let context = try context(.trustingTestRoot(), host)
            let outcome = try MemoryHandshake(identity: identity, maximumServerVersion: version).run {
                PeerVerification.install(on: $0, context: context)
            }
            #expect(!outcome.isEstablished && outcome.verifyResult == Int(code))
            #expect((context.failure as? ServerTrustError)?.verificationCode == Int(code))
        }
        // A pin is our rule, not OpenSSL's: it has a code for that, too.
        let pinned = try context(.trustingTestRoot(.publicKey, pins: [TestChains.unrelated.get().certificate]))
        let outcome = try MemoryHandshake(identity: TestChains.good.get(), maximumServerVersion: version).run {
            PeerVerification.install(on: $0, context: pinned)
        }
        #expect(!outcome.isEstablished && outcome.verifyResult == Int(X509_V_ERR_APPLICATION_VERIFICATION))
        #expect((pinned.failure as? ServerTrustError)?.rule == .pinnedPublicKey)
    }

    @Test("The chain is handed over as sent, leaf first, and the host as given")
    func chain() throws {
        let good = try TestChains.good.get()
        let seen = Locked<[(chain: [Data], host: String)]>([])
        let configuration = TLSConfiguration(identity: "test") { chain, host in
            seen.withLock { $0.append((chain.map(\.der), host)) }
            return nil
        }
        let context = PeerVerificationContext(configuration: configuration, host: "192.0.2.77")
        let outcome = try MemoryHandshake(identity: good).run { PeerVerification.install(on: $0, context: context) }
        #expect(outcome.isEstablished)
        let calls = seen.withLock { $0 }
        #expect(calls.map(\.chain) == [good.chain.map(\.der)] && calls.map(\.host) == ["192.0.2.77"])
    }

    @Test("The context lives as long as the SSL_CTX, and no longer")
    func lifetime() throws {
        weak var released: PeerVerificationContext?
        _ = try MemoryHandshake(identity: TestChains.good.get()).run { client in
            guard let context = try? context(.trustingTestRoot()) else { return false }
            released = context
            return PeerVerification.install(on: client, context: context)
        }
        #expect(released == nil)
    }

    @Test("Protocol versions are the policy's")
    func protocolVersions() throws {
        let policy = try SecurityPolicy.trustingTestRoot()
        policy.minimumTLSVersion = .v1_3
        let context13 = try context(policy)
        let old = try MemoryHandshake(identity: TestChains.good.get(), maximumServerVersion: TLS1_2_VERSION).run {
            PeerVerification.install(on: $0, context: context13)
        }
        #expect(!old.isEstablished && context13.failure == nil)
        policy.minimumTLSVersion = .v1_2
        policy.maximumTLSVersion = .v1_2
        let context12 = try context(policy)
        let capped = try MemoryHandshake(identity: TestChains.good.get()).run {
            PeerVerification.install(on: $0, context: context12)
        }
        #expect(capped.isEstablished && capped.version == TLS1_2_VERSION)
    }

    @Test(
        "TLS 1.0 and 1.1 are spoken when the policy says so, and only then", arguments: [TLS1_VERSION, TLS1_1_VERSION])
    func deprecatedVersions(version: Int32) throws {
        let policy = try SecurityPolicy.trustingTestRoot()
        let handshake = MemoryHandshake(identity: try TestChains.good.get(), maximumServerVersion: version)
        let strict = try context(policy)
        #expect(try !handshake.run { PeerVerification.install(on: $0, context: strict) }.isEstablished)
        policy.minimumTLSVersion = .v1_0
        let lax = try context(policy)
        let outcome = try handshake.run { PeerVerification.install(on: $0, context: lax) }
        #expect(outcome.isEstablished && outcome.version == version)
    }

    @Test("A resumed session is not verified again: the reason to partition by identity", arguments: versions)
    func resumption(version: Int32) throws {
        let calls = Locked(0)
        let configuration = TLSConfiguration(
            identity: "test", verifyStatus: { _, _, _ in nil },
            verify: { _, _ in
                calls.withLock { $0 += 1 }
                return nil
            })
        let context = PeerVerificationContext(configuration: configuration, host: "example.com")
        let outcome = try MemoryHandshake(
            identity: TestChains.good.get(), maximumServerVersion: version, resumes: true
        ).run { PeerVerification.install(on: $0, context: context) }
        #expect(outcome.isEstablished && outcome.isResumed)
        #expect(calls.withLock { $0 } == 1)
    }

    // After the chain OpenSSL empties its error queue itself; after the stapled response it does not.
    @Test("What a verification leaves in OpenSSL's error queue does not end the handshake")
    func errorQueue() throws {
        let configuration = TLSConfiguration(
            identity: "test",
            verifyStatus: { _, _, _ in
                let junk: [UInt8] = [0x30, 0x03, 0x02, 0x01, 0x00]
                junk.withUnsafeBufferPointer { buffer in
                    var position = buffer.baseAddress
                    #expect(d2i_X509(nil, &position, buffer.count) == nil)
                }
                #expect(ERR_peek_error() != 0)
                return nil
            },
            verify: { _, _ in nil })
        let context = PeerVerificationContext(configuration: configuration, host: "example.com")
        let outcome = try MemoryHandshake(identity: TestChains.good.get(), maximumServerVersion: TLS1_2_VERSION).run {
            PeerVerification.install(on: $0, context: context)
        }
        #expect(outcome.isEstablished && outcome.error.entries.isEmpty)
    }
}
