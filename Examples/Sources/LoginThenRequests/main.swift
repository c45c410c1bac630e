// A login, and requests that wait for it and take the token from its result.
//
//   swift run LoginThenRequests http://127.0.0.1:8000
internal import OperationNetworking

struct LoginReply: Decodable {
    struct Session: Decodable { let token: String }
    /// httpbin echoes what it was sent.
    let json: Session
}

guard CommandLine.arguments.count == 2, let baseURL = URL(string: CommandLine.arguments[1]) else {
    print("usage: LoginThenRequests BASE-URL")
    exit(64)
}

let manager = HTTPRequestOperationManager(baseURL: baseURL)
manager.requestSerializer = JSONRequestSerializer()

do {
    let login = try manager.operation(method: "POST", "post", parameters: ["token": "open sesame"])
    let requests = try (1...3).map { _ in
        let request = try manager.operation(method: "GET", "bearer")
        request.dependencyFailurePolicy = .cancel
        request.addDependency(login) { login, request in
            let reply = try JSONDecoder().decode(LoginReply.self, from: login.responseData ?? Data())
            request.setValue("Bearer \(reply.json.token)", forHTTPHeaderField: "Authorization")
        }
        return request
    }
    for operation in requests + [login] { manager.enqueue(operation) }
    for (index, request) in requests.enumerated() {
        let object = try await request.value() as? [String: Any]
        print("request \(index + 1): authenticated \(object?["authenticated"] ?? "no")")
    }
} catch {
    print("failed: \(error.localizedDescription)")
    exit(1)
}
