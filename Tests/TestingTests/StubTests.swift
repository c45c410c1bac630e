// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import NetworkingTransport
import OperationNetworkingTesting
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// What stubs answer, and what the library makes of it.
@Suite("Stubs", .timeLimit(.minutes(1)))
struct StubTests {
    let stubs = HTTPStubs()

    @Test("An answer is parsed, and the request recorded with its content")
    func answers() async throws {
        stubs.on("POST", "https://api.example.org/v1/books", respond: .json(["id": 7], status: 201))
        let operation = try makeManager(stubs).makeOperation(
            method: "POST", "books", parameters: ["title": "Lathe"])
        #expect(try await operation.decoded([String: Int].self) == ["id": 7])
        #expect(operation.response?.statusCode == 201)
        #expect(operation.response?.value(forHTTPHeaderField: "content-type") == "application/json")
        let request = try #require(stubs.requests.first)
        #expect(request.description == "POST https://api.example.org/v1/books")
        #expect(request.bodyText == "title=Lathe")
        #expect(request.value(forHTTPHeaderField: "content-type")?.hasPrefix("application/x-www-form") == true)
    }

    @Test("A request that no rule fits fails with what was asked and the nearest rule")
    func unmatched() async throws {
        stubs.on("POST", "/v1/authors", respond: StubResponse())
        stubs.on("POST", "/v1/books", respond: StubResponse())
        let error = await makeManager(stubs).request("books").failure()
        let unmatched = try #require(error as? UnmatchedRequestError)
        #expect(unmatched.nearestRule == "POST /v1/books")
        #expect(
            unmatched.description
                == "no stub for GET https://api.example.org/v1/books: the nearest of 2 rules, POST /v1/books, does not "
                + "fit, because its method is GET")
        #expect(stubs.unmatchedRequests == [unmatched])
        #expect(unmatched.localizedDescription == unmatched.description)
        #expect((error as Any) is NSError && (CassetteError.unplayed([]) as Any) is NSError)
    }

    @Test("Header fields and predicates choose among rules")
    func predicates() async throws {
        stubs.on("PUT", "/v1/x", headers: ["x-kind": "b"], respond: .text("field"))
        stubs.on("PUT", "/v1/x", where: { $1 == Data("yes".utf8) }, respond: .text("body"))
        let manager = makeManager(stubs)
        manager.responseSerializer = HTTPResponseSerializer()
        var request = try makeRequest("https://api.example.org/v1/x", method: "PUT", body: Data("yes".utf8))
        #expect(try await text(manager.httpRequestOperation(with: request)) == "body")
        request.setValue("b", forHTTPHeaderField: "X-Kind")
        #expect(try await text(manager.httpRequestOperation(with: request)) == "field")
        request.setValue("c", forHTTPHeaderField: "X-Kind")
        request.httpBody = Data("no".utf8)
        let error = await manager.httpRequestOperation(with: request).failure() as? UnmatchedRequestError
        #expect(error?.reason == "the rule's predicate said no")
    }

    private func text(_ operation: HTTPRequestOperation) async throws -> String {
        String(decoding: try await operation.data().0, as: UTF8.self)
    }

    @Test("An error that a rule throws is the operation's, and codes are Foundation's")
    func failures() async throws {
        struct Own: Error, Equatable {}
        stubs.on("GET", "/v1/own") { _ in throw Own() }
        stubs.on("GET", "/v1/lost", respond: .failure(.networkConnectionLost))
        stubs.on("GET", "/v1/offline", respond: .failure(.notConnectedToInternet))
        let manager = makeManager(stubs)
        #expect(await manager.request("own").failure() as? Own == Own())
        #expect((await manager.request("lost").failure() as? URLError)?.code == .networkConnectionLost)
        let offline = await manager.request("offline").failure() as? URLError
        #expect(offline?.code == .notConnectedToInternet)
        #expect(offline?.failingURL?.path == "/v1/offline")
    }

    @Test("Redirects are followed, and each hop is a request")
    func redirects() async throws {
        stubs.on("GET", "/v1/old", respond: .redirect(to: "/v1/new"))
        stubs.on("GET", "/v1/new", respond: .json(["at": "new"]))
        let operation = makeManager(stubs).request("old")
        #expect(try await operation.decoded([String: String].self) == ["at": "new"])
        #expect(operation.response?.url?.path == "/v1/new")
        #expect(stubs.requests.map(\.url.path) == ["/v1/old", "/v1/new"])
    }

    @Test("Challenges are answered with the credential", arguments: ["Basic", "Digest"])
    func challenges(scheme: String) async throws {
        stubs.on("GET", "/v1/secret", headers: ["Authorization": "*"], respond: .json(["ok"]))
        stubs.on(
            "GET", "/v1/secret",
            respond: scheme == "Basic"
                ? .basicChallenge(realm: "x") : .digestChallenge(realm: "x", nonce: "abc"))
        let manager = makeManager(stubs)
        manager.credential = URLCredential(user: "le", password: "guin", persistence: .none)
        #expect(try await manager.request("secret").decoded([String].self) == ["ok"])
        let sent = stubs.requests.last?.value(forHTTPHeaderField: "Authorization")
        #expect(sent?.hasPrefix(scheme) == true)
        #expect(stubs.requests.count == 2)
    }

    @Test("Retries go through the policy")
    func retries() async throws {
        stubs.on(
            "GET", "/v1/flaky",
            respond: .sequence([StubResponse(status: 503), .failure(.networkConnectionLost), .json([1])]))
        let manager = makeManager(stubs)
        manager.retryPolicy = RetryPolicy(backoff: .none)
        let operation = manager.request("flaky")
        #expect(try await operation.decoded([Int].self) == [1])
        #expect(operation.retryCount == 2)
        #expect(stubs.requests.count == 3)
    }

    @Test("Cookies are stored and sent")
    func cookies() async throws {
        stubs.on(
            "GET", "/v1/login", respond: StubResponse().withField("Set-Cookie", "a=1").withField("Set-Cookie", "b=2"))
        stubs.on("GET", "/v1/me", headers: ["Cookie": "*"], respond: .json([1]))
        let manager = makeManager(stubs)
        manager.cookieStorage = URLSessionConfiguration.ephemeral.httpCookieStorage
        manager.responseSerializer = HTTPResponseSerializer()
        _ = try await manager.request("login").data()
        _ = try await manager.request("me").data()
        #expect(stubs.requests.last?.value(forHTTPHeaderField: "Cookie") == "a=1; b=2")
    }

    @Test("The cache keeps what stubs answer")
    func cache() async throws {
        stubs.on(
            "GET", "/v1/kept", respond: StubResponse(headers: ["Cache-Control": "max-age=60"], body: Data("[1]".utf8)))
        let manager = makeManager(stubs)
        manager.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        manager.responseSerializer.acceptableContentTypes = nil
        _ = try await manager.request("kept").data()
        let second = manager.request("kept")
        #expect(try await second.data().0 == Data("[1]".utf8))
        #expect(second.metrics?.cacheOutcome == .hit)
        #expect(stubs.requests.count == 1)
    }

    @Test("The security policy judges what a host shows")
    func trust() async throws {
        let authority = try TestCertificateAuthority(name: "Stub CA")
        let identity = try authority.issue(dnsNames: ["api.example.org"])
        stubs.on("GET", "/v1/x", respond: .json([1]))
        stubs.present(certificates: identity.chain.map(\.der), host: "API.example.org")
        let manager = makeManager(stubs)
        let error = await manager.request("x").failure() as? URLError
        #expect(error?.code == .serverCertificateHasUnknownRoot || error?.code == .serverCertificateUntrusted)
        #expect(error?.userInfo[NSUnderlyingErrorKey] is ServerTrustError)
        #expect(stubs.requests.isEmpty)
        manager.securityPolicy.anchorCertificates = [authority.certificate.der]
        #expect(try await manager.request("x").decoded([Int].self) == [1])
    }

    @Test(
        "What a host shows is found by any form of its name",
        arguments: [
            ("münchen.example", "xn--mnchen-3ya.example"), ("xn--mnchen-3ya.example", "münchen.example"),
            ("api.example.org.", "api.example.org"), ("[::1]", "[0:0:0:0:0:0:0:1]"), ("::1", "[::1]"),
        ])
    func trust(shown: String, asked: String) async throws {
        let authority = try TestCertificateAuthority(name: "Stub CA")
        let identity = try authority.issue(dnsNames: ["api.example.org"])
        stubs.on("GET", "*", respond: .json([1]))
        stubs.present(certificates: identity.chain.map(\.der), host: shown)
        let error = await makeManager(stubs).request("https://\(asked)/x").failure() as? URLError
        #expect(error?.userInfo[NSUnderlyingErrorKey] is ServerTrustError)
    }

    @Test(
        "A template fits any form of its host's name",
        arguments: [
            ("münchen.example", "xn--mnchen-3ya.example"), ("xn--mnchen-3ya.example", "münchen.example"),
            ("api.example.org.", "api.example.org"), ("[::1]", "[0:0:0:0:0:0:0:1]"), ("::1", "[::1]"),
        ])
    func host(written: String, asked: String) async throws {
        stubs.on("GET", "https://\(written)/x", respond: .json([1]))
        let error = await makeManager(stubs).request("https://\(asked)/x").failure()
        #expect(error == nil)
    }

    @Test("Content that is coded is decoded, and a cut one fails")
    func codings() async throws {
        let text = Data(repeating: 0x61, count: 10_000)
        let coded = try #require(try? GzipEncoder.encode(text))
        stubs.on("GET", "/v1/z", respond: StubResponse(headers: ["Content-Encoding": "gzip"], body: coded))
        stubs.on(
            "GET", "/v1/cut",
            respond: StubResponse(headers: ["Content-Encoding": "gzip"], body: Data(coded.dropLast(9))))
        let manager = makeManager(stubs)
        manager.responseSerializer = HTTPResponseSerializer()
        #expect(try await manager.request("z").data().0 == text)
        #expect((await manager.request("cut").failure() as? URLError)?.code == .cannotDecodeContentData)
    }
}
