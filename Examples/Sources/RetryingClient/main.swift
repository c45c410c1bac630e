// SPDX-License-Identifier: MIT

// A client that sends again what failed for a passing reason, and keeps itself authorized: many requests are refused for
// want of a token, one token is got, and all of them are sent again.
//
//   swift run --package-path Examples RetryingClient HTTPBIN_URL
internal import Dispatch
internal import OperationNetworking

struct Identifier: Decodable { let uuid: String }
struct Login: Decodable { let authenticated: Bool, token: String }

guard CommandLine.arguments.count == 2, let base = URL(escaping: CommandLine.arguments[1]) else {
    print("usage: RetryingClient HTTPBIN_URL")
    exit(64)
}

let manager = HTTPRequestOperationManager(baseURL: base)
manager.completionQueue = DispatchQueue(label: "RetryingClient")

// Up to three attempts in all, with a random time of up to 0.2, then 0.4 seconds between them; a server that says
// Retry-After is obeyed. Never more than a fifth of all requests: a server that is down is not to get three times the load.
manager.retryPolicy = RetryPolicy(
    maximumAttempts: 3, backoff: .exponential(initial: 0.2, factor: 2, maximum: 2),
    budget: RetryBudget(ratio: 0.2, minimumPerSecond: 10))

// Called once, however many requests are refused at a time. What it throws ends all of them.
manager.interceptors = [
    TokenRefresher {
        print("getting a token")
        return try await manager.makeOperation(method: "GET", "uuid").decoded(Identifier.self).uuid
    }
]

func attempts(of operation: HTTPRequestOperation) -> String {
    (operation.metrics?.attempts ?? []).map { attempt in
        let result = attempt.statusCode.map { "\($0)" } ?? "no response"
        return attempt.number == 1 ? result : "\(result) after \(Int(attempt.delay * 1000)) ms"
    }.joined(separator: ", ")
}

do {
    let logins = try (1...10).map { _ in try manager.makeOperation(method: "GET", "bearer") }
    for login in logins { manager.enqueue(login) }
    var tokens: Set<String> = []
    for login in logins { tokens.insert(try await login.decoded(Login.self).token) }
    print("\(logins.count) requests, \(tokens.count) token")
    print("the first: \(attempts(of: logins[0]))")
} catch {
    print("failed: \(error.localizedDescription)")
    exit(1)
}

let busy = try manager.makeOperation(method: "GET", "status/503")
do {
    _ = try await busy.value()
} catch {
    print("given up: \(error.localizedDescription)")
    print("attempts: \(attempts(of: busy))")
}
