// SPDX-License-Identifier: MIT
internal import OperationNetworking

extension Stage {
    /// A login, requests that take the token from its result, and requests that are not sent because a login failed.
    func logIn() async throws {
        console.heading("1. Log in; four requests wait for it and use its token")
        // The server echoes what it gets: the token is made here.
        let credentials = Credentials(user: "ada", token: UUID().uuidString)
        let login = try api.makeOperation(
            method: "POST", "post", parameters: ["user": credentials.user, "token": credentials.token])
        let requests = try (1...4).map { _ in try authorized(after: login) }
        // The order of adding does not matter: the queue starts what may run.
        for request in requests { api.enqueue(request) }
        api.enqueue(login)

        let granted = try await login.decoded(Echo.self)
        try expect(granted.json?.token == credentials.token, "the login should have returned a token")
        console.result("POST /post", "signed in as \(credentials.user)")
        for request in requests {
            let reply = try await request.decoded(BearerReply.self)
            try expect(reply.token == credentials.token, "the request should have been sent with the login's token")
            console.result("GET  /bearer", "token accepted")
        }

        console.line("  A login that is refused; with the policy .cancel its dependants are not sent:")
        let refused = try api.makeOperation(method: "POST", "status/403")
        let dependants = try (1...2).map { _ in
            let operation = try authorized(after: refused)
            operation.dependencyFailurePolicy = .cancel
            return operation
        }
        for operation in [refused] + dependants { api.enqueue(operation) }
        do {
            _ = try await refused.value()
            throw DemoFailure("the login should have been refused")
        } catch let error as ResponseSerializationError {
            console.result("POST /status/403", error.localizedDescription)
        }
        for operation in dependants {
            do {
                _ = try await operation.value()
                throw DemoFailure("a request ran although its login was refused")
            } catch let error as URLError {
                try expect(
                    error.code == .cancelled && operation.metrics == nil, "the request should not have been sent")
                console.result("GET  /bearer", "not sent (\(error.code.rawValue))")
            }
        }
    }

    private func authorized(after login: HTTPRequestOperation) throws -> HTTPRequestOperation {
        let operation = try api.makeOperation(method: "GET", "bearer")
        operation.addDependency(login) { login, request in
            let echo = try JSONDecoder().decode(Echo.self, from: login.responseData ?? Data())
            request.setValue("Bearer \(echo.json?.token ?? "")", forHTTPHeaderField: "Authorization")
        }
        return operation
    }
}
