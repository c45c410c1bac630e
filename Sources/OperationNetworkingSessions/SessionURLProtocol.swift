// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport
internal import OperationNetworkingCore

/// Brings the tasks to this library that Foundation makes itself: those of `data(for:)`, `upload(for:)` and
/// `download(for:)` on a session that is known as a `URLSession` only, and all those of Foundation's sessions with a
/// configuration of ours. Each is loaded by a task of the session that its class belongs to.
class SessionURLProtocol: URLProtocol {
    private struct State {
        var inner: URLSessionTask?
        /// `inner` is suspended, as Foundation's task is.
        var isPaused = false
        /// The end of `inner`, until it is reported to Foundation: by `startLoading()` if the task is paused, else by
        /// `stopLoading()`.
        var handover: Handover?
        /// Foundation's task was cancelled, and reports that itself, unless its end was being reported.
        var isStopped = false
        var isFinished = false

        /// The end was reported, or is about to be; also where it was not taken for that yet.
        var isOver: Bool { isStopped || isFinished || handover != nil }

        /// Takes the end, to report it.
        mutating func takeHandover() -> Handover? {
            guard !isStopped, !isFinished, let taken = handover.take() else { return nil }
            isFinished = true
            return taken
        }
    }

    /// The end of a task, to be reported to Foundation.
    struct Handover: Sendable {
        let result: SessionTaskResult
        /// The file of a download, which the task does not remove.
        let file: URL?
        /// Calls the delegate with what comes after the response and before the end.
        let tell: @Sendable () -> Void
    }

    private let state = Locked(State())

    /// The number of the class's place: see `SessionProtocolPlace`.
    class var number: Int { 0 }

    /// Nil once `finish(_:)` has reported an end and Foundation's task was cancelled. The task reports a cancellation
    /// by its client after `stopLoading()`, and two ends stop the process.
    override var client: (any URLProtocolClient)? {
        get { state.withLock { $0.isStopped && $0.isFinished } ? nil : super.client }
        set {}
    }

    override class func canInit(with request: URLRequest) -> Bool {
        guard let scheme = request.url?.scheme else { return false }
        return (["http", "https", "file", "data"] as [StaticString]).contains { scheme.utf8.equalsIgnoringCase($0) }
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    // Foundation calls these late, one after the other on the task's queue: what the task is by now counts. Where that
    // has changed since, another call comes.

    override func startLoading() {
        guard task.map({ $0.state == .running }) ?? true else { return }
        let (inner, wasPaused, isOver, handover) = state.withLock { state in
            defer { state.isPaused = false }
            // Of a task that is not paused, `stopLoading()` takes it: see `finish(_:on:)`.
            let handover = state.isPaused ? state.takeHandover() : nil
            return (state.inner, state.isPaused, state.isOver, handover)
        }
        if let handover { return tellHoldingQueue(handover) }
        guard !isOver else { return }
        if let inner {
            if wasPaused { inner.resume() }
            return
        }
        guard let task, let request = task.currentRequest,
            let (session, outerSession) = Self.sessions(of: task)
        else {
            client?.urlProtocol(
                self,
                didFailWithError: URLError(
                    .unsupportedURL, url: request.url, reason: "the protocol class serves tasks of sessions only"))
            return
        }
        let relay = OperationURLSession.Recipient(
            client: SessionRelay(
                self, task, outerSession, delegate: FoundationInternals.delegateOfCall(task),
                handovers: session.handovers))
        guard let made = makeInner(request, of: task, for: relay, in: session) else {
            client?.urlProtocol(self, didFailWithError: Self.unreadable("content of the upload", request))
            return
        }
        let isWanted = state.withLock { state in
            // Over before it was returned, as where its session was invalidated meanwhile: it keeps this object.
            guard !state.isOver else { return false }
            state.inner = made
            return true
        }
        if isWanted { made.resume() } else { made.cancel() }
    }

    /// The session that loads a task, and the one that made it, which its delegates know.
    private static func sessions(of task: URLSessionTask) -> (OperationURLSession, URLSession)? {
        guard let owner = SessionProtocolPlace.place(of: number)?.present else { return nil }
        if let session = owner.session { return (session, session) }
        guard let standIn = owner.configuration?.standInSession else { return nil }
        return (standIn, FoundationInternals.session(of: task) ?? standIn)
    }

    /// Returns the error for a value in Foundation's private state, where the library does not read that.
    private static func unreadable(_ what: String, _ request: URLRequest) -> URLError {
        URLError(
            .unsupportedURL, url: request.url, reason: "the \(what) is in Foundation's hands only",
            advice: "call the function on a variable of the type OperationURLSession")
    }

    /// Nil: the content of the upload is unknown.
    private func makeInner(
        _ request: URLRequest, of task: URLSessionTask, for relay: OperationURLSession.Recipient,
        in session: OperationURLSession
    ) -> URLSessionTask? {
        if task is URLSessionDownloadTask { return session.makeDownloadTask(request, for: relay) }
        guard task is URLSessionUploadTask else { return session.makeDataTask(request, for: relay) }
        guard let body = FoundationInternals.body(of: task) else { return nil }
        return session.makeUploadTask(request, body, for: relay)
    }

    /// Foundation calls it for a suspension, too.
    override func stopLoading() {
        switch task?.state {
        case .some(let present) where present == .running || present == .suspended:
            let (handover, inner) = state.withLock { state -> (Handover?, URLSessionTask?) in
                guard !state.isPaused else { return (nil, nil) }
                if let handover = state.takeHandover() { return (handover, nil) }
                guard present == .suspended, let inner = state.inner else { return (nil, nil) }
                state.isPaused = true
                return (nil, inner)
            }
            inner?.suspend()
            if let handover { tellHoldingQueue(handover) }
        default:
            let inner = state.withLock { state in
                state.isStopped = true
                return state.inner
            }
            inner?.cancel()
            dropHandover()
        }
    }

    /// Takes the end of the task for Foundation, which receives it on its session's own queue: only there may its table
    /// of tasks be read. The public way to that queue is a suspension, for which it calls `stopLoading()`. Where the user
    /// has suspended the task, the user's resumption calls `startLoading()`.
    ///
    /// No resumption follows the suspension: once an end was reported, Foundation answers one with another end, which
    /// stops the process if the task has left its table by then.
    ///
    /// - Returns: true if Foundation will receive the end; false where it has ended the task itself.
    func finish(_ handover: Handover, on queue: DispatchQueue) -> Bool {
        let (isFirst, isPaused) = state.withLock { state in
            state.inner = nil
            // Of a stopped one Foundation may be about to tell the end.
            guard !state.isOver else { return (false, false) }
            state.handover = handover
            return (true, state.isPaused)
        }
        guard isFirst, let task else { return false }
        guard !isPaused else { return true }
        // A suspension of the user's may come first, and its call take the end.
        let isWaiting = { @Sendable [state] in state.withLock { $0.handover != nil } }
        // It waits for the session's queue, which may be the one that this is called on.
        queue.async { if isWaiting() { task.suspend() } }
        return true
    }

    /// Reports the end to Foundation while its session's queue does nothing else. The queue waits as long as its table
    /// of tasks is read, which is at the beginning of each call.
    ///
    /// Not by the queue itself: Foundation's functions let the Swift task go on at once. Where that is being cancelled,
    /// it is locked, and its cancellation waits for the queue.
    private func tellHoldingQueue(_ handover: Handover) {
        let (isLast, isTold) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // What changes is behind `state`, and Foundation uses what is its own from any thread, too.
        nonisolated(unsafe) let teller = self
        Runtime.current.onBlockThread {
            teller.tell(handover) { isLast.signal() }
            isTold.signal()
        }
        // However long the machine lets the thread wait: none but the last call waits for anything.
        isLast.wait()
        _ = isTold.wait(timeout: .now() + Self.patience)
    }

    /// Seconds after the beginning of the last call, after which the queue goes on. By then the table was looked at long
    /// ago.
    private static let patience = 1.0

    /// Reports the end to Foundation, while its session's queue is held.
    ///
    /// - Parameter isLast: called before the last call to Foundation, which may wait for that queue.
    private func tell(_ handover: Handover, isLast: () -> Void) {
        let result = handover.result
        guard let client = super.client else {
            isLast()
            return handover.tell()
        }
        guard result.error == nil, let response = result.response else {
            handover.tell()
            isLast()
            client.urlProtocol(
                self,
                didFailWithError: result.error
                    ?? URLError(.badServerResponse, url: request.url, reason: "no response came"))
            return
        }
        // Without a file Foundation's function would stop the process.
        if task is URLSessionDownloadTask {
            guard let file = handover.file, FoundationInternals.setDownloadedFile(file, of: self) else {
                if let file = handover.file { SessionDownloadFile.removeTarget(file) }
                handover.tell()
                isLast()
                client.urlProtocol(self, didFailWithError: Self.unreadable("file of the download", request))
                return
            }
        }
        // Foundation calls the delegate of the call with it, too.
        client.urlProtocol(self, didReceive: Self.settled(response), cacheStoragePolicy: .notAllowed)
        handover.tell()
        // At once: Foundation keeps the last piece only.
        if let data = result.data { client.urlProtocol(self, didLoad: data) }
        isLast()
        client.urlProtocolDidFinishLoading(self)
    }

    /// Drops an end that was not reported to Foundation, once its task has ended by itself.
    private func dropHandover() {
        let handover = state.withLock { $0.handover.take() }
        // No caller gets the file of a download that was cancelled too late.
        if let file = handover?.file { SessionDownloadFile.removeTarget(file) }
    }

    /// A response that Foundation takes for the result. A challenge for Basic, or Digest, it would answer itself, and
    /// then wait for ever: it looks for one after each comma, but gives up at an empty element at the beginning of the
    /// list (RFC 9110, section 5.6.1). Other fields stay as they came.
    private static func settled(_ response: URLResponse) -> URLResponse {
        guard let http = response as? HTTPURLResponse, http.statusCode == 401, let url = http.url,
            let fields = http.allHeaderFields as? [String: String]
        else { return response }
        var settled = fields
        for (name, value) in fields
        where name.utf8.equalsIgnoringCase("WWW-Authenticate") && mayUnderstand(Array(value.utf8)) {
            settled[name] = ", " + value
        }
        return HTTPURLResponse(url: url, statusCode: 401, httpVersion: "HTTP/1.1", headerFields: settled) ?? response
    }

    /// Returns true if a scheme that Foundation may know is anywhere in a challenge.
    private static func mayUnderstand(_ challenge: [UInt8]) -> Bool {
        challenge.indices.contains { index in
            let rest = challenge[index...]
            return rest.prefix(5).equalsIgnoringCase("basic") || rest.prefix(6).equalsIgnoringCase("digest")
        }
    }
}

/// The client of a task that stands in for one of Foundation's: asks that task's delegate, and hands over the result.
// Sendable because Foundation's protocol objects may be used from any thread, as its own are.
private final class SessionRelay: SessionForwardingClient, @unchecked Sendable {
    private let protocolObject: SessionURLProtocol
    private let outer: URLSessionTask
    /// The outer task's, which the delegates know. Another one may load for it.
    private let session: URLSession
    /// For a session of Foundation's; this library's have their own.
    private let mailbox = DeliveryMailbox()
    /// The one of `data(for:delegate:)`, which is not the task's.
    private let ownDelegate: (any URLSessionTaskDelegate)?
    /// The file that is about to be handed over.
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

    func interests(of task: SessionTask) -> ClientInterests {
        guard delegate != nil else { return session.delegate == nil ? [] : .challenges }
        // Responses and data are told by Foundation, or at the end.
        var interests = ClientInterests.ofTaskDelegates
        if ownDelegate is any URLSessionDownloadDelegate { interests.insert(.writing) }
        return interests
    }

    func perform(for task: SessionTask, _ work: @escaping @Sendable () -> Void) {
        guard let own = session as? OperationURLSession else {
            return mailbox.deliver(on: session.delegateQueue, work)
        }
        own.client.perform(on: own.delegateQueue, work)
    }

    func delegate<Delegate>(_ type: Delegate.Type, of task: SessionTask) -> Delegate? { delegate as? Delegate }
    /// Also when the task is closed, before the outer one ends: what it has sent is still to be told.
    func session(of task: SessionTask) -> URLSession? { session }
    func face(of task: SessionTask) -> URLSessionTask { outer }

    func task(_ task: SessionTask, didFinishDownloadingTo location: URL, reply: @escaping @Sendable () -> Void) {
        // The file that `download(for:)` returns must stay.
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
            // No caller gets the file of a download that was cancelled too late.
            if let file { SessionDownloadFile.removeTarget(file) }
        }
        task.close()
    }

    /// In the delegate queue's own order, in which Foundation reports the response: not by `perform`, whose work may
    /// come before what is in the queue already.
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
