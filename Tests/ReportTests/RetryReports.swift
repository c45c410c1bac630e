// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking
import TestServer
import Testing

/// Retries and tokens, as public reports about other clients have them.
@Suite("Reports: retry", .timeLimit(.minutes(2))) struct RetryReports {
    private static let done = Exchange.Answer.bytes("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone")

    /// A response without content.
    private static func refusal(_ status: Int, _ fields: String...) -> Exchange.Answer {
        .bytes("HTTP/1.1 \(status) No\r\n" + fields.map { $0 + "\r\n" }.joined() + "Content-Length: 0\r\n\r\n")
    }

    private static let policy = RetryPolicy(maximumAttempts: 3, backoff: .none)
    private static let retries: @Sendable (HTTPRequestOperationManager) -> Void = { $0.retryPolicy = policy }
    private static let retriesAtOnce: @Sendable (HTTPRequestOperationManager) -> Void = { manager in
        manager.retryPolicy = RetryPolicy(maximumAttempts: 3, backoff: .none, honorsRetryAfter: false)
    }

    private static let fixedCases: [Exchange] = [
        Exchange(
            reference: "axios-retry#146", what: "POST is not sent again after 503", answers: [refusal(503), done],
            method: "POST", body: "x", configure: retries, outcome: .status(503), requests: ["POST /"]),
        Exchange(
            reference: "PanoramicData.OData.Client#43", what: "POST is not sent again after 504",
            answers: [refusal(504), done], method: "POST", body: "x", configure: retries, outcome: .status(504),
            requests: ["POST /"]),
        Exchange(
            reference: "HTTP.jl#207", what: "POST is not sent again when the connection is lost",
            answers: [.scripted(.script([.close])), done], method: "POST", body: "x", configure: retries,
            outcome: .failure(.networkConnectionLost), requests: ["POST /"]),
        Exchange(
            reference: "farm.js#1132", what: "422 is for good", answers: [refusal(422), done], configure: retries,
            outcome: .status(422), requests: ["GET /"]),
        Exchange(
            reference: "requests#6809", what: "503 without end is asked for so often, and no more",
            answers: [refusal(503)], configure: retries, outcome: .status(503),
            requests: ["GET /", "GET /", "GET /"]),
        Exchange(
            reference: "requests#4854", what: "Retry-After of an hour that nobody wants to honor",
            answers: [refusal(429, "Retry-After: 3600"), done], configure: retriesAtOnce, outcome: .text("done"),
            requests: ["GET /", "GET /"]),
        Exchange(
            reference: "supabase-js#2634", what: "Retry-After of a day ends it",
            answers: [refusal(503, "Retry-After: 86400"), done], configure: retries, outcome: .status(503),
            requests: ["GET /"]),
        Exchange(
            reference: "urllib3#5152", what: "a Retry-After that is too far ends it, and is there to be read",
            answers: [refusal(503, "Retry-After: 99999999999999999999"), done], configure: retries,
            outcome: .status(503), requests: ["GET /"], received: ["Retry-After": "99999999999999999999"]),
        Exchange(
            reference: "kohttp#151", what: "a date that is over is not waited for",
            answers: [
                refusal(503, "Date: Mon, 02 Sep 2019 10:00:00 GMT", "Retry-After: Mon, 02 Sep 2019 09:00:00 GMT"),
                done,
            ], configure: retries, outcome: .text("done"), requests: ["GET /", "GET /"]),
        Exchange(
            reference: "codex#2699", what: "the request goes out with the new token",
            answers: [refusal(401), done],
            configure: { $0.interceptors = [TokenRefresher(token: "old") { "new" }] }, outcome: .text("done"),
            requests: ["GET /", "GET /"], sent: ["Authorization": "Bearer new"]),
        Exchange(
            reference: "openmeet-platform#414", what: "a new token that is refused, too, ends with 401",
            answers: [refusal(401)], configure: { $0.interceptors = [TokenRefresher(token: "old") { "new" }] },
            outcome: .status(401), requests: ["GET /", "GET /"], sent: ["Authorization": "Bearer new"]),
    ]

    private static let unreadable: [Exchange] = ["-3", "+3", "1.5", "soon", "2s"].map { (value: String) in
        Exchange(
            reference: "mastra#23778", what: "Retry-After: \(value) says nothing",
            answers: [refusal(503, "Retry-After: \(value)"), done], configure: retries, outcome: .text("done"),
            requests: ["GET /", "GET /"])
    }

    private static let dates = ["Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]
    private static let obsolete: [Exchange] = dates.map { (value: String) in
        Exchange(
            reference: "std#7299", what: "obsolete forms of dates: \(value)",
            answers: [refusal(503, "Date: Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After: \(value)"), done],
            configure: retries, outcome: .text("done"), requests: ["GET /", "GET /"])
    }

    static let cases: [Exchange] = fixedCases + unreadable + obsolete

    @Test("Exchanges", arguments: cases) func exchange(_ exchange: Exchange) async throws { try await exchange.run() }

    // MARK: Time

    /// How long the second request has to wait.
    struct Wait: Sendable, CustomTestStringConvertible {
        let reference: String
        let what: String
        /// Of the 503 that comes first.
        let fields: [(name: String, value: String)]
        var backoff = Backoff.none
        /// Not less than that.
        let least: Duration

        var testDescription: String { "\(reference): \(what)" }
    }

    static let waits: [Wait] = [
        Wait(
            reference: "ktor#2762", what: "seconds, not milliseconds", fields: [("Retry-After", "1")],
            least: .milliseconds(990)),
        Wait(
            reference: "acme.sh#7201", what: "a date, by the clock of the server",
            fields: [
                ("Date", "Thu, 20 Aug 2015 09:00:00 GMT"), ("Retry-After", "Thu, 20 Aug 2015 09:00:01 GMT"),
            ], least: .milliseconds(990)),
        Wait(
            reference: "supabase-js#2634", what: "what cannot be read does not take the place of the back-off",
            fields: [("Retry-After", "soon")], backoff: .constant(0.3), least: .milliseconds(290)),
    ]

    @Test("The time before another attempt", arguments: waits) func wait(_ test: Wait) async throws {
        let server = try TestServer()
        server.enqueue(ScriptedResponse(status: 503, headers: test.fields))
        server.respondToOthers { _ in .ok("done") }
        let manager = Self.makeManager(server)
        manager.retryPolicy = RetryPolicy(backoff: test.backoff)
        let operation = try manager.makeOperation(method: "GET", "/")
        manager.enqueue(operation)
        _ = try await operation.value()
        let times = server.requests.map(\.time)
        try #require(times.count == 2)
        #expect(times[0].duration(to: times[1]) >= test.least)
        #expect(times[0].duration(to: times[1]) < .seconds(20 * Patience.factor))
    }

    // MARK: Tokens

    private static func makeManager(_ server: TestServer) -> HTTPRequestOperationManager {
        let manager = HTTPRequestOperationManager(baseURL: server.url("/"))
        manager.responseSerializer = HTTPResponseSerializer()
        manager.completionQueue = DispatchQueue(label: "reports")
        return manager
    }

    /// A server that takes one token only.
    private static func makeServer(taking token: String) throws -> TestServer {
        let server = try TestServer()
        server.respondToOthers { request in
            request["Authorization"] == "Bearer \(token)" ? .ok("in") : .status(401)
        }
        return server
    }

    /// Sends requests at once, and gives the operations when all are over.
    private static func run(_ count: Int, _ manager: HTTPRequestOperationManager) async throws
        -> [HTTPRequestOperation]
    {
        let operations = try (0..<count).map { try manager.makeOperation(method: "GET", "\($0)") }
        for operation in operations { manager.enqueue(operation) }
        for operation in operations { _ = try? await operation.value() }
        return operations
    }

    @Test("A token that is good for one refresh is used once, however many are refused (AlexAegis/auth#382)")
    func herd() async throws {
        let server = try Self.makeServer(taking: "new")
        let manager = Self.makeManager(server)
        let refreshes = Locked(0)
        manager.interceptors = [
            TokenRefresher(token: "old") {
                let count = refreshes.withLock { count -> Int in
                    count += 1
                    return count
                }
                return count == 1 ? "new" : "used up"
            }
        ]
        let operations = try await Self.run(20, manager)
        #expect(operations.allSatisfy { $0.error == nil && $0.responseString == "in" })
        #expect(refreshes.withLock { $0 } == 1)
    }

    @Test("Who is refused while a refresh is under way is sent again, too (axios-auth-refresh#90)")
    func refusedMeanwhile() async throws {
        let server = try Self.makeServer(taking: "new")
        let manager = Self.makeManager(server)
        let refreshes = Locked(0)
        manager.interceptors = [
            TokenRefresher(token: "old") {
                refreshes.withLock { $0 += 1 }
                try await eventually("all refusals") { server.requests.count >= 3 }
                return "new"
            }
        ]
        let gate = Gate()
        for path in ["/0", "/1", "/2"] {
            server.respond(to: path) { request in
                request["Authorization"] == "Bearer new"
                    ? .ok("in") : ScriptedResponse(status: 401).holding(gate, at: .beforeHead)
            }
        }
        async let all = Self.run(3, manager)
        try await eventually("three requests") { server.requests.count == 3 }
        gate.open()
        #expect(try await all.allSatisfy { $0.responseString == "in" })
        #expect(refreshes.withLock { $0 } == 1)
    }

    @Test("A refresh that is refused itself ends it, without a loop and without waiting for itself (videoq#477)")
    func refusedRefresh() async throws {
        let server = try Self.makeServer(taking: "none")
        let manager = Self.makeManager(server)
        manager.interceptors = [
            TokenRefresher(token: "old") { [weak manager] in
                guard let manager else { return "gone" }
                let operation = try manager.makeOperation(method: "POST", "refresh")
                manager.enqueue(operation)
                _ = try await operation.value()
                return "never"
            }
        ]
        let operations = try await Self.run(1, manager)
        #expect(operations.first?.error != nil)
        #expect(server.requests.map { "\($0.method) \($0.target)" } == ["GET /0", "POST /refresh"])
    }

    private struct LoggedOut: Error {}

    @Test("After a refresh that failed, none of those that waited is sent again (Alamofire#3290)")
    func failedRefresh() async throws {
        let server = try Self.makeServer(taking: "none")
        let manager = Self.makeManager(server)
        let refreshes = Locked(0)
        manager.interceptors = [
            TokenRefresher(token: "old") {
                refreshes.withLock { $0 += 1 }
                throw LoggedOut()
            }
        ]
        let operations = try await Self.run(10, manager)
        #expect(operations.allSatisfy { $0.error is LoggedOut })
        #expect(refreshes.withLock { $0 } == 1)
        let targets = server.requests.map(\.target)
        #expect(Set(targets).count == targets.count)
    }

    @Test("Refused with an old token when there is a new one: no other refresh (Alamofire#3964)")
    func lateRefusal() async throws {
        let server = try TestServer()
        let (refreshes, gate) = (Locked(0), Gate())
        server.respondToOthers { request in
            request["Authorization"] == "Bearer new"
                ? .ok("in") : ScriptedResponse(status: 401).holding(gate, at: .beforeHead)
        }
        let manager = Self.makeManager(server)
        let refresher = TokenRefresher(token: "old") {
            refreshes.withLock { $0 += 1 }
            return "newer"
        }
        manager.interceptors = [refresher]
        async let all = Self.run(1, manager)
        try await eventually("the request") { server.requests.count == 1 }
        refresher.token = "new"
        gate.open()
        #expect(try await all.first?.responseString == "in")
        #expect(refreshes.withLock { $0 } == 0 && server.requests.count == 2)
    }
}
