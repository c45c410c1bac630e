// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

/// One request as an operation. AF: `AFURLConnectionOperation`.
///
/// An operation is used once: it becomes executing when `start()` is called, by hand or by a queue, and finished when
/// the response is complete, the transfer failed, or it was cancelled. `copy()` makes a fresh one.
///
/// **Threads.** Every member may be used from any thread. Completion, progress and notifications are delivered on
/// `completionQueue`, or the main queue; the redirect, authentication and cache blocks each run on one of the library's
/// threads, and may take their time or wait for other operations. Observers run on the thread that made the change.
///
/// **Subclassing.** Call `super` in every override of `start`, `pause`, `resume` and `cancel`. A subclass restates
/// `@unchecked Sendable` and keeps its own stored state safe. To add state that `copy()` carries, override
/// `copy(with:)`.
// Sendable because all stored state is guarded by `lock`, or immutable; fields that other files of this type touch
// carry a leading underscore. Nothing is called out while the lock is held.
open class URLConnectionOperation: Operation, @unchecked Sendable, NSCopying, NSSecureCoding {
    final let lock = RecursiveLock()
    // All below: guarded by `lock`. Where that is hot, the language is not asked to check for overlapping accesses,
    // too: closures that are run with the lock held do not call out, and so never come back to the same field.
    final var _request: URLRequest
    /// `_request` as it was before the redirect block changed it, which each attempt gives to the block; nil: it has
    /// not.
    final var _unedited: URLRequest?
    /// The target of `_request`; nil until it is needed.
    @exclusivity(unchecked) final var _target: RequestTarget?
    @exclusivity(unchecked) final var _configuration = SharedConfiguration.initial
    @exclusivity(unchecked) final var _machine = RequestMachine()
    /// All operations share one until there is something to keep.
    @exclusivity(unchecked) final var _received = ReceivedResponseStorage.empty
    /// The present attempt; nil while nothing is under way.
    @exclusivity(unchecked) final var _attempt: RequestAttempt?
    /// The content that the attempts of this operation share: kept over a pause.
    final var _content: ResumableContent?
    @exclusivity(unchecked) final var _completion: CompletionHandler?
    /// Run after the user's own blocks have returned, on the completion queue.
    final var _afterCompletion: [@Sendable (URLConnectionOperation) -> Void] = []
    /// The completion blocks have returned.
    final var _completionWasDelivered = false
    /// Run at the end, on the thread that makes it.
    final var _atFinish: [@Sendable () -> Void] = []
    @exclusivity(unchecked) final var _observers: [OperationStateObservation.Entry] = []
    /// The news that the thread that is telling observers of a change is to tell them next; nil: no thread is telling
    /// them.
    final var _untold: [StateNews]?
    final var _preparations = PreparationList()
    @exclusivity(unchecked) final var _scheduler: (any OperationScheduler)?
    @exclusivity(unchecked) final var _dependencyNode: DependencyNode?
    /// The reason that the operation is cancelled, when an upstream caused that; or the reason that it must not run.
    final var _cancellationCause: (any Error)?
    /// A dependency that closes a cycle: the operation must not run.
    final var _startError: (any Error)?
    /// Nil while nothing may be, or was, retried.
    final var _retry: RetryState?
    /// The properties that an archive did not hold and that were not set again.
    final var _unarchivedProperties: Set<UnarchivedProperty> = []
    /// Nil before the start, and without a limit.
    final var _totalTime: TotalTime?
    final var _observation = Observation()
    /// The evidence of Foundation's queues so far.
    @exclusivity(unchecked) final var _evidence = FoundationEvidence()
    /// Kept here once a `RequestOperationQueue` has the operation.
    final var _queuePriority: Operation.QueuePriority?
    /// Guarded by the graph's lock, not by `lock`.
    final var _upstreams = IdentityList<Operation>()

    /// An operation for a request, ready to be started or added to a queue.
    ///
    /// A request that cannot be sent (no URL, another scheme than http and https) ends the operation with a `URLError`
    /// when it is started. AF: `initWithRequest:`.
    public required init(request: URLRequest) {
        _request = request
        super.init()
        if InstalledRuntimes.mayExist { adoptAmbientRuntime() }
    }

    deinit {
        // First, while `_upstreams` still has the operations in them.
        _preparations = PreparationList()
        DependencyGraph.release(&_upstreams, of: _dependencyNode)
        // A sink that never learned of an end: a paused operation that was dropped. Its attempt may be held in its
        // place.
        if let _attempt { _attempt.operationIsGone() } else { _content?.discardSoon() }
    }

    /// Always true, because `start()` returns at once.
    open override var isAsynchronous: Bool { true }

    // MARK: Request and response

    /// The request that will be, or was, sent. Not changed by redirects. AF: `request`.
    public var request: URLRequest {
        lock.withLock { _request }
    }

    /// The last response received. `nil` before one. Survives a failure. AF: `response`.
    open var response: URLResponse? {
        lock.withLock { loadedResponse() }
    }

    /// The error that the operation failed with. `nil` while it has not. Set before the operation is finished. AF:
    /// `error`.
    open var error: (any Error)? {
        lock.withLock { _received.value.error }
    }

    /// The content of the response, once the operation finished without a transport error.
    ///
    /// Empty data for an empty content; nil when it went to an `outputStream` or a file, and after a failure, so that a
    /// part is not taken for the whole. AF: `responseData`.
    public var responseData: Data? {
        lock.withLock { _received.value.data }
    }

    /// `responseData` as text in the encoding that the response names, UTF-8 when it names none. `nil` when it is not
    /// text in that encoding. Names are read as browsers do (WHATWG Encoding). AF: `responseString`.
    public var responseString: String? {
        let known: (Data, String)? = lock.withLock {
            guard _received.value.string == nil, let data = _received.value.data, let charset = _responseCharset else {
                return nil
            }
            return (data, charset)
        }
        guard let (data, charset) = known else { return lock.withLock { _received.value.string } }
        let string = EncodedText.string(of: data, charset: charset)
        lock.withLock { _mutableReceived.string = string }
        return string
    }

    /// The encoding that the response names, UTF-8 when it names none that Foundation has a number for. `nil` before a
    /// response. AF: `responseStringEncoding`.
    ///
    /// ``responseString`` knows all encodings that browsers know, more than `String(data:encoding:)` does on Linux.
    public var responseStringEncoding: String.Encoding? {
        guard let charset = lock.withLock({ _responseCharset }) else { return nil }
        return String.Encoding(charset: charset) ?? .utf8
    }

    /// The charset that the response names; empty: it names none; nil: there is no response. Called with `lock` held.
    private var _responseCharset: String? {
        if let head = _received.value.head { return head.mediaType?.charset ?? "" }
        return loadedResponse().map { $0.textEncodingName ?? "" }
    }

    /// The fields that came after the response's content (RFC 9110, section 6.5), such as a checksum or the status of a
    /// gRPC call. Empty before the end, without any, and for a response from the cache. Fields that came several times
    /// are joined by ", ". Nothing in the library acts on them.
    public var responseTrailers: [String: String] {
        let trailers = lock.withLock { _received.value.trailers }
        guard !trailers.isEmpty else { return [:] }
        let fields = ResponseHead(statusCode: 200, httpVersion: "", rawFields: trailers).joinedFields
        return Dictionary(fields.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    }

    /// Times and sizes of the last transfer. `nil` until the operation finished.
    ///
    /// ```swift
    /// if let metrics = operation.metrics {
    ///     print(metrics.httpVersion, metrics.totalTime, metrics.bytesReceived)
    /// }
    /// ```
    public var metrics: TransferMetrics? {
        lock.withLock { _received.value.measured }?.metrics
    }

    /// Called with `lock` held.
    func loadedResponse() -> URLResponse? {
        if _received.value.response == nil, let head = _received.value.head, let url = _received.value.url {
            _mutableReceived.response = ResponseFace(head: head, url: url)
        }
        return _received.value.response
    }

    // MARK: Copying and archiving: overridable, so here and not in an extension

    /// A fresh operation for the same request, with the same settings and blocks, but without results and completion
    /// block. Credential, security policy and client identity are carried over.
    open func copy(with zone: NSZone? = nil) -> Any {
        makeCopy()
    }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Stores a snapshot of the operation. Does not pause it.
    open func encode(with coder: NSCoder) {
        encodeArchive(with: coder)
    }

    /// An operation from an archive. `nil`, with the coder's error set, when that is damaged.
    public required convenience init?(coder: NSCoder) {
        guard let archive = OperationArchive(coder: coder) else { return nil }
        self.init(request: archive.request.urlRequest)
        restore(archive)
    }

    // MARK: Hooks of this library's subclasses

    /// Turns the received content into a result, off the network thread when that is work; calls `completion` once.
    /// The base class has nothing to do.
    func processResponse(completion: @escaping @Sendable () -> Void) {
        completion()
    }

    /// Says whether a response is one whose content a stream is to give, before there is content: at once, or later on
    /// another thread. The base class accepts all.
    func judge(_ head: ResponseHead, decide: @escaping @Sendable (_ isAcceptable: Bool) -> Void) {
        decide(true)
    }

    /// The object that is asked and informed in addition to the blocks. Nil in the base class.
    var attemptClient: (any AttemptClient)? { nil }

    /// True if a pause keeps the connection even if the request may be sent again. It is sent again if the connection
    /// does not last. The base class gives the connection up, and goes on with another request.
    ///
    /// - Parameter head: of the response that has begun. Called with `lock` held.
    func _holdsConnection(whilePausedAfter head: ResponseHead?) -> Bool { false }

    /// True if beginning and end are reported to `NotificationCenter`.
    var postsNotifications: Bool { true }

    /// The operation has finished, and Foundation and observers know. On the thread that finished it. The base class
    /// has nothing to do.
    func didFinish() {}

    /// Runs the completion handler that was set, on the completion queue.
    func runCompletion(_ handler: CompletionHandler) {
        if case .block(let block) = handler { block() }
    }

    // MARK: Life cycle: overridable, so here and not in an extension

    /// Begins the request and returns at once. A cancelled operation finishes.
    ///
    /// An operation that is paused or waits for others begins as soon as it can. No effect on one that is executing or
    /// finished. AF: `start`.
    open override func start() {
        performStart()
    }

    /// Stops the transfer, keeping what was received. `resume()` goes on from there. No effect once the response is
    /// complete, or on a cancelled operation. Gives the place in a `RequestOperationQueue` back.
    ///
    /// A request that must not reach the server twice, such as a POST, keeps its connection instead, and its response
    /// is delivered after the resume: see ``resendsNonIdempotentRequests``. AF: `pause`.
    open func pause() {
        performPause()
    }

    /// Makes a paused operation ready again. The queue it is in starts it; in no queue it starts itself, if it had been
    /// started before it was paused, and else waits for `start()`. AF: `resume`.
    open func resume() {
        performResume()
    }

    /// Ends the operation with `URLError.cancelled`, wherever it is in its life. One that was never started finishes
    /// when it is. AF: `cancel`.
    open override func cancel() {
        performCancel(cause: nil)
    }

    // MARK: Foundation's view

    /// True if a queue may start the operation.
    ///
    /// It may if the operation is not paused and its dependencies have ended, or if it is cancelled. A
    /// `RequestOperationQueue` does not ask: an override counts only in Foundation's queues.
    open override var isReady: Bool {
        // Takes Foundation's lock, which Foundation never holds while it asks.
        let isReady = super.isReady
        return answerReadiness(isReady)
    }

    /// True between start and end, while not paused.
    open override var isExecuting: Bool {
        lock.withLock { _machine.state == .executing || _machine.isEndingFromReady }
    }

    /// True from the end on.
    open override var isFinished: Bool { lock.withLock { _machine.state == .finished } }

    /// True once `cancel()` was called before the end.
    open override var isCancelled: Bool { lock.withLock { _machine.isCancelled } }

    /// Called on `completionQueue` after the end, then cleared. Replaces what `setCompletionBlockWithSuccess` set.
    open override var completionBlock: (@Sendable () -> Void)? {
        get {
            lock.withLock {
                if case .block(let block)? = _completion { return block }
                return nil
            }
        }
        set { setCompletion(newValue.map { .block($0) }) }
    }

    /// The priority of the operation among what waits for a slot. A `RequestOperationQueue` honours changes at any
    /// time.
    open override var queuePriority: Operation.QueuePriority {
        get { lock.withLock { _queuePriority } ?? super.queuePriority }
        set {
            let state = foundationState
            let (scheduler, isStored) = lock.withLock { () -> ((any OperationScheduler)?, Bool) in
                // Foundation must not change the priority of an operation that a `RequestOperationQueue` has listed: it
                // would walk a list of pointers to operations that are gone. So it is told before the lock, which
                // `attach` takes, is released; for an operation in none of its queues it only assigns. If the state is
                // unknown, it is not told.
                if _scheduler != nil || state == .unknown {
                    _queuePriority = newValue
                    return (_scheduler, true)
                }
                guard state == .initialized else { return (nil, false) }
                super.queuePriority = newValue
                return (nil, true)
            }
            if let scheduler {
                scheduler.operationDidChange(self)
            } else if !isStored {
                super.queuePriority = newValue
            }
        }
    }

    /// Blocks the thread until the operation has finished.
    ///
    /// Called in a redirect, challenge, cache or `preparing` block of another operation, it exempts this operation and
    /// those it depends on from the limits of their `RequestOperationQueue`: the slots may be taken by operations whose
    /// blocks wait.
    @available(*, noasync)
    open override func waitUntilFinished() {
        if LiveRuntime.isBlockThread { DependencyGraph.expedite(self) }
        super.waitUntilFinished()
    }

    /// Makes this operation wait for another. A cycle is not built: the operation ends with an
    /// `OperationDependencyError` instead of running. No effect on an operation that has begun, or that one of
    /// Foundation's queues has decided to start.
    open override func addDependency(_ operation: Operation) {
        performAddDependency(operation)
    }

    /// Takes a dependency back.
    open override func removeDependency(_ operation: Operation) {
        performRemoveDependency(operation)
    }

    /// The operations this one waits for or waited for. Empty once it has ended.
    open override var dependencies: [Operation] {
        DependencyGraph.upstreams(of: self) + super.dependencies
    }

    /// State, request and response in one line, without header fields, so that no secret is shown.
    open override var description: String {
        let (request, state, cancelled, status) = lock.withLock {
            (_request, _machine.state, _machine.isCancelled, _received.value.head?.statusCode)
        }
        let url = request.url?.masked ?? "no URL"
        return "<\(type(of: self)) \(request.httpMethod ?? "GET") \(url), state: \(state), cancelled: \(cancelled), "
            + "status: \(status.map(String.init) ?? "none")>"
    }
}
