// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("Digest", .timeLimit(.minutes(1))) struct DigestTests {
    let server: TestServer

    init() throws {
        server = try TestServer()
    }

    private static func denial(_ parameters: String) -> ScriptedResponse {
        ScriptedResponse(
            status: 401, headers: [("WWW-Authenticate", "Digest realm=\"here\", qop=\"auth\", \(parameters)")],
            body: .text("denied"))
    }

    private func operation(_ path: String = "/", method: String = "GET", body: Data? = nil) -> HTTPRequestOperation {
        let operation = HTTPRequestOperation(server.url(path), method: method, body: body)
        operation.credential = URLCredential(user: "user", password: "secret", persistence: .none)
        return operation
    }

    /// A parameter of the `Authorization` field, without quotes.
    private static func parameter(_ name: String, of request: RecordedRequest) -> String? {
        request["Authorization"]?.dropFirst("Digest ".count).components(separatedBy: ", ")
            .first { $0.hasPrefix(name + "=") }?
            .dropFirst(name.count + 1).replacingOccurrences(of: "\"", with: "")
    }

    @Test("A challenge costs two requests, with content or without", arguments: ["GET", "POST"])
    func twoRequests(method: String) async {
        server.respondToOthers { $0["Authorization"] == nil ? Self.denial("nonce=\"n\"") : .ok("welcome") }
        let body = method == "POST" ? Data("body".utf8) : nil
        #expect(await operation(method: method, body: body).outcome().text == "welcome")
        #expect(server.requests.map { $0["Authorization"] != nil } == [false, true])
        #expect(server.requests.map(\.text) == (method == "POST" ? ["body", "body"] : ["", ""]))
        #expect(server.connectionCount == 1)
    }

    @Test(
        "The target that is hashed is the one in the request line",
        arguments: ["", "/", "?q=1", "/a%2fb%2F/../c/./?x=%c3%bc&y=/?", "//x", "/a;b,c=d'(e)"])
    func target(path: String) async {
        server.respondToOthers { $0["Authorization"] == nil ? Self.denial("nonce=\"n\"") : .ok("welcome") }
        #expect(await operation(path).outcome().text == "welcome")
        #expect(server.requests.last.map { Self.parameter("uri", of: $0) } == server.requests.last?.target)
        #expect(Self.parameter("nc", of: server.requests[1]) == "00000001")
    }

    @Test("After a redirect within the origin the answer is made anew; another origin gets none")
    func redirects() async throws {
        let other = try TestServer()
        other.respondToOthers { _ in .ok("elsewhere") }
        let elsewhere = other.url("/").absoluteString
        server.respond(to: "/a") { $0["Authorization"] == nil ? Self.denial("nonce=\"n\"") : .redirect(to: "/b?c") }
        server.respond(to: "/b") { _ in .redirect(to: elsewhere) }
        #expect(await operation("/a").outcome().text == "elsewhere")
        #expect(server.requests.map { Self.parameter("nc", of: $0) } == [nil, "00000001", "00000002"])
        #expect(server.requests.map { Self.parameter("uri", of: $0) } == [nil, "/a", "/b?c"])
        #expect(other.requests.map { $0["Authorization"] } == [nil])
    }

    @Test("A stale nonce is no failure: the new one is answered, and nobody is asked", arguments: [false, true])
    func stale(asks: Bool) async {
        server.respondToOthers { request in
            switch Self.parameter("nonce", of: request) {
            case nil: Self.denial("nonce=\"one\"")
            case "one": Self.denial("nonce=\"two\", stale=true")
            default: .ok("welcome")
            }
        }
        let failures = Journal<Int>()
        let operation = operation()
        if asks {
            operation.setWillSendRequestForAuthenticationChallengeBlock { _, challenge in
                failures.append(challenge.previousFailureCount)
                return .performDefaultHandling
            }
        }
        #expect(await operation.outcome().text == "welcome")
        #expect(server.requests.map { Self.parameter("nonce", of: $0) } == [nil, "one", "two"])
        #expect(failures.all == (asks ? [0] : []))
    }

    @Test("A server that finds every nonce stale is given up; one that refuses the password is asked once")
    func refusals() async {
        server.respond(to: "/stale") { _ in
            Self.denial("nonce=\"\(UInt64.random(in: 0...UInt64.max))\", stale=true")
        }
        #expect(await operation("/stale").outcome().status == 401)
        #expect(server.requests.count < 20)
        let before = server.requests.count
        server.respond(to: "/wrong") { _ in Self.denial("nonce=\"\(UInt64.random(in: 0...UInt64.max))\"") }
        #expect(await operation("/wrong").outcome().text == "denied")
        #expect(server.requests.count == before + 2)
    }

    @Test("A block that always answers does so 20 times, however stale the server finds every nonce")
    func staleForEver() async {
        server.respondToOthers { _ in Self.denial("nonce=\"\(UInt64.random(in: 0...UInt64.max))\", stale=true") }
        let operation = operation()
        operation.setWillSendRequestForAuthenticationChallengeBlock { _, _ in
            .useCredential(URLCredential(user: "user", password: "secret", persistence: .none))
        }
        #expect(await operation.outcome().status == 401)
        #expect(server.requests.count == 21)
    }

    @Test("A stale nonce of another realm, or for another algorithm, is asked about", arguments: ["there", "here"])
    func otherRealm(realm: String) async {
        server.respondToOthers { request in
            request["Authorization"] == nil
                ? Self.denial("nonce=\"a\", algorithm=SHA-256")
                : ScriptedResponse(
                    status: 401,
                    headers: [("WWW-Authenticate", "Digest realm=\"\(realm)\", nonce=\"b\", qop=\"auth\", stale=true")])
        }
        let realms = Journal<String>()
        let operation = operation()
        operation.setWillSendRequestForAuthenticationChallengeBlock { _, challenge in
            realms.append(challenge.protectionSpace.realm ?? "")
            return challenge.previousFailureCount == 0
                ? .useCredential(URLCredential(user: "user", password: "secret", persistence: .none))
                : .rejectProtectionSpace
        }
        #expect(await operation.outcome().status == 401)
        #expect(realms.all == ["here", realm])
        #expect(server.requests.count == 2)
    }

    @Test("A Digest that cannot be answered leaves the choice to other schemes")
    func otherScheme() async {
        server.respondToOthers { request in
            guard request["Authorization"] == nil else { return .ok(request["Authorization"] ?? "") }
            let fields = ["Digest realm=x, nonce=n, algorithm=SHA-1", "Digest realm=x, nonce=n, qop=auth-int", "Basic"]
            return ScriptedResponse(status: 401, headers: fields.map { ("WWW-Authenticate", $0) })
        }
        #expect(await operation().outcome().text?.hasPrefix("Basic ") == true)
    }

    @Test("Scheme names of combining marks cost no more than a moment")
    func longScheme() async {
        func marks(_ count: Int) -> String { "e" + String(repeating: "\u{301}\u{316}", count: count) }
        let fields = Array(repeating: marks(22_000), count: 2) + ["Basic realm=\"\(marks(1000))\""]
        server.respond(to: "/", ScriptedResponse(status: 401, headers: fields.map { ("WWW-Authenticate", $0) }))
        let begin = ContinuousClock.now
        let outcome = await operation().outcome()
        #expect(outcome.status == 401, "\(outcome.error as Any)")
        #expect(ContinuousClock.now - begin < .seconds(5 * Patience.factor))
    }
}
