// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import OperationNetworking
import TestServer
import Testing

@Suite("ServerTrust, also of mutated certificates", .timeLimit(.minutes(2)))
struct ServerTrustTests {
    @Test("What is not a chain of DER certificates is refused with a reason")
    func malformed() throws {
        let der = try TestChains.good.get().certificate.der
        for certificates in [[], [Data()], [Data("junk".utf8)], [der, Data()], [der.dropLast()], [der + [0]]] {
            let error = #expect(throws: ServerTrustError.self) { try ServerTrust(certificates: certificates) }
            #expect(error?.rule == .certificateFormat && error?.urlErrorCode == .secureConnectionFailed)
        }
        // A slice whose first index is not zero is a certificate all the same.
        let slice = (Data([1, 2, 3]) + der).dropFirst(3)
        #expect(try ServerTrust(certificates: [slice]).certificates == [der])
    }

    /// How a certificate is damaged.
    enum Mutation: CaseIterable {
        case flipBit, setByte, delete, insert, truncate, copyRange

        func apply(to data: Data, using random: inout SeededRandom) -> Data {
            var bytes = Array(data)
            let position = Int.random(in: 0..<bytes.count, using: &random)
            switch self {
            case .flipBit: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case .setByte: bytes[position] = [0x00, 0x7F, 0x80, 0xFF, 0x30, 0x84].randomElement(using: &random) ?? 0
            case .delete: bytes.remove(at: position)
            case .insert: bytes.insert(.random(in: 0...255, using: &random), at: position)
            case .truncate: bytes.removeLast(bytes.count - position)
            case .copyRange:
                let from = Int.random(in: 0..<bytes.count, using: &random)
                let count = min(16, bytes.count - max(from, position))
                bytes.replaceSubrange(position..<position + count, with: Array(bytes[from..<from + count]))
            }
            return Data(bytes)
        }
    }

    @Test("A mutated certificate is never trusted", arguments: TestKey.Kind.allCases)
    func mutations(kind: TestKey.Kind) throws {
        let root = try TestCertificateAuthority(key: kind)
        let intermediate = try root.makeIntermediate(key: kind)
        let leaf = try intermediate.issue(
            dnsNames: ["example.com"], ipAddresses: ["192.0.2.1"], key: try TestKey(kind))
        let chain = leaf.chain.map(\.der)
        let full = SecurityPolicy.default()
        full.anchorCertificates = [root.certificate.der]
        let pinned = SecurityPolicy(pinningMode: .certificate, pinnedCertificates: [chain[0]])
        pinned.allowInvalidCertificates = true
        let keyPinned = SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: [intermediate.certificate.der])
        keyPinned.allowInvalidCertificates = true
        let policies = [full, pinned, keyPinned]
        for policy in policies {
            #expect(policy.evaluate(try ServerTrust(certificates: chain), forDomain: "example.com"))
        }
        var random = SeededRandom(seed: 20_15)
        for round in 0..<1500 {
            let index = 0
            let mutated = (Mutation.allCases.randomElement(using: &random) ?? .flipBit)
                .apply(to: chain[index], using: &random)
            if mutated == chain[index] { continue }
            var certificates = chain
            certificates[index] = mutated
            guard let trust = try? ServerTrust(certificates: certificates) else { continue }
            for policy in policies {
                #expect(
                    !policy.evaluate(trust, forDomain: "example.com"),
                    "round \(round): \(mutated.base64EncodedString())")
            }
        }
    }

    @Test("Mutated intermediates, pins and anchors crash nothing")
    func mutatedElsewhere() throws {
        let good = try TestChains.good.get()
        let chain = good.chain.map(\.der)
        let root = try TestChains.root.get().certificate.der
        var random = SeededRandom(seed: 39)
        for _ in 0..<600 {
            func mutate(_ data: Data) -> Data {
                (Mutation.allCases.randomElement(using: &random) ?? .flipBit).apply(to: data, using: &random)
            }
            let policy = SecurityPolicy(
                pinningMode: [.none, .publicKey, .certificate].randomElement(using: &random) ?? .none,
                pinnedCertificates: [mutate(chain[0])])
            policy.anchorCertificates = [mutate(root)]
            policy.allowInvalidCertificates = .random(using: &random)
            _ = try? policy.validate()
            let trust = try? ServerTrust(certificates: [chain[0], mutate(chain[1])])
            if let trust { _ = policy.evaluate(trust, forDomain: "example.com") }
            _ = policy.evaluate(try ServerTrust(certificates: chain), forDomain: "example.com")
        }
    }
}
