// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking
import TestServer
import Testing

/// Public reports about sessions and their tasks.
@Suite("Reports: sessions", .timeLimit(.minutes(1)))
struct SessionReports {
    /// A delegate that notes what it is told, and answers what the test says.
    // Sendable because what is noted is behind a lock, and the answers are set before a task runs.
    final class Listener: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, @unchecked Sendable {
        private let notes = Locked<[String]>([])
        private let kept = Locked<(error: (any Error)?, download: URLSessionDownloadTask?)>((nil, nil))
        let isComplete = Gate()
        let isInvalid = Gate()
        var bodyStream: () -> InputStream? = { nil }
        var disposition = URLSession.ResponseDisposition.allow
        var whenComplete: (URLSession) -> Void = { _ in }

        /// Repeated ones once.
        var events: [String] { notes.withLock { $0 } }
        var code: URLError.Code? { kept.withLock { $0.error as? URLError }?.code }
        var download: URLSessionDownloadTask? { kept.withLock { $0.download } }

        func count(_ event: String) -> Int { events.filter { $0 == event }.count }

        private func note(_ event: String) { notes.withLock { if $0.last != event { $0.append(event) } } }

        func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
            note("invalid")
            isInvalid.open()
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            needNewBodyStream completionHandler: @Sendable @escaping (InputStream?) -> Void
        ) {
            notes.withLock { $0.append("body") }
            completionHandler(bodyStream())
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
            totalBytesExpectedToSend: Int64
        ) {
            note("sent \(totalBytesSent) of \(totalBytesExpectedToSend)")
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            notes.withLock { $0.append(error == nil ? "complete" : "error") }
            kept.withLock { $0.error = error }
            whenComplete(session)
            isComplete.open()
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @Sendable @escaping (URLSession.ResponseDisposition) -> Void
        ) {
            completionHandler(disposition)
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask
        ) {
            // Asked for by now, it follows the task.
            _ = downloadTask.progress
            kept.withLock { $0.download = downloadTask }
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
        ) {
            note("file \((try? Data(contentsOf: location))?.count ?? -1)")
        }
    }

    /// What a handler was called with, and how often.
    final class Calls: Sendable {
        private let errors = Locked<[URLError.Code?]>([])
        let isCalled = Gate()
        var all: [URLError.Code?] { errors.withLock { $0 } }

        func add(_ error: (any Error)?) {
            errors.withLock { $0.append((error as? URLError)?.code) }
            isCalled.open()
        }
    }

    func manager() -> URLSessionManager {
        let manager = URLSessionManager(sessionConfiguration: .ephemeral)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.completionQueue = DispatchQueue(label: "reports")
        return manager
    }

    private func request(_ url: URL, _ method: String = "POST") -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.timeoutInterval = 5 * Patience.factor
        return request
    }

    // MARK: Cancelling

    @Test("A cancelled task is neither resumed nor suspended any more (swift-corelibs-foundation#2428)")
    func resumedAfterCancelling() async throws {
        let (server, calls) = (try TestServer(), Calls())
        let session = OperationURLSession(configuration: .ephemeral)
        let task = session.dataTask(with: server.url()) { calls.add($2) }
        task.cancel()
        task.resume()
        task.suspend()
        #expect(task.state != .running && task.state != .suspended)
        await calls.isCalled.wait()
        task.resume()
        #expect(task.state == .completed && calls.all == [.cancelled])
        #expect(server.requests.isEmpty)
    }

    @Test("A task that fails at once ends once, though its session is cancelled (swift-corelibs-foundation#2423)")
    func failedAndCancelled() async throws {
        let (listener, calls) = (Listener(), Calls())
        let session = OperationURLSession(configuration: .ephemeral, delegate: listener)
        let url = try #require(URL(string: "http://"))
        for _ in 0..<20 { session.dataTask(with: url) { calls.add($2) }.resume() }
        session.invalidateAndCancel()
        await listener.isInvalid.wait()
        #expect(calls.all.count == 20)
    }

    @Test("The handler of a cancelled task is called, and its operation ends (TRVSURLSessionOperation#3)")
    func cancelledOperation() async throws {
        let (server, calls, manager) = (try TestServer(), Calls(), manager())
        server.respondToOthers { _ in .stalled() }
        let task = manager.dataTask(with: URLRequest(url: server.url())) { calls.add($2) }
        let operation = try #require(manager.operation(for: task))
        task.resume()
        try await eventually("the request is there") { server.requests.count == 1 }
        task.cancel()
        await calls.isCalled.wait()
        try await eventually("the operation is over") { operation.isFinished }
        #expect(calls.all == [.cancelled] && operation.isCancelled)
        manager.invalidateSessionCancelingTasks(true)
    }

    /// The functions for Swift tasks.
    enum Call: Sendable, CaseIterable {
        case data, upload, download, managersData

        func run(_ request: URLRequest, _ session: OperationURLSession, _ manager: URLSessionManager) async throws {
            switch self {
            case .data: _ = try await session.data(for: request)
            case .upload: _ = try await session.upload(for: request, from: Data("content".utf8))
            case .download: _ = try await session.download(for: request)
            case .managersData: _ = try await manager.data(for: request)
            }
        }
    }

    @Test("In a Swift task that is cancelled already nothing is sent (wordpress-rs#1518)", arguments: Call.allCases)
    func cancelledBefore(_ call: Call) async throws {
        let (server, gate, manager) = (try TestServer(), Gate(), manager())
        server.respondToOthers { _ in .ok("content") }
        let session = OperationURLSession(configuration: .ephemeral)
        let request = request(server.url())
        let task = Task {
            await gate.wait()
            try await call.run(request, session, manager)
        }
        task.cancel()
        gate.open()
        guard case .failure(let error) = await task.result else {
            Issue.record("a cancelled call succeeded")
            return
        }
        #expect(error is CancellationError || (error as? URLError)?.code == .cancelled)
        // Whatever was sent would have come before this.
        _ = try await session.data(from: server.url("/after"))
        #expect(server.requests.map(\.target) == ["/after"])
        manager.invalidateSessionCancelingTasks(true)
    }

    @Test("A Swift task that is cancelled while the answer comes does not hang (swift-corelibs-foundation#5412)")
    func cancelledWhileReceiving() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("content") }
        let session = OperationURLSession(configuration: .ephemeral)
        let url = server.url()
        for _ in 0..<100 {
            let task = Task { try await session.data(from: url) }
            _ = try await server.nextRequest()
            task.cancel()
            _ = await task.result
        }
        let (data, _) = try await session.data(from: url)
        #expect(data == Data("content".utf8))
    }

    // MARK: Invalid sessions

    @Test("A session is ended from within its delegate, after its other tasks (swift-corelibs-foundation#662)")
    func endedFromDelegate() async throws {
        let (server, gate, listener) = (try TestServer(), Gate(), Listener())
        server.respond(to: "/fast", .ok("fast"))
        server.respond(to: "/slow", .stalled(until: gate, then: .ok("slow")))
        listener.whenComplete = { session in
            session.finishTasksAndInvalidate()
            gate.open()
        }
        let session = OperationURLSession(configuration: .ephemeral, delegate: listener)
        session.dataTask(with: server.url("/slow")).resume()
        session.dataTask(with: server.url("/fast")).resume()
        await listener.isInvalid.wait()
        #expect(listener.count("complete") == 2 && listener.events.last == "invalid")
        #expect(session.delegate == nil)
    }

    @Test("A task of a session that is over fails, and its handler is called (AFNetworking#3983)")
    func taskOfInvalidSession() async throws {
        let (server, manager) = (try TestServer(), manager())
        server.respondToOthers { _ in .ok("content") }
        manager.invalidateSessionCancelingTasks(false)
        let calls = Calls()
        manager.dataTask(with: URLRequest(url: server.url())) { calls.add($2) }.resume()
        await calls.isCalled.wait()
        #expect(calls.all == [.resourceUnavailable] && server.requests.isEmpty)
        manager.invalidateSessionCancelingTasks(false, resetSession: true)
        #expect(try await manager.data(for: URLRequest(url: server.url())).0 == Data("content".utf8))
        manager.invalidateSessionCancelingTasks(true)
    }

    @Test("A manager goes when nobody has it, and its tasks are finished (AFNetworking#3838)")
    func managerGoes() async throws {
        let (server, gate, calls) = (try TestServer(), Gate(), Calls())
        server.respondToOthers { _ in .stalled(until: gate, then: .ok("content")) }
        weak var gone: URLSessionManager?
        func begin() {
            let manager = manager()
            gone = manager
            manager.dataTask(with: URLRequest(url: server.url())) { calls.add($2) }.resume()
        }
        begin()
        try await eventually("the manager is gone") { gone == nil }
        gate.open()
        await calls.isCalled.wait()
        #expect(calls.all == [nil])
    }

    @Test("A session's own delegate queue is serial, a given one stays as it is (swift-corelibs-foundation#983)")
    func delegateQueues() {
        #expect(OperationURLSession(configuration: .ephemeral).delegateQueue.maxConcurrentOperationCount == 1)
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 4
        let session = OperationURLSession(configuration: .ephemeral, delegateQueue: queue)
        #expect(session.delegateQueue === queue && queue.maxConcurrentOperationCount == 4)
    }

    // MARK: Content that is sent

    @Test("Nobody is asked for content that a task does not have (swift-corelibs-foundation#2751)")
    func noBody() async throws {
        let (server, listener) = (try TestServer(), Listener())
        server.respondToOthers { _ in .ok("content") }
        let session = OperationURLSession(configuration: .ephemeral, delegate: listener)
        session.dataTask(with: request(server.url())).resume()
        await listener.isComplete.wait()
        #expect(listener.events == ["complete"])
        #expect(server.requests.count == 1 && server.requests.first?.text == "")
    }

    @Test("Content of a data task is told, too, as it is sent (swift-corelibs-foundation#2760)")
    func sentByDataTask() async throws {
        let (server, listener) = (try TestServer(), Listener())
        server.respondToOthers { _ in .ok("content") }
        var request = request(server.url(), "PUT")
        request.httpBody = Data(count: 1000)
        let task = OperationURLSession(configuration: .ephemeral, delegate: listener).dataTask(with: request)
        task.resume()
        await listener.isComplete.wait()
        #expect(listener.events == ["sent 1000 of 1000", "complete"])
        #expect(task.countOfBytesSent == 1000 && task.countOfBytesExpectedToSend == 1000)
    }

    @Test("A streamed upload of a manager sends the stream that its request has (AFNetworking#3603)")
    func streamOfRequest() async throws {
        let (server, calls, manager) = (try TestServer(), Calls(), manager())
        server.respondToOthers { _ in .ok("content") }
        let asked = Locked(0)
        manager.setTaskNeedNewBodyStreamBlock { _, _ in
            asked.withLock { $0 += 1 }
            return nil
        }
        var request = request(server.url())
        request.httpBodyStream = InputStream(data: Data("streamed".utf8))
        manager.uploadTask(withStreamedRequest: request, progress: nil, completionHandler: { calls.add($2) }).resume()
        await calls.isCalled.wait()
        #expect(calls.all == [nil] && asked.withLock { $0 } == 0)
        #expect(server.requests.first?.text == "streamed")
        manager.invalidateSessionCancelingTasks(true)
    }

    @Test("The same stream, given a second time, is not taken for empty content (connect-swift#398)")
    func sameStreamAgain() async throws {
        let (server, listener) = (try TestServer(), Listener())
        server.respond(to: "/from", .redirect(307, to: "/to"))
        server.respond(to: "/to", .ok("content"))
        nonisolated(unsafe) let stream = InputStream(data: Data("streamed".utf8))
        listener.bodyStream = { stream }
        let session = OperationURLSession(configuration: .ephemeral, delegate: listener)
        session.uploadTask(withStreamedRequest: request(server.url("/from"))).resume()
        await listener.isComplete.wait()
        #expect(listener.events.filter { $0 == "body" || $0 == "error" } == ["body", "body", "error"])
        #expect(listener.code == .requestBodyStreamExhausted)
        #expect(!server.requests.contains { $0.path == "/to" && $0.isComplete })
    }

    @Test(
        "A stream that is not as long as announced is an error, not another length (supabase-swift#1342)",
        arguments: [4, 12])
    func wrongLength(of stream: Int) async throws {
        let (server, calls, manager) = (try TestServer(), Calls(), manager())
        server.respondToOthers { _ in .ok("content") }
        var request = request(server.url())
        request.setValue("8", forHTTPHeaderField: "Content-Length")
        request.httpBodyStream = InputStream(data: Data(count: stream))
        manager.uploadTask(withStreamedRequest: request, progress: nil, completionHandler: { calls.add($2) }).resume()
        await calls.isCalled.wait()
        #expect(calls.all == [.requestBodyStreamExhausted])
        #expect(!server.requests.contains { $0.isComplete })
        manager.invalidateSessionCancelingTasks(true)
    }

    // MARK: Downloads

    /// What a download of a part of `response` leaves when it is cancelled.
    private func resumeData(_ response: ScriptedResponse) async throws -> Data? {
        let server = try TestServer()
        server.respondToOthers { _ in response.ending(.stall, afterBodyBytes: 1000) }
        let task = OperationURLSession(configuration: .ephemeral).downloadTask(with: server.url())
        task.resume()
        try await eventually("content comes") { task.countOfBytesReceived == 1000 }
        return await withCheckedContinuation { continuation in
            task.cancel { continuation.resume(returning: $0) }
        }
    }

    @Test("Without a validator nothing can be gone on with, and there are no resume data (openradar-mirror#20801)")
    func noResumeData() async throws {
        #expect(try await resumeData(.ranged(Data(count: 2000))) == nil)
        #expect(try await resumeData(.ranged(Data(count: 2000), etag: "W/\"a\"")) == nil)
        #expect(try await resumeData(.ranged(Data(count: 2000), etag: "\"a\"")) != nil)
        let date = "Mon, 01 Jan 2024 00:00:00 GMT"
        #expect(try await resumeData(.ranged(Data(count: 2000), lastModified: date)) != nil)
    }

    @Test("A download that the network ends has its resume data in the error (Alamofire#3416)")
    func resumeDataOfError() async throws {
        let (server, manager, content) = (try TestServer(), manager(), Data((0..<2000).map { UInt8($0 % 251) }))
        let response = ScriptedResponse.ranged(content, etag: "\"a\"")
        server.enqueue(response.ending(.closeUnannounced, afterBodyBytes: 1000), response)
        let folder = try TemporaryDirectory()
        func load(_ resumeData: Data?) async -> (url: URL?, error: (any Error)?) {
            await withCheckedContinuation { continuation in
                let handler: @Sendable (URLResponse, URL?, (any Error)?) -> Void = {
                    continuation.resume(returning: ($1, $2))
                }
                let target: @Sendable (URL, URLResponse) -> URL = { _, _ in folder.file("file") }
                let task =
                    if let resumeData {
                        manager.downloadTask(
                            withResumeData: resumeData, progress: nil, destination: target, completionHandler: handler)
                    } else {
                        manager.downloadTask(
                            with: URLRequest(url: server.url()), progress: nil, destination: target,
                            completionHandler: handler)
                    }
                task.resume()
            }
        }
        let error = try #require(await load(nil).error as? URLError)
        #expect(error.code == .networkConnectionLost)
        let data = try #require(error.userInfo[URLSessionDownloadTaskResumeData] as? Data)
        let (url, failure) = await load(data)
        #expect(failure == nil && url == folder.file("file"))
        #expect(try Data(contentsOf: folder.file("file")) == content)
        #expect(server.requests.last?["Range"] == "bytes=1000-")
        manager.invalidateSessionCancelingTasks(true)
    }

    @Test("A file at the target is not replaced, and what came is not lost (AFNetworking#2604)")
    func existingTarget() async throws {
        let (server, manager, folder) = (try TestServer(), manager(), try TemporaryDirectory())
        server.respondToOthers { _ in .ok("new") }
        let target = try folder.write("old", to: "file")
        do {
            _ = try await manager.download(for: URLRequest(url: server.url()), to: target)
            Issue.record("the file was replaced")
        } catch let error as CocoaError {
            #expect(error.code == .fileWriteFileExists)
            let kept = try #require((error as NSError).userInfo[NetworkingDownloadedFileURLErrorKey] as? URL)
            #expect(try String(contentsOf: kept, encoding: .utf8) == "new")
            try FileManager.default.removeItem(at: kept)
        }
        #expect(try String(contentsOf: target, encoding: .utf8) == "old")
        manager.invalidateSessionCancelingTasks(true)
    }

    @Test("The text of an error is no download, and leaves the next one its place (AFNetworking#3775, #3799)")
    func errorResponse() async throws {
        let (server, manager, folder) = (try TestServer(), manager(), try TemporaryDirectory())
        server.enqueue(ScriptedResponse(status: 500, body: .text("not now")), .ok("content"))
        let (target, request) = (folder.file("file"), URLRequest(url: server.url()))
        await #expect(throws: (any Error).self) { try await manager.download(for: request, to: target) }
        #expect(!FileManager.default.fileExists(atPath: target.path))
        _ = try await manager.download(for: request, to: target)
        #expect(try String(contentsOf: target, encoding: .utf8) == "content")
        manager.invalidateSessionCancelingTasks(true)
    }
}
