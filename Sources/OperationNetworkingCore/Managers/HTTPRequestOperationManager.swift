// SPDX-License-Identifier: MIT
public import Dispatch
public import Foundation
public import FoundationNetworking

/// Builds operations from URL strings and parameters, and enqueues them. AF: `AFHTTPRequestOperationManager`.
///
/// **URL strings** are resolved against `baseURL` (RFC 3986, section 5):
///
/// | baseURL | string | result |
/// |---|---|---|
/// | `http://example.com/v1/` | `foo` | `http://example.com/v1/foo` |
/// | `http://example.com/v1/` | `/foo` | `http://example.com/foo` |
/// | `http://example.com/v1/` | `foo?bar=baz` | `http://example.com/v1/foo?bar=baz` |
/// | `http://example.com/v1/` | `` | `http://example.com/v1/` |
/// | `http://example.com/v1/` | `http://example2.com/` | `http://example2.com/` |
///
/// **Subclassing.** Override `init(baseURL:)` to set up an API client, and
/// `httpRequestOperation(with:success:failure:)` to change every operation that the verbs make. A subclass restates
/// `@unchecked Sendable`.
// Sendable because all stored state is guarded by `lock`, or immutable.
open class HTTPRequestOperationManager: NSObject, @unchecked Sendable, NSCopying, NSSecureCoding {
    /// The URL that URL strings are resolved against. It ends in "/" when it has a path. Nil: strings are absolute. AF:
    /// `baseURL`.
    public var baseURL: URL? { base.url }
    let base: BaseURL
    private let lock = NSLock()
    /// Guarded by `lock`.
    private var _settings = Settings()

    /// A manager with a form request serializer, a JSON response serializer and a queue of its own.
    ///
    /// - Parameter baseURL: the URL that URL strings are resolved against; a "/" is added to its path if it lacks one,
    ///   so that relative strings go below it. AF: `initWithBaseURL:`.
    public init(baseURL: URL? = nil) {
        base = BaseURL(baseURL)
        super.init()
    }

    /// `init(baseURL:)` without a URL, which a subclass that overrides that one inherits. AF: `init`.
    public override convenience init() {
        self.init(baseURL: nil)
    }

    /// Reads or changes settings, alone. Replaced values are released after the lock: their end may be the user's code.
    func withSettings<Value>(_ body: (inout Settings) -> Value) -> Value {
        let (value, old) = lock.withLock {
            let old = _settings
            return (body(&_settings), old)
        }
        withExtendedLifetime(old) {}
        return value
    }

    // MARK: Settings

    /// The serializer that makes requests from parameters. An `HTTPRequestSerializer` by default. AF:
    /// `requestSerializer`.
    open var requestSerializer: HTTPRequestSerializer {
        get { lock.withLock { _settings.requestSerializer } }
        set { withSettings { $0.requestSerializer = newValue } }
    }

    /// The serializer that parses responses. Shared with the operations made from now on. A `JSONResponseSerializer` by
    /// default. AF: `responseSerializer`.
    public var responseSerializer: HTTPResponseSerializer {
        get { lock.withLock { _settings.responseSerializer } }
        set { withSettings { $0.responseSerializer = newValue } }
    }

    /// The queue that the verbs add their operations to. A `RequestOperationQueue` by default. AF: `operationQueue`.
    public var operationQueue: OperationQueue {
        get { lock.withLock { _settings.operationQueue } }
        set { withSettings { $0.operationQueue = newValue } }
    }

    /// True if operations consult `URLCredentialStorage.shared`. True by default. AF: `shouldUseCredentialStorage`.
    public var shouldUseCredentialStorage: Bool {
        get { lock.withLock { _settings[\.storages.shouldUseCredentialStorage] } }
        set { withSettings { $0[\.storages.shouldUseCredentialStorage] = newValue } }
    }

    /// The credential that operations answer challenges with. Nil by default. AF: `credential`.
    public var credential: URLCredential? {
        get { lock.withLock { _settings[\.identity.credential] } }
        set { withSettings { $0[\.identity.credential] = newValue } }
    }

    /// Certificate and key that operations show to servers that ask for one. Nil by default. For the origin of
    /// `baseURL`: see ``sendsAuthorizationToOtherOrigins``.
    public var clientIdentity: ClientIdentity? {
        get { lock.withLock { _settings[\.identity.clientIdentity] } }
        set { withSettings { $0[\.identity.clientIdentity] = newValue } }
    }

    /// The policy by which operations judge servers' certificates. `SecurityPolicy.default()` by default. AF:
    /// `securityPolicy`.
    public var securityPolicy: SecurityPolicy {
        get { lock.withLock { _settings.securityPolicy } }
        set { withSettings { $0.securityPolicy = newValue } }
    }

    /// The queue for operations' blocks. Nil by default: the main queue, which the program must run. AF:
    /// `completionQueue`.
    public var completionQueue: DispatchQueue? {
        get { lock.withLock { _settings[\.completionQueue] } }
        set { withSettings { $0[\.completionQueue] = newValue?.canonical } }
    }

    /// The group that operations' completion blocks run in. Nil by default. AF: `completionGroup`.
    public var completionGroup: DispatchGroup? {
        get { lock.withLock { _settings[\.completionGroup] } }
        set { withSettings { $0[\.completionGroup] = newValue } }
    }

    // MARK: Operations

    /// Makes an operation for a request, with this manager's settings, not enqueued. Dependencies can be added first.
    /// AF: `HTTPRequestOperationWithRequest:success:failure:`.
    ///
    /// ```swift
    /// let operation = manager.httpRequestOperation(
    ///     with: request,
    ///     success: { operation, object in print(object ?? "no content") },
    ///     failure: { operation, error in print(error.localizedDescription) })
    /// manager.enqueue(operation)
    /// ```
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - success: called on `completionQueue`, or the main queue, with the response object.
    ///   - failure: likewise, with the error; also for a cancelled operation.
    @preconcurrency
    open func httpRequestOperation(
        with request: URLRequest,
        success: (@Sendable (HTTPRequestOperation, Any?) -> Void)? = nil,
        failure: (@Sendable (HTTPRequestOperation, any Error) -> Void)? = nil
    ) -> HTTPRequestOperation {
        let operation = HTTPRequestOperation(request: request)
        configure(operation)
        if success != nil || failure != nil { operation.setCompletionBlockWithSuccess(success, failure: failure) }
        return operation
    }

    /// Gives an operation this manager's settings.
    public func configure(_ operation: HTTPRequestOperation) {
        Trace.step(.make, operation)
        let settings = lock.withLock { _settings }
        defer { TokenRefresher.note(operation, with: settings[\.interception.interceptors]) }
        operation.responseSerializer = settings.responseSerializer
        operation.lock.withLock {
            if operation._configuration === URLConnectionOperation.SharedConfiguration.initial {
                operation._configuration = settings.operations
            } else {
                settings.apply(to: &operation._mutableConfiguration)
            }
            // A policy is set now, which a restored operation may have lost.
            operation._unarchivedProperties.remove(.securityPolicy)
        }
        for archive in settings.archives { archive.observe(operation) }
    }

    /// Adds an operation to `operationQueue`.
    public func enqueue(_ operation: HTTPRequestOperation) {
        operationQueue.addOperation(operation)
    }

    /// Adds the members of a batch to `operationQueue`. The batch's blocks run on its own `completionQueue`, or this
    /// manager's, or the main queue.
    public func enqueue(_ batch: OperationBatch) {
        if batch.completionQueue == nil { batch.completionQueue = completionQueue }
        batch.enqueue(on: operationQueue)
    }

    // MARK: Verbs: overridable, so here and not in an extension

    /// Requests a representation. AF: `GET:parameters:success:failure:`.
    ///
    /// ```swift
    /// manager.get(
    ///     "books", parameters: ["author": "Le Guin"],
    ///     success: { operation, object in print(object ?? "no content") },
    ///     failure: { operation, error in print(error.localizedDescription) })
    /// ```
    ///
    /// - Parameters:
    ///   - URLString: resolved against `baseURL`.
    ///   - parameters: sent in the query, as `requestSerializer` says.
    ///   - headers: set on the request, over the serializer's.
    ///   - success: called on `completionQueue`, or the main queue, with the response object.
    ///   - failure: likewise, with the error; with a nil operation when the request could not be made.
    /// - Returns: the operation, in `operationQueue` already; nil when the request could not be made.
    @preconcurrency @discardableResult
    open func get(
        _ URLString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        success: (@Sendable (HTTPRequestOperation, Any?) -> Void)? = nil,
        failure: (@Sendable (HTTPRequestOperation?, any Error) -> Void)? = nil
    ) -> HTTPRequestOperation? {
        enqueue(
            method: "GET", URLString, parameters: parameters, headers: headers, success: success, failure: failure)
    }

    /// Requests the head of a response only. AF: `HEAD:parameters:success:failure:`. See `get`; `success` has no
    /// object.
    @preconcurrency @discardableResult
    open func head(
        _ URLString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        success: (@Sendable (HTTPRequestOperation) -> Void)? = nil,
        failure: (@Sendable (HTTPRequestOperation?, any Error) -> Void)? = nil
    ) -> HTTPRequestOperation? {
        enqueue(
            method: "HEAD", URLString, parameters: parameters, headers: headers,
            success: success.map(Self.ignoringObject), failure: failure)
    }

    /// Submits parameters. AF: `POST:parameters:success:failure:`.
    ///
    /// - Parameters:
    ///   - URLString: resolved against `baseURL`.
    ///   - parameters: sent in the content, as `requestSerializer` says.
    ///   - headers: set on the request, over the serializer's.
    ///   - success: called on `completionQueue`, or the main queue, with the response object.
    ///   - failure: likewise, with the error; with a nil operation when the request could not be made.
    /// - Returns: the operation, in `operationQueue` already; nil when the request could not be made.
    @preconcurrency @discardableResult
    open func post(
        _ URLString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        success: (@Sendable (HTTPRequestOperation, Any?) -> Void)? = nil,
        failure: (@Sendable (HTTPRequestOperation?, any Error) -> Void)? = nil
    ) -> HTTPRequestOperation? {
        enqueue(
            method: "POST", URLString, parameters: parameters, headers: headers, success: success, failure: failure)
    }

    /// Replaces a resource. AF: `PUT:parameters:success:failure:`.
    ///
    /// - Parameters:
    ///   - URLString: resolved against `baseURL`.
    ///   - parameters: sent in the content, as `requestSerializer` says.
    ///   - headers: set on the request, over the serializer's.
    ///   - success: called on `completionQueue`, or the main queue, with the response object.
    ///   - failure: likewise, with the error; with a nil operation when the request could not be made.
    /// - Returns: the operation, in `operationQueue` already; nil when the request could not be made.
    @preconcurrency @discardableResult
    open func put(
        _ URLString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        success: (@Sendable (HTTPRequestOperation, Any?) -> Void)? = nil,
        failure: (@Sendable (HTTPRequestOperation?, any Error) -> Void)? = nil
    ) -> HTTPRequestOperation? {
        enqueue(
            method: "PUT", URLString, parameters: parameters, headers: headers, success: success, failure: failure)
    }

    /// Changes a resource in part. AF: `PATCH:parameters:success:failure:`.
    ///
    /// - Parameters:
    ///   - URLString: resolved against `baseURL`.
    ///   - parameters: sent in the content, as `requestSerializer` says.
    ///   - headers: set on the request, over the serializer's.
    ///   - success: called on `completionQueue`, or the main queue, with the response object.
    ///   - failure: likewise, with the error; with a nil operation when the request could not be made.
    /// - Returns: the operation, in `operationQueue` already; nil when the request could not be made.
    @preconcurrency @discardableResult
    open func patch(
        _ URLString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        success: (@Sendable (HTTPRequestOperation, Any?) -> Void)? = nil,
        failure: (@Sendable (HTTPRequestOperation?, any Error) -> Void)? = nil
    ) -> HTTPRequestOperation? {
        enqueue(
            method: "PATCH", URLString, parameters: parameters, headers: headers, success: success, failure: failure)
    }

    /// Removes a resource. AF: `DELETE:parameters:success:failure:`.
    ///
    /// - Parameters:
    ///   - URLString: resolved against `baseURL`.
    ///   - parameters: sent in the query, as `requestSerializer` says.
    ///   - headers: set on the request, over the serializer's.
    ///   - success: called on `completionQueue`, or the main queue, with the response object.
    ///   - failure: likewise, with the error; with a nil operation when the request could not be made.
    /// - Returns: the operation, in `operationQueue` already; nil when the request could not be made.
    @preconcurrency @discardableResult
    open func delete(
        _ URLString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        success: (@Sendable (HTTPRequestOperation, Any?) -> Void)? = nil,
        failure: (@Sendable (HTTPRequestOperation?, any Error) -> Void)? = nil
    ) -> HTTPRequestOperation? {
        enqueue(
            method: "DELETE", URLString, parameters: parameters, headers: headers, success: success, failure: failure)
    }

    /// Submits a multipart form. AF: `POST:parameters:constructingBodyWithBlock:success:failure:`.
    ///
    /// - Parameters:
    ///   - URLString: resolved against `baseURL`.
    ///   - parameters: sent as parts, before those that `block` appends.
    ///   - headers: set on the request, over the serializer's.
    ///   - block: appends parts after those for `parameters`; called once, on the calling thread. What it throws goes
    ///     to `failure`.
    ///   - success: called on `completionQueue`, or the main queue, with the response object.
    ///   - failure: likewise, with the error; with a nil operation when the request could not be made.
    /// - Returns: the operation, in `operationQueue` already; nil when the request could not be made.
    @preconcurrency @discardableResult
    open func post(
        _ URLString: String, parameters: [String: Any]? = nil, headers: [String: String]? = nil,
        constructingBodyWith block: (any MultipartFormData) throws -> Void,
        success: (@Sendable (HTTPRequestOperation, Any?) -> Void)? = nil,
        failure: (@Sendable (HTTPRequestOperation?, any Error) -> Void)? = nil
    ) -> HTTPRequestOperation? {
        enqueue(reportingTo: failure) {
            try makeOperation(
                method: "POST", URLString, parameters: parameters, headers: headers, constructingBodyWith: block,
                success: success, failure: failure)
        }
    }

    // MARK: Copying and archiving

    /// A manager that ``makeCopy(baseURL:)`` makes, with the same base URL, copies of the serializers and the policy,
    /// the same credential, identity, proxies, connections, cookie storage, cache, flags, queues, group and
    /// reachability manager, and an empty operation queue of its own with the same limits.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = makeCopy(baseURL: baseURL)
        let settings = lock.withLock { _settings }
        copy.lock.withLock {
            let queue = copy._settings.operationQueue
            copy._settings = settings
            copy._settings.operationQueue = queue
            copy._settings.requestSerializer = settings.requestSerializer.copied()
            copy._settings.responseSerializer = settings.responseSerializer.copied()
            copy._settings.securityPolicy = settings.securityPolicy.copied()
        }
        copy.operationQueue.maxConcurrentOperationCount = settings.operationQueue.maxConcurrentOperationCount
        copy.operationQueue.qualityOfService = settings.operationQueue.qualityOfService
        if let queue = copy.operationQueue as? RequestOperationQueue,
            let original = settings.operationQueue as? RequestOperationQueue
        {
            queue.maxConcurrentOperationsPerHost = original.maxConcurrentOperationsPerHost
        }
        return copy
    }

    /// Makes the instance that `copy(with:)` fills, an `HTTPRequestOperationManager`. Override it when a subclass's
    /// copies are to be of its class.
    open func makeCopy(baseURL: URL?) -> HTTPRequestOperationManager {
        HTTPRequestOperationManager(baseURL: baseURL)
    }

    /// Always true.
    open class var supportsSecureCoding: Bool { true }

    /// Stores base URL, serializers, policy and the credential flag. Not the credential, user name and password of the
    /// base URL, the client identity, limits, proxies, connections, cookie storage, cache, queues, groups and the
    /// reachability manager.
    open func encode(with coder: NSCoder) {
        let settings = lock.withLock { _settings }
        let archive = ManagerArchive(
            baseURL: baseURL?.withoutUserInfo.absoluteString,
            shouldUseCredentialStorage: settings[\.storages.shouldUseCredentialStorage],
            requestSerializer: ArchivedObject(settings.requestSerializer),
            responseSerializer: ArchivedObject(settings.responseSerializer),
            securityPolicy: ArchivedObject(settings.securityPolicy))
        ArchiveBlob.encode(archive, with: coder, forKey: ManagerArchive.key)
    }

    /// A manager from an archive. `nil` when that is damaged, or a serializer or the policy could not be archived (a
    /// `DecodableResponseSerializer`, or a class that is generic or nested).
    public required init?(coder: NSCoder) {
        guard let archive = ArchiveBlob.decode(ManagerArchive.self, with: coder, forKey: ManagerArchive.key),
            let requestSerializer = archive.requestSerializer?.object,
            let responseSerializer = archive.responseSerializer?.object,
            let securityPolicy = archive.securityPolicy?.object
        else { return nil }
        base = BaseURL(normalized: archive.baseURL.flatMap { URL(escaping: $0) })
        super.init()
        lock.withLock {
            _settings.requestSerializer = requestSerializer
            _settings.responseSerializer = responseSerializer
            _settings.securityPolicy = securityPolicy
            _settings[\.storages.shouldUseCredentialStorage] = archive.shouldUseCredentialStorage
        }
    }

    /// Class, base URL and queue in one line.
    open override var description: String {
        "<\(type(of: self)) baseURL: \(baseURL?.withoutUserInfo.absoluteString ?? "none"), "
            + "operations: \(operationQueue.operationCount)>"
    }
}
