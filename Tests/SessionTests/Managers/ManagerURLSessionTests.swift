// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import OperationNetworking

/// Tasks that a program makes by a manager's `session`.
@Suite("Tasks of a session manager's session", .timeLimit(.minutes(1))) struct ManagerURLSessionTests {
    let server: TestServer
    let manager: HTTPSessionManager

    init() throws {
        server = try TestServer()
        server.respondToOthers { _ in .json(#"{"a":"b"}"#) }
        manager = HTTPSessionManager(baseURL: server.url()).offMain()
    }

    // MARK: What they are made of

    @Test("They are judged by the policy that the manager has when they are made, also those of data(for:)")
    func policy() async throws {
        let authority = try TestCertificateAuthority()
        let secure = try TestServer(tls: TLSSettings(authority.issueForLocalhost()))
        secure.respondToOthers { _ in .json("{}") }
        let url = secure.url("/x")
        let (lax, strict) = (SecurityPolicy.default(), SecurityPolicy.default())
        lax.anchorCertificates = [authority.certificate.der]
        manager.securityPolicy = lax
        let session = manager.session
        // Made before the change, resumed after it.
        let early = await session.outcome(URLRequest(url: url)) { task in
            manager.securityPolicy = strict
            task.resume()
        }
        #expect(early.status == 200)
        #expect(await session.outcome(url).code == .serverCertificateHasUnknownRoot)
        await #expect(throws: URLError.self) { try await session.data(from: url) }
        await #expect(throws: URLError.self) { try await session.download(from: url) }
        #expect(manager.operation(for: session.dataTask(with: url))?.securityPolicy === strict)
        #expect(manager.operation(for: session.downloadTask(with: url))?.securityPolicy === strict)
        manager.securityPolicy = lax
        #expect(try await session.data(from: url).0 == Data("{}".utf8))
        #expect(manager.session === session)
    }

    @Test("Proxies and limits are the manager's present ones, but what sends requests again is not Foundation's way")
    func settings() throws {
        manager.proxyConfiguration = ProxyConfiguration(dictionary: [
            "HTTPEnable": 1, "HTTPProxy": "proxy.example", "HTTPPort": 3128,
        ])
        let (session, url) = (manager.session, server.url())
        let early = try #require(manager.operation(for: session.dataTask(with: url) { _, _, _ in }))
        manager.proxyConfiguration = nil
        manager.totalTimeout = 5
        manager.unixSocketPath = "/s"
        manager.retryPolicy = RetryPolicy(maximumAttempts: 3)
        let late = try #require(manager.operation(for: session.dataTask(with: url) { _, _, _ in }))
        #expect(early.proxyConfiguration != nil && early.totalTimeout == nil && early.unixSocketPath == nil)
        #expect(late.proxyConfiguration == nil && late.totalTimeout == 5)
        #expect(late.unixSocketPath == "/s" && late.retryPolicy == nil)
    }
}
