// SPDX-License-Identifier: MIT

// A login, and requests that wait for it and take the token from its result.
//
//   swift run --package-path Examples LoginThenRequests http://127.0.0.1:8000    (an httpbin server)
internal import OperationNetworking

struct LoginReply: Decodable {
    struct Session: Decodable { let token: String }
    /// httpbin echoes what it was sent.
    let json: Session
}

struct Profile: Decodable, Sendable {
    let authenticated: Bool
    let token: String
}

guard CommandLine.arguments.count == 2, let baseURL = URL(escaping: CommandLine.arguments[1]) else {
    print("usage: LoginThenRequests BASE-URL")
    exit(64)
}

let manager = HTTPRequestOperationManager(baseURL: baseURL)
manager.requestSerializer = JSONRequestSerializer()

/// A request that is sent with the login's token, and not at all when the login fails.
func profileRequest(after login: HTTPRequestOperation) throws -> HTTPRequestOperation {
    let request = try manager.makeOperation(method: "GET", "bearer")
    request.dependencyFailurePolicy = .cancel
    request.addDependency(login) { login, request in
        let reply = try JSONDecoder().decode(LoginReply.self, from: login.responseData ?? Data())
        request.setValue("Bearer \(reply.json.token)", forHTTPHeaderField: "Authorization")
    }
    return request
}

do {
    let login = try manager.makeOperation(method: "POST", "post", parameters: ["token": "open sesame"])
    let requests = try (1...3).map { _ in try profileRequest(after: login) }
    // The order of enqueueing does not matter.
    for operation in requests + [login] { manager.enqueue(operation) }
    for (index, request) in requests.enumerated() {
        let profile = try await request.decoded(Profile.self)
        print("request \(index + 1): authenticated \(profile.authenticated), with \"\(profile.token)\"")
    }

    let refused = try manager.makeOperation(method: "POST", "status/403")
    let dependent = try profileRequest(after: refused)
    for operation in [dependent, refused] { manager.enqueue(operation) }
    do {
        _ = try await dependent.value()
        print("failed: a request was sent although its login was refused")
        exit(1)
    } catch let error as URLError where error.code == .cancelled {
        print("login refused (\(refused.response?.statusCode ?? 0)): the request was not sent")
    }
} catch {
    print("failed: \(error.localizedDescription)")
    exit(1)
}
