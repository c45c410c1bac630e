// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworking
import TestServer
import Testing

@Suite("Chains and hosts", .timeLimit(.minutes(1)))
struct ChainVerificationTests {
    @Test("Intermediates may come in any order, and strangers among them")
    func reordered() throws {
        let first = try TestChains.root.get().makeIntermediate(name: "First")
        let second = try first.makeIntermediate(name: "Second")
        let third = try second.makeIntermediate(name: "Third")
        let leaf = try third.issue(dnsNames: ["example.com"])
        let stranger = try TestChains.unrelated.get().certificate
        let others = [first.certificate, second.certificate, third.certificate]
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [1, 0, 2]] {
            let chain = [leaf.certificate, stranger] + order.map { others[$0] }
            let trust = try ServerTrust(certificates: chain.map(\.der))
            #expect(try SecurityPolicy.trustingTestRoot().failure(trust, "example.com") == nil)
        }
        for missing in 0..<3 {
            var chain = [leaf.certificate] + others
            chain.remove(at: missing + 1)
            let trust = try ServerTrust(certificates: chain.map(\.der))
            let failure = try #require(try SecurityPolicy.trustingTestRoot().failure(trust, "example.com"))
            #expect(failure.urlErrorCode == .serverCertificateHasUnknownRoot)
        }
    }

    /// A chain, and how it is rejected.
    struct Rejection: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var host = "example.com"
        var rule: ServerTrustError.Rule
        var code: URLError.Code
        var subject: String
        var make: @Sendable () throws -> TestIdentity
    }

    static let rejections: [Rejection] = [
        Rejection(
            testDescription: "expired", rule: .validityPeriod, code: .serverCertificateHasBadDate,
            subject: "CN=example.com"
        ) { try TestChains.root.get().issue(dnsNames: ["example.com"], validity: .expired) },
        Rejection(
            testDescription: "not yet valid", rule: .validityPeriod, code: .serverCertificateNotYetValid,
            subject: "CN=example.com"
        ) { try TestChains.root.get().issue(dnsNames: ["example.com"], validity: .notYetValid) },
        Rejection(
            testDescription: "expired intermediate", rule: .validityPeriod, code: .serverCertificateHasBadDate,
            subject: "CN=Old"
        ) {
            try TestChains.root.get().makeIntermediate(name: "Old", validity: .expired)
                .issue(dnsNames: ["example.com"])
        },
        Rejection(
            testDescription: "unknown root", rule: .chain, code: .serverCertificateHasUnknownRoot,
            subject: "CN=example.com"
        ) { try TestChains.privateLeaf.get() },
        Rejection(
            testDescription: "unknown root that is sent", rule: .chain, code: .serverCertificateHasUnknownRoot,
            subject: "CN=Private Root"
        ) {
            var identity = try TestChains.privateLeaf.get()
            identity.chain.append(try TestChains.privateRoot.get().certificate)
            return identity
        },
        Rejection(
            testDescription: "self-signed", rule: .chain, code: .serverCertificateUntrusted, subject: "CN=example.com"
        ) { try TestChains.selfSigned.get() },
        Rejection(
            testDescription: "wrong host", host: "other.example", rule: .hostName, code: .serverCertificateUntrusted,
            subject: "CN=example.com"
        ) { try TestChains.good.get() },
        Rejection(
            testDescription: "for code signing", rule: .chain, code: .serverCertificateUntrusted,
            subject: "CN=example.com"
        ) { try TestChains.root.get().issue(dnsNames: ["example.com"], usages: [.codeSigning]) },
        Rejection(
            testDescription: "signed by a server's certificate", rule: .chain, code: .serverCertificateUntrusted,
            subject: "CN=example.com"
        ) {
            try TestCertificateAuthority(misusing: TestChains.good.get()).issue(
                commonName: "forged", dnsNames: ["example.com"])
        },
    ]

    @Test("Each defect has its rule, its code and the certificate's name", arguments: rejections)
    func rejection(_ rejection: Rejection) throws {
        let policy = try SecurityPolicy.trustingTestRoot()
        let failure = try #require(policy.failure(try rejection.make().trust, rejection.host))
        #expect(failure.rule == rejection.rule)
        #expect(failure.urlErrorCode == rejection.code)
        #expect(failure.subject?.contains(rejection.subject) == true, "\(failure)")
        #expect(failure.host == rejection.host)
        #expect(failure.verificationCode != 0)
        #expect((failure as NSError).code == rejection.code.rawValue)
    }

    @Test("The default policy trusts no test root")
    func defaultPolicy() throws {
        let policy = SecurityPolicy.default()
        #expect(policy !== SecurityPolicy.default())
        #expect(policy.sslPinningMode == .none && policy.validatesDomainName && !policy.allowInvalidCertificates)
        #expect(policy.minimumTLSVersion == .v1_2 && policy.maximumTLSVersion == nil)
        for identity in [TestChains.good, TestChains.selfSigned, TestChains.privateLeaf] {
            let failure = try #require(policy.failure(try identity.get().trust, "example.com"))
            #expect([.chain, .trustStore].contains(failure.rule))
        }
    }

    /// Names in a certificate, and hosts that it is and is not for.
    struct Names: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var commonName: String?
        var dnsNames: [String] = []
        var ipAddresses: [String] = []
        var accepted: [String] = []
        var rejected: [String] = []
    }

    static let names: [Names] = [
        Names(
            testDescription: "one name", dnsNames: ["example.com"],
            accepted: ["example.com", "EXAMPLE.com", "example.com."],
            rejected: [
                "www.example.com", "example.co", "xample.com", ".example.com", "", ".", "example.com..",
                "example.com\0", "example.com\0.evil.example", "*", "*.com", "exam ple.com", "example.com/",
                "192.0.2.1", "::1", "[::1]", "example.com%lo",
            ]),
        Names(
            testDescription: "a wildcard stands for one whole label", dnsNames: ["*.example.com"],
            accepted: ["a.example.com", "A.Example.COM", "xn--bcher-kva.example.com"],
            rejected: ["example.com", "a.b.example.com", ".example.com", "*.example.com"]),
        Names(
            testDescription: "a wildcard elsewhere stands for nothing",
            dnsNames: ["f*.example.com", "*o.example.com", "a.*.example.com", "*.com", "*"],
            rejected: ["foo.example.com", "a.b.example.com", "example.com", "com", "localhost"]),
        Names(
            testDescription: "addresses", commonName: "192.0.2.7", dnsNames: ["192.0.2.9"],
            ipAddresses: ["192.0.2.1", "2001:db8::1"],
            accepted: ["192.0.2.1", "2001:db8::1", "[2001:db8::1]", "2001:0DB8:0:0::1"],
            rejected: ["192.0.2.2", "192.0.2.9", "192.0.2.7", "2001:db8::2", "192.0.2.1.example", "::ffff:192.0.2.1"]),
        Names(
            testDescription: "a common name does not count without any other name", commonName: "foobar.com",
            rejected: ["foobar.com", "www.foobar.com", "192.0.2.1"]),
        Names(
            testDescription: "a common name does not count beside an address", commonName: "foobar.com",
            ipAddresses: ["192.0.2.1"], accepted: ["192.0.2.1"], rejected: ["foobar.com"]),
        Names(
            testDescription: "a common name does not count beside a DNS name", commonName: "foobar.com",
            dnsNames: ["example.com"], accepted: ["example.com"], rejected: ["foobar.com"]),
        Names(
            testDescription: "international names", dnsNames: ["xn--bcher-kva.example", "*.xn--fsqu00a.example"],
            accepted: ["bücher.example", "BÜCHER.example", "xn--bcher-kva.example", "a.例子.example"],
            rejected: ["bucher.example", "b%C3%BCcher.example", "例子.example"]),
    ]

    @Test("Hosts are compared with the names in the certificate", arguments: names)
    func hosts(_ names: Names) throws {
        let identity = try TestChains.root.get().issue(
            commonName: names.commonName, dnsNames: names.dnsNames, ipAddresses: names.ipAddresses)
        let trust = try identity.trust
        let strict = try SecurityPolicy.trustingTestRoot()
        let pinned = try SecurityPolicy.trustingTestRoot(.publicKey, pins: [identity.certificate], allowInvalid: true)
        for host in names.accepted {
            #expect(strict.failure(trust, host) == nil, "\(host)")
            #expect(pinned.failure(trust, host) == nil, "\(host)")
        }
        for host in names.rejected {
            #expect(strict.failure(trust, host)?.rule == .hostName, "\(host)")
            #expect(pinned.failure(trust, host)?.rule == .hostName, "\(host)")
        }
    }
}
