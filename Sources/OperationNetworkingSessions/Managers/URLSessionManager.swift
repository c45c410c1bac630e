// SPDX-License-Identifier: MIT
public import Dispatch
public import Foundation
public import FoundationNetworking
internal import NetworkingSupport
public import OperationNetworkingCore

/// Makes and manages the tasks of a session. AF: `AFURLSessionManager`.
///
/// Every task is an operation as well: see ``operation(for:)``. A task is made suspended; `resume()` starts it.
///
/// **Threads.** Every member may be used from any thread, and none waits. Completion handlers are called on
/// `completionQueue`, or the main queue, once each. The blocks of `set…Block` and progress blocks are called on
/// `operationQueue`, before the handler of their task. Notifications come on the main queue.
///
/// **What a task takes along.** The response serializer, the policy, identity and proxies, and the completion queue and
/// group are those that are set when the task is made. Blocks for the events on the way apply to tasks that are resumed
/// after the blocks were set.
///
/// **Lifetime.** The session does not hold the manager. When the manager goes, tasks that were resumed are finished,
/// their handlers are called, and then the session becomes invalid.
///
/// **Subclassing.** Override the methods that make tasks to see or change every request. A subclass restates
/// `@unchecked Sendable`.
///
/// ```swift
/// let manager = URLSessionManager()
/// let book = try await manager.decoded(Book.self, from: request)
/// print(book.title)
/// ```
// Sendable because all stored state is guarded by `lock`, has its own lock, or is immutable.
open class URLSessionManager: NSObject, ResponseSerializing, @unchecked Sendable, NSCopying, NSSecureCoding {
    let configuration: URLSessionConfiguration
    /// The queue that the blocks of this manager and progress blocks are called on, one at a time. With a greater
    /// `maxConcurrentOperationCount`, blocks of several tasks are called at once, those of one task still one after the
    /// other. Cancelling its operations has no effect on tasks. AF: `operationQueue`.
    public let operationQueue: OperationQueue
    let client: SessionManagerClient
    let sharedSettings = SharedSettings()
    private let lock = NSLock()
    /// Guarded by `lock`. Nil until it is needed.
    private var _session: OperationURLSession?

    var blocks: SessionBlocks { client.blocks }

    /// A manager with a JSON response serializer. AF: `initWithSessionConfiguration:`.
    ///
    /// - Parameter sessionConfiguration: copied; nil: the default one.
    public init(sessionConfiguration: URLSessionConfiguration? = nil) {
        configuration = (sessionConfiguration ?? .default).copied()
        operationQueue = OperationQueue()
        operationQueue.maxConcurrentOperationCount = 1
        client = SessionManagerClient(queue: operationQueue)
        super.init()
    }

    deinit {
        _session?.finishTasksAndInvalidate()
    }

    /// Changes settings, alone. Replaced values are released after the unlock.
    func withSettings<Value: Sendable>(_ body: (inout Settings) -> Value) -> Value { sharedSettings.change(body) }

    // MARK: The session

    /// The session of this manager's tasks, an ``OperationURLSession``. It is made when it is needed first. AF:
    /// `session`.
    ///
    /// Tasks that are made by the session directly have the manager's settings at that moment. The events of those
    /// without a completion handler go to the manager's blocks, as for the manager's own tasks. Those with one, and
    /// those of `data(for:)`, `upload(for:)` and `download(for:)`, behave as Foundation's, without the manager's
    /// `retryPolicy`, `interceptors` and serializers. A task's own `delegate` is called in place of the blocks, and in
    /// addition to the task's handlers.
    public var session: URLSession { ownSession }

    /// The session, made if it does not exist.
    var ownSession: OperationURLSession {
        while true {
            if let known = lock.withLock({ _session }) { return known }
            makeSession()
        }
    }

    /// The settings that tasks are made of now.
    var present: Present { sharedSettings.present(over: ownSession.settings.operations) }

    private func makeSession() {
        let new = ManagerURLSession(
            configuration: configuration, delegate: SessionManagerDelegate(client, sharedSettings),
            delegateQueue: operationQueue)
        if let runtime = taskSettings.runtime { new.install(runtime) }
        // A second one is dropped: it was never handed out, and its end is not reported.
        lock.withLock {
            if _session == nil { _session = new }
        }
    }

    /// Ends the session. Tasks that are made later fail, unless `resetSession` is true.
    ///
    /// - Parameters:
    ///   - cancelPendingTasks: true: tasks are cancelled; false: they are finished first.
    ///   - resetSession: whether the next task gets a new session with the same configuration. False by default.
    ///
    /// AF: `invalidateSessionCancelingTasks:resetSession:`.
    open func invalidateSessionCancelingTasks(_ cancelPendingTasks: Bool, resetSession: Bool = false) {
        // A session that was not used before is ended, too, and its end is reported.
        let session = ownSession
        if resetSession {
            // First, so that no caller finds a session that is over.
            lock.withLock {
                if _session === session { _session = nil }
            }
        }
        if cancelPendingTasks { session.invalidateAndCancel() } else { session.finishTasksAndInvalidate() }
    }

    /// The tasks that were resumed and have not ended. AF: `tasks`.
    public var tasks: [URLSessionTask] { lock.withLock { _session }?.outstandingTasks ?? [] }

    /// The data tasks among `tasks`, upload tasks left out. AF: `dataTasks`.
    public var dataTasks: [URLSessionDataTask] {
        tasks.compactMap { $0 as? URLSessionDataTask }.filter { !($0 is URLSessionUploadTask) }
    }

    /// The upload tasks among `tasks`. AF: `uploadTasks`.
    public var uploadTasks: [URLSessionUploadTask] { tasks.compactMap { $0 as? URLSessionUploadTask } }

    /// The download tasks among `tasks`. AF: `downloadTasks`.
    public var downloadTasks: [URLSessionDownloadTask] { tasks.compactMap { $0 as? URLSessionDownloadTask } }

    /// The operation behind a task, which may be given dependencies and a place in a batch. `nil` for a task that is no
    /// request (a `file:` URL, or one for a class of `protocolClasses`).
    public func operation(for task: URLSessionTask) -> HTTPRequestOperation? {
        OperationURLSession.handOutOperation(of: task)
    }

    // MARK: Settings

    /// The policy by which servers' certificates are judged. `SecurityPolicy.default()` by default. AF:
    /// `securityPolicy`.
    public var securityPolicy: SecurityPolicy {
        get { taskSettings.securityPolicy }
        set { withSettings { $0.securityPolicy = newValue } }
    }

    /// Certificate and key to show to servers that ask for one. Nil by default. An ``HTTPSessionManager`` with a base
    /// URL shows them within its origin only: see ``HTTPSessionManager/sendsAuthorizationToOtherOrigins``.
    public var clientIdentity: ClientIdentity? {
        get { taskSettings[\.identity.clientIdentity] }
        set { withSettings { $0[\.identity.clientIdentity] = newValue } }
    }

    /// The proxies of requests. Nil by default: those of the session configuration, or none.
    public var proxyConfiguration: ProxyConfiguration? {
        get { taskSettings[\.transport.proxies]?.value }
        set { withSettings { $0[\.transport.proxies] = newValue.map(SharedProxyConfiguration.init) } }
    }

    /// The monitor that tells whether this manager's server can be reached. `NetworkReachabilityManager.shared` by
    /// default. It is not started, and requests do not ask it. AF: `reachabilityManager`.
    public var reachabilityManager: NetworkReachabilityManager {
        get { taskSettings.reachabilityManager ?? .shared }
        set { withSettings { $0.reachabilityManager = newValue } }
    }

    /// The queue for completion handlers. Nil by default: the main queue, which the program must run. AF:
    /// `completionQueue`.
    public var completionQueue: DispatchQueue? {
        get { taskSettings.tasks.completionQueue }
        set { withSettings { $0.tasks.completionQueue = newValue } }
    }

    /// The group that completion handlers run in. Nil by default. AF: `completionGroup`.
    public var completionGroup: DispatchGroup? {
        get { taskSettings.tasks.completionGroup }
        set { withSettings { $0.tasks.completionGroup = newValue } }
    }

    /// The response serializer as operations take it.
    var operationSerializer: HTTPResponseSerializer { taskSettings.tasks.operationSerializer }

    /// The manager's settings, for a task that is made now.
    var taskSettings: Settings { sharedSettings.current }

    // MARK: Making tasks: overridable, so here and not in an extension

    /// Makes a data task. AF: `dataTaskWithRequest:uploadProgress:downloadProgress:completionHandler:`.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - uploadProgress: called on `operationQueue` while content is sent.
    ///   - downloadProgress: likewise, while content is received. The progress is a child of the calling thread's
    ///     current one, if there is one.
    ///   - completionHandler: called on `completionQueue`, or the main queue, with the response, the response object
    ///     and the error; also for a task that is cancelled. A response that never came is an empty `URLResponse`. A
    ///     response that the serializer refuses may have an object and an error.
    @preconcurrency
    open func dataTask(
        with request: URLRequest, uploadProgress: (@Sendable (Progress) -> Void)? = nil,
        downloadProgress: (@Sendable (Progress) -> Void)? = nil,
        completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)? = nil
    ) -> URLSessionDataTask {
        let task = makeDataTask(with: request, progress: downloadProgress, completionHandler)
        if let uploadProgress { track(.upload, of: task, block: uploadProgress) }
        return task
    }

    /// Makes a data task. See `dataTask(with:uploadProgress:downloadProgress:completionHandler:)`.
    /// AF: `dataTaskWithRequest:completionHandler:`.
    @preconcurrency
    open func dataTask(
        with request: URLRequest, completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)?
    ) -> URLSessionDataTask {
        dataTask(with: request, uploadProgress: nil, downloadProgress: nil, completionHandler: completionHandler)
    }

    /// Makes a task that sends a file. AF: `uploadTaskWithRequest:fromFile:progress:completionHandler:`.
    ///
    /// - Parameters:
    ///   - request: the request; its content is the file.
    ///   - fileURL: the file, which is read when the request is sent. When it cannot be read the task fails.
    ///   - uploadProgress: called on `operationQueue` while content is sent. The progress is a child of the calling
    ///     thread's current one, if there is one.
    ///   - completionHandler: as of a data task.
    @preconcurrency
    open func uploadTask(
        with request: URLRequest, fromFile fileURL: URL, progress uploadProgress: (@Sendable (Progress) -> Void)? = nil,
        completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)? = nil
    ) -> URLSessionUploadTask {
        makeUploadTask(with: request, from: .file(fileURL), progress: uploadProgress, completionHandler)
    }

    /// Makes a task that sends data. AF: `uploadTaskWithRequest:fromData:progress:completionHandler:`.
    ///
    /// - Parameters:
    ///   - request: the request; its content is the data.
    ///   - bodyData: the content; nil: none.
    ///   - uploadProgress: called on `operationQueue` while content is sent. The progress is a child of the calling
    ///     thread's current one, if there is one.
    ///   - completionHandler: as of a data task.
    @preconcurrency
    open func uploadTask(
        with request: URLRequest, from bodyData: Data?, progress uploadProgress: (@Sendable (Progress) -> Void)? = nil,
        completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)? = nil
    ) -> URLSessionUploadTask {
        makeUploadTask(with: request, from: .data(bodyData ?? Data()), progress: uploadProgress, completionHandler)
    }

    /// Makes a task that sends the request's `httpBodyStream`. AF:
    /// `uploadTaskWithStreamedRequest:progress:completionHandler:`.
    ///
    /// - Parameters:
    ///   - request: the request. When it has to be sent again, the block of `setTaskNeedNewBodyStreamBlock(_:)` gives
    ///     the content; a multipart form needs none.
    ///   - uploadProgress: called on `operationQueue` while content is sent. The progress is a child of the calling
    ///     thread's current one, if there is one.
    ///   - completionHandler: as of a data task.
    @preconcurrency
    open func uploadTask(
        withStreamedRequest request: URLRequest, progress uploadProgress: (@Sendable (Progress) -> Void)? = nil,
        completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)? = nil
    ) -> URLSessionUploadTask {
        makeUploadTask(with: request, from: nil, progress: uploadProgress, completionHandler)
    }

    /// Makes a task that downloads to a file. AF: `downloadTaskWithRequest:progress:destination:completionHandler:`.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - downloadProgress: called on `operationQueue` while content is received. The progress is a child of the
    ///     calling thread's current one, if there is one.
    ///   - destination: says where the complete file goes, on `operationQueue`; not called for a response that the
    ///     response serializer refuses by its status. A file that exists is an error. Nil: the content is dropped.
    ///   - completionHandler: called on `completionQueue`, or the main queue, with the response, where the file is, and
    ///     the error. When the file could not be moved, the error is a `CocoaError`, and its user info says under
    ///     ``NetworkingDownloadedFileURLErrorKey`` where the content is kept.
    @preconcurrency
    open func downloadTask(
        with request: URLRequest, progress downloadProgress: (@Sendable (Progress) -> Void)? = nil,
        destination: (@Sendable (_ targetPath: URL, _ response: URLResponse) -> URL)? = nil,
        completionHandler: (@Sendable (URLResponse, URL?, (any Error)?) -> Void)? = nil
    ) -> URLSessionDownloadTask {
        makeDownloadTask(.request(request), progress: downloadProgress, destination, completionHandler)
    }

    /// Makes a task that goes on with a download. AF:
    /// `downloadTaskWithResumeData:progress:destination:completionHandler:`.
    ///
    /// - Parameters:
    ///   - resumeData: of `cancel(byProducingResumeData:)`, or from the error of a download under
    ///     `URLSessionDownloadTaskResumeData`. A task for damaged data fails; one that the server answers with 408,
    ///     425, 429 or 5xx leaves resume data in its error (``ResponseSerializationError/downloadTaskResumeData``).
    ///   - downloadProgress: called on `operationQueue` while content is received. It counts what was there before,
    ///     too.
    ///   - destination: as of a download task for a request.
    ///   - completionHandler: as of a download task for a request.
    @preconcurrency
    open func downloadTask(
        withResumeData resumeData: Data, progress downloadProgress: (@Sendable (Progress) -> Void)? = nil,
        destination: (@Sendable (_ targetPath: URL, _ response: URLResponse) -> URL)? = nil,
        completionHandler: (@Sendable (URLResponse, URL?, (any Error)?) -> Void)? = nil
    ) -> URLSessionDownloadTask {
        makeDownloadTask(.resumeData(resumeData), progress: downloadProgress, destination, completionHandler)
    }

    // MARK: Copying and archiving

    /// A manager that ``makeCopy(sessionConfiguration:)`` makes, with a copy of the session configuration, copies of
    /// serializer and policy, and the same identity, proxies, limits, retries, interceptors, connections, queue, group,
    /// archives and reachability manager. Session and tasks are its own; blocks are not copied.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = makeCopy(sessionConfiguration: configuration)
        let settings = taskSettings
        copy.withSettings { target in
            // The base URL of a subclass's copy may be another one.
            let origin = target.confiningOrigin
            target = settings
            target.confiningOrigin = origin
            target.securityPolicy = settings.securityPolicy.copied()
        }
        if let serializer = settings.tasks.serializer as? HTTPResponseSerializer {
            copy.setResponseSerializer(serializer.copied())
        }
        return copy
    }

    /// Makes the instance that `copy(with:)` fills, a `URLSessionManager`. Override it when a subclass's copies are to
    /// be of its class.
    open func makeCopy(sessionConfiguration: URLSessionConfiguration) -> URLSessionManager {
        URLSessionManager(sessionConfiguration: sessionConfiguration)
    }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Stores response serializer and policy. Not the session configuration, which Foundation on Linux cannot archive,
    /// the client identity, proxies, the operations' settings, queues, blocks and the reachability manager.
    open func encode(with coder: NSCoder) {
        let settings = taskSettings
        let archive = SessionManagerArchive(
            responseSerializer: ArchivedObject(settings.tasks.operationSerializer),
            securityPolicy: ArchivedObject(settings.securityPolicy))
        ArchiveBlob.encode(archive, with: coder, forKey: SessionManagerArchive.key)
    }

    /// A manager with the default session configuration from an archive. `nil` when that is damaged, or the serializer
    /// or the policy could not be archived.
    public required init?(coder: NSCoder) {
        guard
            let archive = ArchiveBlob.decode(
                SessionManagerArchive.self, with: coder, forKey: SessionManagerArchive.key),
            let serializer = archive.responseSerializer?.object, let policy = archive.securityPolicy?.object
        else { return nil }
        configuration = URLSessionConfiguration.default.copied()
        operationQueue = OperationQueue()
        operationQueue.maxConcurrentOperationCount = 1
        client = SessionManagerClient(queue: operationQueue)
        super.init()
        setResponseSerializer(serializer)
        withSettings { $0.securityPolicy = policy }
    }

    /// Class, session and tasks in one line.
    open override var description: String {
        "<\(type(of: self)) tasks: \(tasks.count)>"
    }
}
