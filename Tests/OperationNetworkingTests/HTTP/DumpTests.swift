// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("Secrets are in no dump, archive or error", .timeLimit(.minutes(1))) struct DumpTests {
    private static let secrets = ["hunter2", "aHVudGVyMg"]

    private func expectNoSecret(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        for secret in Self.secrets { #expect(!text.contains(secret), sourceLocation: sourceLocation) }
    }

    private func dumped(_ value: Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }

    private func manager() -> HTTPRequestOperationManager {
        let manager = HTTPRequestOperationManager.offMain(URL(string: "http://me:hunter2@127.0.0.1/v1"))
        manager.credential = URLCredential(user: "me", password: "hunter2", persistence: .none)
        manager.requestSerializer.setAuthorizationHeaderFieldWithUsername("me", password: "hunter2")
        return manager
    }

    @Test("Operations, batches, queues, managers and serializers are dumped without them")
    func dumps() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
        var components = try #require(URLComponents(url: server.url("/"), resolvingAgainstBaseURL: true))
        components.user = "me"
        components.password = "hunter2"
        let operation = HTTPRequestOperation(
            try #require(components.url), method: "POST", body: Data("hunter2".utf8),
            headers: ["Authorization": "Basic aHVudGVyMg==", "X-Key": "hunter2"])
        operation.credential = URLCredential(user: "me", password: "hunter2", persistence: .none)
        operation.userInfo = ["token": "hunter2"]
        #expect(dumped(operation).contains("POST"))
        let queue = RequestOperationQueue()
        queue.isSuspended = true
        queue.addOperation(operation)
        for value in [operation, OperationBatch([operation]), queue] as [Any] { expectNoSecret(dumped(value)) }
        // Once the blocks are set: those of an operation that has ended are not called.
        #expect(await operation.outcome { _ in queue.isSuspended = false }.text == "hello")
        expectNoSecret(dumped(operation))
        let manager = manager()
        for value in [manager, manager.requestSerializer, ["x": manager]] as [Any] { expectNoSecret(dumped(value)) }
        final class Client: HTTPRequestOperationManager, @unchecked Sendable { let other = 1 }
        expectNoSecret(dumped(Client(baseURL: URL(string: "http://me:hunter2@127.0.0.1/v1"))))
    }

    @Test("Sessions, their managers and tasks are dumped without them")
    func sessions() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["Authorization": "Basic aHVudGVyMg==", "X-Key": "hunter2"]
        let manager = HTTPSessionManager(
            baseURL: URL(string: "http://me:hunter2@127.0.0.1/v1"), sessionConfiguration: configuration)
        manager.requestSerializer.setAuthorizationHeaderFieldWithUsername("me", password: "hunter2")
        var request = URLRequest(url: server.url())
        request.setValue("hunter2", forHTTPHeaderField: "X-Other")
        let tasks: [URLSessionTask] = [
            manager.dataTask(with: request), manager.uploadTask(with: request, from: Data("hunter2".utf8)),
            manager.downloadTask(with: request),
        ]
        for value in [manager, manager.session, ["x": manager]] + tasks as [Any] { expectNoSecret(dumped(value)) }
        #expect(dumped(manager).contains("HTTPSessionManager"))
    }

    @Test("A password before a combining mark, and other URLs that are none, is in no error")
    func errors() async throws {
        let strings = [
            "http://alice:hunter2@\u{301}h :80/x", "http://alice:hunter2@[bad", "http://alice:hunter2@\u{20E3}",
            "alice:hunter2@\u{301} /", "//alice:hunter2@\u{301}[/x", "http://a@b:hunter2@\u{FE0F} /",
            "http:///alice:hunter2@example.com/x", "http:/alice:hunter2@example.com/x",
        ]
        for string in strings {
            for base in [nil, URL(string: "http://example.com/")] {
                let manager = HTTPRequestOperationManager.offMain(base)
                let outcome = await manager.getting(string)
                outcome.operation?.cancel()
                let error = try #require(outcome.error)
                for text in ["\(error)", error.localizedDescription, "\((error as NSError).userInfo)", dumped(error)] {
                    expectNoSecret(text)
                }
            }
            #expect(throws: (any Error).self) {
                do {
                    _ = try HTTPRequestSerializer().request(withMethod: "GET", urlString: string, parameters: nil)
                    // What Foundation makes a URL of is not the serializer's to refuse.
                    throw CocoaError(.featureUnsupported)
                } catch {
                    expectNoSecret("\(error) \(dumped(error))")
                    throw error
                }
            }
        }
        let serializer = HTTPRequestSerializer()
        serializer.setValue("hunter2\r\nX: y", forHTTPHeaderField: "X-Key")
        do {
            _ = try serializer.request(withMethod: "GET", urlString: "http://127.0.0.1/", parameters: nil)
        } catch {
            expectNoSecret("\(error)" + dumped(error))
        }
        let manager = manager()
        manager.requestSerializer = JSONRequestSerializer()
        manager.requestSerializer.setAuthorizationHeaderFieldWithUsername("me", password: "hunter2")
        let outcome = await manager.outcome {
            manager.post("x", parameters: ["a": Date()], success: $0, failure: $1)
        }
        expectNoSecret(dumped(try #require(outcome.error)))
    }

    @Test("The URL's user name and password are in no archive; the origin and the rest are")
    func archives() throws {
        let url = try #require(URL(string: "http://me:hunter2@127.0.0.1/a@b?c=d@e#f"))
        var request = URLRequest(url: url)
        request.mainDocumentURL = url
        let operation = HTTPRequestOperation(request: request)
        operation.credential = URLCredential(user: "me", password: "hunter2", persistence: .none)
        let data = try operation.archivedData()
        expectNoSecret(String(decoding: data, as: UTF8.self))
        let restored = try HTTPRequestOperation(archivedData: data)
        #expect(restored.request.url?.absoluteString == "http://127.0.0.1/a@b?c=d@e#f")
        let manager = manager()
        manager.requestSerializer.clearAuthorizationHeader()
        let archive = try NSKeyedArchiver.archivedData(withRootObject: manager, requiringSecureCoding: true)
        expectNoSecret(String(decoding: archive, as: UTF8.self))
        let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: HTTPRequestOperationManager.self, from: archive)
        #expect(copy?.baseURL?.absoluteString == "http://127.0.0.1/v1/")
    }
}
