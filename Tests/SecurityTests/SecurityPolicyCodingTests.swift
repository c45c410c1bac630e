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

    /// So many bytes of a number, the highest first.
    private static func bigEndian(_ number: Int, size: Int) -> Data {
        withUnsafeBytes(of: UInt64(number).bigEndian) { Data($0.suffix(size)) }
    }

    /// How an object of a kind begins that has so many parts.
    private static func head(_ kind: UInt8, count: Int) -> Data {
        Data([kind << 4 | 0xF, 0x12]) + bigEndian(count, size: 4)
    }

    /// A binary property list of objects as they are written, the outermost first, with references of one byte.
    private static func list(_ objects: [Data]) -> Data {
        var data = Data("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(data.count)
            data.append(object)
        }
        let table = data.count
        for offset in offsets { data.append(bigEndian(offset, size: 4)) }
        data.append(Data(count: 6))
        data.append(contentsOf: [4, 1])
        for number in [objects.count, 0, table] { data.append(bigEndian(number, size: 8)) }
        return data
    }

    /// What a policy writes, with one pinned certificate so many times.
    private static func archive(pinning certificate: Data, times count: Int) -> Data {
        // The certificate comes after the dictionary, its eight keys and their values.
        let values: [(key: String, value: Data)] = [
            ("version", Data([0x10, 1])),
            ("pinningMode", Data([0x10, UInt8(SSLPinningMode.certificate.rawValue)])),
            ("pinnedCertificates", head(0xA, count: count) + Data(repeating: 17, count: count)),
            ("anchorCertificates", Data([0xA0])),
            ("allowInvalidCertificates", Data([0x08])),
            ("validatesDomainName", Data([0x09])),
            ("minimumTLSVersion", Data([0x10, UInt8(TLSProtocolVersion.v1_2.rawValue)])),
            ("requiresOCSPStapling", Data([0x08])),
        ]
        var objects = [Data([0xD8] + Array(UInt8(1)...UInt8(16)))]
        for (key, _) in values { objects.append(head(0x5, count: key.utf8.count) + Data(key.utf8)) }
        for (_, value) in values { objects.append(value) }
        objects.append(head(0x4, count: certificate.count) + certificate)
        return list(objects)
    }

    @Test("An archive that says one thing very often, or has a key of combining marks, gives no policy, and at once")
    func hostile() throws {
        let certificate = Data(repeating: 7, count: 20_000)
        let fair = Self.archive(pinning: certificate, times: 3)
        #expect(SecurityPolicy(coder: GivenCoder(fair as NSData))?.pinnedCertificates == [certificate])
        let key = try #require(String(repeating: "\u{301}\u{316}", count: 100_000).data(using: .utf16BigEndian))
        let hostile = [
            Self.archive(pinning: certificate, times: 20_000),
            Self.list([Data([0xD1, 1, 2]), Self.head(0x6, count: 200_000) + key, Data([0x10, 1])]),
        ]
        for (index, archive) in hostile.enumerated() {
            let memory = ResidentMemory.bytes
            let seconds = processorSeconds {
                #expect(SecurityPolicy(coder: GivenCoder(archive as NSData)) == nil, "\(index)")
            }
            #expect(seconds < 2 * Patience.factor, "\(index)")
            #expect(ResidentMemory.bytes - memory < 200 << 20, "\(index)")
        }
    }

    @Test("A property list that is not in the binary format gives no policy")
    func otherFormat() {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>version</key><integer>1</integer><key>pinningMode</key><integer>0</integer>
            <key>pinnedCertificates</key><array></array><key>anchorCertificates</key><array></array>
            <key>allowInvalidCertificates</key><false/><key>validatesDomainName</key><true/>
            <key>minimumTLSVersion</key><integer>12</integer><key>requiresOCSPStapling</key><false/>
            </dict></plist>
            """
        #expect(SecurityPolicy(coder: GivenCoder(Data(text.utf8) as NSData)) == nil)
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
