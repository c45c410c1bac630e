// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport
internal import OperationNetworkingCore

/// Loads a request of a scheme for which a class may be registered with `URLProtocol`, as a task of a plain session of
/// Foundation's, which alone knows what is registered.
// Sendable because everything mutable is behind `state`; the rest is immutable.
final class SessionForeignLoader: SessionTaskLoader {
    private struct State: Sendable {
        var task: URLSessionTask?
        /// The task is to wait. Foundation counts suspensions, and this loader may be told the same twice.
        var isPaused = false
        /// The task was stopped, perhaps before its loading began.
        var isStopped = false
    }

    /// Without the content of `file`.
    private let request: URLRequest
    /// The content of an upload, to be opened when the request is about to be sent.
    private let file: URL?
    private let sessions: SessionForeignSessions
    private let state = Locked(State())

    init(_ request: URLRequest, file: URL?, _ sessions: SessionForeignSessions) {
        self.request = request
        self.file = file
        self.sessions = sessions
    }

    // Foundation's tasks are controlled on a separate queue: they wait for their session's queue, on which this may be
    // called.

    func begin(_ task: SessionTask) {
        do throws(URLError) {
            let outgoing = try request.sending(file)
            sessions.control.async { [self] in load(outgoing, for: task) }
        } catch {
            task.end(error: error)
        }
    }

    private func load(_ request: URLRequest, for task: SessionTask) {
        // What stops the task has the same queue: it comes before this, or after it.
        guard !state.withLock({ $0.isStopped }) else { return }
        // Downloads, too: for them Foundation's session stops the process when a protocol class is not its own.
        guard let foreign = sessions.makeTask(request, for: task) else {
            return task.end(error: URLError.cancelled(url: request.url))
        }
        let isPaused = state.withLock { state in
            state.task = foreign
            return state.isPaused
        }
        if !isPaused { foreign.resume() }
    }

    func pause() { change(isPaused: true) }
    func proceed() { change(isPaused: false) }

    private func change(isPaused: Bool) {
        sessions.control.async { [self] in
            let task = state.withLock { state -> URLSessionTask? in
                guard state.isPaused != isPaused else { return nil }
                state.isPaused = isPaused
                return state.task
            }
            if isPaused { task?.suspend() } else { task?.resume() }
        }
    }

    func stop() {
        sessions.control.async { [self] in
            let task = state.withLock { state in
                state.isStopped = true
                return state.task
            }
            guard let task else { return }
            task.cancel()
            sessions.forget(task)
        }
    }
}

/// The user's protocol classes, and the plain session of Foundation's that goes with an `OperationURLSession`. The
/// session is made when it is first needed.
final class SessionForeignSessions: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        var session: URLSession?
        /// No session is made any more.
        var isInvalid = false
        var entries: [Int: Entry] = [:]
    }

    /// A task of Foundation's and ours behind it. Foundation does not wait for the answer to a response: what comes
    /// before it is kept.
    private struct Entry {
        let task: SessionTask
        var isWaiting = false
        var pending: [Event] = []
    }

    private enum Event {
        case data(Data)
        case end((any Error)?)
    }

    let control = DispatchQueue(label: "OperationNetworking.foreignTasks")
    private let configuration: URLSessionConfiguration
    private let classes: [URLProtocol.Type]
    private let hasUsersClasses: Bool
    private let state = Locked(State())

    /// - Parameter configuration: without a protocol class of this library's.
    init(_ configuration: URLSessionConfiguration) {
        self.configuration = configuration
        classes = (configuration.protocolClasses ?? []).compactMap { $0 as? URLProtocol.Type }
        hasUsersClasses = classes.contains { !Self.isFoundations($0) }
    }

    /// The first of the configuration's classes that takes a request, if that is the user's.
    func usersType(for request: URLRequest) -> URLProtocol.Type? {
        guard hasUsersClasses else { return nil }
        let first = classes.first { $0.canInit(with: request) }
        return first.flatMap { Self.isFoundations($0) ? nil : $0 }
    }

    static func isFoundations(_ type: URLProtocol.Type) -> Bool {
        String(reflecting: type).utf8.starts(with: "FoundationNetworking.".utf8)
    }

    /// Makes a task of Foundation's. Called on `control`, where Foundation's session is invalidated, too: one that is
    /// invalid stops the process when it is to make a task.
    ///
    /// - Returns: nil: the session that this one goes with is gone.
    func makeTask(_ request: URLRequest, for task: SessionTask) -> URLSessionTask? {
        guard let foreign = validSession()?.dataTask(with: request) else { return nil }
        state.withLock { $0.entries[foreign.taskIdentifier] = Entry(task: task) }
        return foreign
    }

    private func validSession() -> URLSession? {
        let (known, isInvalid) = state.withLock { ($0.session, $0.isInvalid) }
        if known != nil || isInvalid { return known }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let new = URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
        let isLate = state.withLock { state in
            guard !state.isInvalid else { return true }
            state.session = new
            return false
        }
        guard isLate else { return new }
        // It keeps its delegate until it is invalid.
        new.finishTasksAndInvalidate()
        return nil
    }

    /// Forgets a task that is over here: it takes no more answers to its questions, and its later events have no
    /// effect.
    func forget(_ foreign: URLSessionTask) {
        let entry = state.withLock { $0.entries.removeValue(forKey: foreign.taskIdentifier) }
        withExtendedLifetime(entry) {}
    }

    /// The session goes when it has no tasks any more.
    func invalidate() {
        let session = state.withLock { state in
            state.isInvalid = true
            return state.session.take()
        }
        if let session { control.async { session.finishTasksAndInvalidate() } }
    }

    private func task(_ foreign: URLSessionTask) -> SessionTask? {
        state.withLock { $0.entries[foreign.taskIdentifier]?.task }
    }

    func urlSession(
        _ session: URLSession, task foreign: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @Sendable @escaping (URLRequest?) -> Void
    ) {
        guard let task = task(foreign), task.withState({ $0.interests.contains(.redirects) }) else {
            return completionHandler(request)
        }
        task.client.task(task, willFollow: request, after: response, reply: completionHandler)
    }

    func urlSession(
        _ session: URLSession, task foreign: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @Sendable @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // Without a credential Foundation would never end the task: then the refusal is the result.
        let identifier = foreign.taskIdentifier
        let settle: @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void = { [self] in
            switch ($0, $1) {
            case (.useCredential, let credential?): completionHandler(.useCredential, credential)
            case (.performDefaultHandling, _) where challenge.proposedCredential != nil:
                completionHandler(.performDefaultHandling, nil)
            case (.cancelAuthenticationChallenge, _): task(foreign)?.cancel()
            default:
                take(.end(nil), identifier)
                control.async { foreign.cancel() }
            }
        }
        guard let task = task(foreign), task.withState({ $0.interests.contains(.challenges) }) else {
            return settle(.performDefaultHandling, nil)
        }
        let once = FirstAnswer<(URLSession.AuthChallengeDisposition, URLCredential?)> { settle($0.0, $0.1) }
        task.client.task(task, didReceive: challenge) { once.give(($0, $1)) }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @Sendable @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.allow)
        let identifier = dataTask.taskIdentifier
        let task = state.withLock { state in
            state.entries[identifier]?.isWaiting = true
            return state.entries[identifier]?.task
        }
        task?.receive(response) { [self] in release(identifier) }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        take(.data(data), dataTask.taskIdentifier)
    }

    func urlSession(_ session: URLSession, task foreign: URLSessionTask, didCompleteWithError error: (any Error)?) {
        take(.end(error), foreign.taskIdentifier)
    }

    private func take(_ event: Event, _ identifier: Int) {
        let task = state.withLock { state -> SessionTask? in
            guard state.entries[identifier]?.isWaiting == true else { return state.entries[identifier]?.task }
            state.entries[identifier]?.pending.append(event)
            return nil
        }
        if let task { tell(event, task, identifier) }
    }

    private func release(_ identifier: Int) {
        while true {
            let (events, task) = state.withLock { state -> ([Event], SessionTask?) in
                let events = state.entries[identifier]?.pending ?? []
                state.entries[identifier]?.pending = []
                if events.isEmpty { state.entries[identifier]?.isWaiting = false }
                return (events, state.entries[identifier]?.task)
            }
            guard let task, !events.isEmpty else { return }
            for event in events { tell(event, task, identifier) }
        }
    }

    /// Returns the error, or for a URL that no class takes an error that names its scheme.
    private func explained(_ error: any Error, _ request: URLRequest?) -> any Error {
        guard (error as? URLError)?.code == .unsupportedURL, let url = request?.url else { return error }
        do {
            _ = try RequestTarget(url)
            return error
        } catch {
            return error.naming(request?.httpMethod)
        }
    }

    private func tell(_ event: Event, _ task: SessionTask, _ identifier: Int) {
        switch event {
        case .data(let data):
            task.receive(data)
        case .end(let error):
            // A task that was ended here ends in Foundation, too.
            let isFirst = state.withLock { $0.entries.removeValue(forKey: identifier) != nil }
            if isFirst { task.finishLoading(error.map { explained($0, task.originalRequest) }) }
        }
    }
}
