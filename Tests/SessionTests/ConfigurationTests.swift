// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

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
        let texts = try #require(
            ProxyConfiguration(dictionary: ["HTTPSEnable": "1", "HTTPSProxy": "proxy.example", "HTTPSPort": "3128"]))
        #expect(texts.https?.port == 3128 && texts.http == nil)
        #expect(ProxyConfiguration(dictionary: ["HTTPEnable": "0", "HTTPProxy": "proxy.example"]) == nil)
        #expect(ProxyConfiguration(dictionary: ["HTTPEnable": true, "HTTPProxy": "proxy.example"])?.http != nil)
    }

    private static let misunderstood: [[String: String]] = [
        ["HTTPEnable": "1", "HTTPProxy": "http://proxy.example:3128", "HTTPPort": "3128"],
        ["HTTPEnable": "1", "HTTPProxy": "127.0.0.1", "HTTPPort": "70000"],
        ["HTTPEnable": "1", "HTTPProxy": "127.0.0.1", "HTTPPort": "http"], ["HTTPEnable": "1"],
        ["HTTPEnable": "yes", "HTTPProxy": "127.0.0.1"],
        ["SOCKSEnable": "1", "SOCKSProxy": "", "SOCKSPort": "1080"],
    ]

    @Test("Nothing goes without a proxy that is enabled and not understood", arguments: misunderstood)
    func misunderstoodProxy(dictionary: [String: String]) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.connectionProxyDictionary = dictionary
        let outcome = await OperationURLSession(configuration: configuration).outcome(server.url())
        let error = try #require(outcome.error as? URLError)
        #expect(error.code == .badURL && error.userInfo[NSUnderlyingErrorKey] is ProxyConfigurationError)
        #expect(error.localizedDescription.contains("connectionProxyDictionary"))
        #expect(server.connectionCount == 0)
        var excluding: [AnyHashable: Any] = dictionary
        excluding["ExceptionsList"] = ["127.0.0.1"]
        configuration.connectionProxyDictionary = excluding
        #expect(await OperationURLSession(configuration: configuration).outcome(server.url()).text == "hello")
    }

    @Test("A session of Foundation's with the same configuration loads by itself")
    func copiedConfiguration() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
        let own = OperationURLSession(configuration: .ephemeral)
        #expect(await URLSession(configuration: own.configuration).outcome(server.url()).text == "hello")
        #expect(await OperationURLSession(configuration: own.configuration).outcome(server.url()).text == "hello")
    }

    @Test("Content is decoded whoever has asked for a coding", arguments: [false, true])
    func ownAcceptEncoding(isDelegate: Bool) async throws {
        let server = try TestServer()
        server.respondToOthers { request in
            guard request["Accept-Encoding"] == "gzip;q=0.9" else { return .status(400) }
            return ScriptedResponse(
                headers: [("Content-Encoding", "gzip")],
                body: .data(
                    Data([
                        0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0x03, 0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0xd7, 0x51, 0x08, 0xcf,
                        0x2f, 0xca, 0x49, 0x51, 0x04, 0x00, 0xd0, 0xc3, 0x4a, 0xec, 0x0d, 0, 0, 0,
                    ])))
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["Accept-Encoding": "gzip;q=0.9"]
        let delegate = RecordingDelegate()
        let session = OperationURLSession(configuration: configuration, delegate: isDelegate ? delegate : nil)
        if isDelegate {
            session.dataTask(with: server.url()).resume()
            await delegate.isComplete.wait()
            #expect(delegate.data == Data("Hello, World!".utf8))
        } else {
            #expect(await session.outcome(server.url()).text == "Hello, World!")
        }
    }

    @Test("A part of coded content that the program asks for itself stays as it is", arguments: [false, true])
    func ownRange(isDelegate: Bool) async throws {
        let server = try TestServer()
        let part = Data([0xc9, 0xc9, 0xd7, 0x51])
        server.respondToOthers { _ in
            ScriptedResponse(
                status: 206, headers: [("Content-Encoding", "gzip"), ("Content-Range", "bytes 13-16/34")],
                body: .data(part))
        }
        let delegate = RecordingDelegate()
        let session = OperationURLSession(configuration: .ephemeral, delegate: isDelegate ? delegate : nil)
        var request = URLRequest(url: server.url())
        request.setValue("bytes=13-16", forHTTPHeaderField: "Range")
        request.setValue("gzip", forHTTPHeaderField: "Accept-Encoding")
        if isDelegate {
            session.dataTask(with: request).resume()
            await delegate.isComplete.wait()
            #expect(delegate.error == nil && delegate.data == part)
        } else {
            let outcome = await session.outcome(request)
            #expect(outcome.status == 206 && outcome.data == part)
        }
        #expect(server.requests.last?["Accept-Encoding"] == "gzip")
    }

    @Test("Requests say what program they are of, unless they say it themselves")
    func defaultFields() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
        let session = OperationURLSession(configuration: .ephemeral)
        _ = await session.outcome(server.url())
        var request = URLRequest(url: server.url())
        request.setValue("own", forHTTPHeaderField: "user-agent")
        _ = await session.outcome(request)
        let agents = server.requests.map { $0["User-Agent"] ?? "" }
        #expect(agents.count == 2 && agents[0].contains("(Linux") && agents[1] == "own")
        #expect(server.requests.allSatisfy { $0["Accept-Language"] != nil })
    }

    @Test("All tasks are those of the moment of the call, however late the queue comes to tell")
    func allTasksOfTheCall() async throws {
        let server = try TestServer()
        server.respond(to: "/", .script([.stall]))
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let session = OperationURLSession(configuration: .ephemeral, delegateQueue: queue)
        let (told, isTold) = (Notes<[URLSessionTask]>(), Gate())
        let task = session.dataTask(with: server.url())
        task.resume()
        session.getAllTasks { told.add($0) }
        session.getTasksWithCompletionHandler { data, uploads, downloads in
            told.add(data + uploads + downloads)
            isTold.open()
        }
        task.cancel()
        queue.isSuspended = false
        await isTold.wait()
        #expect(told.all == [[task], [task]])
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
        // The session keeps one that was not resumed, but not for longer than others keep the session.
        try await eventually("all go") { session == nil && task == nil && unresumed == nil }
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
