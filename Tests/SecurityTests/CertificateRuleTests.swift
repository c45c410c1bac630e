// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworking
import TestServer
import Testing

/// Chains with constraints, purposes and keys of all kinds, made by the `openssl` command.
@Suite("Rules of certificates", .timeLimit(.minutes(2)))
struct CertificateRuleTests {
    /// A certificate of a chain, below the one before.
    struct Issue: Sendable {
        var subject: String
        var extensions: [String]
        var key = "ec -pkeyopt ec_paramgen_curve:P-256"
        var digest = "-sha256"

        static func authority(_ more: String..., pathLength: Int? = nil) -> Issue {
            let constraints = "basicConstraints=critical,CA:TRUE" + (pathLength.map { ",pathlen:\($0)" } ?? "")
            return Issue(
                subject: "/CN=Between #", extensions: [constraints, "keyUsage=critical,keyCertSign,cRLSign"] + more)
        }

        static func server(_ names: String, _ more: String..., subject: String = "/CN=leaf") -> Issue {
            Issue(
                subject: subject, extensions: ["subjectAltName=\(names)", "basicConstraints=critical,CA:FALSE"] + more)
        }

        func with(_ change: (inout Issue) -> Void) -> Issue {
            var copy = self
            change(&copy)
            return copy
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// Below the root; the server's own comes last.
        var issues: [Issue]
        var accepted: [String] = []
        var rejected: [String] = []
    }

    private static let name = "DNS:a.example.com"
    private static let host = "a.example.com"

    static let cases: [Case] = [
        Case(
            testDescription: "names that an authority may sign",
            issues: [
                .authority("nameConstraints=critical,permitted;DNS:example.com"),
                .server("DNS:a.example.com,DNS:b.example.com"),
            ], accepted: ["a.example.com", "b.example.com"], rejected: ["c.example.com"]),
        Case(
            testDescription: "a name beside them",
            issues: [
                .authority("nameConstraints=critical,permitted;DNS:example.com"),
                .server("DNS:a.example.com,DNS:other.example"),
            ], rejected: ["a.example.com", "other.example"]),
        Case(
            testDescription: "names that an authority may not sign",
            issues: [.authority("nameConstraints=critical,excluded;DNS:example.com"), .server(name)], rejected: [host]),
        Case(
            testDescription: "constraints of an authority further above",
            issues: [
                .authority("nameConstraints=critical,permitted;DNS:example.org"), .authority(), .server(name),
            ], rejected: [host]),
        Case(
            testDescription: "addresses that an authority may sign",
            issues: [
                .authority("nameConstraints=critical,permitted;IP:192.0.2.0/255.255.255.0"),
                .server("IP:192.0.2.1"),
            ], accepted: ["192.0.2.1"], rejected: ["192.0.2.2"]),
        Case(
            testDescription: "an address beside them",
            issues: [
                .authority("nameConstraints=critical,permitted;IP:192.0.2.0/255.255.255.0"),
                .server("IP:198.51.100.1"),
            ], rejected: ["198.51.100.1"]),
        Case(
            testDescription: "a path that is as long as it may be",
            issues: [.authority(pathLength: 1), .authority(pathLength: 0), .server(name)], accepted: [host]),
        Case(
            testDescription: "a path that is too long",
            issues: [.authority(pathLength: 0), .authority(), .server(name)],
            rejected: [host]),
        Case(
            testDescription: "an authority that is none",
            issues: [.authority().with { $0.extensions[0] = "basicConstraints=critical,CA:FALSE" }, .server(name)],
            rejected: [host]),
        Case(
            testDescription: "an authority without BasicConstraints",
            issues: [.authority().with { $0.extensions.removeFirst() }, .server(name)], rejected: [host]),
        Case(
            testDescription: "an authority whose key is not for certificates",
            issues: [.authority().with { $0.extensions[1] = "keyUsage=critical,digitalSignature" }, .server(name)],
            rejected: [host]),
        Case(
            testDescription: "an authority for clients only",
            issues: [.authority("extendedKeyUsage=clientAuth"), .server(name)], rejected: [host]),
        Case(
            testDescription: "a certificate for clients only",
            issues: [.authority(), .server(name, "extendedKeyUsage=clientAuth")], rejected: [host]),
        Case(
            testDescription: "a certificate for servers and clients",
            issues: [.authority(), .server(name, "extendedKeyUsage=serverAuth,clientAuth")], accepted: [host]),
        Case(
            testDescription: "a critical extension that nobody knows",
            issues: [.authority(), .server(name, "1.2.3.4.5=critical,ASN1:UTF8String:x")], rejected: [host]),
        Case(
            testDescription: "an extension that nobody knows and nobody needs to",
            issues: [.authority(), .server(name, "1.2.3.4.5=ASN1:UTF8String:x")], accepted: [host]),
        Case(
            testDescription: "no subject",
            issues: [.authority(), .server("critical," + name, subject: "/")], accepted: [host],
            rejected: ["", "b.example.com"]),
        Case(
            testDescription: "SHA-1 below",
            issues: [.authority(), .server(name).with { $0.digest = "-sha1" }], rejected: [host]),
        Case(
            testDescription: "SHA-1 between", issues: [.authority().with { $0.digest = "-sha1" }, .server(name)],
            rejected: [host]),
        Case(
            testDescription: "a key of 1024 bits",
            issues: [.authority(), .server(name).with { $0.key = "rsa:1024" }], rejected: [host]),
        Case(
            testDescription: "an authority's key of 1024 bits",
            issues: [.authority().with { $0.key = "rsa:1024" }, .server(name)], rejected: [host]),
        Case(
            testDescription: "a key of 2048 bits",
            issues: [.authority().with { $0.key = "rsa:2048" }, .server(name).with { $0.key = "rsa:2048" }],
            accepted: [host]),
        Case(
            testDescription: "a name that ends in a zero",
            issues: [.authority(), .server("DNS:a.example.com\\0.evil")],
            rejected: [host]),
    ]

    @Test("What an authority may sign, and what a server's certificate has to be", arguments: cases)
    func rules(_ rule: Case) throws {
        let (root, chain) = try Self.make(rule.issues)
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [root]
        let trust = try ServerTrust(certificates: chain)
        for host in rule.accepted { #expect(policy.failure(trust, host) == nil, "\(host)") }
        for host in rule.rejected {
            let error = try #require(policy.failure(trust, host), "\(host)")
            #expect(error.rule == .chain || error.rule == .hostName, "\(error)")
            #expect(!error.reason.isEmpty && error.host == host)
        }
    }

    /// The root, and the chain from the last one up, without it.
    private static func make(_ issues: [Issue]) throws -> (root: Data, chain: [Data]) {
        let directory = try TemporaryDirectory()
        var script = """
            set -e; cd "$0"
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout 0.key -out 0.pem -days 30 \
                -subj '/CN=Rule Root' -addext keyUsage=critical,keyCertSign

            """
        for (index, issue) in issues.enumerated() {
            try directory.write(issue.extensions.joined(separator: "\n") + "\n", to: "\(index + 1).ext")
            script += """
                openssl req -new -newkey \(issue.key) -nodes -keyout \(index + 1).key -out \(index + 1).csr \
                    -subj '\(issue.subject.replacingOccurrences(of: "#", with: "\(index)"))'
                openssl x509 -req -in \(index + 1).csr -CA \(index).pem -CAkey \(index).key -CAcreateserial -days 20 \
                    \(issue.digest) -extfile \(index + 1).ext -out \(index + 1).pem

                """
        }
        script += "for file in *.pem; do openssl x509 -in $file -outform DER -out ${file%.pem}.der; done"
        try ExternalProgram("bash").run(["-c", script, directory.path])
        let certificates = try (0...issues.count).map { try Data(contentsOf: directory.file("\($0).der")) }
        return (certificates[0], certificates.dropFirst().reversed())
    }
}
