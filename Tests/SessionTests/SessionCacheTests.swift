// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
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

    @Test("A delegate is asked about coded content, too, and what it lets be stored is out of its coding")
    func codedContent() async throws {
        let coded = try #require(Data(base64Encoded: "H4sIAAAAAAACA0vOzytJzSsBAKkwxf4HAAAA"))
        let server = try TestServer()
        server.respond(
            to: "/",
            ScriptedResponse(
                headers: [("Cache-Control", "max-age=1000"), ("Content-Encoding", "gzip")], body: .data(coded)))
        let delegate = RecordingDelegate()
        let session = session(delegate)
        session.dataTask(with: server.url()).resume()
        await delegate.isComplete.wait()
        #expect(delegate.events == ["response", "data", "cache 7", "metrics", "complete"])
        #expect(delegate.data == Data("content".utf8))
        #expect(await session.outcome(server.url()).text == "content")
        #expect(server.requests.count == 1)
    }

    @Test("A task that asks for a coding itself is given what was stored out of it")
    func ownCoding() async throws {
        let coded = try #require(Data(base64Encoded: "H4sIAAAAAAACA0vOzytJzSsBAKkwxf4HAAAA"))
        let server = try TestServer()
        server.respond(
            to: "/",
            ScriptedResponse(
                headers: [("Cache-Control", "max-age=60"), ("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding")],
                body: .data(coded)))
        let session = session()
        var request = URLRequest(url: server.url())
        request.setValue("gzip", forHTTPHeaderField: "Accept-Encoding")
        for _ in 0..<2 { #expect(await session.outcome(request).text == "content") }
        request.cachePolicy = .returnCacheDataDontLoad
        #expect(await session.outcome(request).text == "content")
        #expect(server.requests.map { $0["Accept-Encoding"] } == ["gzip"])
    }

    @Test("What such a task finds stale is replaced in the background, for the next one")
    func ownCodingRevalidated() async throws {
        let coded = try #require(Data(base64Encoded: "H4sIAAAAAAACA0vOzytJzSsBAKkwxf4HAAAA"))
        let server = try TestServer()
        let count = Locked(0)
        server.respond(to: "/") { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return ScriptedResponse(
                headers: [
                    ("Cache-Control", "max-age=0, stale-while-revalidate=1000"), ("Content-Encoding", "gzip"),
                    ("Vary", "Accept-Encoding"), ("X-Number", "\(number)"),
                ], body: .data(coded))
        }
        let session = session()
        var request = URLRequest(url: server.url())
        request.setValue("gzip", forHTTPHeaderField: "Accept-Encoding")
        for _ in 0..<2 {
            let outcome = await session.outcome(request)
            #expect(outcome.text == "content" && outcome.field("X-Number") == "1")
        }
        request.cachePolicy = .returnCacheDataDontLoad
        try await eventually("the new one") {
            let outcome = await session.outcome(request)
            return outcome.text == "content" && outcome.field("X-Number") == "2"
        }
        #expect(server.requests.map { $0["Accept-Encoding"] } == ["gzip", "gzip"])
    }

    @Test("A response of the cache's is a transaction of the metrics", .privateState)
    func metrics() async throws {
        let server = try server()
        server.respond(to: "/from", .redirect(to: "/"))
        let configuration = session().configuration
        for type in [URLSessionTaskMetrics.ResourceFetchType.networkLoad, .localCache] {
            let delegate = RecordingDelegate()
            let session = OperationURLSession(configuration: configuration, delegate: delegate)
            let task = session.dataTask(with: server.url("/from"))
            task.resume()
            await delegate.isComplete.wait()
            #expect(delegate.data == Data("content".utf8) && task.currentRequest?.url == server.url())
            let metrics = try #require(delegate.metrics)
            #expect(metrics.transactionMetrics.map(\.resourceFetchType) == [.networkLoad, type])
            #expect(metrics.redirectCount == 1)
            #expect(metrics.transactionMetrics.map { ($0.response as? HTTPURLResponse)?.statusCode } == [302, 200])
            let last = try #require(metrics.transactionMetrics.last)
            let (start, end) = (try #require(last.fetchStartDate), try #require(last.responseEndDate))
            #expect(start <= end && metrics.taskInterval.contains(start) && metrics.taskInterval.contains(end))
            #expect((last.requestStartDate == nil) == (type == .localCache))
        }
        let delegate = RecordingDelegate()
        OperationURLSession(configuration: configuration, delegate: delegate).dataTask(with: server.url()).resume()
        await delegate.isComplete.wait()
        #expect(delegate.metrics?.transactionMetrics.map(\.resourceFetchType) == [.localCache])
        #expect(server.requests.count == 3)
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

extension TaskOutcome {
    fileprivate func field(_ name: String) -> String? {
        (response as? HTTPURLResponse)?.value(forHTTPHeaderField: name)
    }
}
