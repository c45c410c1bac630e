// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport

/// Brings the tasks to this library that Foundation makes itself: those of `data(for:)`, `upload(for:)` and `download(for:)`,
/// which cannot be overridden. Each is loaded by a task of the session.
final class SessionURLProtocol: URLProtocol {
    private struct State {
        var inner: URLSessionTask?
        /// `inner` is suspended, as Foundation's task is.
        var isPaused = false
        /// How it ended, until Foundation is told.
        var handover: Handover?
        /// Foundation's task was cancelled, and tells so itself, unless its end was being told.
        var isStopped = false
        var isFinished = false
    }

    /// What Foundation is to be told of the end.
    struct Handover: Sendable {
        let result: SessionTaskResult
        /// A download's, which nobody removes.
        let file: URL?
        /// Tells the delegate what comes after the response and before the end.
        let tell: @Sendable () -> Void
    }

    private let state = Locked(State())

    /// The classes with this one first. What one of the user's own takes goes to that by the session's task.
    static func inserted(into classes: [AnyClass]?) -> [AnyClass] {
        [SessionURLProtocol.self] + (classes ?? []).filter { $0 != SessionURLProtocol.self }
    }

    /// None for Foundation, whose task tells of its cancellation by it after `stopLoading()`, once `finish(_:)` tells of another
    /// end: two of them stop the process.
    override var client: (any URLProtocolClient)? {
        get { state.withLock { $0.isStopped && $0.isFinished } ? nil : super.client }
        set {}
    }

    override class func canInit(with request: URLRequest) -> Bool {
        guard let scheme = request.url?.scheme else { return false }
        return ["http", "https", "file", "data"].contains {
            scheme.utf8.elementsEqual($0.utf8, by: { $0 | 0x20 == $1 })
        }
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    // Foundation calls these late, one after the other on the task's queue: what the task is by now counts. Where that
    // has changed since, another call comes.

    override func startLoading() {
        guard task.map({ $0.state == .running }) ?? true else { return }
        let (inner, wasPaused, isOver, handover) = state.withLock { state in
            defer { state.isPaused = false }
            let isOver = state.isStopped || state.isFinished
            let handover = isOver ? nil : state.handover.take()
            if handover != nil { state.isFinished = true }
            return (state.inner, state.isPaused, isOver, handover)
        }
        guard !isOver else { return }
        if let handover { return tell(handover) }
        if let inner {
            if wasPaused { inner.resume() }
            return
        }
        guard let task, let session = FoundationTask.session(of: task), let request = task.currentRequest else {
            client?.urlProtocol(
                self,
                didFailWithError: URLError(
                    .unsupportedURL, url: request.url, reason: "the protocol class serves tasks of sessions only"))
            return
        }
        let own = session as? OperationURLSession ?? StandInSessions.shared.session(for: session)
        let made = makeInner(request, of: task, session, in: own)
        state.withLock { $0.inner = made }
        made.resume()
    }

    private func makeInner(
        _ request: URLRequest, of task: URLSessionTask, _ outerSession: URLSession, in session: OperationURLSession
    ) -> URLSessionTask {
        let relay = OperationURLSession.Recipient(
            client: SessionRelay(
                self, task, outerSession, delegate: FoundationTask.delegateOfCall(task), handovers: session.handovers))
        if task is URLSessionDownloadTask { return session.makeDownloadTask(request, for: relay) }
        guard task is URLSessionUploadTask, let body = FoundationTask.body(of: task) else {
            return session.makeDataTask(request, for: relay)
        }
        return session.makeUploadTask(request, body, for: relay)
    }

    /// Foundation calls it for a suspension, too.
    override func stopLoading() {
        switch task?.state {
        case .running?: break
        case .suspended?:
            let inner = state.withLock { state -> URLSessionTask? in
                guard !state.isPaused, let inner = state.inner else { return nil }
                state.isPaused = true
                return inner
            }
            inner?.suspend()
        default:
            let inner = state.withLock { state in
                state.isStopped = true
                return state.inner
            }
            inner?.cancel()
            dropHandover()
        }
    }

    /// Takes how the task ended, for Foundation, which is told on its session's own queue: only there may its table of tasks
    /// be read. A suspension and its resumption are what the public has to get there: the last of them to have an effect
    /// calls `startLoading()`. Where the user has suspended the task, his resumption is that one.
    ///
    /// - Returns: whether somebody will be told: not where Foundation has ended the task itself.
    func finish(_ handover: Handover, on queue: DispatchQueue) -> Bool {
        let isFirst = state.withLock { state in
            state.inner = nil
            // Of a stopped one Foundation may be about to tell the end.
            guard !state.isStopped, !state.isFinished, state.handover == nil else { return false }
            state.handover = handover
            return true
        }
        guard isFirst, let task else { return false }
        // Both wait for the session's queue, which may be the one that this is called on.
        queue.async {
            task.suspend()
            task.resume()
        }
        return true
    }

    /// Tells Foundation, on its session's queue.
    private func tell(_ handover: Handover) {
        let result = handover.result
        guard let client = super.client else { return handover.tell() }
        guard result.error == nil, let response = result.response else {
            handover.tell()
            client.urlProtocol(
                self,
                didFailWithError: result.error
                    ?? URLError(.badServerResponse, url: request.url, reason: "no response came"))
            return
        }
        if let file = handover.file { FoundationTask.setDownloadedFile(file, of: self) }
        // Foundation tells the delegate of the call of it, too.
        client.urlProtocol(self, didReceive: FoundationTask.settled(response), cacheStoragePolicy: .notAllowed)
        handover.tell()
        // At once: Foundation keeps the last piece only.
        if let data = result.data { client.urlProtocol(self, didLoad: data) }
        client.urlProtocolDidFinishLoading(self)
    }

    /// Drops an end that Foundation has not been told, once its task has ended by itself.
    private func dropHandover() {
        let handover = state.withLock { $0.handover.take() }
        // Of a download that was cancelled too late nobody gets the file.
        if let file = handover?.file { SessionDownloadFile.removeTarget(file) }
    }
}

/// The client of a task that stands in for one of Foundation's: asks that task's delegate, and hands over the result.
// Sendable because Foundation's protocol objects may be used from any thread, as its own are.
private final class SessionRelay: SessionTaskClient, @unchecked Sendable {
    private let protocolObject: SessionURLProtocol
    private let outer: URLSessionTask
    /// The outer task's, which the delegates know. Another one may load for it.
    private let session: URLSession
    /// For a session of Foundation's; this library's have their own.
    private let mailbox = DeliveryMailbox()
    /// The one of `data(for:delegate:)`, which is not the task's.
    private let ownDelegate: (any URLSessionTaskDelegate)?
    /// What is about to be handed over.
    private let keptFile = Locked<URL?>(nil)
    private let handovers: DispatchQueue

    init(
        _ protocolObject: SessionURLProtocol, _ outer: URLSessionTask, _ session: URLSession,
        delegate: (any URLSessionTaskDelegate)?, handovers: DispatchQueue
    ) {
        self.handovers = handovers
        self.protocolObject = protocolObject
        self.outer = outer
        self.session = session
        ownDelegate = delegate
    }

    private var delegate: (any URLSessionTaskDelegate)? { ownDelegate ?? outer.delegate }

    func interests(of task: SessionTask) -> SessionTaskInterests {
        guard delegate != nil else { return session.delegate == nil ? [] : .challenges }
        var interests: SessionTaskInterests = [.redirects, .challenges, .sending, .metrics]
        if ownDelegate is any URLSessionDownloadDelegate { interests.insert(.writing) }
        return interests
    }

    func perform(for task: SessionTask, _ work: @escaping @Sendable () -> Void) {
        guard let own = session as? OperationURLSession else {
            return mailbox.deliver(on: session.delegateQueue, work)
        }
        own.client.perform(on: own.delegateQueue, work)
    }

    private func tell(
        _ task: SessionTask, otherwise: @escaping @Sendable () -> Void,
        _ call: @escaping @Sendable (any URLSessionTaskDelegate, URLSession) -> Void
    ) {
        perform(for: task) { [self] in
            guard task.session != nil, let delegate else { return otherwise() }
            call(delegate, session)
        }
    }

    func task(
        _ task: SessionTask, willFollow redirected: URLRequest, after response: HTTPURLResponse,
        reply: @escaping @Sendable (URLRequest?) -> Void
    ) {
        tell(task, otherwise: { reply(redirected) }) { [outer] in
            $0.urlSession(
                $1, task: outer, willPerformHTTPRedirection: response, newRequest: redirected, completionHandler: reply)
        }
    }

    func task(
        _ task: SessionTask, didReceive challenge: URLAuthenticationChallenge,
        reply: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        askSession(of: task, standingInFor: session, about: challenge, reply: reply) { [self] in
            tell(task, otherwise: { reply(.performDefaultHandling, nil) }) { [outer] in
                $0.urlSession($1, task: outer, didReceive: challenge, completionHandler: reply)
            }
        }
    }

    func task(_ task: SessionTask, needsBodyStream reply: @escaping @Sendable (InputStream?) -> Void) {
        tell(task, otherwise: { reply(nil) }) { [outer] in
            $0.urlSession($1, task: outer, needNewBodyStream: reply)
        }
    }

    func task(_ task: SessionTask, didSend count: Int64, total: Int64, expected: Int64) {
        delegate?.urlSession(
            session, task: outer, didSendBodyData: count, totalBytesSent: total, totalBytesExpectedToSend: expected)
    }

    func task(_ task: SessionTask, didWrite count: Int64, total: Int64, expected: Int64) {
        guard let download = outer as? URLSessionDownloadTask,
            let delegate = ownDelegate as? any URLSessionDownloadDelegate
        else { return }
        delegate.urlSession(
            session, downloadTask: download, didWriteData: count, totalBytesWritten: total,
            totalBytesExpectedToWrite: expected)
    }

    func task(_ task: SessionTask, didFinishDownloadingTo location: URL, reply: @escaping @Sendable () -> Void) {
        // Nobody removes what `download(for:)` returns.
        let kept = SessionDownloadFile.newLocation()
        if (try? FileManager.default.moveItem(at: location, to: kept)) != nil { keptFile.withLock { $0 = kept } }
        reply()
    }

    func task(_ task: SessionTask, didFinish result: SessionTaskResult) {
        let file = keptFile.withLock { $0 }
        let handover = SessionURLProtocol.Handover(result: result, file: file) { [self] in tellLast(of: result) }
        let isTold = protocolObject.finish(handover, on: handovers)
        if !isTold {
            tellLast(of: result)
            // Of a download that was cancelled too late nobody gets the file.
            if let file { SessionDownloadFile.removeTarget(file) }
        }
        task.close()
    }

    /// In the delegate queue's own order, in which Foundation tells of the response: not by `perform`, whose work may come
    /// before what is in the queue already.
    private func tellLast(of result: SessionTaskResult) {
        if let data = result.data, !data.isEmpty, let outer = outer as? URLSessionDataTask,
            let delegate = ownDelegate as? any URLSessionDataDelegate
        {
            session.delegateQueue.addOperation { [self] in
                delegate.urlSession(session, dataTask: outer, didReceive: data)
            }
        }
        if let metrics = result.metrics?.urlSessionTaskMetrics, let delegate {
            session.delegateQueue.addOperation { [self] in
                delegate.urlSession(session, task: outer, didFinishCollecting: metrics)
            }
        }
    }
}
