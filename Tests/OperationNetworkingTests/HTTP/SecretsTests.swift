// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("Secrets are in no description", .timeLimit(.minutes(1))) struct SecretsTests {
    private static let secrets = ["hunter2", "aHVudGVyMg"]

    private func expectNoSecret(_ texts: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        for text in texts {
            for secret in Self.secrets { #expect(!text.contains(secret), sourceLocation: sourceLocation) }
        }
    }

    private func texts(of error: any Error) -> [String] {
        let bridged = error as NSError
        return [
            "\(error)", String(reflecting: error), error.localizedDescription, bridged.description,
            bridged.debugDescription, "\(bridged.userInfo)", bridged.localizedFailureReason ?? "",
        ]
    }

    private func operation(_ url: URL) -> HTTPRequestOperation {
        let operation = HTTPRequestOperation(
            url, headers: ["Authorization": "Basic aHVudGVyMg==", "Cookie": "session=hunter2"])
        operation.credential = URLCredential(user: "me", password: "hunter2", persistence: .none)
        return operation
    }

    private func withPassword(_ url: URL) throws -> URL {
        var components = try #require(URLComponents(url: url, resolvingAgainstBaseURL: true))
        components.user = "me"
        components.password = "hunter2"
        return try #require(components.url)
    }

    @Test("An operation, before and after")
    func operations() async throws {
        let server = try TestServer()
        server.respond(to: "/", ScriptedResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"x\"")]))
        let operation = operation(try withPassword(server.url("/")))
        let before = [operation.description, operation.debugDescription, "\(operation)", String(reflecting: operation)]
        expectNoSecret(before)
        #expect(operation.description.contains("GET http://127.0.0.1:\(server.port)/"))
        let outcome = await operation.outcome()
        #expect(outcome.status == 401)
        expectNoSecret([operation.description, operation.debugDescription, "\(operation)", "\(outcome.error as Any)"])
        expectNoSecret(texts(of: try #require(outcome.error)))
        #expect(operation.response?.url?.absoluteString == server.url("/").absoluteString)
        #expect(server.requests.allSatisfy { !$0.target.contains("hunter2") && $0["Host"]?.contains("@") == false })
    }

    @Test("Errors of the transport")
    func transportErrors() async throws {
        let refused = try RefusedPort()
        let urls = [
            refused.urlString, "http://no-such-host.invalid/", "ftp://127.0.0.1/", "http://127.0.0.1:99999/",
        ]
        for string in urls {
            let url = try #require(URL(string: string))
            let outcome = await operation(try withPassword(url)).outcome()
            let error = try #require(outcome.urlError)
            expectNoSecret(texts(of: error))
            #expect(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == url)
        }
        let cancelled = operation(try withPassword(try #require(URL(string: refused.urlString))))
        cancelled.cancel()
        expectNoSecret(texts(of: try #require(await cancelled.outcome().error)))
    }

    @Test("Errors of building a request, and the manager")
    func manager() async throws {
        let manager = HTTPRequestOperationManager.offMain(URL(string: "http://me:hunter2@127.0.0.1/v1"))
        manager.credential = URLCredential(user: "me", password: "hunter2", persistence: .none)
        manager.requestSerializer.setAuthorizationHeaderFieldWithUsername("me", password: "hunter2")
        expectNoSecret([manager.description, manager.debugDescription, "\(manager)"])
        #expect(manager.description.contains("http://127.0.0.1/v1/"))
        for string in ["http://me:hunter2@[bad", "http://me:hunter2@host:port/"] {
            let outcome = await manager.getting(string)
            #expect(outcome.operation == nil)
            expectNoSecret(texts(of: try #require(outcome.error)))
        }
        manager.requestSerializer = JSONRequestSerializer()
        let outcome = await manager.outcome {
            manager.post("x", parameters: ["a": Date()], success: $0, failure: $1)
        }
        let error = try #require(outcome.error as? RequestSerializationError)
        #expect(error.code == .invalidParameters)
        expectNoSecret(texts(of: error))
    }
}
