// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

/// Ends of tasks that no operation loads: of files, and of what protocol classes take.
@Suite("Ends of tasks of other loaders", .timeLimit(.minutes(1))) struct ForeignTaskEndTests {
    private let folder: TemporaryDirectory
    /// Longer than what is read ahead.
    private let file: URL

    init() throws {
        folder = try TemporaryDirectory()
        file = try folder.write(Data(count: 8 << 20), to: "file")
    }

    /// A session whose requests for other hosts an object loads that tells a response and content, but no end.
    private func session(_ delegate: any URLSessionDelegate, _ queue: OperationQueue? = nil) -> OperationURLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Endless.self]
        return OperationURLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
    }

    private func url(_ isFile: Bool) throws -> URL {
        if isFile { return file }
        return try #require(URL(string: "http://endless.invalid/"))
    }

    @Test("Cancelling while data come ends the data, also those that wait for the delegate", arguments: [false, true])
    func content(isFile: Bool) async throws {
        let delegate = RecordingDelegate()
        let ahead = Int64(isFile ? 4 << 20 : Endless.pieces * Endless.piece.count)
        let deadline = ContinuousClock.now + .seconds(20)
        delegate.whenReceiving = { task, _ in
            while task.countOfBytesReceived < ahead, ContinuousClock.now < deadline {}
            task.cancel()
        }
        session(delegate).dataTask(with: try url(isFile)).resume()
        await delegate.isComplete.wait()
        #expect(delegate.events.filter { $0 != "metrics" } == ["response", "data", "error"])
        #expect(delegate.code == .cancelled)
        #expect(delegate.data.count == (isFile ? 256 << 10 : Endless.piece.count))
    }

    @Test("The delegate is not asked about the response of a task that was cancelled", arguments: [false, true])
    func response(isFile: Bool) async throws {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let delegate = RecordingDelegate()
        let task = session(delegate, queue).dataTask(with: try url(isFile))
        task.resume()
        try await eventually("the question waits for the queue") { task.response != nil && queue.operationCount > 0 }
        task.cancel()
        queue.isSuspended = false
        await delegate.isComplete.wait()
        #expect(delegate.events.filter { $0 != "metrics" } == ["error"] && delegate.code == .cancelled)
    }

    @Test("A response that comes after the cancellation, and content, are nobody's")
    func late() async throws {
        // The file is not read before the cancellation: the delegate is to be asked about the response first.
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let delegate = RecordingDelegate()
        let task = session(delegate, queue).dataTask(with: file)
        let inner = try #require((task as? any SessionTaskFace)?.task)
        task.resume()
        task.cancel()
        queue.isSuspended = false
        let (known, count) = (task.response, task.countOfBytesReceived)
        let goesOn = Notes<Bool>()
        inner.receive(URLResponse(url: file, mimeType: nil, expectedContentLength: 7, textEncodingName: nil)) {
            goesOn.add(true)
        }
        inner.receive(Data(count: 7))
        inner.finishLoading(nil)
        await delegate.isComplete.wait()
        #expect(task.response === known && task.countOfBytesReceived == count && goesOn.all.isEmpty)
        #expect(delegate.code == .cancelled)
    }

    @Test(
        "A data task whose delegate wants a download too late ends as a data task, and goes", arguments: [false, true])
    func becomesDownloadTooLate(isAfterEnd: Bool) async throws {
        final class Delegate: NSObject, URLSessionDataDelegate, Sendable {
            let isAfterEnd: Bool
            let isAsked = Gate()
            let isComplete = Gate()
            let answer = Locked<(@Sendable (URLSession.ResponseDisposition) -> Void)?>(nil)
            let areDataTasks = Notes<Bool>()

            init(isAfterEnd: Bool) { self.isAfterEnd = isAfterEnd }

            func urlSession(
                _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
                completionHandler: @Sendable @escaping (URLSession.ResponseDisposition) -> Void
            ) {
                if isAfterEnd {
                    answer.withLock { $0 = completionHandler }
                } else {
                    dataTask.cancel()
                    completionHandler(SessionTask.becomeDownload ?? .cancel)
                }
                isAsked.open()
            }

            func urlSession(
                _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask
            ) {
                areDataTasks.add(false)
            }

            func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                areDataTasks.add(task is URLSessionDataTask)
                isComplete.open()
            }
        }
        let delegate = Delegate(isAfterEnd: isAfterEnd)
        weak var inner: SessionTask?
        do {
            let task = session(delegate).dataTask(with: file)
            inner = (task as? any SessionTaskFace)?.task
            task.resume()
            await delegate.isAsked.wait()
            task.cancel()
            await delegate.isComplete.wait()
            let answer = delegate.answer.withLock { $0.take() }
            if let disposition = SessionTask.becomeDownload { answer?(disposition) }
        }
        try await eventually("the task goes") { inner == nil }
        #expect(delegate.areDataTasks.all == [true])
    }

    private func task(
        _ variant: Int, of session: OperationURLSession, _ end: @escaping @Sendable ((any Error)?) -> Void
    ) throws -> URLSessionTask {
        switch variant {
        case 0, 1: session.dataTask(with: try url(variant == 0)) { end($2) }
        default: session.downloadTask(withResumeData: Data()) { end($2) }
        }
    }

    @Test("The end of a task that was never resumed is told, though nobody has its session any more", arguments: 0..<3)
    func neverResumed(_ variant: Int) async throws {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.isSuspended = true
        let delegate = RecordingDelegate()
        let (errors, isTold) = (Notes<(any Error)?>(), Gate())
        do {
            let session = session(delegate, queue)
            weak let made: URLSessionTask? = try task(variant, of: session) { error in
                errors.add(error)
                isTold.open()
            }
            let inner = try #require(made as? any SessionTaskFace).task
            try await eventually("the task lets go of its session") { inner.leavesSession }
            session.invalidateAndCancel()
        }
        queue.isSuspended = false
        await isTold.wait()
        await delegate.isInvalid.wait()
        #expect(errors.all.count == 1 && errors.all.allSatisfy { $0 != nil })
    }

    /// What the process has open.
    private static var openFiles: [String] {
        let folder = "/proc/self/fd/"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: folder + $0) }
    }

    @Test("A download that was cancelled has no file open, though somebody holds the task")
    func openFile() async throws {
        let delegate = RecordingDelegate()
        let task = session(delegate).downloadTask(with: file)
        let name = try #require((task as? any SessionTaskFace)?.task.downloadLocation).lastPathComponent
        @Sendable func isOpen() -> Bool { Self.openFiles.contains { $0.contains(name) } }
        let wasOpen = Notes<Bool>()
        delegate.whenWriting = { task in
            wasOpen.add(isOpen())
            task.cancel()
        }
        task.resume()
        await delegate.isComplete.wait()
        #expect(delegate.code == .cancelled && wasOpen.all == [true])
        try await eventually("the file is closed") { !isOpen() }
        withExtendedLifetime(task) {}
    }
}

/// Tells a response and some content, and no end.
private final class Endless: URLProtocol {
    static let piece = Data(count: 1000)
    static let pieces = 8

    override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "endless.invalid" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}

    override func startLoading() {
        guard let url = request.url,
            let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        for _ in 0..<Self.pieces { client?.urlProtocol(self, didLoad: Self.piece) }
    }
}
