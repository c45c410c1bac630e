// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("A manager's client identity stays within the base URL's origin", .timeLimit(.minutes(1)))
struct ManagerIdentityTests {
    private let own: TestServer
    private let other: TestServer
    private let policy: SecurityPolicy
    private let identity: ClientIdentity

    init() throws {
        let root = try TestCertificateAuthority(name: "Identities")
        let settings = TLSSettings(
            try root.issueForLocalhost(), clientAuthentication: .optional(roots: [root.certificate]))
        (own, other) = (try TestServer(tls: settings), try TestServer(tls: settings))
        for server in [own, other] { server.respondToOthers { _ in .ok("fine") } }
        policy = SecurityPolicy.default()
        policy.anchorCertificates = [root.certificate.der]
        let client = try root.issue(commonName: "client")
        identity = try ClientIdentity(
            certificateChainPEM: Data(client.chainPEM.utf8), privateKeyPEM: Data(client.key.pem.utf8))
    }

    private func isShown(to server: TestServer) throws -> Bool {
        try #require(server.requests.last).tls?.clientCertificate != nil
    }

    @Test("Operation managers")
    func operations() async throws {
        let manager = HTTPRequestOperationManager(baseURL: own.url("/"))
        manager.completionQueue = DispatchQueue(label: "test.identity")
        manager.responseSerializer = HTTPResponseSerializer()
        manager.securityPolicy = policy
        manager.clientIdentity = identity
        func get(_ string: String, by manager: HTTPRequestOperationManager) async throws {
            _ = try await manager.makeOperation(method: "GET", string).value()
        }
        let elsewhere = other.url("/x").absoluteString
        try await get("x", by: manager)
        #expect(try isShown(to: own))
        try await get(elsewhere, by: manager)
        #expect(try !isShown(to: other))
        let free = HTTPRequestOperationManager(baseURL: nil)
        free.completionQueue = manager.completionQueue
        free.responseSerializer = HTTPResponseSerializer()
        free.securityPolicy = policy
        free.clientIdentity = identity
        try await get(elsewhere, by: free)
        #expect(try isShown(to: other), "without a base URL there is no elsewhere")
        try await get(elsewhere, by: manager)
        #expect(try !isShown(to: other))
        manager.sendsAuthorizationToOtherOrigins = true
        try await get(elsewhere, by: manager)
        #expect(try isShown(to: other))
    }

    @Test("Session managers")
    func sessions() async throws {
        let manager = HTTPSessionManager(baseURL: own.url("/"))
        manager.completionQueue = DispatchQueue(label: "test.identity")
        manager.responseSerializer = HTTPResponseSerializer()
        manager.securityPolicy = policy
        manager.clientIdentity = identity
        func get(_ string: String, _ change: (HTTPRequestOperation) -> Void = { _ in }) async throws {
            let done = Gate()
            let made = manager.dataTask(
                withHTTPMethod: "GET", URLString: string, success: { _, _ in done.open() },
                failure: { _, _ in done.open() })
            let task = try #require(made)
            change(try #require(manager.operation(for: task)))
            task.resume()
            await done.wait()
        }
        let elsewhere = other.url("/x").absoluteString
        try await get("x")
        #expect(try isShown(to: own))
        try await get(elsewhere)
        #expect(try !isShown(to: other))
        try await get(elsewhere) { $0.clientIdentity = identity }
        #expect(try isShown(to: other), "it was set for this very request")
        try await get(elsewhere)
        #expect(try !isShown(to: other))
        manager.sendsAuthorizationToOtherOrigins = true
        try await get(elsewhere)
        #expect(try isShown(to: other))
        manager.invalidateSessionCancelingTasks(true)
    }

    @Test("A base URL of http that is asked over TLS is the same origin")
    func upgraded() async throws {
        let manager = HTTPSessionManager(baseURL: own.url("/", host: "localhost", scheme: "http"))
        manager.completionQueue = DispatchQueue(label: "test.identity")
        manager.responseSerializer = HTTPResponseSerializer()
        manager.securityPolicy = policy
        manager.clientIdentity = identity
        manager.strictTransportSecurity = StrictTransportSecurity(hosts: [
            .init(name: "localhost", expires: Date() + 1000)
        ])
        for url in [
            own.url("/x", host: "localhost", scheme: "http"), other.url("/x", host: "localhost", scheme: "http"),
        ] {
            let done = Gate()
            let task = manager.dataTask(with: URLRequest(url: url), completionHandler: { _, _, _ in done.open() })
            task.resume()
            await done.wait()
        }
        #expect(try isShown(to: own))
        #expect(try !isShown(to: other))
        manager.invalidateSessionCancelingTasks(true)
    }
}
