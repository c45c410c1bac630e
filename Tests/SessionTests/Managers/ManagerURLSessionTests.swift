// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

/// Tasks that a program makes by a manager's `session`.
@Suite("Tasks of a session manager's session", .timeLimit(.minutes(1))) struct ManagerURLSessionTests {
    let server: TestServer
    let manager: HTTPSessionManager

    init() throws {
        server = try TestServer()
        server.respondToOthers { _ in .json(#"{"a":"b"}"#) }
        manager = HTTPSessionManager(baseURL: server.url()).offMain()
    }

    @Test("Threads that ask for the session first, at once, get the same one, and nobody is told of another's end")
    func firstSession() {
        var (endCount, counts) = (0, Set<Int>())
        for _ in 0..<200 {
            let manager = URLSessionManager(sessionConfiguration: .ephemeral)
            let (sessions, ends) = (Notes<ObjectIdentifier>(), Notes<Bool>())
            manager.setSessionDidBecomeInvalidBlock { _, error in ends.add(error == nil) }
            DispatchQueue.concurrentPerform(iterations: 4) { _ in sessions.add(ObjectIdentifier(manager.session)) }
            manager.operationQueue.waitUntilAllOperationsAreFinished()
            // The manager's own session ends with it.
            withExtendedLifetime(manager) { endCount += ends.all.count }
            counts.insert(Set(sessions.all).count)
        }
        #expect(endCount == 0 && counts == [1])
    }

    // MARK: What they are made of

    @Test("They are judged by the policy that the manager has when they are made, also those of data(for:)")
    func policy() async throws {
        let authority = try TestCertificateAuthority()
        let secure = try TestServer(tls: TLSSettings(authority.issueForLocalhost()))
        secure.respondToOthers { _ in .json("{}") }
        let url = secure.url("/x")
        let (lax, strict) = (SecurityPolicy.default(), SecurityPolicy.default())
        lax.anchorCertificates = [authority.certificate.der]
        manager.securityPolicy = lax
        let session = manager.session
        // Made before the change, resumed after it.
        let early = await session.outcome(URLRequest(url: url)) { task in
            manager.securityPolicy = strict
            task.resume()
        }
        #expect(early.status == 200)
        #expect(await session.outcome(url).code == .serverCertificateHasUnknownRoot)
        await #expect(throws: URLError.self) { try await session.data(from: url) }
        await #expect(throws: URLError.self) { try await session.download(from: url) }
        #expect(manager.operation(for: session.dataTask(with: url))?.securityPolicy === strict)
        #expect(manager.operation(for: session.downloadTask(with: url))?.securityPolicy === strict)
        manager.securityPolicy = lax
        #expect(try await session.data(from: url).0 == Data("{}".utf8))
        #expect(manager.session === session)
    }

    @Test("Proxies and limits are the manager's present ones, but what sends requests again is not Foundation's way")
    func settings() throws {
        manager.proxyConfiguration = ProxyConfiguration(dictionary: [
            "HTTPEnable": 1, "HTTPProxy": "proxy.example", "HTTPPort": 3128,
        ])
        let (session, url) = (manager.session, server.url())
        let early = try #require(manager.operation(for: session.dataTask(with: url) { _, _, _ in }))
        manager.proxyConfiguration = nil
        manager.totalTimeout = 5
        manager.unixSocketPath = "/s"
        manager.retryPolicy = RetryPolicy(maximumAttempts: 3)
        let late = try #require(manager.operation(for: session.dataTask(with: url) { _, _, _ in }))
        #expect(early.proxyConfiguration != nil && early.totalTimeout == nil && early.unixSocketPath == nil)
        #expect(late.proxyConfiguration == nil && late.totalTimeout == 5)
        #expect(late.unixSocketPath == "/s" && late.retryPolicy == nil)
    }

    // MARK: Whom they tell

    @Test("Without a completion handler they are told to the manager's blocks, in order, on its queue")
    func blocks() async throws {
        server.respond(to: "/from", ScriptedResponse(status: 302, headers: [("Location", "/to")]))
        let log = Notes<String>()
        let note: @Sendable (URLSession, URLSessionTask, String) -> Void = { [manager] session, task, event in
            #expect(session === manager.session && OperationQueue.current === manager.operationQueue)
            log.add("\(task.taskIdentifier) \(event)")
        }
        manager.setTaskWillPerformHTTPRedirectionBlock { session, task, _, request in
            note(session, task, "redirect")
            return request
        }
        manager.setDataTaskDidReceiveResponseBlock { session, task, _ in
            note(session, task, "response")
            return .allow
        }
        manager.setDataTaskDidReceiveDataBlock { note($0, $1, "data \($2.count)") }
        manager.setTaskDidCompleteBlock { note($0, $1, "complete \($2 == nil)") }
        let task = manager.session.dataTask(with: server.url("/from"))
        #expect(manager.downloadProgress(for: task) != nil)
        task.resume()
        try await eventually("the end") { log.all.count >= 4 }
        #expect(log.all == ["redirect", "response", "data 9", "complete true"].map { "\(task.taskIdentifier) \($0)" })
        try await eventually("the task is forgotten") { manager.tasks.isEmpty }
        // With one they are Foundation's.
        #expect(await manager.session.outcome(server.url("/from")).text == #"{"a":"b"}"#)
        #expect(try await manager.session.data(from: server.url("/from")).0.count == 9)
        #expect(log.all.count == 4)
    }

    @Test("A download's file goes where the block says")
    func download() async throws {
        server.respond(to: "/file", ScriptedResponse(body: .pattern(count: 100_000)))
        let directory = try TemporaryDirectory()
        let target = directory.file("target")
        let (written, errors) = (Notes<Int64>(), Notes<Bool>())
        manager.setDownloadTaskDidWriteDataBlock { _, _, _, total, _ in written.add(total) }
        manager.setDownloadTaskDidFinishDownloadingBlock { _, _, _ in target }
        manager.setTaskDidCompleteBlock { _, _, error in errors.add(error != nil) }
        manager.session.downloadTask(with: server.url("/file")).resume()
        try await eventually("the end") { !errors.all.isEmpty }
        #expect(errors.all == [false] && written.all.last == 100_000)
        #expect(try Data(contentsOf: target).count == 100_000)
    }

    @Test(
        "A streamed upload sends the request's stream, or asks the manager's block for one", arguments: [true, false])
    func streamedUpload(hasStream: Bool) async throws {
        let errors = Notes<Bool>()
        manager.setTaskDidCompleteBlock { _, _, error in errors.add(error != nil) }
        manager.setTaskNeedNewBodyStreamBlock { _, _ in InputStream(data: Data("block".utf8)) }
        var request = URLRequest(url: server.url("/up"))
        request.httpMethod = "PUT"
        if hasStream { request.httpBodyStream = InputStream(data: Data("own".utf8)) }
        manager.session.uploadTask(withStreamedRequest: request).resume()
        try await eventually("the end") { !errors.all.isEmpty }
        #expect(errors.all == [false] && server.requests.map(\.text) == [hasStream ? "own" : "block"])
    }

    @Test("Notifications, interceptors and archives are as of the manager's own tasks")
    func likeTheManagersOwn() async throws {
        let archive = HTTPArchive(maximumBodySize: 100)
        archive.record(manager)
        manager.interceptors = [TokenRefresher(token: "t") { "" }]
        let url = server.url("/own")
        let objects = Notes<String>()
        let token = NotificationCenter.default.addObserver(
            forName: .networkingTaskDidComplete, object: nil, queue: nil
        ) { note in
            guard (note.object as? URLSessionTask)?.originalRequest?.url == url else { return }
            let object = note.userInfo?[NetworkingTaskDidCompleteSerializedResponseKey] as? [String: String]
            objects.add(object?["a"] ?? "none")
        }
        defer { NotificationCenter.default.removeObserver(token) }
        manager.session.dataTask(with: url).resume()
        try await eventually("the notification") { objects.all == ["b"] }
        #expect(server.requests.last?["Authorization"] == "Bearer t")
        try await eventually("the entry") {
            String(decoding: (try? archive.data()) ?? Data(), as: UTF8.self).contains("/own")
        }
        // Foundation's way.
        _ = await manager.session.outcome(url)
        #expect(server.requests.count == 2 && server.requests.last?["Authorization"] == nil)
    }

    @Test("Nobody is kept alive by a block that has the session, once the manager is gone")
    func lifetime() async throws {
        let isCalled = Gate()
        weak var weakManager: HTTPSessionManager?
        weak var weakSession: URLSession?
        do {
            let manager = HTTPSessionManager(baseURL: server.url()).offMain()
            let session = manager.session
            (weakManager, weakSession) = (manager, session)
            manager.setTaskDidCompleteBlock { _, _, _ in
                withExtendedLifetime(session) { isCalled.open() }
            }
            session.dataTask(with: server.url("/x")).resume()
        }
        #expect(weakManager == nil)
        try await eventually("the end") { isCalled.isOpen }
        try await eventually("the session is gone") { weakSession == nil }
    }
}
