// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking
import TestServer
import Testing

/// Public reports about certificates: what companies have, and what clients made of it.
@Suite("Reports: certificates", .timeLimit(.minutes(1)))
struct TLSReports {
    static let root = Result { try TestCertificateAuthority(name: "Company Root") }
    static let intermediate = Result { try root.get().makeIntermediate(name: "Company Intermediate") }

    /// Trusts the company's root, or other anchors.
    static func trusting(_ anchors: [TestCertificate]? = nil) throws -> SecurityPolicy {
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = Set(try (anchors ?? [root.get().certificate]).map(\.der))
        return policy
    }

    static func failure(
        _ policy: SecurityPolicy, _ chain: [TestCertificate], _ host: String
    ) throws -> ServerTrustError? {
        let trust = try ServerTrust(certificates: chain.map(\.der))
        guard case .failure(let error) = policy.evaluation(of: trust, forDomain: host) else { return nil }
        return error
    }

    /// A request under a policy: the status, or the error.
    private func load(
        _ url: URL, _ policy: SecurityPolicy, _ change: (HTTPRequestOperation) -> Void = { _ in }
    ) async -> (status: Int?, code: URLError.Code?) {
        var request = URLRequest(url: url)
        request.timeoutInterval = 5 * Patience.factor
        let operation = HTTPRequestOperation(request: request)
        operation.responseSerializer = HTTPResponseSerializer()
        operation.securityPolicy = policy
        change(operation)
        _ = try? await operation.value()
        return (operation.response?.statusCode, (operation.error as? URLError)?.code)
    }

    // MARK: Names

    /// The names of a certificate, and a host.
    struct Name: Sendable, CustomTestStringConvertible {
        let reference: String
        let what: String
        var dnsNames: [String] = []
        var ipAddresses: [String] = []
        let host: String
        let isAccepted: Bool
        var testDescription: String { "\(reference): \(what)" }
    }

    static let names: [Name] = [
        Name(
            reference: "openssl#12566", what: "an underscore in the label that a wildcard stands for",
            dnsNames: ["*.example.com", "example.com"], host: "code_cube.example.com", isAccepted: true),
        Name(
            reference: "dotnet/runtime#35880", what: "an underscore in a name that the certificate spells out",
            dnsNames: ["preprod_curve.example.net"], host: "preprod_curve.example.net", isAccepted: true),
        Name(
            reference: "cpython#103490", what: "an underscore under a wildcard, and more labels than one",
            dnsNames: ["*.run.example"], host: "foo_bar.a.run.example", isAccepted: false),
        Name(
            reference: "micronaut-core#8339", what: "a wildcard is one label only",
            dnsNames: ["*.badssl.example", "badssl.example"], host: "wrong.host.badssl.example", isAccepted: false),
        Name(
            reference: "edk2#9894", what: "a wildcard behind several labels",
            dnsNames: ["*.ami.internal-test.example"], host: "boot.ami.internal-test.example", isAccepted: true),
        Name(
            reference: "keylime#1901", what: "a star alone is no name",
            dnsNames: ["*"], host: "localhost", isAccepted: false),
        Name(
            reference: "portless#417", what: "a name beside a wildcard that nobody can use",
            dnsNames: ["myapp.localhost", "*.localhost"], host: "myapp.localhost", isAccepted: true),
        Name(
            reference: "openssl#31377", what: "an address that is written as a DNS name",
            dnsNames: ["127.0.0.1"], host: "127.0.0.1", isAccepted: false),
        Name(
            reference: "webpki#257", what: "an address that is there as a DNS name and as an address",
            dnsNames: ["127.0.0.1"], ipAddresses: ["127.0.0.1"], host: "127.0.0.1", isAccepted: true),
        Name(
            reference: "mbedtls#3498", what: "a host name whose letters are the bytes of an address",
            ipAddresses: ["97.46.112.108"], host: "a.pl", isAccepted: false),
        Name(
            reference: "lysine-dev/okhttp#9621", what: "a host that only looks like an address",
            ipAddresses: ["1::2:3", "1.2.3.4"], host: "1::2::3", isAccepted: false),
        Name(
            reference: "reqwest#968", what: "another spelling of the same IPv6 address",
            ipAddresses: ["2606:4700:4700::1111"], host: "[2606:4700:4700:0:0:0:0:1111]", isAccepted: true),
        Name(
            reference: "urllib3#2637", what: "the zone of an address is not in its certificate",
            ipAddresses: ["fe80::1"], host: "fe80::1%eth0", isAccepted: true),
        Name(
            reference: "openssl#11560", what: "a dot behind the host",
            dnsNames: ["example.com"], host: "example.com.", isAccepted: true),
        Name(
            reference: "curl#13440", what: "two dots behind the host",
            dnsNames: ["example.com"], host: "example.com..", isAccepted: false),
    ]

    @Test("Hosts and the names of certificates", arguments: names)
    func hosts(_ name: Name) throws {
        let identity = try Self.root.get().issue(dnsNames: name.dnsNames, ipAddresses: name.ipAddresses)
        let failure = try Self.failure(Self.trusting(), identity.chain, name.host)
        #expect((failure == nil) == name.isAccepted, "\(name): \(failure as Any)")
        if let failure { #expect(failure.rule == .hostName) }
    }

    @Test("An address is no name to ask for, a certificate for it is enough (PhotonLibOS#1647)")
    func noServerNameOfAnAddress() async throws {
        let server = try TestServer(tls: TLSSettings(Self.root.get().issue(ipAddresses: ["127.0.0.1"])))
        server.respondToOthers { _ in .ok("content") }
        let (status, code) = await load(server.url("/"), try Self.trusting())
        #expect(status == 200 && code == nil)
        #expect(server.requests.count == 1)
        #expect(server.requests.first?.tls?.serverName == nil)
    }

    @Test("The brackets of an IPv6 address are not part of it (ureq#115)")
    func brackets() async throws {
        let server = try TestServer(
            tls: TLSSettings(Self.root.get().issue(ipAddresses: ["::1"])), addresses: ["::1"])
        server.respondToOthers { _ in .ok("content") }
        let (status, code) = await load(server.url("/"), try Self.trusting())
        #expect(status == 200 && code == nil)
        #expect(server.requests.first?.tls?.serverName == nil)
        #expect(server.requests.first?["Host"] == "[::1]:\(server.port)")
    }

    @Test("The server's name is asked for without a dot behind it (curl#8320)")
    func noDotInServerName() async throws {
        let server = try TestServer(tls: TLSSettings(Self.root.get().issue(dnsNames: ["api.test"])))
        server.respondToOthers { _ in .ok("content") }
        let manager = HTTPRequestOperationManager(baseURL: nil)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.completionQueue = DispatchQueue(label: "reports")
        manager.securityPolicy = try Self.trusting()
        manager.hostOverrides = ["api.test": "127.0.0.1", "api.test.": "127.0.0.1"]
        var request = URLRequest(url: server.url("/", host: "api.test."))
        request.timeoutInterval = 5 * Patience.factor
        let operation = manager.httpRequestOperation(with: request)
        manager.enqueue(operation)
        _ = try? await operation.value()
        #expect(operation.error == nil && operation.response?.statusCode == 200)
        #expect(server.requests.first?.tls?.serverName == "api.test")
    }

    // MARK: Chains

    @Test("A chain without its intermediate leads nowhere, and is not fetched (VerificationLibrary#7)")
    func incompleteChain() async throws {
        var identity = try Self.intermediate.get().issueForLocalhost()
        identity.chain.removeLast()
        let server = try TestServer(tls: TLSSettings(identity))
        server.respondToOthers { _ in .ok("content") }
        let (status, code) = await load(server.url("/"), try Self.trusting())
        #expect(status == nil && code == .serverCertificateHasUnknownRoot)
        #expect(server.requests.isEmpty)
        // Who has the missing one can pin it.
        let policy = SecurityPolicy(
            pinningMode: .certificate, pinnedCertificates: [try Self.intermediate.get().certificate.der])
        policy.allowInvalidCertificates = true
        let known = await load(server.url("/"), policy)
        #expect(known.status == 200 && known.code == nil)
    }

    /// curl and Apple's systems take any certificate for an anchor.
    @Test("An anchor that is no root is told before anything is sent (curl#4655, envoy#19326)")
    func intermediateAnchor() async throws {
        let policy = try Self.trusting([Self.intermediate.get().certificate])
        let error = #expect(throws: ServerTrustError.self) { try policy.validate() }
        #expect(error?.rule == .settings)
        let server = try TestServer(tls: TLSSettings(Self.intermediate.get().issueForLocalhost()))
        let (status, code) = await load(server.url("/"), policy)
        #expect(status == nil && code == error?.urlErrorCode)
        #expect(server.connectionCount == 0)
    }

    @Test("A pinned intermediate is enough where nothing else is asked (node#36453)")
    func pinnedIntermediate() throws {
        let identity = try Self.intermediate.get().issue(dnsNames: ["example.com"])
        let policy = SecurityPolicy(
            pinningMode: .certificate, pinnedCertificates: [try Self.intermediate.get().certificate.der])
        policy.allowInvalidCertificates = true
        #expect(try Self.failure(policy, identity.chain, "example.com") == nil)
        #expect(try Self.failure(policy, identity.chain, "example.org")?.rule == .hostName)
    }

    /// A root that was signed by an older one, which has expired, as well as by itself.
    private struct CrossSigned {
        let old: TestCertificateAuthority
        let new: TestCertificateAuthority
        let cross: TestCertificate
        /// A server's, under an intermediate of the new root: what it sends ends in the cross-signed certificate.
        let chain: [TestCertificate]

        init() throws {
            old = try TestCertificateAuthority(name: "Old Root", validity: .expired)
            new = try TestCertificateAuthority(name: "New Root")
            cross = try old.crossSign(new, name: "New Root")
            let identity = try new.makeIntermediate(name: "Issuer").issue(dnsNames: ["example.com"])
            chain = identity.chain + [cross]
        }
    }

    @Test("A chain that is sent up to an expired root is valid by the new one (erlang/otp#4877)")
    func crossSignedRoot() throws {
        let signed = try CrossSigned()
        #expect(try Self.failure(Self.trusting([signed.new.certificate]), signed.chain, "example.com") == nil)
    }

    @Test("The expired root may still be among the anchors, and be sent (libressl/portable#595)")
    func expiredAnchor() throws {
        let signed = try CrossSigned()
        let policy = try Self.trusting([signed.old.certificate, signed.new.certificate])
        #expect(try Self.failure(policy, signed.chain, "example.com") == nil)
        #expect(try Self.failure(policy, signed.chain + [signed.old.certificate], "example.com") == nil)
    }

    @Test("An expired root alone makes no chain valid (ipxe#606)")
    func onlyExpiredAnchor() throws {
        let signed = try CrossSigned()
        let failure = try Self.failure(Self.trusting([signed.old.certificate]), signed.chain, "example.com")
        #expect(failure?.rule == .validityPeriod && failure?.urlErrorCode == .serverCertificateHasBadDate)
    }

    @Test(
        "A pin on the new root holds, however the chain is sent (erlang_quic#163)",
        arguments: [SSLPinningMode.certificate, .publicKey])
    func pinnedCrossSignedRoot(mode: SSLPinningMode) throws {
        let signed = try CrossSigned()
        let policy = SecurityPolicy(pinningMode: mode, pinnedCertificates: [signed.new.certificate.der])
        policy.anchorCertificates = [signed.new.certificate.der]
        #expect(try Self.failure(policy, signed.chain, "example.com") == nil)
        #expect(try Self.failure(policy, Array(signed.chain.dropLast()), "example.com") == nil)
    }

    @Test("An intermediate that has expired does not spoil one with the same key that has not (msquic#1444)")
    func deprecatedIntermediate() throws {
        let root = try Self.root.get()
        let issuer = try root.makeIntermediate(name: "Renewed")
        let former = try root.crossSign(issuer, name: "Renewed", validity: .expired)
        let leaf = try issuer.issue(dnsNames: ["example.com"]).certificate
        for chain in [[leaf, former, issuer.certificate], [leaf, issuer.certificate, former]] {
            #expect(try Self.failure(Self.trusting(), chain, "example.com") == nil)
        }
        #expect(try Self.failure(Self.trusting(), [leaf, former], "example.com")?.rule == .validityPeriod)
    }

    // MARK: Policies as AFNetworking has them

    /// What a server shows, as example.com.
    enum Shown: Sendable {
        case company, selfSigned, selfSignedForOther

        func chain() throws -> [TestCertificate] {
            switch self {
            case .company: try TLSReports.root.get().issue(dnsNames: ["example.com"]).chain
            case .selfSigned: try TestCertificateAuthority.selfSigned(dnsNames: ["example.com"]).chain
            case .selfSignedForOther: try TestCertificateAuthority.selfSigned(dnsNames: ["other.example"]).chain
            }
        }
    }

    /// Settings of a policy, and whether AFNetworking's trusts the server.
    struct Policy: Sendable, CustomTestStringConvertible {
        let reference: String
        let what: String
        let shown: Shown
        var mode = SSLPinningMode.none
        /// The certificate that is pinned; nil: none.
        var pin: (@Sendable ([TestCertificate]) throws -> Data)?
        var allowsInvalid = false
        var validatesName = true
        var rule: ServerTrustError.Rule?
        var testDescription: String { "\(reference): \(what)" }
    }

    static let policies: [Policy] = [
        Policy(
            reference: "AFNetworking#2914", what: "anything goes, but names are to be checked: that cannot be",
            shown: .selfSigned, allowsInvalid: true, rule: .settings),
        Policy(
            reference: "AFNetworking#2914", what: "anything goes, names too",
            shown: .selfSignedForOther, allowsInvalid: true, validatesName: false),
        Policy(
            reference: "AFNetworking#3713", what: "a pinning mode with nothing pinned",
            shown: .selfSigned, mode: .certificate, allowsInvalid: true, rule: .settings),
        Policy(
            reference: "AFNetworking#3156", what: "a pin without a pinning mode is no anchor",
            shown: .selfSigned, pin: { $0[0].der }, rule: .chain),
        Policy(
            reference: "AFNetworking#3058", what: "a pinned self-signed certificate",
            shown: .selfSigned, mode: .certificate, pin: { $0[0].der }, allowsInvalid: true),
        Policy(
            reference: "AFNetworking#3058", what: "a pinned self-signed certificate for another name",
            shown: .selfSignedForOther, mode: .certificate, pin: { $0[0].der }, allowsInvalid: true,
            validatesName: false),
        Policy(
            reference: "AFNetworking#2690", what: "names are checked in pinned certificates, too",
            shown: .selfSignedForOther, mode: .certificate, pin: { $0[0].der }, allowsInvalid: true, rule: .hostName),
        Policy(
            reference: "AFNetworking#3313", what: "the root of a private authority is pinned, and not sent",
            shown: .company, mode: .certificate, pin: { _ in try TLSReports.root.get().certificate.der },
            allowsInvalid: true),
        Policy(
            reference: "AFNetworking#3313", what: "a pin alone makes no private authority known to the machine",
            shown: .company, mode: .certificate, pin: { _ in try TLSReports.root.get().certificate.der }, rule: .chain),
        Policy(
            reference: "AFNetworking#2560", what: "without pins the chain is still verified",
            shown: .company, rule: .chain),
    ]

    @Test("Policies trust whom AFNetworking's trust", arguments: policies)
    func policy(_ settings: Policy) throws {
        let chain = try settings.shown.chain()
        let pins = try settings.pin.map { Set([try $0(chain)]) } ?? []
        let policy = SecurityPolicy(pinningMode: settings.mode, pinnedCertificates: pins)
        policy.allowInvalidCertificates = settings.allowsInvalid
        policy.validatesDomainName = settings.validatesName
        let failure = try Self.failure(policy, chain, "example.com")
        // A machine without roots says so instead.
        let isExpected = failure?.rule == settings.rule || settings.rule == .chain && failure?.rule == .trustStore
        #expect(isExpected, "\(settings): \(failure as Any)")
        let trust = try ServerTrust(certificates: chain.map(\.der))
        #expect(policy.evaluate(trust, forDomain: "example.com") == (settings.rule == nil))
    }

    // MARK: PKCS#12

    /// A PKCS#12 file that the `openssl` command makes of certificates in a given order.
    private func pkcs12(
        _ identity: TestIdentity, _ certificates: [TestCertificate], password: String, _ options: [String] = []
    ) throws -> Data {
        let folder = try TemporaryDirectory()
        let chain = try folder.write(certificates.map(\.pem).joined(), to: "chain.pem")
        let key = try folder.write(identity.key.pem, to: "key.pem")
        let file = folder.file("identity.p12")
        try ExternalProgram("openssl").run(
            [
                "pkcs12", "-export", "-in", chain.path, "-inkey", key.path, "-out", file.path, "-passout",
                "pass:\(password)",
            ] + options)
        return try Data(contentsOf: file)
    }

    /// The code with which a file is refused; nil: it is read.
    private func refusal(_ file: Data, password: String) -> ClientIdentityError.Code? {
        do {
            _ = try ClientIdentity(pkcs12: file, password: password)
            return nil
        } catch {
            return (error as? ClientIdentityError)?.code
        }
    }

    @Test("A file with RC2 is refused with what to do about it (osslsigncode#178)")
    func legacyCiphers() throws {
        let file = try Self.root.get().issue(dnsNames: ["client"]).pkcs12(password: "secret", legacy: true)
        do {
            _ = try ClientIdentity(pkcs12: file, password: "secret")
        } catch {
            let error = try #require(error as? ClientIdentityError)
            #expect(error.code == .invalidPKCS12 && error.reason.contains("-legacy"))
        }
        // Whoever reads such files needs the right password for them all the same.
        #expect(refusal(file, password: "wrong") != nil)
    }

    @Test("A file with 3DES, as Windows writes it, is read (Posh-ACME#446)")
    func tripleDES() throws {
        let identity = try Self.root.get().issue(dnsNames: ["client"])
        let options = ["-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-3DES", "-macalg", "sha1"]
        let file = try pkcs12(identity, identity.chain, password: "secret", options)
        #expect(refusal(file, password: "secret") == nil)
        #expect(refusal(file, password: "wrong") == .wrongPassword)
    }

    @Test("A file without a MAC is read, or refused as one, not for its password (xca#617, openssl#17720)")
    func withoutMAC() throws {
        let identity = try Self.root.get().issue(dnsNames: ["client"])
        let file = try pkcs12(identity, identity.chain, password: "secret", ["-nomac"])
        // OpenSSL 3.0 does not read such files, later versions do.
        let code = refusal(file, password: "secret")
        #expect(code == nil || code == .invalidPKCS12, "\(code as Any)")
    }

    @Test(
        "Passwords that are not ASCII, and none at all (openssl#25467, rust-mysql-simple#369)",
        arguments: ["1234é567", "żółw", "größer als 😀", ""])
    func passwords(_ password: String) throws {
        let identity = try Self.root.get().issue(dnsNames: ["client"])
        let file = try pkcs12(identity, identity.chain, password: password)
        #expect(refusal(file, password: password) == nil)
        #expect(refusal(file, password: password + "x") == .wrongPassword)
    }

    @Test("Certificates with the root first: the client's own is shown, then those above it (go-pkcs12#54)")
    func rootFirst() async throws {
        let (root, issuer) = (try Self.root.get(), try Self.intermediate.get())
        let client = try issuer.issue(dnsNames: ["client"])
        let order = [root.certificate, issuer.certificate, client.certificate]
        let identity = try ClientIdentity(
            pkcs12: try pkcs12(client, order, password: "secret"), password: "secret")
        let settings = TLSSettings(
            try root.issueForLocalhost(), clientAuthentication: .required(roots: [root.certificate]))
        let server = try TestServer(tls: settings)
        server.respondToOthers { _ in .ok("content") }
        let (status, code) = await load(server.url("/"), try Self.trusting()) { $0.clientIdentity = identity }
        #expect(status == 200 && code == nil)
        #expect(server.requests.first?.tls?.clientCertificate == client.certificate.der)
    }

    @Test("A file of certificates without a key is no identity (vcert#529)")
    func withoutKey() throws {
        let identity = try Self.root.get().issue(dnsNames: ["client"])
        let file = try pkcs12(identity, identity.chain, password: "secret", ["-nokeys"])
        #expect(refusal(file, password: "secret") == .invalidPrivateKey)
    }
}
