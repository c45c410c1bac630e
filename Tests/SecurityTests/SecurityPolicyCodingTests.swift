// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import OperationNetworking
import TestServer
import Testing

@Suite("SecurityPolicy in archives and copies", .timeLimit(.minutes(1)))
struct SecurityPolicyCodingTests {
    /// A policy with nothing at its default.
    private func unusualPolicy() throws -> SecurityPolicy {
        let policy = SecurityPolicy(
            pinningMode: .publicKey, pinnedCertificates: [try TestChains.good.get().certificate.der])
        policy.anchorCertificates = [try TestChains.root.get().certificate.der]
        policy.allowInvalidCertificates = true
        policy.validatesDomainName = false
        policy.minimumTLSVersion = .v1_1
        policy.maximumTLSVersion = .v1_3
        policy.certificateRevocationList = URL(fileURLWithPath: "/tmp/list of mine.pem")
        policy.requiresOCSPStapling = true
        return policy
    }

    private func expectEqual(_ left: SecurityPolicy, _ right: SecurityPolicy) {
        #expect(left.sslPinningMode == right.sslPinningMode)
        #expect(left.pinnedCertificates == right.pinnedCertificates)
        #expect(left.anchorCertificates == right.anchorCertificates)
        #expect(left.allowInvalidCertificates == right.allowInvalidCertificates)
        #expect(left.validatesDomainName == right.validatesDomainName)
        #expect(left.minimumTLSVersion == right.minimumTLSVersion)
        #expect(left.maximumTLSVersion == right.maximumTLSVersion)
        #expect(left.certificateRevocationList?.path == right.certificateRevocationList?.path)
        #expect(left.requiresOCSPStapling == right.requiresOCSPStapling)
    }

    @Test("An archive holds every setting")
    func roundTrip() throws {
        for policy in [SecurityPolicy.default(), try unusualPolicy()] {
            let data = try NSKeyedArchiver.archivedData(withRootObject: policy, requiringSecureCoding: true)
            let read = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: SecurityPolicy.self, from: data))
            expectEqual(read, policy)
        }
    }

    @Test("A copy has every setting and changes alone")
    func copying() throws {
        let policy = try unusualPolicy()
        let copy = try #require(policy.copy() as? SecurityPolicy)
        #expect(copy !== policy)
        expectEqual(copy, policy)
        copy.validatesDomainName = true
        #expect(!policy.validatesDomainName)
    }

    /// Answers `decodeObject(of:forKey:)` with what it was given, as an archive of any origin might.
    final class GivenCoder: NSCoder {
        let object: NSObject?
        init(_ object: NSObject?) { self.object = object }
        override var allowsKeyedCoding: Bool { true }
        override func containsValue(forKey key: String) -> Bool { object != nil }
        override func decodeObject<Decoded: NSObject & NSCoding>(
            of cls: Decoded.Type, forKey key: String
        ) -> Decoded? { object as? Decoded }
    }

    /// Keeps what `encode(_:forKey:)` is given.
    final class KeepingCoder: NSCoder {
        var object: NSObject?
        override var allowsKeyedCoding: Bool { true }
        override func encode(_ object: Any?, forKey key: String) { self.object = object as? NSObject }
    }

    @Test("Damaged archives give no policy, and never one that trusts more")
    func damaged() throws {
        let policy = SecurityPolicy(
            pinningMode: .certificate, pinnedCertificates: [try TestChains.good.get().certificate.der])
        let keeper = KeepingCoder()
        policy.encode(with: keeper)
        let data = Data(referencing: try #require(keeper.object as? NSData))
        #expect(SecurityPolicy(coder: GivenCoder(data as NSData)) != nil)
        #expect(SecurityPolicy(coder: GivenCoder(nil)) == nil)
        #expect(SecurityPolicy(coder: GivenCoder("text" as NSString)) == nil)
        for length in 0..<data.count {
            #expect(SecurityPolicy(coder: GivenCoder(data.prefix(length) as NSData)) == nil)
        }
        var random = SeededRandom(seed: 5)
        for _ in 0..<2000 {
            var mutated = data
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                mutated[Int.random(in: 0..<mutated.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            _ = SecurityPolicy(coder: GivenCoder(mutated as NSData))
        }
    }

    @Test("Truncated keyed archives give no policy")
    func truncated() throws {
        let data = try NSKeyedArchiver.archivedData(withRootObject: try unusualPolicy(), requiringSecureCoding: true)
        for length in stride(from: 0, to: data.count - 1, by: 7) {
            let read = try? NSKeyedUnarchiver.unarchivedObject(ofClass: SecurityPolicy.self, from: data.prefix(length))
            #expect(read == nil)
        }
    }
}
