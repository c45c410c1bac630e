// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport
internal import OperationNetworkingCore

/// Loads a request that one of the user's own protocol classes takes, by an object of that class. So stubs for
/// `URLSession` go on working.
///
/// The object's `task` is the user's, and its client is this library's. Foundation's client stops the process at a
/// redirect, at an end without a response, and at any event after the task's end. Here a redirect is followed, such an
/// end is an error, and a late event has no effect.
// Sendable because `present` is behind a lock, and each of the other fields that change belongs to one queue.
final class SessionProtocolLoader: SessionTaskLoader, @unchecked Sendable {
    private struct Present {
        /// The client of the present object; nil: there is no object yet, or its events do not count any more.
        var client: SessionProtocolClient?
        var isOver = false
    }

    private let type: URLProtocol.Type
    /// Without the content of `file`.
    private let request: URLRequest
    /// The content of an upload, to be opened when the request is about to be sent.
    private let file: URL?
    /// The request is not what the task shows: it has the content of an upload.
    private let hasContent: Bool
    private let sessions: SessionForeignSessions
    private let present = Locked(Present())
    /// The queue for the events of objects, which may come from any thread.
    private let events = DispatchQueue(label: "OperationNetworking.protocolEvents")
    /// On the session's queue: a class of the user's is started for one task at a time, as by Foundation.
    private var object: URLProtocol?

    // On `events`.
    private var isWaiting = false
    private var isPaused = false
    private var pending: [SessionProtocolEvent] = []
    private var hopCount = 0
    private var failureCount = 0

    init(
        _ type: URLProtocol.Type, _ request: URLRequest, file: URL?, hasContent: Bool,
        _ sessions: SessionForeignSessions
    ) {
        self.type = type
        self.request = request
        self.file = file
        self.hasContent = hasContent
        self.sessions = sessions
    }

    func begin(_ task: SessionTask) {
        do throws(URLError) {
            // Foundation on Linux does not ask for the canonical form.
            let canonical = type.canonicalRequest(for: try request.sending(file))
            // As it is: without additions by the configuration and the canonical form.
            let isShown = !hasContent && task.originalRequest?.isSent(like: canonical) == true
            start(type, canonical, for: task, isOriginal: isShown)
        } catch {
            task.end(error: error)
        }
    }

    // Events of an object are kept meanwhile, so that nothing is loaded or reported twice.
    func pause() { events.async { [self] in isPaused = true } }

    func proceed() {
        events.async { [self] in
            isPaused = false
            if let client = present.withLock({ $0.client }) { work(off: client) }
        }
    }

    func stop() {
        release()
        sessions.control.async { [self] in object.take()?.stopLoading() }
    }

    private func start(
        _ type: URLProtocol.Type, _ request: URLRequest, for task: SessionTask, isOriginal: Bool = false
    ) {
        let new = SessionProtocolClient(self, task, request, type, isOriginal: isOriginal)
        let (old, isOver) = present.withLock { present in
            guard !present.isOver else { return (nil as SessionProtocolClient?, true) }
            defer { present.client = new }
            return (present.client, false)
        }
        withExtendedLifetime(old) {}
        guard !isOver else { return }
        sessions.control.async { [self] in
            object?.stopLoading()
            // It was stopped meanwhile.
            guard isPresent(new) else { return object = nil }
            object = new.makeObject()
            object?.startLoading()
        }
    }

    private func release() {
        let old = present.withLock { present in
            present.isOver = true
            return present.client.take()
        }
        withExtendedLifetime(old) {}
    }

    // MARK: Events of objects

    func take(_ event: SessionProtocolEvent, from source: SessionProtocolClient) {
        events.async { [self] in
            guard isPresent(source) else { return }
            pending.append(event)
            work(off: source)
        }
    }

    private func isPresent(_ source: SessionProtocolClient) -> Bool { present.withLock { $0.client === source } }

    private func work(off source: SessionProtocolClient) {
        while !isWaiting, !isPaused, !pending.isEmpty, isPresent(source) { handle(pending.removeFirst(), source) }
    }

    /// Keeps the events that come until the returned closure is called.
    private func wait(_ source: SessionProtocolClient) -> @Sendable () -> Void {
        isWaiting = true
        return { [self] in
            events.async { [self] in
                guard isPresent(source) else { return }
                isWaiting = false
                work(off: source)
            }
        }
    }

    private func handle(_ event: SessionProtocolEvent, _ source: SessionProtocolClient) {
        let task = source.task
        switch event {
        case .response(let response):
            if !asks(about: response, source) { task.receive(response, proceed: wait(source)) }
        case .data(let data):
            task.receive(data)
        case .redirect(let redirected, let response):
            let request = confined(redirected, after: source)
            guard let response = response as? HTTPURLResponse,
                task.withState({ $0.interests.contains(.redirects) })
            else { return follow(request, after: response, source) }
            let proceed = wait(source)
            let once = FirstAnswer<URLRequest?> { [self] answer in
                // After all events of the object while it starts: its own response may follow the redirect.
                sessions.control.async { [self] in
                    events.async { [self] in
                        guard isPresent(source) else { return }
                        if let answer {
                            let next = task.configured(
                                answer, inPlaceOf: request, redirectedFrom: source.request.url)
                            return follow(next, after: response, source)
                        }
                        stay(with: response)
                        proceed()
                    }
                }
            }
            task.client.task(task, willFollow: request, after: response) { once.give($0) }
        case .end(let error):
            release()
            sessions.control.async { [self] in object = nil }
            task.finishLoading(error)
        }
    }

    /// Returns the request of a redirect without the fields that do not go along.
    private func confined(_ request: URLRequest, after source: SessionProtocolClient) -> URLRequest {
        guard let url = source.request.url, let target = request.url else { return request }
        var request = request
        RedirectPolicy.confine(&request, redirectedFrom: url, to: target)
        return request
    }

    /// The redirect is not followed: it is the response, unless the object has sent another one.
    private func stay(with response: HTTPURLResponse) {
        let hasResponse = pending.contains { if case .response = $0 { true } else { false } }
        guard !hasResponse else { return }
        pending = [.response(response), .end(nil)]
        sessions.control.async { [self] in object?.stopLoading() }
    }

    private func follow(_ request: URLRequest, after response: URLResponse, _ source: SessionProtocolClient) {
        isWaiting = false
        pending = []
        hopCount += 1
        guard hopCount <= RedirectPolicy.maximumHops else {
            return handle(
                .end(
                    URLError(
                        .httpTooManyRedirects, url: request.url,
                        reason: "more than \(RedirectPolicy.maximumHops) redirects")), source)
        }
        guard let type = sessions.usersType(for: request) else {
            return handle(
                .end(
                    URLError(
                        .unsupportedURL, url: request.url,
                        reason: "a protocol class redirected to what none of the session's own takes")), source)
        }
        source.task.noteExchange(response)
        source.task.withState { $0.requests.goOn(with: request) }
        start(type, request, for: source.task)
    }

    // MARK: Authentication

    /// Returns true if the delegate is asked about a 401. With a user name and a password for Basic the class is asked
    /// again; otherwise the response stands.
    private func asks(about response: URLResponse, _ source: SessionProtocolClient) -> Bool {
        let task = source.task
        // What was read of a stream cannot be sent again.
        guard source.request.httpBodyStream == nil, failureCount < RedirectPolicy.maximumHops,
            let response = response as? HTTPURLResponse, response.statusCode == 401, let url = source.request.url,
            task.withState({ $0.interests.contains(.challenges) }),
            let value = response.value(forHTTPHeaderField: "WWW-Authenticate"),
            let challenge = HTTPChallenge(
                head: ResponseHead(
                    statusCode: 401, httpVersion: "1.1", rawFields: Array("WWW-Authenticate: \(value)\r\n".utf8)))
        else { return false }
        let proceed = wait(source)
        let once = FirstAnswer<(URLSession.AuthChallengeDisposition, URLCredential?)> { [self] answer in
            if answer.0 == .cancelAuthenticationChallenge { return task.cancel() }
            events.async { [self] in
                guard isPresent(source) else { return }
                if answer.0 == .useCredential, challenge.scheme == .basic, let user = answer.1?.user,
                    let password = answer.1?.password,
                    let field = try? BasicAuthentication(user: user, password: password).fieldValue()
                {
                    var request = source.request
                    request.setValue(field, forHTTPHeaderField: "Authorization")
                    (isWaiting, pending) = (false, [])
                    failureCount += 1
                    return start(source.type, request, for: task)
                }
                task.receive(response, proceed: proceed)
            }
        }
        task.client.task(
            task,
            didReceive: challenge.authenticationChallenge(
                url: url, proposed: nil, failures: failureCount, response: response)
        ) { once.give(($0, $1)) }
        return true
    }
}
