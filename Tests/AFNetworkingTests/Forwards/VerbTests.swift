// SPDX-License-Identifier: MIT
import AFNetworking
import TestServer
import Testing

/// Subclasses override the Swift 3 name: Swift has no overriding of what is declared in an extension.
private final class Client: AFHTTPRequestOperationManager, @unchecked Sendable {
    override func httpRequestOperation(
        with request: URLRequest, success: (@Sendable (AFHTTPRequestOperation, Any?) -> Void)?,
        failure: (@Sendable (AFHTTPRequestOperation, any Error) -> Void)?
    ) -> AFHTTPRequestOperation {
        var request = request
        request.setValue("yes", forHTTPHeaderField: "X-Client")
        return super.httpRequestOperation(with: request, success: success, failure: failure)
    }
}

@Suite("The verbs in upper case", .timeLimit(.minutes(1))) struct VerbTests {
    let server: TestServer
    let manager: AFHTTPRequestOperationManager

    init() throws {
        server = try TestServer()
        server.respondToOthers { _ in .json(#"{"name":"Ada"}"#) }
        manager = .offMain(server.url("/v1/"))
    }

    typealias Send =
        @Sendable (
            AFHTTPRequestOperationManager, @escaping AFHTTPRequestOperationManager.OldSuccess,
            @escaping AFHTTPRequestOperationManager.OldFailure
        ) -> AFHTTPRequestOperation?

    static let verbs: [(String, Send)] = [
        ("GET", { $0.GET("x", parameters: ["a": 1], success: $1, failure: $2) }),
        ("POST", { $0.POST("x", parameters: ["a": 1], success: $1, failure: $2) }),
        ("PUT", { $0.PUT("x", parameters: ["a": 1], success: $1, failure: $2) }),
        ("PATCH", { $0.PATCH("x", parameters: ["a": 1], success: $1, failure: $2) }),
        ("DELETE", { $0.DELETE("x", parameters: ["a": 1], success: $1, failure: $2) }),
    ]

    @Test("Each sends its method and its parameters, and hands a bridged object over", arguments: verbs)
    func send(method: String, send: Send) async throws {
        let outcome = await manager.outcome { send(manager, $0, $1) }
        let request = try await server.nextRequest()
        #expect(request.method == method)
        #expect(request.path == "/v1/x")
        #expect((request.query ?? request.text) == "a=1")
        #expect(outcome.error == nil)
        #expect(outcome.object as? NSDictionary == ["name": "Ada"])
        #expect(outcome.object as? [String: String] == ["name": "Ada"])
        #expect((outcome.object as? NSDictionary)?.object(forKey: "name") as? String == "Ada")
    }

    @Test("A refused status comes as an NSError with AFNetworking's domain and keys", arguments: verbs)
    func fail(method: String, send: Send) async throws {
        server.respond(to: "/v1/x", .json(#"{"message":"no"}"#, status: 422))
        let outcome = await manager.outcome { send(manager, $0, $1) }
        let error = try #require(outcome.error)
        #expect(outcome.status == 422)
        #expect(error.domain == AFURLResponseSerializationErrorDomain)
        #expect(error.code == -1011)
        let data = error.userInfo[AFNetworkingOperationFailingURLResponseDataErrorKey] as? Data
        #expect(data == Data(#"{"message":"no"}"#.utf8))
        let response = error.userInfo[AFNetworkingOperationFailingURLResponseErrorKey] as? HTTPURLResponse
        #expect(response?.statusCode == 422)
    }

    @Test("A request that cannot be made calls failure without an operation", arguments: verbs)
    func refuse(method: String, send: Send) async throws {
        let nowhere = AFHTTPRequestOperationManager.offMain(nil)
        let outcome = await nowhere.outcome { send(nowhere, $0, $1) }
        #expect(outcome.operation == nil)
        #expect(outcome.error?.domain == AFURLRequestSerializationErrorDomain)
        #expect(outcome.error?.code == -1000)
    }

    @Test("HEAD's block has no object")
    func head() async throws {
        let outcome = await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
            manager.HEAD(
                "x", parameters: ["a": 1],
                success: { (operation: AFHTTPRequestOperation!) in
                    continuation.resume(returning: Outcome(operation: operation))
                },
                failure: { (operation: AFHTTPRequestOperation!, error: NSError!) in
                    continuation.resume(returning: Outcome(operation: operation, error: error))
                })
        }
        #expect(outcome.status == 200)
        #expect(outcome.error == nil)
        let request = try await server.nextRequest()
        #expect(request.method == "HEAD" && request.target == "/v1/x?a=1")
    }

    @Test("Nothing is nil for a block with an optional object, and NSNull for another")
    func nothing() async throws {
        server.respond(to: "/v1/nothing", .json(" "))
        let optional = await manager.outcome { manager.GET("nothing", parameters: nil, success: $0, failure: $1) }
        #expect(optional.error == nil && optional.object == nil)
        let object = await withCheckedContinuation { (continuation: CheckedContinuation<Outcome, Never>) in
            manager.GET(
                "nothing", parameters: nil,
                success: { (operation: AFHTTPRequestOperation, object: AnyObject) in
                    continuation.resume(returning: Outcome(operation: operation, object: object))
                },
                failure: { (operation: AFHTTPRequestOperation?, error: NSError) in
                    continuation.resume(returning: Outcome(operation: operation, error: error))
                })
        }
        #expect(object.object is NSNull)
    }

    @Test("Every verb goes through the operation that a subclass makes")
    func subclass() async throws {
        let client = Client(baseURL: server.url("/v1/"))
        client.completionQueue = manager.completionQueue
        for (_, send) in Self.verbs {
            _ = await client.outcome { send(client, $0, $1) }
            #expect(try await server.nextRequest()["X-Client"] == "yes")
        }
    }

    @Test("Without blocks, a verb sends all the same")
    func silent() async throws {
        let operation = try #require(manager.GET("x", parameters: nil, success: nil, failure: nil))
        #expect(try await server.nextRequest().method == "GET")
        try await eventually { operation.isFinished }
        #expect(operation.response?.statusCode == 200)
    }
}
