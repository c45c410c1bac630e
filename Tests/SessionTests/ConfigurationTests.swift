// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworking

@Suite struct ConfigurationTests {
    @Test(arguments: SessionKind.allCases)
    func additionalHeadersAreSentUnlessARequestHasThem(_ kind: SessionKind) async throws {
        let server = try TestServer()
        server.respondToOthers { .ok(($0["X-One"] ?? "-") + ($0["X-Two"] ?? "-")) }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-One": "1", "X-Two": "2"]
        var request = URLRequest(url: server.url())
        request.setValue("own", forHTTPHeaderField: "X-Two")
        #expect(await kind.make(configuration).outcome(request).text == "1own")
    }

    @Test func timeoutsHoldBelowASecond() async throws {
        let server = try TestServer()
        server.respond(to: "/", .script([.stall]))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 0.2
        #expect(await OperationURLSession(configuration: configuration).outcome(server.url()).code == .timedOut)
        let total = URLSessionConfiguration.ephemeral
        total.timeoutIntervalForResource = 0.2
        #expect(await OperationURLSession(configuration: total).outcome(server.url()).code == .timedOut)
    }

    @Test func cookiesGoByTheConfiguration() async throws {
        let server = try TestServer()
        server.respond(to: "/set", ScriptedResponse(headers: [("Set-Cookie", "a=b; Path=/")]))
        server.respond(to: "/get") { .ok($0["Cookie"] ?? "none") }
        let configuration = URLSessionConfiguration.ephemeral
        let session = OperationURLSession(configuration: configuration)
        _ = await session.outcome(server.url("/set"))
        #expect(await session.outcome(server.url("/get")).text == "a=b")
        #expect(try await session.data(from: server.url("/get")).0 == Data("a=b".utf8))
        let silent = configuration.copied()
        silent.httpShouldSetCookies = false
        #expect(await OperationURLSession(configuration: silent).outcome(server.url("/get")).text == "none")
        let refusing = URLSessionConfiguration.ephemeral
        refusing.httpCookieAcceptPolicy = .never
        let other = OperationURLSession(configuration: refusing)
        _ = await other.outcome(server.url("/set"))
        #expect(await other.outcome(server.url("/get")).text == "none")
        await withCheckedContinuation { continuation in session.reset { continuation.resume() } }
        #expect(await session.outcome(server.url("/get")).text == "none")
    }

    @Test func theProxyDictionaryIsRead() throws {
        let proxies = try #require(
            ProxyConfiguration(dictionary: [
                "HTTPEnable": 1, "HTTPProxy": "proxy.example", "HTTPPort": 3128, "ExceptionsList": ["local.example"],
            ]))
        #expect(proxies.http?.host == "proxy.example")
        #expect(proxies.http?.port == 3128)
        #expect(proxies.https == nil)
        #expect(proxies.excludedHosts == ["local.example"])
        let disabled = ProxyConfiguration(dictionary: ["HTTPEnable": 0, "HTTPProxy": "proxy.example"])
        #expect(disabled == nil)
    }

    @Test func allTasksAreThoseThatRun() async throws {
        let server = try TestServer()
        server.respond(to: "/", .script([.stall]))
        let session = OperationURLSession(configuration: .ephemeral)
        let (data, upload) = (
            session.dataTask(with: server.url()),
            session.uploadTask(
                with: URLRequest(url: server.url()), from: Data())
        )
        let download = session.downloadTask(with: server.url())
        let identifiers: Set<Int> = [data.taskIdentifier, upload.taskIdentifier, download.taskIdentifier]
        #expect(identifiers.count == 3)
        data.resume()
        upload.resume()
        upload.suspend()
        let tasks = await withCheckedContinuation { continuation in
            session.getTasksWithCompletionHandler { continuation.resume(returning: ($0, $1, $2)) }
        }
        #expect(tasks.0 == [data])
        #expect(tasks.1 == [upload])
        #expect(tasks.2.isEmpty)
        session.invalidateAndCancel()
        try await eventually("the tasks end") { data.state == .completed && download.state == .completed }
        #expect((data.error as? URLError)?.code == .cancelled)
    }

    @Test func aSuspendedDelegateQueueHoldsWhatIsToldAndLosesNothing() async throws {
        let server = try TestServer()
        server.respond(to: "/", .ok("hello"))
        let (queue, delegate) = (OperationQueue(), RecordingDelegate())
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: queue)
        session.dataTask(with: server.url()).resume()
        _ = try await server.nextRequest()
        queue.cancelAllOperations()
        #expect(delegate.events.isEmpty)
        queue.isSuspended = false
        await delegate.isComplete.wait()
        #expect(delegate.data == Data("hello".utf8))
    }

    @Test func aSessionAndItsTasksGoWhenNobodyHasThem() async throws {
        let server = try TestServer()
        server.respond(to: "/", .ok("hello"))
        weak var session: OperationURLSession?
        weak var task: URLSessionTask?
        weak var unresumed: URLSessionTask?
        do {
            let made = OperationURLSession(configuration: .ephemeral)
            session = made
            unresumed = made.dataTask(with: server.url())
            let outcome = await made.outcome(URLRequest(url: server.url())) {
                task = $0
                $0.resume()
            }
            #expect(outcome.text == "hello")
        }
        #expect(unresumed == nil)
        try await eventually("all go") { session == nil && task == nil }
    }

    @Test func manyTasksComeToAnEnd() async throws {
        let server = try TestServer()
        server.respond(to: "/", .ok("hello"))
        let session = OperationURLSession(configuration: .ephemeral)
        let texts = await withTaskGroup(of: String?.self) { group in
            for index in 0..<300 {
                group.addTask {
                    await session.outcome(URLRequest(url: server.url())) {
                        $0.priority = Float(index % 10) / 10
                        $0.resume()
                        if index % 3 == 0 {
                            $0.suspend()
                            $0.resume()
                        }
                        if index % 5 == 0 { $0.cancel() }
                    }.text
                }
            }
            return await group.reduce(into: [String?]()) { $0.append($1) }
        }
        #expect(texts.count == 300)
        let arrived = texts.filter { $0 == "hello" }.count
        #expect(arrived >= 240)
        try await eventually("the queue is empty") { session.operationQueue.queuedOperationCount == 0 }
    }
}
