// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("Retries after redirects", .timeLimit(.minutes(2))) struct RetryRedirectTests {
    private let server: TestServer

    init() throws {
        server = try TestServer()
        server.respond(to: "/a", .redirect(to: "/b"))
    }

    /// A GET that a redirect leads to where it is a POST.
    private func operation(_ policy: RetryPolicy) -> HTTPRequestOperation {
        let operation = HTTPRequestOperation(server.url("/a"))
        operation.retryPolicy = policy
        operation.setRedirectResponseBlock { _, request, response in
            guard response != nil else { return request }
            var request = request
            request.httpMethod = "POST"
            request.httpBody = Data("order".utf8)
            return request
        }
        return operation
    }

    @Test("A POST that a block has made of a redirected GET goes out once", arguments: [true, false])
    func method(isLost: Bool) async {
        let answer: ScriptedResponse = isLost ? .script([.close]) : .status(503)
        server.respond(to: "/b", answer)
        let operation = operation(RetryPolicy(backoff: .constant(0.01)))
        let outcome = await operation.outcome()
        if isLost {
            #expect(outcome.urlError?.code == .networkConnectionLost)
        } else {
            #expect(outcome.status == 503)
        }
        #expect(server.requests.map(\.method) == ["GET", "POST"] && operation.retryCount == 0)
        #expect(server.requests.last?.text == "order")
    }

    @Test("It goes out once also where the server leads on to a GET that fails")
    func methodBefore() async {
        server.respond(to: "/b", .redirect(303, to: "/c"))
        server.respond(to: "/c", .status(503))
        let operation = HTTPRequestOperation(server.url("/a"))
        operation.retryPolicy = RetryPolicy(backoff: .constant(0.01))
        operation.setRedirectResponseBlock { _, request, response in
            guard response != nil, request.url?.path == "/b" else { return request }
            var request = request
            request.httpMethod = "POST"
            request.httpBody = Data("order".utf8)
            return request
        }
        #expect(await operation.outcome().status == 503)
        #expect(server.requests.map(\.method) == ["GET", "POST", "GET"] && operation.retryCount == 0)
    }

    @Test("Where POST may be repeated, it is, from the first request on")
    func allowedMethod() async {
        server.respond(to: "/b", .status(503))
        let policy = RetryPolicy(maximumAttempts: 2, backoff: .constant(0.01), methods: ["GET", "POST"])
        let named = operation(policy)
        #expect(await named.outcome().status == 503 && named.retryCount == 1)
        let marked = operation(RetryPolicy(maximumAttempts: 2, backoff: .constant(0.01)))
        marked.resendsNonIdempotentRequests = true
        #expect(await marked.outcome().status == 503 && marked.retryCount == 1)
        #expect(server.requests.map(\.method) == Array(repeating: ["GET", "POST"], count: 4).flatMap { $0 })
    }
}
