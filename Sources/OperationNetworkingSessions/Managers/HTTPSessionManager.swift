// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
internal import NetworkingSupport
public import OperationNetworkingCore

/// Makes session tasks from URL strings and parameters. AF: `AFHTTPSessionManager`.
///
/// URL strings are resolved against `baseURL` as those of an ``HTTPRequestOperationManager`` are.
///
/// **Subclassing.** Override `init(baseURL:sessionConfiguration:)` to set up an API client, and
/// `dataTask(with:uploadProgress:downloadProgress:completionHandler:)`, which all verbs go through but the multipart
/// form, to see every request. A subclass restates `@unchecked Sendable`.
///
/// ```swift
/// let manager = HTTPSessionManager(
///     baseURL: URL(string: "https://api.example.com/v1/"))
/// manager.get(
///     "books", parameters: ["page": 2],
///     success: { task, object in print(object ?? "no content") },
///     failure: { task, error in print(error.localizedDescription) })
/// ```
// Sendable because the stored state is behind `Locked`, or immutable; the rest is the base class's.
open class HTTPSessionManager: URLSessionManager, @unchecked Sendable {
    /// A verb's success block, which gets the task and the response object.
    public typealias Success = @Sendable (_ task: URLSessionDataTask, _ responseObject: Any?) -> Void
    /// A verb's failure block. The task is `nil` when the request could not be made.
    public typealias Failure = @Sendable (_ task: URLSessionDataTask?, _ error: any Error) -> Void
    /// A progress block.
    public typealias ProgressBlock = @Sendable (Progress) -> Void

    let base: BaseURL
    private let serializer = Locked(HTTPRequestSerializer())

    /// The URL that URL strings are resolved against. It ends in "/" when it has a path. Nil: strings are absolute. AF:
    /// `baseURL`.
    public var baseURL: URL? { base.url }

    /// A manager without a base URL. AF: `manager`, `init`.
    public convenience init() {
        self.init(baseURL: nil, sessionConfiguration: nil)
    }

    /// A manager with the default session configuration. AF: `initWithBaseURL:`.
    ///
    /// - Parameter baseURL: what URL strings are resolved against; a "/" is added to its path if it lacks one.
    public convenience init(baseURL: URL?) {
        self.init(baseURL: baseURL, sessionConfiguration: nil)
    }

    /// A manager without a base URL. AF: `initWithSessionConfiguration:`.
    ///
    /// - Parameter sessionConfiguration: copied; nil: the default one.
    public convenience override init(sessionConfiguration: URLSessionConfiguration?) {
        self.init(baseURL: nil, sessionConfiguration: sessionConfiguration)
    }

    /// A manager with a form request serializer and a JSON response serializer. AF:
    /// `initWithBaseURL:sessionConfiguration:`.
    ///
    /// - Parameters:
    ///   - baseURL: what URL strings are resolved against; a "/" is added to its path if it lacks one, so that relative
    ///     strings go below it.
    ///   - sessionConfiguration: copied; nil: the default one.
    public init(baseURL: URL?, sessionConfiguration: URLSessionConfiguration? = nil) {
        base = BaseURL(baseURL)
        super.init(sessionConfiguration: sessionConfiguration)
        confine(to: base)
    }

    // MARK: Settings

    /// The serializer that makes requests from parameters. An `HTTPRequestSerializer` by default. AF:
    /// `requestSerializer`.
    open var requestSerializer: HTTPRequestSerializer {
        get { serializer.withLock { $0 } }
        set {
            let old = serializer.withLock { serializer in
                let old = serializer
                serializer = newValue
                return old
            }
            // Not under the lock: it may be the last reference.
            withExtendedLifetime(old) {}
        }
    }

    /// The serializer that parses responses. It is taken when a task is made. A `JSONResponseSerializer` by default.
    /// AF: `responseSerializer`.
    ///
    /// A serializer of another class can be set on the manager as a ``URLSessionManager``; this property is then a
    /// serializer around it.
    public var responseSerializer: HTTPResponseSerializer {
        get { operationSerializer }
        set { setResponseSerializer(newValue) }
    }

    /// True if requests that leave the origin of `baseURL` (its scheme, host and port) carry the `Authorization` and
    /// `Cookie` fields of `requestSerializer` and the token of a ``TokenRefresher``, and if `clientIdentity` is shown
    /// to their servers. False by default: these are for the API that the manager is for. No effect without a
    /// `baseURL`, and on fields given with a request.
    public var sendsAuthorizationToOtherOrigins: Bool {
        get { taskSettings.sendsAuthorizationToOtherOrigins }
        set { withSettings { $0.sendsAuthorizationToOtherOrigins = newValue } }
    }

    // MARK: Verbs: overridable, so here and not in an extension

    /// Makes a task for a verb, without resuming it. AF:
    /// `dataTaskWithHTTPMethod:URLString:parameters:headers:uploadProgress:downloadProgress:success:failure:`.
    ///
    /// - Parameters:
    ///   - method: the method, as it is sent.
    ///   - URLString: resolved against `baseURL`.
    ///   - parameters: given to the request serializer.
    ///   - headers: set on the request, over the serializer's.
    ///   - uploadProgress: called on `operationQueue` while content is sent.
    ///   - downloadProgress: likewise, while content is received.
    ///   - success: called on `completionQueue`, or the main queue, with the response object.
    ///   - failure: likewise, with the error; also for a cancelled task. Nil as the task: no request could be made.
    /// - Returns: the task; nil when the request could not be made.
    @preconcurrency
    open func dataTask(
        withHTTPMethod method: String, URLString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        uploadProgress: (@Sendable (Progress) -> Void)? = nil, downloadProgress: (@Sendable (Progress) -> Void)? = nil,
        success: (@Sendable (URLSessionDataTask, Any?) -> Void)? = nil,
        failure: (@Sendable (URLSessionDataTask?, any Error) -> Void)? = nil
    ) -> URLSessionDataTask? {
        dataTask(
            withHTTPMethod: method, urlString: URLString, parameters: parameters, headers: headers,
            uploadProgress: uploadProgress, downloadProgress: downloadProgress, success: success, failure: failure)
    }

    /// The same with the label that AFNetworking 4 has in Swift. Every verb's task is made here, by way of
    /// ``dataTask(withHTTPMethod:URLString:parameters:headers:uploadProgress:downloadProgress:success:failure:)``, so
    /// that an override of either sees them all.
    @preconcurrency
    open func dataTask(
        withHTTPMethod method: String, urlString URLString: String, parameters: Any? = nil,
        headers: [String: String]? = nil,
        uploadProgress: (@Sendable (Progress) -> Void)? = nil, downloadProgress: (@Sendable (Progress) -> Void)? = nil,
        success: (@Sendable (URLSessionDataTask, Any?) -> Void)? = nil,
        failure: (@Sendable (URLSessionDataTask?, any Error) -> Void)? = nil
    ) -> URLSessionDataTask? {
        making(reportingTo: failure) {
            dataTask(
                for: try request(method: method, URLString, parameters: parameters, headers: headers),
                uploadProgress: uploadProgress, downloadProgress: downloadProgress, success: success, failure: failure)
        }
    }

    /// Requests a representation, and resumes its task. AF: `GET:parameters:headers:progress:success:failure:`.
    ///
    /// - Parameters:
    ///   - URLString: resolved against `baseURL`.
    ///   - parameters: sent in the query, as `requestSerializer` says.
    ///   - headers: set on the request, over the serializer's.
    ///   - downloadProgress: called on `operationQueue` while content is received.
    ///   - success: called on `completionQueue`, or the main queue, with the response object.
    ///   - failure: likewise, with the error; with a nil task when the request could not be made.
    /// - Returns: the task; nil when the request could not be made.
    @preconcurrency @discardableResult
    open func get(
        _ URLString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        progress downloadProgress: (@Sendable (Progress) -> Void)? = nil,
        success: (@Sendable (URLSessionDataTask, Any?) -> Void)? = nil,
        failure: (@Sendable (URLSessionDataTask?, any Error) -> Void)? = nil
    ) -> URLSessionDataTask? {
        let task = dataTask(
            withHTTPMethod: "GET", URLString: URLString, parameters: parameters, headers: headers,
            downloadProgress: downloadProgress, success: success, failure: failure)
        task?.resume()
        return task
    }

    /// Requests the head of a response only, and resumes its task. AF: `HEAD:parameters:headers:success:failure:`.
    ///
    /// - Parameters:
    ///   - URLString: resolved against `baseURL`.
    ///   - parameters: sent in the query, as `requestSerializer` says.
    ///   - headers: set on the request, over the serializer's.
    ///   - success: called on `completionQueue`, or the main queue, with the task.
    ///   - failure: likewise, with the error; with a nil task when the request could not be made.
    /// - Returns: the task; nil when the request could not be made.
    @preconcurrency @discardableResult
    open func head(
        _ URLString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        success: (@Sendable (URLSessionDataTask) -> Void)? = nil,
        failure: (@Sendable (URLSessionDataTask?, any Error) -> Void)? = nil
    ) -> URLSessionDataTask? {
        let task = dataTask(
            withHTTPMethod: "HEAD", URLString: URLString, parameters: parameters, headers: headers,
            success: success.map(Self.ignoringObject), failure: failure)
        task?.resume()
        return task
    }

    /// Submits parameters, and resumes its task. AF: `POST:parameters:headers:progress:success:failure:`.
    ///
    /// - Parameters:
    ///   - URLString: resolved against `baseURL`.
    ///   - parameters: sent in the content, as `requestSerializer` says.
    ///   - headers: set on the request, over the serializer's.
    ///   - uploadProgress: called on `operationQueue` while content is sent.
    ///   - success: called on `completionQueue`, or the main queue, with the response object.
    ///   - failure: likewise, with the error; with a nil task when the request could not be made.
    /// - Returns: the task; nil when the request could not be made.
    @preconcurrency @discardableResult
    open func post(
        _ URLString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        progress uploadProgress: (@Sendable (Progress) -> Void)? = nil,
        success: (@Sendable (URLSessionDataTask, Any?) -> Void)? = nil,
        failure: (@Sendable (URLSessionDataTask?, any Error) -> Void)? = nil
    ) -> URLSessionDataTask? {
        let task = dataTask(
            withHTTPMethod: "POST", URLString: URLString, parameters: parameters, headers: headers,
            uploadProgress: uploadProgress, success: success, failure: failure)
        task?.resume()
        return task
    }

    /// Replaces a resource, and resumes its task. AF: `PUT:parameters:headers:success:failure:`.
    ///
    /// - Parameters:
    ///   - URLString: resolved against `baseURL`.
    ///   - parameters: sent in the content, as `requestSerializer` says.
    ///   - headers: set on the request, over the serializer's.
    ///   - success: called on `completionQueue`, or the main queue, with the response object.
    ///   - failure: likewise, with the error; with a nil task when the request could not be made.
    /// - Returns: the task; nil when the request could not be made.
    @preconcurrency @discardableResult
    open func put(
        _ URLString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        success: (@Sendable (URLSessionDataTask, Any?) -> Void)? = nil,
        failure: (@Sendable (URLSessionDataTask?, any Error) -> Void)? = nil
    ) -> URLSessionDataTask? {
        let task = dataTask(
            withHTTPMethod: "PUT", URLString: URLString, parameters: parameters, headers: headers,
            success: success, failure: failure)
        task?.resume()
        return task
    }

    /// Changes a resource in part, and resumes its task. AF: `PATCH:parameters:headers:success:failure:`.
    ///
    /// - Parameters:
    ///   - URLString: resolved against `baseURL`.
    ///   - parameters: sent in the content, as `requestSerializer` says.
    ///   - headers: set on the request, over the serializer's.
    ///   - success: called on `completionQueue`, or the main queue, with the response object.
    ///   - failure: likewise, with the error; with a nil task when the request could not be made.
    /// - Returns: the task; nil when the request could not be made.
    @preconcurrency @discardableResult
    open func patch(
        _ URLString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        success: (@Sendable (URLSessionDataTask, Any?) -> Void)? = nil,
        failure: (@Sendable (URLSessionDataTask?, any Error) -> Void)? = nil
    ) -> URLSessionDataTask? {
        let task = dataTask(
            withHTTPMethod: "PATCH", URLString: URLString, parameters: parameters, headers: headers,
            success: success, failure: failure)
        task?.resume()
        return task
    }

    /// Removes a resource, and resumes its task. AF: `DELETE:parameters:headers:success:failure:`.
    ///
    /// - Parameters:
    ///   - URLString: resolved against `baseURL`.
    ///   - parameters: sent in the query, as `requestSerializer` says.
    ///   - headers: set on the request, over the serializer's.
    ///   - success: called on `completionQueue`, or the main queue, with the response object.
    ///   - failure: likewise, with the error; with a nil task when the request could not be made.
    /// - Returns: the task; nil when the request could not be made.
    @preconcurrency @discardableResult
    open func delete(
        _ URLString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        success: (@Sendable (URLSessionDataTask, Any?) -> Void)? = nil,
        failure: (@Sendable (URLSessionDataTask?, any Error) -> Void)? = nil
    ) -> URLSessionDataTask? {
        let task = dataTask(
            withHTTPMethod: "DELETE", URLString: URLString, parameters: parameters, headers: headers,
            success: success, failure: failure)
        task?.resume()
        return task
    }

    /// Submits a multipart form, and resumes its task. AF:
    /// `POST:parameters:headers:constructingBodyWithBlock:progress:success:failure:`.
    ///
    /// - Parameters:
    ///   - URLString: resolved against `baseURL`.
    ///   - parameters: sent as parts, before those that `block` appends.
    ///   - headers: set on the request, over the serializer's.
    ///   - block: appends parts after those for `parameters`; called once, on the calling thread. What it throws goes
    ///     to `failure`.
    ///   - uploadProgress: called on `operationQueue` while content is sent.
    ///   - success: called on `completionQueue`, or the main queue, with the response object.
    ///   - failure: likewise, with the error; with a nil task when the request could not be made.
    /// - Returns: the task; nil when the request could not be made.
    @preconcurrency @discardableResult
    open func post(
        _ URLString: String, parameters: [String: Any]? = nil, headers: [String: String]? = nil,
        constructingBodyWith block: (any MultipartFormData) throws -> Void,
        progress uploadProgress: (@Sendable (Progress) -> Void)? = nil,
        success: (@Sendable (URLSessionDataTask, Any?) -> Void)? = nil,
        failure: (@Sendable (URLSessionDataTask?, any Error) -> Void)? = nil
    ) -> URLSessionDataTask? {
        making(reportingTo: failure) {
            let request = try formRequest(URLString, parameters: parameters, headers: headers, block)
            let result = TaskResult(
                success: success, failure: failure, needsNoResponse: type(of: self) == HTTPSessionManager.self)
            let task = uploadTask(
                withStreamedRequest: request, progress: uploadProgress,
                completionHandler: { _, object, error in result.deliver(object, error) })
            assign(result, to: task)
            task.resume()
            return task
        }
    }

    // MARK: Copying and archiving

    /// Makes the instance that `copy(with:)` fills, an `HTTPSessionManager`. Override it when a subclass's copies are
    /// to be of its class.
    open override func makeCopy(sessionConfiguration: URLSessionConfiguration) -> URLSessionManager {
        HTTPSessionManager(baseURL: baseURL, sessionConfiguration: sessionConfiguration)
    }

    /// A manager that ``makeCopy(sessionConfiguration:)`` makes, with the same base URL, a copy of the request
    /// serializer, and what ``URLSessionManager`` copies.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        if let manager = copy as? HTTPSessionManager {
            manager.requestSerializer = requestSerializer.copied()
            manager.sendsAuthorizationToOtherOrigins = sendsAuthorizationToOtherOrigins
        }
        return copy
    }

    /// Stores base URL and request serializer, and what ``URLSessionManager`` stores. Not user name and password of the
    /// base URL.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        let archive = HTTPSessionManagerArchive(
            baseURL: baseURL?.withoutUserInfo.absoluteString, requestSerializer: ArchivedObject(requestSerializer))
        ArchiveBlob.encode(archive, with: coder, forKey: HTTPSessionManagerArchive.key)
    }

    /// A manager from an archive. `nil` when that is damaged, or a serializer or the policy could not be archived.
    public required init?(coder: NSCoder) {
        guard
            let archive = ArchiveBlob.decode(
                HTTPSessionManagerArchive.self, with: coder, forKey: HTTPSessionManagerArchive.key),
            let requestSerializer = archive.requestSerializer?.object
        else { return nil }
        base = BaseURL(normalized: archive.baseURL.flatMap { URL(escaping: $0) })
        super.init(coder: coder)
        confine(to: base)
        self.requestSerializer = requestSerializer
    }

    /// Class, base URL and session in one line.
    open override var description: String {
        "<\(type(of: self)) baseURL: \(baseURL?.withoutUserInfo.absoluteString ?? "none"), tasks: \(tasks.count)>"
    }
}
