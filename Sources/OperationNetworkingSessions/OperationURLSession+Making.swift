// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport
internal import OperationNetworkingCore

extension URLRequest {
    /// The number of bytes of content, where it is known before the content is read; 0: none, or unknown.
    fileprivate var knownContentLength: Int64 {
        if let httpBody { return Int64(httpBody.count) }
        return (httpBodyStream as? any ReplayableBodyStream)?.contentLength ?? 0
    }

    /// Removes the content. The header fields about it, except its type, are removed when the request is sent.
    fileprivate mutating func removeContent() {
        httpBody = nil
        httpBodyStream = nil
    }

    /// Returns the request with a file as its content, which is opened now.
    func sending(_ file: URL?) throws(URLError) -> URLRequest {
        guard let file else { return self }
        var request = self
        request.httpBodyStream = try .body(ofFile: file, for: url)
        return request
    }
}

// Making tasks: for completion handlers and delegates, or for another client. None is begun.

extension SessionUploadBody {
    /// Sets the content that is known before the request is sent. A file is read then.
    fileprivate func apply(to request: inout URLRequest) {
        if case .data(let data) = self { request.httpBody = data }
    }
}

extension OperationURLSession {
    func makeDataTask(_ request: URLRequest, _ handler: SessionDelegateClient.Handler?) -> URLSessionDataTask {
        linked { makeDataTask(request, for: recipient(handler, of: .data)) }
    }

    func makeUploadTask(
        _ request: URLRequest, _ body: SessionUploadBody?, _ handler: SessionDelegateClient.Handler?
    ) -> URLSessionUploadTask {
        linked { makeUploadTask(request, body, for: recipient(handler, of: .upload)) }
    }

    func makeDownloadTask(
        _ request: URLRequest, _ handler: SessionDelegateClient.Handler?
    ) -> URLSessionDownloadTask {
        linked { makeDownloadTask(request, for: recipient(handler, of: .download)) }
    }

    func makeDownloadTask(resumeData: Data, _ handler: SessionDelegateClient.Handler?) -> URLSessionDownloadTask {
        linked { makeDownloadTask(resumeData: resumeData, for: recipient(handler, of: .download)) }
    }

    /// Makes a task whose progress the calling thread's current progress has as a child, if there is one.
    private func linked<Made: URLSessionTask>(_ make: () -> Made) -> Made {
        let link = TaskProgress.makeLink()
        let made = make()
        if let link { made.ownFace?.task.makeProgress(link: link) }
        return made
    }

    // MARK: For any client

    /// The client that a task's events go to, and the settings of the task's operation.
    struct Recipient {
        let client: any SessionTaskClient
        /// The object that the client keeps with the task, as `SessionTask.context`.
        var context: (any AnyObject & Sendable)?
        /// Nil: the session's `operationConfiguration`.
        var configuration: URLConnectionOperation.SharedConfiguration?
        /// Accepts any status by default: a task has a response whatever its status is, and so has its operation.
        var serializer = HTTPResponseSerializer.anyStatus
        /// The archives that record the task.
        var archives: [HTTPArchive] = []
        /// Foundation's sessions refuse it.
        var sendsContentOfGET = false

        /// Announces a new operation to the interceptors and archives that need to know it.
        fileprivate func announce(_ operation: SessionOperation) {
            if let interceptors = configuration?.value.interception.interceptors, !interceptors.isEmpty {
                TokenRefresher.note(operation, with: interceptors)
            }
            for archive in archives { archive.observe(operation) }
        }
    }

    /// A data task whose events go to a client.
    func makeDataTask(_ request: URLRequest, for recipient: Recipient) -> URLSessionDataTask {
        let (task, operation) = make(.data, request, recipient)
        let face = OperationDataTask(task, operation)
        introduce(face)
        return face
    }

    /// An upload task whose events go to a client, and whose content is `body`, whatever the request has; nil: what it
    /// has.
    func makeUploadTask(
        _ request: URLRequest, _ body: SessionUploadBody?, for recipient: Recipient
    ) -> URLSessionUploadTask {
        let (task, operation) = make(.upload, request, recipient, body: body)
        let face = OperationUploadTask(task, operation)
        introduce(face)
        return face
    }

    /// A download task whose events go to a client.
    func makeDownloadTask(_ request: URLRequest, for recipient: Recipient) -> URLSessionDownloadTask {
        let (task, operation) = make(.download, request, recipient)
        let face = OperationDownloadTask(task, operation)
        introduce(face)
        return face
    }

    /// A download task that goes on where another stopped. Damaged data make one that fails.
    func makeDownloadTask(resumeData: Data, for recipient: Recipient) -> URLSessionDownloadTask {
        let known = SessionResumeData(resumeData)
        let failure = known == nil ? URLError(.unsupportedURL, url: nil, reason: "the resume data are damaged") : nil
        let (task, operation) = make(.download, known?.request, recipient, failure: failure)
        if let known {
            task.withState { $0.download.goOn(at: known.location, from: known.offset) }
        }
        let face = OperationDownloadTask(task, operation)
        introduce(face)
        return face
    }

    private func introduce(_ face: any SessionTaskFace) {
        let task = face.task
        task.withState { $0.face = face }
        add(task, face)
    }

    private func make(
        _ kind: SessionTask.Kind, _ request: URLRequest?, _ recipient: Recipient, body: SessionUploadBody? = nil,
        failure: URLError? = nil
    ) -> (SessionTask, SessionOperation?) {
        var given = request
        // What is sent does not show in the request, nor does what the configuration adds, as in Foundation.
        if body != nil { given?.removeContent() }
        // Before the session is asked whether it is valid: until it is not, a manager's knows what the manager says.
        let configuration = recipient.configuration ?? operationConfiguration
        let (identifier, isValid) = makeTaskIdentifier()
        let task = SessionTask(
            identifier: identifier, kind: kind, request: given, client: recipient.client,
            context: recipient.context, session: self, isRefused: !isValid)
        if let error = failure ?? misuse(of: given, isValid: isValid) {
            task.set(.failure(error))
            return (task, nil)
        }
        guard var outgoing = given.map(settings.configured(_:)) else { return (task, nil) }
        if let loader = loader(of: outgoing, body) {
            task.withState { state in
                state.configuration = configuration
                state.loader = .foreign(loader)
            }
            return (task, nil)
        }
        var file = body?.file
        body?.apply(to: &outgoing)
        if outgoing.httpMethod == "HEAD" {
            outgoing.removeContent()
            file = nil
        }
        if outgoing.httpMethod == "GET", !recipient.sendsContentOfGET, let refusal = refusal(of: outgoing, body) {
            task.set(refusal)
            return (task, nil)
        }
        let length =
            file.map({ SessionDownloadFile.length(of: $0.resolvingSymlinksInPath()) }) ?? outgoing.knownContentLength
        let operation = SessionOperation(
            request: settings.outgoing(outgoing, awaitsStream: body?.isAwaited ?? false),
            configuration: configuration, serializer: recipient.serializer, owner: task)
        recipient.announce(operation)
        if InstalledRuntimes.mayExist, let runtime = installedRuntime.withLock({ $0 }) { operation.install(runtime) }
        task.withState { state in
            state.traffic.expect(toSend: length)
            state.uploadFile = file
            state.loader = .operation
            state.operation = operation
        }
        return (task, operation)
    }

    /// Returns the loader that refuses a GET with content; nil: it has no content, and is sent.
    private func refusal(of request: URLRequest, _ body: SessionUploadBody?) -> SessionTask.Loader? {
        let awaitsStream = body?.isAwaited ?? false
        guard awaitsStream || body?.file != nil || request.httpBody?.isEmpty == false || request.httpBodyStream != nil
        else { return nil }
        let error = URLError(
            .dataLengthExceedsMaximum, url: request.url, reason: "a GET has no content",
            advice: "put it into the query, use another method, or an operation in place of the task"
        ).adding("resource exceeds maximum size", forKey: NSLocalizedDescriptionKey)
        return awaitsStream ? .foreign(SessionRefusedUpload(error)) : .failure(error)
    }

    /// Returns the loader that takes the place of an operation; nil: an operation loads.
    private func loader(of request: URLRequest, _ body: SessionUploadBody?) -> (any SessionTaskLoader)? {
        let type = foreign.usersType(for: request)
        guard let url = request.url, type != nil || !Self.isOperations(url) else { return nil }
        guard type != nil || Self.mayBeRegistered(url) else { return SessionLocalLoader(url) }
        var request = request
        body?.apply(to: &request)
        if let type {
            return SessionProtocolLoader(type, request, file: body?.file, hasContent: body != nil, foreign)
        }
        return SessionForeignLoader(request, file: body?.file, foreign)
    }

    /// Returns true if operations load the URL, as they do nearly all. Compares bytes, because Foundation parses the
    /// URL to get its scheme.
    private static func isOperations(_ url: URL) -> Bool {
        var rest = url.absoluteString.utf8.makeIterator()
        for letter in "http".utf8 where (rest.next() ?? 0) | 0x20 != letter { return false }
        let next = rest.next().map { $0 | 0x20 }
        return next == UInt8(ascii: ":") | 0x20 || next == UInt8(ascii: "s") && rest.next() == UInt8(ascii: ":")
    }

    /// Returns true if this library does not load the URL, but a class that was registered with `URLProtocol` may.
    private static func mayBeRegistered(_ url: URL) -> Bool {
        guard let scheme = url.scheme?.lowercased() else { return false }
        return !["http", "https", "file", "data", "ws", "wss", "ftp", "ftps"].contains(scheme)
    }

    private func misuse(of request: URLRequest?, isValid: Bool) -> URLError? {
        guard isValid else {
            return URLError(
                .resourceUnavailable, url: request?.url,
                reason: "the task was made after its session had been invalidated; make another session")
        }
        if let request, request.url == nil {
            return URLError(.unsupportedURL, url: nil, reason: "the request has no URL")
        }
        return nil
    }
}

/// A streamed upload that is not sent: its client is asked for the stream before, as by Foundation.
private final class SessionRefusedUpload: SessionTaskLoader {
    private let error: URLError

    init(_ error: URLError) {
        self.error = error
    }

    func begin(_ task: SessionTask) {
        let once = FirstAnswer<InputStream?> { [error] _ in task.finishLoading(error) }
        task.client.task(task, needsBodyStream: { once.give($0) })
    }

    // There is nothing to stop: the task's end is the answer's, or the cancellation's.
    func pause() {}
    func proceed() {}
    func stop() {}
}
