// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

/// What is told at the end of a task, to whom, and what is let go of then.
@Suite("Ends of session tasks", .timeLimit(.minutes(1))) struct TaskEndTests {
    private func resumeData(_ task: URLSessionDownloadTask) async -> Data? {
        await withCheckedContinuation { continuation in task.cancel { continuation.resume(returning: $0) } }
    }

    @Test("Whoever asks for resume data is answered, also where there is no download to go on with")
    func noResumeData() async throws {
        let session = OperationURLSession(configuration: .ephemeral)
        #expect(await resumeData(session.downloadTask(withResumeData: Data())) == nil)
        session.finishTasksAndInvalidate()
        let late = session.downloadTask(with: try #require(URL(string: "http://127.0.0.1:1/")))
        #expect(await resumeData(late) == nil)
    }

    @Test("Whoever asks for resume data when the file is there already is answered: there are none")
    func resumeDataTooLate() async throws {
        final class Delegate: NSObject, URLSessionDownloadDelegate, Sendable {
            let answer = Notes<Data?>()
            let isAnswered = Gate()

            func urlSession(
                _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
            ) {
                downloadTask.cancel { [answer, isAnswered] data in
                    answer.add(data)
                    isAnswered.open()
                }
            }
        }
        let server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
        let delegate = Delegate()
        OperationURLSession(configuration: .ephemeral, delegate: delegate).downloadTask(with: server.url()).resume()
        await delegate.isAnswered.wait()
        #expect(delegate.answer.all == [nil])
    }

    @Test("Who asks too late for resume data is not answered before the call returns: it may hold a lock")
    func resumeDataLater() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
        let session = OperationURLSession(configuration: .ephemeral)
        let task = session.downloadTask(with: server.url())
        task.cancel()
        for _ in 0..<100 {
            let caller = pthread_self()
            let isOfCaller = await withCheckedContinuation { continuation in
                task.cancel { _ in continuation.resume(returning: pthread_equal(pthread_self(), caller) != 0) }
            }
            #expect(!isOfCaller)
        }
    }

    @Test("Who asks a task for resume data that cannot begin is not answered before the call returns, either")
    func resumeDataOfNoDownload() async throws {
        let session = OperationURLSession(configuration: .ephemeral)
        let invalid = OperationURLSession(configuration: .ephemeral)
        invalid.finishTasksAndInvalidate()
        let url = try #require(URL(string: "http://127.0.0.1:1/"))
        for round in 0..<100 {
            let task =
                round % 2 == 0 ? session.downloadTask(withResumeData: Data()) : invalid.downloadTask(with: url)
            let caller = pthread_self()
            let isOfCaller = await withCheckedContinuation { continuation in
                task.cancel { _ in continuation.resume(returning: pthread_equal(pthread_self(), caller) != 0) }
            }
            #expect(!isOfCaller)
        }
    }

    @Test("The delegate is not asked about the response of a task that was cancelled")
    func responseTooLate() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let delegate = RecordingDelegate()
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: queue)
        let task = session.dataTask(with: server.url())
        task.resume()
        try await eventually("the question waits for the queue") { task.response != nil && queue.operationCount > 0 }
        task.cancel()
        queue.isSuspended = false
        await delegate.isComplete.wait()
        #expect(delegate.events == ["metrics", "error"] && delegate.code == .cancelled)
    }

    @Test("A completion handler that holds its task goes when it was called")
    func handler() async throws {
        final class Client: Sendable {
            let task = Locked<URLSessionTask?>(nil)
        }
        let server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
        weak var client: Client?
        for isDownload in [false, true] {
            let isDone = Gate()
            do {
                let session = OperationURLSession(configuration: .ephemeral)
                let made = Client()
                client = made
                let end: @Sendable () -> Void = { withExtendedLifetime(made) { isDone.open() } }
                let task: URLSessionTask =
                    isDownload
                    ? session.downloadTask(with: server.url()) { _, _, _ in end() }
                    : session.dataTask(with: server.url()) { _, _, _ in end() }
                made.task.withLock { $0 = task }
                task.resume()
            }
            await isDone.wait()
            try await eventually("the client goes") { client == nil }
        }
    }

    @Test("A task is completed when its end is told, not before", arguments: SessionKind.allCases)
    func state(_ kind: SessionKind) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let states = Notes<URLSessionTask.State>()
        let isDone = Gate()
        let task = kind.make(queue: queue).dataTask(with: server.url()) { _, _, _ in isDone.open() }
        task.resume()
        try await eventually("all content is here") { queue.operationCount > 0 }
        states.add(task.state)
        queue.isSuspended = false
        await isDone.wait()
        try await eventually("the task is completed") { task.state == .completed }
        #expect(states.all == [.running])
    }

    @Test("The handler of a download comes last, when the task is completed, and the file is there while it runs")
    func downloadHandler() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
        let delegate = RecordingDelegate()
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
        let made = Locked<URLSessionTask?>(nil)
        let (states, events) = (Notes<URLSessionTask.State?>(), Notes<[String]>())
        let (files, tasks) = (Notes<URL>(), Notes<[URLSessionTask]>())
        let isListed = Gate()
        let task = session.downloadTask(with: server.url()) { location, _, _ in
            states.add(made.withLock { $0 }?.state)
            events.add(delegate.events)
            if let location, (try? Data(contentsOf: location)) == Data("hello".utf8) { files.add(location) }
            session.getAllTasks {
                tasks.add($0)
                isListed.open()
            }
        }
        made.withLock { $0 = task }
        task.resume()
        await isListed.wait()
        #expect(states.all == [.completed])
        #expect(events.all == [["metrics"]])
        #expect(tasks.all == [[]])
        let file = try #require(files.all.first)
        try await eventually("the file is removed") { !FileManager.default.fileExists(atPath: file.path) }
        #expect(delegate.events == ["metrics"])
    }

    @Test("What came before a connection was lost is told, also when the response is admitted after that")
    func contentBeforeLoss() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in
            ScriptedResponse(body: .data(Data("0123456789".utf8))).ending(.closeUnannounced, afterBodyBytes: 5)
        }
        for _ in 0..<10 {
            let delegate = RecordingDelegate()
            OperationURLSession(configuration: .ephemeral, delegate: delegate).dataTask(with: server.url()).resume()
            await delegate.isComplete.wait()
            #expect(delegate.code == .networkConnectionLost)
            #expect(delegate.data == Data("01234".utf8))
        }
    }

    @Test("A task of which nobody was asked about a response ends when its connection is lost", arguments: [0, 5])
    func lostBeforeAnyVerdict(count: Int) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in
            guard count > 0 else { return .script([.reset]) }
            return ScriptedResponse(status: 503, body: .text("0123456789")).ending(
                .closeUnannounced, afterBodyBytes: count)
        }
        let manager = URLSessionManager(sessionConfiguration: .ephemeral).offMain()
        manager.retryPolicy = RetryPolicy(maximumAttempts: 2, backoff: .constant(0.01))
        manager.setDataTaskDidReceiveDataBlock { _, _, _ in }
        let begin = ContinuousClock.now
        let outcome = await manager.loading(URLRequest(url: server.url()))
        #expect(outcome.code == URLError.networkConnectionLost.rawValue)
        #expect(server.requests.count == 2)
        #expect(ContinuousClock.now - begin < .seconds(20))
    }

    @Test("A response that is refused after its connection was lost, or never admitted", arguments: 0..<2)
    func refusedAfterLoss(_ variant: Int) async throws {
        final class Delegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
            let isComplete = Gate()
            let isAsked = Gate()
            let content = Notes<Data>()
            // Set before the gate opens, and read after.
            nonisolated(unsafe) var answer: (@Sendable (URLSession.ResponseDisposition) -> Void)?

            func urlSession(
                _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
                completionHandler: @Sendable @escaping (URLSession.ResponseDisposition) -> Void
            ) {
                answer = completionHandler
                isAsked.open()
            }

            func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
                content.add(data)
            }

            func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                isComplete.open()
            }
        }
        let server = try TestServer()
        server.respondToOthers { _ in
            ScriptedResponse(body: .data(Data("0123456789".utf8))).ending(.closeUnannounced, afterBodyBytes: 5)
        }
        let delegate = Delegate()
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
        var request = URLRequest(url: server.url())
        if variant == 1 { request.timeoutInterval = 0.5 }
        let task = session.dataTask(with: request)
        task.resume()
        await delegate.isAsked.wait()
        try await eventually("the connection is lost") { session.operation(for: task)?.isFinished == true }
        if variant == 0 { delegate.answer?(.cancel) }
        await delegate.isComplete.wait()
        #expect(delegate.content.all.isEmpty)
    }

    @Test("A delegate that does not say whether to store a response gets its end, and nothing is stored")
    func unansweredCache() async throws {
        final class Delegate: NSObject, URLSessionDataDelegate, Sendable {
            let isComplete = Gate()

            func urlSession(
                _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse response: CachedURLResponse,
                completionHandler: @Sendable @escaping (CachedURLResponse?) -> Void
            ) {}

            func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                isComplete.open()
            }
        }
        let server = try TestServer()
        server.respondToOthers { _ in ScriptedResponse.ok("hello").adding(header: "Cache-Control", "max-age=60") }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        let delegate = Delegate()
        OperationURLSession(configuration: configuration, delegate: delegate).dataTask(with: server.url()).resume()
        await delegate.isComplete.wait()
        #expect(configuration.urlCache?.cachedResponse(for: URLRequest(url: server.url())) == nil)
    }

    @Test("A task that was made too late does not hold up the session's invalidation")
    func lateTask() async throws {
        let server = try TestServer()
        let gate = Gate()
        server.respondToOthers { _ in ScriptedResponse.ok("hello").holding(gate, at: .beforeHead) }
        let delegate = RecordingDelegate()
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
        session.dataTask(with: server.url()).resume()
        _ = try await server.nextRequest()
        session.finishTasksAndInvalidate()
        let late = session.dataTask(with: server.url())
        gate.open()
        await delegate.isInvalid.wait()
        withExtendedLifetime(late) {}
    }
}
