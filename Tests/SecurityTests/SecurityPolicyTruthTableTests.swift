// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworking
import TestServer
import Testing

/// The eight chains that each row of AFNetworking's truth table is asked about.
enum TableColumn: CaseIterable, Sendable {
    case goodPinned, goodUnpinned, wrongHostPinned, wrongHostUnpinned
    case selfSignedMatching, selfSignedOtherHost, expiredPinned, selfSignedUnpinned
}

/// One row: settings, and the columns that are accepted.
struct TableRow: Sendable, CustomTestStringConvertible {
    var mode: SSLPinningMode
    var allowInvalid: Bool
    var validatesName: Bool
    var accepted: Set<TableColumn>

    var testDescription: String { "\(mode), allowInvalid \(allowInvalid), validatesDomainName \(validatesName)" }

    /// Everything a policy can be set to.
    static let all: [TableRow] = [
        TableRow(mode: .none, allowInvalid: false, validatesName: true, accepted: [.goodPinned, .goodUnpinned]),
        TableRow(
            mode: .none, allowInvalid: false, validatesName: false,
            accepted: [.goodPinned, .goodUnpinned, .wrongHostPinned, .wrongHostUnpinned]),
        TableRow(mode: .none, allowInvalid: true, validatesName: true, accepted: []),
        TableRow(mode: .none, allowInvalid: true, validatesName: false, accepted: Set(TableColumn.allCases)),
        TableRow(mode: .certificate, allowInvalid: false, validatesName: true, accepted: [.goodPinned]),
        TableRow(
            mode: .certificate, allowInvalid: false, validatesName: false, accepted: [.goodPinned, .wrongHostPinned]),
        TableRow(
            mode: .certificate, allowInvalid: true, validatesName: true,
            accepted: [.goodPinned, .selfSignedMatching]),
        TableRow(
            mode: .certificate, allowInvalid: true, validatesName: false,
            accepted: [.goodPinned, .wrongHostPinned, .selfSignedMatching, .selfSignedOtherHost]),
        TableRow(mode: .publicKey, allowInvalid: false, validatesName: true, accepted: [.goodPinned]),
        TableRow(
            mode: .publicKey, allowInvalid: false, validatesName: false, accepted: [.goodPinned, .wrongHostPinned]),
        // AFNetworking accepted a wrong host here; the API contract does not.
        TableRow(
            mode: .publicKey, allowInvalid: true, validatesName: true,
            accepted: [.goodPinned, .selfSignedMatching, .expiredPinned]),
        TableRow(
            mode: .publicKey, allowInvalid: true, validatesName: false,
            accepted: [
                .goodPinned, .wrongHostPinned, .selfSignedMatching, .selfSignedOtherHost, .expiredPinned,
            ]),
    ]
}

@Suite("Truth table of AFSecurityPolicy", .timeLimit(.minutes(1)))
struct SecurityPolicyTruthTableTests {
    @Test("Every row of the table, for every kind of chain", arguments: TableRow.all, TableColumn.allCases)
    func row(_ row: TableRow, column: TableColumn) throws {
        let chain: TestIdentity
        switch column {
        case .goodPinned, .goodUnpinned, .wrongHostPinned, .wrongHostUnpinned: chain = try TestChains.good.get()
        case .selfSignedMatching, .selfSignedOtherHost, .selfSignedUnpinned: chain = try TestChains.selfSigned.get()
        case .expiredPinned: chain = try TestChains.selfSignedExpired.get()
        }
        let isPinned = ![.goodUnpinned, .wrongHostUnpinned, .selfSignedUnpinned].contains(column)
        let host: String
        switch column {
        case .wrongHostPinned, .wrongHostUnpinned, .selfSignedOtherHost: host = "other.example"
        default: host = "example.com"
        }
        var pins: [TestCertificate] = []
        if row.mode != .none { pins = [isPinned ? chain.certificate : try TestChains.unrelated.get().certificate] }
        let policy = try SecurityPolicy.trustingTestRoot(
            row.mode, pins: pins, allowInvalid: row.allowInvalid, validatesName: row.validatesName)
        let failure = policy.failure(try chain.trust, host)
        #expect((failure == nil) == row.accepted.contains(column), "\(failure.map { "\($0)" } ?? "accepted")")
    }

    @Test("The table covers all combinations of settings once")
    func isComplete() {
        #expect(Set(TableRow.all.map(\.testDescription)).count == 12)
        #expect(TableRow.all.count == 12)
    }

    @Test(
        "Nothing pinned in a pinning mode rejects whatever else is set",
        arguments: [SSLPinningMode.certificate, .publicKey], [false, true])
    func emptyPins(mode: SSLPinningMode, flag: Bool) throws {
        for validatesName in [false, true] {
            let policy = try SecurityPolicy.trustingTestRoot(mode, allowInvalid: flag, validatesName: validatesName)
            #expect(policy.failure(try TestChains.good.get().trust, "example.com") != nil)
            #expect(policy.failure(try TestChains.good.get().trust, nil) != nil)
        }
    }

    @Test("Without a domain, names are not compared, and rule 0 does not apply")
    func noDomain() throws {
        let good = try TestChains.good.get()
        #expect(try SecurityPolicy.trustingTestRoot().failure(good.trust, nil) == nil)
        let lenient = try SecurityPolicy.trustingTestRoot(allowInvalid: true)
        #expect(lenient.failure(try TestChains.selfSigned.get().trust, nil) == nil)
        #expect(lenient.failure(try TestChains.selfSigned.get().trust, "example.com")?.rule == .settings)
    }

    @Test("A pinned private authority needs to be an anchor too, not invalid certificates allowed")
    func privateAuthority() throws {
        let root = try TestChains.privateRoot.get().certificate
        let trust = try TestChains.privateLeaf.get().trust
        for mode in [SSLPinningMode.certificate, .publicKey] {
            let policy = SecurityPolicy(pinningMode: mode, pinnedCertificates: [root.der])
            let failure = try #require(policy.failure(trust, "example.com"))
            #expect(failure.urlErrorCode == .serverCertificateHasUnknownRoot)
            policy.anchorCertificates = [root.der]
            #expect(policy.failure(trust, "example.com") == nil)
            #expect(policy.failure(trust, "other.example")?.rule == .hostName)
        }
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [root.der]
        #expect(policy.failure(trust, "example.com") == nil)
    }
}
