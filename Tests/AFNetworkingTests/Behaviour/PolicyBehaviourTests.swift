// SPDX-License-Identifier: MIT
import AFNetworking
import TestServer
import Testing

/// What clients of AFNetworking expect of its security policy, in its spellings. The table is in SecurityTests.
@Suite("Policies as AFNetworking applies them", .timeLimit(.minutes(1))) struct PolicyBehaviourTests {
    private let authority: TestCertificateAuthority
    private let leaf: TestIdentity
    private let selfSigned: TestIdentity

    init() throws {
        authority = try TestCertificateAuthority()
        leaf = try authority.issueForLocalhost()
        selfSigned = try TestCertificateAuthority.selfSigned(dnsNames: ["foobar.com"])
    }

    private func trust(_ identity: TestIdentity) throws -> ServerTrust {
        try ServerTrust(certificates: identity.chain.map(\.der))
    }

    @Test("The default policy pins nothing, compares names, and takes no invalid certificate")
    func defaults() {
        let policy = AFSecurityPolicy.default()
        #expect(policy.sslPinningMode == .none && policy.SSLPinningMode == .none)
        #expect(!policy.allowInvalidCertificates && policy.validatesDomainName)
        #expect(policy.pinnedCertificates?.count == 0 && policy.pinnedCertificates.isEmpty)
    }

    @Test("Pins are set as Objective-C's sets come, and nil takes them away")
    func pins() throws {
        let policy = AFSecurityPolicy(pinningMode: .certificate)
        let data = leaf.certificate.der
        policy.pinnedCertificates = NSSet(object: data) as? Set<Data>
        #expect(policy.pinnedCertificates == [data])
        policy.pinnedCertificates.insert(selfSigned.certificate.der)
        policy.pinnedCertificates?.remove(data)
        #expect(policy.pinnedCertificates.count == 1)
        policy.pinnedCertificates = nil
        #expect(policy.pinnedCertificates == [])
        #expect(!policy.evaluateServerTrust(try trust(leaf), forDomain: nil))
        let given = AFSecurityPolicy(pinningMode: .publicKey, withPinnedCertificates: [data])
        #expect(given.pinnedCertificates?.first == data)
        #expect(AFSecurityPolicy.certificatesInBundle(.main) == AFSecurityPolicy.certificates(in: .main))
    }

    @Test("A valid chain passes, with and without a name; another name and an unknown root do not")
    func validation() throws {
        let policy = AFSecurityPolicy.default()
        #expect(!policy.evaluateServerTrust(try trust(leaf), forDomain: nil))
        policy.anchorCertificates = [authority.certificate.der]
        #expect(policy.evaluateServerTrust(try trust(leaf), forDomain: nil))
        #expect(policy.evaluateServerTrust(try trust(leaf), forDomain: "localhost"))
        #expect(!policy.evaluateServerTrust(try trust(leaf), forDomain: "apple.com"))
        policy.validatesDomainName = false
        #expect(policy.evaluateServerTrust(try trust(leaf), forDomain: "apple.com"))
    }

    @Test("Pinned are the server's certificate, its authority's, or one of several", arguments: [false, true])
    func pinning(pinsKey: Bool) throws {
        let policy = AFSecurityPolicy(pinningMode: pinsKey ? .publicKey : .certificate)
        policy.anchorCertificates = [authority.certificate.der]
        let (own, root, other) = (leaf.certificate.der, authority.certificate.der, selfSigned.certificate.der)
        for pins in [[own], [root], [own, root], [own, other]] as [Set<Data>] {
            policy.pinnedCertificates = pins
            #expect(policy.evaluateServerTrust(try trust(leaf), forDomain: nil))
            #expect(policy.evaluateServerTrust(try trust(leaf), forDomain: "localhost"))
            #expect(!policy.evaluateServerTrust(try trust(leaf), forDomain: "invaliddomainname.com"))
        }
        for pins in [[], [other]] as [Set<Data>] {
            policy.pinnedCertificates = pins
            #expect(!policy.evaluateServerTrust(try trust(leaf), forDomain: nil))
        }
    }

    @Test("A certificate that nobody has signed: with pins for its name, without only when no name is compared")
    func unsigned() throws {
        let pinned = AFSecurityPolicy(pinningMode: .publicKey)
        pinned.pinnedCertificates = [selfSigned.certificate.der]
        pinned.allowInvalidCertificates = true
        #expect(pinned.evaluateServerTrust(try trust(selfSigned), forDomain: "foobar.com"))
        pinned.pinnedCertificates = []
        #expect(!pinned.evaluateServerTrust(try trust(selfSigned), forDomain: "foobar.com"))
        let plain = AFSecurityPolicy(pinningMode: .none)
        #expect(!plain.evaluateServerTrust(try trust(selfSigned), forDomain: nil))
        plain.allowInvalidCertificates = true
        #expect(plain.evaluateServerTrust(try trust(selfSigned), forDomain: nil))
        #expect(!plain.evaluateServerTrust(try trust(selfSigned), forDomain: "foobar.com"))
        plain.pinnedCertificates = [selfSigned.certificate.der]
        #expect(!plain.evaluateServerTrust(try trust(selfSigned), forDomain: "foobar.com"))
        plain.validatesDomainName = false
        #expect(plain.evaluateServerTrust(try trust(selfSigned), forDomain: "foobar.com"))
    }

    @Test("Copies and archives have every setting")
    func copies() throws {
        let policy = AFSecurityPolicy(pinningMode: .certificate)
        policy.allowInvalidCertificates = true
        policy.validatesDomainName = false
        policy.pinnedCertificates = [leaf.certificate.der]
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode(policy, forKey: "policy")
        archiver.finishEncoding()
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        let restored = unarchiver.decodeObject(of: AFSecurityPolicy.self, forKey: "policy")
        for other in [try #require(restored), try #require(policy.copy() as? AFSecurityPolicy)] {
            #expect(other !== policy && other.sslPinningMode == .certificate)
            #expect(other.allowInvalidCertificates && !other.validatesDomainName)
            #expect(other.pinnedCertificates == policy.pinnedCertificates)
        }
    }

    @Test("A pin that does not fit is an untrusted certificate", arguments: [AFSSLPinningMode.certificate, .publicKey])
    func refused(mode: AFSSLPinningMode) async throws {
        let server = try TestServer(tls: TLSSettings(leaf))
        let manager = AFHTTPSessionManager(baseURL: server.url("/"))
        manager.responseSerializer = AFHTTPResponseSerializer()
        let policy = AFSecurityPolicy(pinningMode: mode, withPinnedCertificates: [selfSigned.certificate.der])
        policy.anchorCertificates = [authority.certificate.der]
        manager.securityPolicy = policy
        let failure = Box<NSError>()
        manager.get(
            "", parameters: nil, headers: nil, progress: nil, success: nil,
            failure: { failure.value = $1 as NSError })
        try await eventually("the failure") { failure.value != nil }
        #expect(failure.value?.domain == NSURLErrorDomain)
        #expect(failure.value?.code == URLError.Code.serverCertificateUntrusted.rawValue)
        #expect(server.requests.isEmpty)
        manager.invalidateSessionCancelingTasks(true, resetSession: false)
    }
}
