// SPDX-License-Identifier: MIT
import AFNetworking
import TestServer
import Testing

@testable import LegacySwift5

@MainActor
@Suite("Legacy sessions, redirects and failures", .timeLimit(.minutes(1)))
struct SessionTests {
    let httpbin: HTTPBinServer

    init() throws {
        httpbin = try HTTPBinServer.shared()
        Legacy.markMainQueue()
    }

    /// A server that wants a token, which it gives to who has the password.
    private func tokenServer(gate: Gate) throws -> TestServer {
        let server = try TestServer()
        server.respond(to: "/login") { request in
            let answer: ScriptedResponse =
                request.text == "password=sesame&user=ali"
                ? .json(#"{"token": "t1"}"#) : .json(#"{"error": "wrong password"}"#, status: 403)
            return answer.holding(gate, at: .beforeHead)
        }
        server.respondToOthers { request in
            request["Authorization"] == "Bearer t1" ? .json("[1, 2]") : .json("{}", status: 401)
        }
        return server
    }

    @Test("Refused requests log in once, and are sent again")
    func retry() async throws {
        let gate = Gate()
        let server = try tokenServer(gate: gate)
        let client = SessionClient(baseURL: server.url())
        (client.user, client.password) = ("ali", "sesame")
        let loads = ["a", "b", "c"].map { path in
            Task { @MainActor in
                await Legacy.result { done in
                    client.load(path, success: { done($0 as? [Int]) }, failure: { _, _ in done(nil) })
                }
            }
        }
        try await eventually("three refusals") { client.waiting.count == 3 }
        gate.open()
        var objects: [[Int]?] = []
        for load in loads { objects.append(await load.value) }
        #expect(objects == [[1, 2], [1, 2], [1, 2]])
        #expect(client.loginCount == 1 && server.count("/login") == 1 && client.waiting.isEmpty)
        #expect(server.requests.suffix(3).allSatisfy { $0["Authorization"] == "Bearer t1" })
    }

    @Test("With a wrong password the first refusal is the result")
    func noRetry() async throws {
        let gate = Gate()
        gate.open()
        let server = try tokenServer(gate: gate)
        let client = SessionClient(baseURL: server.url())
        let (status, code) = await Legacy.result { done in
            client.load(
                "a", success: { _ in done((0, 0)) },
                failure: { done(($0?.response?.statusCode, ($1 as NSError).code)) })
        }
        #expect(status == 401 && code == NSURLErrorBadServerResponse)
        #expect(server.requests.map(\.path) == ["/a", "/login"])
    }

    @Test("Basic authentication by header field and by credential")
    func basicAuthentication() async throws {
        var client = BasicAuthClient(baseURL: httpbin.url())
        let path = "basic-auth/user/secret"
        for (password, status) in [("secret", 200), ("wrong", 401)] {
            #expect(
                await Legacy.result { done in
                    client.logInWithHeader(path, user: "user", password: password) { done($0) }
                } == status)
        }
        for (password, status) in [("secret", 200), ("wrong", 401)] {
            client = BasicAuthClient(baseURL: httpbin.url())
            #expect(
                await Legacy.result { done in
                    client.logInWithCredential(path, user: "user", password: password) { done($0) }
                } == status)
        }
    }

    @Test("A challenge block is asked until a password is right, or it gives up")
    func challenges() async throws {
        let url = httpbin.url("/basic-auth/user/secret")
        let client = BasicAuthClient(baseURL: httpbin.url())
        let (name, _) = await Legacy.result { done in
            client.logInWithBlock(url, user: "user", passwords: ["1234", "secret"]) { object, error in
                done(((object as? [String: Any])?["user"] as? String, error))
            }
        }
        #expect(name == "user" && client.challengeCount == 2 && client.realms == ["Fake Realm", "Fake Realm"])
        let (_, error) = await Legacy.result { done in
            client.logInWithBlock(url, user: "user", passwords: []) { done((0, $1)) }
        }
        #expect((error as? URLError)?.code == .userCancelledAuthentication)
    }

    @Test("A challenge is answered later; one that nobody answers is handled as without a block")
    func lateAnswers() async throws {
        let url = httpbin.url("/basic-auth/user/secret")
        let right = URLCredential(user: "user", password: "secret", persistence: .none)
        let cases: [(answer: String?, credential: URLCredential?, status: Int)] = [
            ("secret", nil, 200), ("", right, 401), (nil, right, 200), (nil, nil, 401),
        ]
        for (answer, credential, status) in cases {
            let client = BasicAuthClient(baseURL: httpbin.url())
            var questions = 0
            let result = await Legacy.result { done in
                client.logInWithQuestion(
                    url, credential: credential,
                    ask: { reply in
                        questions += 1
                        reply(answer)
                    }, completion: { done($0) })
            }
            #expect(result == status && questions == 1)
        }
    }

    @Test("A redirect block sees each hop")
    func redirects() async throws {
        let resolver = ShortLinkResolver()
        let (url, status) = await Legacy.result { done in
            resolver.resolve(httpbin.url("/redirect/2")) { done(($0, $1)) }
        }
        #expect(url == httpbin.url("/get") && status == 200)
        #expect(resolver.hops == ["302 /relative-redirect/1", "302 /get"])
    }

    @Test("A redirect block that returns nil stops at the redirect")
    func noRedirect() async throws {
        let target = await Legacy.result { done in
            ShortLinkResolver().firstTarget(of: httpbin.url("/redirect-to?url=%2Fget")) { done($0) }
        }
        #expect(target == "/get")
    }

    private final class Delegate: WeatherServiceDelegate {
        var weather: [String: Any] = [:]
        var message: String?
        var wasOnMainQueue = false

        func weatherService(_ service: WeatherService, didLoad weather: [String: Any]) {
            self.weather = weather
            wasOnMainQueue = Legacy.isOnMainQueue
        }

        func weatherService(_ service: WeatherService, didFailWith message: String) {
            self.message = message
            wasOnMainQueue = Legacy.isOnMainQueue
        }
    }

    @Test("Methods are success blocks, and are called on the main queue")
    func methodReferences() async throws {
        let delegate = Delegate()
        let service = WeatherService(baseURL: httpbin.url())
        service.delegate = delegate
        service.load("get")
        try await eventually("an answer") { !delegate.weather.isEmpty }
        #expect(delegate.weather["args"] as? [String: String] == ["units": "metric"] && delegate.wasOnMainQueue)
    }

    @Test("Methods are failure blocks, and find status, text, response and data")
    func failure() async throws {
        let server = try TestServer()
        server.respond(to: "/broken", .json(#"{"reason": "rain"}"#, status: 502))
        let delegate = Delegate()
        let service = WeatherService(baseURL: server.url())
        service.delegate = delegate
        service.load("broken")
        try await eventually("a failure") { delegate.message != nil }
        #expect(
            delegate.message
                == #"com.alamofire.error.serialization.response -1011 [502] {"reason": "rain"} /broken (18)"#)
        #expect(delegate.wasOnMainQueue)
    }

    @Test("Nil as success and failure")
    func nilBlocks() async throws {
        let service = WeatherService(baseURL: httpbin.url())
        let operation = try #require(service.report("fine"))
        try await eventually("the end") { operation.isFinished }
        let form = (operation.responseObject as? [String: Any])?["form"] as? [String: String]
        #expect(operation.error == nil && form == ["text": "fine"])
        #expect(
            await Legacy.result { done in service.ping { operation, _ in done(operation?.response?.statusCode) } }
                == 418)
    }

    @Test("Notifications count what is under way")
    func activity() async throws {
        let server = try TestServer(addresses: ["127.0.0.2"])
        let gate = Gate()
        server.respondToOthers { _ in ScriptedResponse.ok().holding(gate, at: .beforeHead) }
        let counter = ActivityCounter()
        counter.host = "127.0.0.2"
        let manager = AFHTTPRequestOperationManager(baseURL: server.url())
        for path in ["a", "b", "c"] { manager.get(path, parameters: nil, success: nil, failure: nil) }
        try await eventually("three starts") { counter.activityCount == 3 }
        #expect(counter.isNetworkActivityIndicatorVisible && counter.seenPaths.sorted() == ["/a", "/b", "/c"])
        gate.open()
        try await eventually("three ends") { counter.activityCount == 0 }
        #expect(!counter.isNetworkActivityIndicatorVisible && counter.maximum == 3)
    }

    @Test("The pinned certificate's server is talked to, another is not", arguments: [false, true])
    func pinning(pinsPublicKey: Bool) async throws {
        let directory = try TemporaryDirectory()
        let identity = try TestCertificateAuthority.selfSigned()
        let certificate = try directory.write(identity.certificate.der, to: "bank.cer")
        let bank = try TestServer(tls: TLSSettings(identity))
        let impostor = try TestServer(tls: TLSSettings(TestCertificateAuthority.selfSigned()))
        for server in [bank, impostor] { server.respond(to: "/balance", .json(#"{"balance": 12.5}"#)) }
        var outcomes: [(Double?, NSError?)] = []
        for server in [bank, impostor] {
            let client = PinnedBankClient(
                baseURL: server.url(), certificatePath: certificate.path, pinsPublicKey: pinsPublicKey)
            outcomes.append(await Legacy.result { done in client.balance { done(($0, $1)) } })
        }
        #expect(outcomes[0].0 == 12.5 && outcomes[0].1 == nil)
        #expect(outcomes[1].0 == nil && outcomes[1].1?.domain == NSURLErrorDomain)
        #expect(outcomes[1].1?.code == URLError.Code.serverCertificateUntrusted.rawValue)
        #expect(impostor.requests.isEmpty)
    }
}
