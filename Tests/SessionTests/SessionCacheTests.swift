// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite struct SessionCacheTests {
    private func session(_ delegate: RecordingDelegate? = nil) -> OperationURLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = URLCache(memoryCapacity: 1 << 22, diskCapacity: 0, diskPath: nil)
        return OperationURLSession(configuration: configuration, delegate: delegate)
    }

    private func server() throws -> TestServer {
        let server = try TestServer()
        server.respond(
            to: "/", ScriptedResponse(headers: [("Cache-Control", "max-age=1000")], body: .text("content")))
        return server
    }

    @Test func aStoredResponseIsNotAskedForAgain() async throws {
        let (server, session) = (try server(), session())
        for _ in 0..<3 { #expect(await session.outcome(server.url()).text == "content") }
        #expect(server.requests.count == 1)
        var request = URLRequest(url: server.url())
        request.cachePolicy = .reloadIgnoringLocalCacheData
        #expect(await session.outcome(request).text == "content")
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [true, false])
    func aDelegateDecidesWhatIsStored(_ isStored: Bool) async throws {
        let (server, delegate) = (try server(), RecordingDelegate())
        delegate.stores = isStored
        let session = session(delegate)
        session.dataTask(with: server.url()).resume()
        await delegate.isComplete.wait()
        #expect(delegate.events == ["response", "data", "cache 7", "metrics", "complete"])
        #expect(await session.outcome(server.url()).text == "content")
        #expect(server.requests.count == (isStored ? 1 : 2))
    }

    @Test("What is chosen by a field that only sessions add is not given to an operation without it, nor the other way")
    func fieldsOfSessions() async throws {
        let server = try TestServer()
        server.respondToOthers { request in
            ScriptedResponse(
                headers: [("Vary", "Accept-Language, User-Agent"), ("Cache-Control", "max-age=1000")],
                body: .text(request["Accept-Language"] ?? "none"))
        }
        let configuration = URLSessionConfiguration.ephemeral
        let cache = URLCache(memoryCapacity: 1 << 22, diskCapacity: 0, diskPath: nil)
        configuration.urlCache = cache
        let session = OperationURLSession(configuration: configuration)
        let manager = HTTPRequestOperationManager(baseURL: nil)
        manager.urlCache = cache
        manager.responseSerializer = HTTPResponseSerializer()
        for _ in 0..<2 {
            #expect(await session.outcome(server.url()).text?.isEmpty == false)
            let request = URLRequest(url: server.url())
            let operation = manager.httpRequestOperation(with: request, success: nil, failure: nil)
            manager.operationQueue.addOperation(operation)
            #expect(try await operation.value() as? Data == Data("none".utf8))
        }
        #expect(await session.outcome(server.url()).text != "none")
        #expect(server.requests.count == 2)
    }

    @Test func withoutStoredDataNothingIsLoaded() async throws {
        let (server, session) = (try server(), session())
        var request = URLRequest(url: server.url())
        request.cachePolicy = .returnCacheDataDontLoad
        #expect(await session.outcome(request).code == .resourceUnavailable)
        #expect(server.requests.isEmpty)
    }
}
