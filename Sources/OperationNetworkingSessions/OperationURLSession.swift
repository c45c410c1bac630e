// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
internal import Dispatch
internal import NetworkingSupport
internal import NetworkingTransport
public import OperationNetworkingCore

/// A `URLSession` whose tasks run on this library's engine, for every API that takes a `URLSession`.
///
/// Each data, upload and download task is an operation of ``operationQueue``: it can take dependencies and be part of a
/// batch (``operation(for:)``), and its `priority` is the operation's. `suspend()` and `resume()` pause it and go on
/// with what was received: on the same connection, where the response cannot be continued by a range. Content is
/// decoded also where the request has its own `Accept-Encoding`. `User-Agent` and `Accept-Language` are added where the
/// request has none. HEAD is sent without the request's content, as by Foundation on Linux. GET with content, which a
/// server may ignore, fails with `URLError.dataLengthExceedsMaximum`, as by Foundation; managers and operations send
/// it. Completion handlers and delegates are called as Foundation documents it, on the delegate queue.
///
/// **The configuration** is read when the session is made:
/// - `httpAdditionalHeaders`;
/// - `timeoutIntervalForRequest`, in seconds without progress; a request's own time-out, if it is not 60, wins;
/// - `timeoutIntervalForResource`; a week or more is no limit;
/// - `httpMaximumConnectionsPerHost`: so many requests at a time to one host, more where it answers in HTTP/2. A value
///   above `NetworkEngine.maximumConnectionsPerHost` raises that, since the process has one engine;
/// - the cookie storage, `httpCookieAcceptPolicy` and `httpShouldSetCookies`;
/// - `requestCachePolicy` and `urlCredentialStorage`;
/// - `connectionProxyDictionary`, unless `proxyConfiguration` is given. Where it enables a proxy that is not
///   understood, requests fail (`URLError.badURL`, over a ``ProxyConfigurationError``).
///
/// The settings about cellular access, background sessions and pipelining have no effect, as in Foundation on Linux.
///
/// Content that is kept in memory, for completion handlers and `data(for:)`, is limited to 256 MiB. Delegates and
/// download tasks have no limit. A credential that a delegate gives is used for its task, and not put into
/// `urlCredentialStorage`.
///
/// **Tasks** that were made and not resumed are kept by the session, as by Foundation's, until they are cancelled, or
/// the session is invalidated or gone. After a call of ``operation(for:)`` such a task is kept by the caller, and not
/// by the session.
///
/// **Delegates** are kept until the session is invalid. If a delegate has not answered `willCacheResponse` when the
/// method returns, the response is not stored, and the task's end follows. A download's file is in the folder for
/// temporary files, and is removed when the delegate's method or the completion handler has returned.
///
/// **Misuse** that stops the process in Foundation is a task that fails: one that is made after the session was
/// invalidated (`URLError.resourceUnavailable`), or of resume data that is damaged (`URLError.unsupportedURL`).
///
/// **Swift's functions** (`data(for:)`, `upload(for:)`, `download(for:)`) run tasks of this session, and return without
/// the delegate queue. They are Foundation's where the library is not imported, or where the session is known as a
/// `URLSession` only and a delegate is given with the call; Foundation's task is then loaded by one of this session.
/// With sessions of Foundation's these functions hang when the Swift task is cancelled while the answer arrives: they
/// wait for a queue with the task locked, and that queue waits for the task. Here the queue goes on after a second.
///
/// Some values are then only in Foundation's objects, where the library looks for them: the content of an upload, the
/// place of a download's file, the delegate of the call. With an unknown version of Foundation, or with
/// `OPERATION_NETWORKING_NO_PRIVATE_STATE` in the environment, such uploads and downloads fail with an error that says
/// so, the delegate of such a call is not asked, and `URLSessionTaskMetrics` have no values: `operation(for:)` has the
/// metrics.
///
/// **Threads.** Every member may be used from any thread.
///
/// **Other protocols.** Web sockets are Foundation's: ``invalidateAndCancel()`` closes them, and nothing waits for
/// them. A request that a class in `protocolClasses` takes is loaded by an object of that class, whose `task` is the
/// session's. The object may redirect to a request that such a class takes, and its late events have no effect.
/// Suspended tasks keep its events. Schemes other than http(s), file and data are for classes that are registered with
/// `URLProtocol`, by Foundation. ``shared`` asks the classes that were registered before the first session of the
/// process was made about `http`, too, as Foundation's does.
///
/// AF: `session` of `AFURLSessionManager`.
///
/// ```swift
/// let session = OperationURLSession(configuration: .default)
/// let (data, response) = try await session.data(from: url)
/// print(data.count, response)
/// ```
// Sendable because `registry` and `currentDelegate` are behind locks, and all else is immutable or Foundation's.
open class OperationURLSession: URLSession, @unchecked Sendable {
    /// The queue of the tasks' operations. Suspend it, or set its limits, for all of them at once.
    public let operationQueue: RequestOperationQueue
    let settings: SessionSettings
    let client = SessionDelegateClient()
    let registry = SharedSessionRegistry()
    let currentDelegate: Locked<(any URLSessionDelegate)?>
    private let ownConfiguration: SessionConfiguration
    private let protocolPlace: SessionProtocolPlace
    /// The runtime of tasks made from now on; nil: the runtime that all tasks use.
    let installedRuntime = Locked<(any OperationRuntime)?>(nil)
    /// The queue on which the ends of Foundation's own tasks wait for Foundation.
    let handovers = DispatchQueue(label: "OperationNetworking.handovers")
    /// The user's own protocol classes, and the session that loads other schemes.
    let foreign: SessionForeignSessions

    /// A session.
    ///
    /// - Parameters:
    ///   - configuration: see above.
    ///   - delegate: is kept until the session is invalid. Nil by default.
    ///   - delegateQueue: where delegate and completion handlers are called; for a queue that runs several operations
    ///     at a time the order is kept for each task. By default a queue of the session's that runs one.
    ///   - securityPolicy: how servers are judged; nil, the default: `SecurityPolicy.default()`.
    ///   - clientIdentity: the certificate and key for servers that ask for a certificate. Nil by default.
    ///   - proxyConfiguration: the proxies; nil, the default: those of `configuration.connectionProxyDictionary`.
    public init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)? = nil,
        delegateQueue: OperationQueue? = nil, securityPolicy: SecurityPolicy? = nil,
        clientIdentity: ClientIdentity? = nil, proxyConfiguration: ProxyConfiguration? = nil
    ) {
        let configuration = configuration.plainCopy().copiedWithTexts()
        settings = SessionSettings(
            configuration, securityPolicy: securityPolicy, clientIdentity: clientIdentity,
            proxies: proxyConfiguration)
        currentDelegate = Locked(delegate)
        operationQueue = RequestOperationQueue()
        foreign = SessionForeignSessions(configuration)
        // Foundation's own tasks, which `data(for:)` makes on a `URLSession`, come to this library by a protocol class.
        protocolPlace = SessionProtocolPlace()
        ownConfiguration = .make(of: configuration, protocolPlace)
        let given = configuration.copied()
        given.httpShouldSetCookies = false
        // Foundation would keep the delegate for good; it asks for the property below.
        super.init(configuration: given, delegate: nil, delegateQueue: delegateQueue)
        protocolPlace.belong(to: self)
        operationQueue.maxConcurrentOperationCount = OperationQueue.defaultMaxConcurrentOperationCount
        operationQueue.limitConnections(perHost: settings.maximumConnectionsPerHost)
    }

    private static let sharedSession: OperationURLSession = {
        let configuration = URLSessionConfiguration.default
        // Foundation's shared session alone shows which classes are registered: those that come before its own have
        // `http`.
        configuration.protocolClasses = URLSession.shared.configuration.protocolClasses
        return OperationURLSession(configuration: configuration)
    }()

    /// A session with the default configuration and no delegate, which cannot be invalidated.
    open override class var shared: URLSession { sharedSession }

    deinit { foreign.invalidate() }

    /// A copy of what was given, with a protocol class of this library's. A session of Foundation's that is made with
    /// it loads by this library, with `SecurityPolicy.default()` and without a client identity.
    open override var configuration: URLSessionConfiguration {
        SessionConfiguration.make(of: ownConfiguration, protocolPlace)
    }

    /// Nil once the session is invalid.
    open override var delegate: (any URLSessionDelegate)? { currentDelegate.withLock { $0 } }

    /// The operation of a task. `nil` for one that is not this library's, or that is not sent to a server.
    public func operation(for task: URLSessionTask) -> HTTPRequestOperation? {
        Self.handOutOperation(of: task)
    }

    /// Returns the operation of a task to a caller that may begin it without the task.
    static func handOutOperation(of task: URLSessionTask) -> SessionOperation? {
        guard let face = task.ownFace else { return nil }
        if face.task.withState({ $0.hold.handOutOperation() }) {
            // The operation's holder needs the session then, and not the task.
            let released = face.task.session?.registry.withLock { $0.letGo(face.task.identifier) }
            withExtendedLifetime(released) {}
        }
        return face.operation
    }

    /// The configuration of the operations of tasks whose client gives none. A manager's session has another.
    var operationConfiguration: URLConnectionOperation.SharedConfiguration { settings.operations }

    /// Returns the recipient for tasks of the methods below. A manager's session has others.
    func recipient(_ handler: SessionDelegateClient.Handler?, of kind: SessionTask.Kind) -> Recipient {
        Recipient(client: client, context: client.makeContext(handler: handler, queue: delegateQueue))
    }

    // MARK: Data tasks

    /// A task whose response goes to the delegate.
    open override func dataTask(with request: URLRequest) -> URLSessionDataTask { makeDataTask(request, nil) }

    /// A task whose response goes to the delegate.
    open override func dataTask(with url: URL) -> URLSessionDataTask { makeDataTask(URLRequest(url: url), nil) }

    /// A task whose response goes to a completion handler, on the delegate queue.
    open override func dataTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        makeDataTask(request, .data(completionHandler))
    }

    /// A task whose response goes to a completion handler, on the delegate queue.
    open override func dataTask(
        with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
        makeDataTask(URLRequest(url: url), .data(completionHandler))
    }

    // MARK: Upload tasks

    /// A task that sends a file. One that is not there ends it with `URLError.fileDoesNotExist`.
    open override func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask {
        makeUploadTask(request, .file(fileURL), nil)
    }

    /// A task that sends data.
    open override func uploadTask(with request: URLRequest, from bodyData: Data) -> URLSessionUploadTask {
        makeUploadTask(request, .data(bodyData), nil)
    }

    /// A task that sends what the delegate's `needNewBodyStream` gives it.
    open override func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        makeUploadTask(request, .stream, nil)
    }

    /// A task that sends a file, and whose response goes to a completion handler.
    open override func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        makeUploadTask(request, .file(fileURL), .data(completionHandler))
    }

    /// A task that sends data, and whose response goes to a completion handler.
    open override func uploadTask(
        with request: URLRequest, from bodyData: Data?,
        completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionUploadTask {
        makeUploadTask(request, .data(bodyData ?? Data()), .data(completionHandler))
    }

    // MARK: Download tasks

    /// A task whose response goes to a file. The delegate receives the file's URL.
    open override func downloadTask(with request: URLRequest) -> URLSessionDownloadTask {
        makeDownloadTask(request, nil)
    }

    /// A task whose response goes to a file. The delegate receives the file's URL.
    open override func downloadTask(with url: URL) -> URLSessionDownloadTask {
        makeDownloadTask(URLRequest(url: url), nil)
    }

    /// A task that goes on where another stopped, in this process or an earlier one. A server that has other content by
    /// now sends it from the beginning.
    open override func downloadTask(withResumeData resumeData: Data) -> URLSessionDownloadTask {
        makeDownloadTask(resumeData: resumeData, nil)
    }

    /// A task whose response goes to a file. The completion handler receives the file's URL.
    open override func downloadTask(
        with request: URLRequest, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        makeDownloadTask(request, .download(completionHandler))
    }

    /// A task whose response goes to a file. The completion handler receives the file's URL.
    open override func downloadTask(
        with url: URL, completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        makeDownloadTask(URLRequest(url: url), .download(completionHandler))
    }

    /// A task that goes on where another stopped, with a completion handler.
    open override func downloadTask(
        withResumeData resumeData: Data,
        completionHandler: @escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDownloadTask {
        makeDownloadTask(resumeData: resumeData, .download(completionHandler))
    }

    // MARK: Web sockets

    /// A web socket of Foundation's. `invalidateAndCancel()` closes it, with the code `goingAway`;
    /// `finishTasksAndInvalidate()` leaves it open. The session becomes invalid without waiting for it, and its
    /// delegate is told nothing of it from then on. One that is made after an invalidation is closed at once.
    open override func webSocketTask(with url: URL) -> URLSessionWebSocketTask {
        remembering(super.webSocketTask(with: url))
    }

    /// A web socket of Foundation's, for which the server may choose one of several protocols. As
    /// `webSocketTask(with:)` else.
    open override func webSocketTask(with url: URL, protocols: [String]) -> URLSessionWebSocketTask {
        remembering(super.webSocketTask(with: url, protocols: protocols))
    }

    /// A web socket of Foundation's that a request opens. As `webSocketTask(with:)` else.
    open override func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask {
        remembering(super.webSocketTask(with: request))
    }

    // MARK: All tasks

    /// The tasks that were resumed and are not over at the time of the call, on the delegate queue.
    open override func getTasksWithCompletionHandler(
        _ completionHandler:
            @escaping @Sendable (
                [URLSessionDataTask], [URLSessionUploadTask], [URLSessionDownloadTask]
            ) -> Void
    ) {
        let tasks = outstandingTasks
        performKeepingSession {
            completionHandler(
                tasks.compactMap { $0 is URLSessionUploadTask ? nil : $0 as? URLSessionDataTask },
                tasks.compactMap { $0 as? URLSessionUploadTask }, tasks.compactMap { $0 as? URLSessionDownloadTask })
        }
    }

    /// The tasks that were resumed and are not over at the time of the call, on the delegate queue.
    open override func getAllTasks(completionHandler: @escaping @Sendable ([URLSessionTask]) -> Void) {
        let tasks = outstandingTasks
        performKeepingSession { completionHandler(tasks) }
    }

    /// The session, which has the queue, stays until the work was done.
    private func performKeepingSession(_ work: @escaping @Sendable () -> Void) {
        client.perform(on: delegateQueue) { [self] in withExtendedLifetime(self, work) }
    }

    /// Lets the present tasks go on, and makes no others. Then the delegate is notified and released.
    open override func finishTasksAndInvalidate() {
        guard self !== Self.sharedSession else { return }
        if registry.withLock({ $0.finish() }) { becomeInvalid() }
    }

    /// Cancels the present tasks, and makes no others. Then the delegate is notified and released.
    open override func invalidateAndCancel() {
        guard self !== Self.sharedSession else { return }
        let (isInvalid, tasks, sockets) = registry.withLock { registry in
            (registry.finish(cancels: true), registry.tasks, registry.webSockets)
        }
        for entry in tasks { (entry.face ?? entry.task.knownFace)?.cancel() }
        close(sockets)
        if isInvalid { becomeInvalid() }
    }

    /// Empties the configuration's cookie storage, cache and credential storage. The handler is called on the delegate
    /// queue; responses that were asked for before that are not stored any more.
    open override func reset(completionHandler: @escaping @Sendable () -> Void) {
        Runtime.current.onBlockThread { [self] in
            settings.reset { [self] in flush(completionHandler: completionHandler) }
        }
    }

    /// Calls the handler on the delegate queue, after what is there for it now.
    open override func flush(completionHandler: @escaping @Sendable () -> Void) {
        client.perform(on: delegateQueue, completionHandler)
    }
}
