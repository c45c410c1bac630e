// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("TokenRefresher", .timeLimit(.minutes(2))) struct TokenRefresherTests {
    private let server: TestServer
    private let manager: HTTPRequestOperationManager
    /// What the server takes.
    private let valid = Recorder<String>()

    init() throws {
        server = try TestServer()
        manager = .offMain(server.url("/"))
        manager.responseSerializer = HTTPResponseSerializer()
        server.respondToOthers { [valid] request in
            valid.values.contains { request["Authorization"] == "Bearer \($0)" } ? .ok("in") : .status(401)
        }
    }

    private func outcomes(_ count: Int) async -> [HTTPOutcome] {
        await withTaskGroup(of: HTTPOutcome.self) { group in
            for index in 0..<count { group.addTask { await manager.getting("\(index)") } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("Many requests with an old token: one refresh, and each is sent again", arguments: [nil, "old"])
    func one(token: String?) async {
        let refreshes = Tally()
        let refresher = TokenRefresher(token: token) { [valid] in
            refreshes.increment()
            valid.append("new")
            return "new"
        }
        manager.interceptors = [refresher]
        let all = await outcomes(60)
        #expect(all.allSatisfy { $0.error == nil && $0.text == "in" } && refreshes.value == 1)
        #expect(refresher.token == "new")
        #expect(all.allSatisfy { ($0.operation?.retryCount ?? 9) <= 1 } && server.requests.count <= 120)
        let before = server.requests.count
        #expect(await manager.getting("later").text == "in" && server.requests.count == before + 1)
    }

    @Test(
        "A thousand at once: one refresh; those that are cancelled while it is under way end at once, the others well")
    func thousand() async throws {
        let (refreshes, gate) = (Tally(), Gate())
        manager.interceptors = [
            TokenRefresher(token: "old") { [valid] in
                refreshes.increment()
                await gate.wait()
                valid.append("new")
                return "new"
            }
        ]
        let (successes, cancellations, others) = (Tally(), Tally(), Tally())
        let operations = try (0..<1000).map { try manager.makeOperation(method: "GET", "\($0)") }
        for operation in operations {
            operation.setCompletionBlockWithSuccess(
                { _, _ in successes.increment() },
                failure: { _, error in ((error as? URLError)?.code == .cancelled ? cancellations : others).increment() }
            )
        }
        manager.operationQueue.enqueue(operations)
        try await eventually("a refresh") { refreshes.value == 1 }
        for operation in operations.prefix(100) { operation.cancel() }
        try await eventually("the cancelled ones") { cancellations.value == 100 }
        gate.open()
        try await eventually("all", timeout: 60) { successes.value + cancellations.value + others.value >= 1000 }
        #expect(successes.value == 900 && cancellations.value == 100 && others.value == 0 && refreshes.value == 1)
        #expect(server.requests.count <= 2000)
    }

    struct Refused: Error {}

    @Test("A refresh that fails ends all with its error, once; the next request makes another try")
    func failing() async throws {
        let refreshes = Tally()
        manager.interceptors = [
            TokenRefresher(token: "old") {
                refreshes.increment()
                throw Refused()
            }
        ]
        // None is answered before all are made; most wait in the queue.
        let gate = Gate()
        server.respondToOthers { _ in ScriptedResponse(status: 401).holding(gate, at: .beforeHead) }
        async let all = outcomes(40)
        try await eventually("the operations") { manager.operationQueue.operationCount == 40 }
        gate.open()
        #expect(await all.allSatisfy { $0.error is Refused })
        #expect(server.requests.count < 40)
        #expect(refreshes.value == 1)
        #expect(await manager.getting("later").error is Refused)
        #expect(refreshes.value == 2)
    }

    @Test("Refused with an older token than the present one: again, without a refresh")
    func older() async throws {
        let refreshes = Tally()
        let refresher = TokenRefresher(token: "old") {
            refreshes.increment()
            return "unused"
        }
        manager.interceptors = [refresher]
        let gate = Gate()
        server.respond(to: "/slow") { request in
            request["Authorization"] == "Bearer new"
                ? .ok("in") : ScriptedResponse(status: 401).holding(gate, at: .beforeHead)
        }
        async let outcome = manager.getting("slow")
        try await eventually("the request") { server.requests.count == 1 }
        refresher.token = "new"
        gate.open()
        #expect(await outcome.text == "in" && refreshes.value == 0 && server.requests.count == 2)
    }

    @Test(
        "A token that is set while a refresh is under way stays, and those that wait go on with it",
        arguments: ["set", nil])
    func setMeanwhile(token: String?) async {
        let (asked, gate) = (Gate(), Gate())
        let refresher = TokenRefresher(token: "old") {
            asked.open()
            await gate.wait()
            return "late"
        }
        manager.interceptors = [refresher]
        valid.append("set")
        async let outcome = manager.getting("x")
        await asked.wait()
        refresher.token = token
        gate.open()
        #expect(await outcome.status == (token == nil ? 401 : 200))
        #expect(refresher.token == token)
        let fields: [String?] = ["Bearer old", token.map { "Bearer \($0)" }]
        #expect(server.requests.map { $0["Authorization"] } == fields)
    }

    @Test("A request that is asked over TLS in place of http is refreshed, too")
    func strictTransportSecurity() async throws {
        let root = try TestCertificateAuthority(name: "Strict Root")
        let server = try TestServer(tls: TLSSettings(root.issueForLocalhost()))
        server.respondToOthers { $0["Authorization"] == "Bearer new" ? .ok("in") : .status(401) }
        let manager = HTTPRequestOperationManager.offMain(server.url("/", host: "localhost", scheme: "http"))
        manager.responseSerializer = HTTPResponseSerializer()
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [root.certificate.der]
        manager.securityPolicy = policy
        manager.strictTransportSecurity = StrictTransportSecurity(hosts: [
            .init(name: "localhost", expires: Date() + 1000)
        ])
        manager.interceptors = [TokenRefresher(token: "old", refresh: { "new" })]
        #expect(await manager.getting("x").text == "in")
        #expect(server.requests.map { $0["Authorization"] } == ["Bearer old", "Bearer new"])
    }

    @Test("A new token that is refused, too, ends the request with the 401")
    func refusedAgain() async {
        let refreshes = Tally()
        manager.interceptors = [
            TokenRefresher(token: "old") {
                refreshes.increment()
                return "as bad"
            }
        ]
        let outcome = await manager.getting("x")
        #expect(outcome.status == 401 && outcome.error is ResponseSerializationError)
        #expect(refreshes.value == 1 && server.requests.map { $0["Authorization"] } == ["Bearer old", "Bearer as bad"])
    }

    @Test("The token does not go to another origin, nor does a 401 from there ask for another one")
    func origins() async throws {
        let other = try TestServer()
        other.respondToOthers { _ in .status(401) }
        let refreshes = Tally()
        manager.interceptors = [
            TokenRefresher(token: "secret") {
                refreshes.increment()
                return "secret"
            }
        ]
        #expect(await manager.getting(other.url("/direct").absoluteString).status == 401)
        server.respond(to: "/moved", .redirect(307, to: other.url("/there").absoluteString))
        #expect(await manager.getting("moved").status == 401)
        #expect(refreshes.value == 0 && other.requests.map { $0["Authorization"] } == [nil, nil])
        manager.sendsAuthorizationToOtherOrigins = true
        #expect(await manager.getting(other.url("/direct").absoluteString).status == 401)
        #expect(refreshes.value == 1 && other.requests.last?["Authorization"] == "Bearer secret")
    }

    @Test("A refresh by the same manager does not wait for itself, and goes without the token")
    func sameManager() async throws {
        server.respond(to: "/token", .ok("fresh"))
        let manager = manager
        manager.interceptors = [
            TokenRefresher(token: "old") { [valid] in
                let token = try manager.makeOperation(method: "GET", "token")
                _ = try await token.value()
                valid.append(token.responseString ?? "")
                return token.responseString ?? ""
            }
        ]
        #expect(await manager.getting("x").text == "in")
        #expect(server.requests.first { $0.path == "/token" }?["Authorization"] == nil)
    }

    @Test("A refresh in the same manager's queue is not held up by the requests that wait for it")
    func sameQueue() async throws {
        server.respond(to: "/token", .ok("fresh"))
        let manager = manager
        let refreshes = Tally()
        manager.interceptors = [
            TokenRefresher(token: "old") { [valid] in
                refreshes.increment()
                let token = try manager.makeOperation(method: "GET", "token")
                manager.enqueue(token)
                _ = try await token.value()
                valid.append(token.responseString ?? "")
                return token.responseString ?? ""
            }
        ]
        let texts = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<40 { group.addTask { await manager.getting("x").text } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(texts == Array(repeating: "in", count: 40) && refreshes.value == 1)
    }

    @Test("A refresh that takes the old token away itself brings the new one")
    func ownLogout() async {
        let box = Locked<TokenRefresher?>(nil)
        let refresher = TokenRefresher(token: "old") { [valid] in
            box.withLock { $0 }?.token = nil
            valid.append("fresh")
            return "fresh"
        }
        box.withLock { $0 = refresher }
        defer { box.withLock { $0 = nil } }
        manager.interceptors = [refresher]
        #expect(await manager.getting("x").text == "in")
        #expect(refresher.token == "fresh")
    }

    @Test("A POST that was refused is sent again with its content; a token of the caller's own making is applied")
    func post() async {
        let refresher = TokenRefresher(
            refresh: { "k1" }, apply: { token, request in request.setValue(token, forHTTPHeaderField: "X-Key") })
        manager.interceptors = [refresher]
        server.respond(to: "/post") { $0["X-Key"] == "k1" ? .ok($0.text) : .status(401) }
        let outcome = await manager.outcome {
            manager.post("post", parameters: ["a": "b"], success: $0, failure: $1)
        }
        #expect(outcome.text == "a=b" && server.requests.map(\.text) == ["a=b", "a=b"])
    }

    @Test("The token is in no description")
    func secrets() {
        let refresher = TokenRefresher(token: "t0ps3cret", refresh: { "t0ps3cret" })
        manager.interceptors = [refresher]
        var text = "\(refresher) \(String(reflecting: refresher)) \(manager)"
        dump(refresher, to: &text)
        dump(manager, to: &text)
        #expect(!text.contains("t0ps3cret") && text.contains("with a token"))
    }

    @Test("httpbin: a bearer token, fetched when the server asks for one")
    func httpbin() async throws {
        let httpbin = try HTTPBinServer.shared()
        let manager = HTTPRequestOperationManager.offMain(httpbin.url("/"))
        manager.interceptors = [TokenRefresher(refresh: { "fetched" })]
        let outcome = await manager.getting("bearer")
        #expect(outcome.json["token"] as? String == "fetched" && outcome.operation?.retryCount == 1)
    }
}
