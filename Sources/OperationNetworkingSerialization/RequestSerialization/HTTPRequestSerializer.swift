// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

/// Builds requests with default header fields, and puts parameters into the URL's query or into a form body. AF:
/// `AFHTTPRequestSerializer`.
///
/// A serializer may be used and changed from any thread; a request is built from the settings as they are when its
/// building starts.
///
/// **Subclassing.** Override `request(bySerializing:withParameters:)` for another body; `copy()` creates the subclass
/// with `init()` and gives it the settings of this class, so a subclass that adds state overrides `copy(with:)`,
/// `encode(with:)` and `init(coder:)`.
///
/// Copies have every setting. Archives have every setting but the two that are code: the block of
/// `setQueryStringSerialization(_:)` and `parameterEncoder`. An archive contains the `Authorization` field in clear.
///
/// ```swift
/// manager.requestSerializer.timeoutInterval = 20
/// manager.requestSerializer.setValue(
///     "de", forHTTPHeaderField: "Accept-Language")
/// ```
// Sendable because the only stored property is a lock around a value of Sendable parts.
open class HTTPRequestSerializer: NSObject, URLRequestSerialization, NSCopying, NSSecureCoding, @unchecked Sendable {
    private let settings: Locked<RequestSerializerSettings>

    /// Creates a serializer with default `Accept-Language` and `User-Agent` fields and form-encoded bodies.
    public required override init() {
        settings = Locked(RequestSerializerSettings(RequestSerializerConfiguration()))
        super.init()
    }

    /// The settings at this moment.
    final var snapshot: RequestSerializerConfiguration {
        settings.withLock { $0 }.values
    }

    private func change(_ change: (inout RequestSerializerConfiguration) -> Void) {
        // The last reference to what a block of the user's holds may be the old one's: it goes after the lock.
        _ = settings.withLock { settings in
            var values = settings.values
            change(&values)
            defer { settings = RequestSerializerSettings(values) }
            return settings
        }
    }

    // MARK: Settings

    /// The encoding of form bodies and of the text of multipart parameters. Default: UTF-8.
    public var stringEncoding: String.Encoding {
        get { String.Encoding(rawValue: snapshot.stringEncoding) }
        set { change { $0.stringEncoding = newValue.rawValue } }
    }

    /// `timeoutInterval` of new requests, in seconds. Default: nil, the request's own.
    public var timeoutInterval: TimeInterval? {
        get { snapshot.timeoutInterval }
        set { change { $0.timeoutInterval = newValue } }
    }

    /// `cachePolicy` of new requests. Default: nil, the request's own.
    public var cachePolicy: URLRequest.CachePolicy? {
        get { snapshot.cachePolicy.flatMap(URLRequest.CachePolicy.init(rawValue:)) }
        set { change { $0.cachePolicy = newValue?.rawValue } }
    }

    /// `httpShouldHandleCookies` of new requests. Default: nil, the request's own.
    public var httpShouldHandleCookies: Bool? {
        get { snapshot.httpShouldHandleCookies }
        set { change { $0.httpShouldHandleCookies = newValue } }
    }

    /// `httpShouldUsePipelining` of new requests. Default: nil, the request's own.
    public var httpShouldUsePipelining: Bool? {
        get { snapshot.httpShouldUsePipelining }
        set { change { $0.httpShouldUsePipelining = newValue } }
    }

    /// `allowsCellularAccess` of new requests. Default: nil, the request's own.
    public var allowsCellularAccess: Bool? {
        get { snapshot.allowsCellularAccess }
        set { change { $0.allowsCellularAccess = newValue } }
    }

    /// `networkServiceType` of new requests. Default: nil, the request's own.
    public var networkServiceType: URLRequest.NetworkServiceType? {
        get { snapshot.networkServiceType.flatMap(URLRequest.NetworkServiceType.init(rawValue:)) }
        set { change { $0.networkServiceType = newValue?.rawValue } }
    }

    /// The methods, in upper case, whose parameters go into the URL's query. Default: GET, HEAD, DELETE.
    public var httpMethodsEncodingParametersInURI: Set<String> {
        get { snapshot.methodsEncodingParametersInURI }
        set { change { $0.methodsEncodingParametersInURI = newValue } }
    }

    /// The form of arrays in query strings, form bodies and multipart names. Default: `.brackets`.
    public var arrayEncoding: ArrayEncoding {
        get { snapshot.arrayEncoding }
        set { change { $0.arrayEncoding = newValue } }
    }

    /// The form of Booleans in query strings, form bodies and multipart parameters. Default: `.numeric`.
    public var boolEncoding: BoolEncoding {
        get { snapshot.boolEncoding }
        set { change { $0.boolEncoding = newValue } }
    }

    /// The compression of bodies. Default: `.identity`, not at all.
    ///
    /// `.gzip` compresses the bodies that this serializer makes of parameters and announces them with
    /// `Content-Encoding` (RFC 9110, section 8.4). Not compressed are empty bodies, multipart forms, which are
    /// streamed, and bodies of a request or serializer that has a `Content-Encoding` already. The server has to
    /// understand it.
    public var contentCoding: ContentCoding {
        get { snapshot.contentCoding ?? .identity }
        set { change { $0.contentCoding = newValue } }
    }

    /// Encodes parameters that are `Encodable` values of the caller's own. Default: a plain `JSONEncoder`.
    ///
    /// Shared with copies, not archived; do not change an encoder while a serializer uses it.
    public var parameterEncoder: JSONEncoder {
        get { snapshot.parameterEncoder }
        set { change { $0.parameterEncoder = newValue } }
    }

    /// Replaces the query string's form, in URLs and form bodies. `nil` goes back to `queryString(from:)`'s.
    ///
    /// - Parameter block: called on the thread that builds a request, only when there are parameters; its string is
    ///   used as it is, and what it throws is thrown by the serializer.
    public func setQueryStringSerialization(
        _ block: (@Sendable (_ request: URLRequest, _ parameters: Any) throws -> String)?
    ) {
        change { $0.queryStringSerialization = block }
    }

    // MARK: Header fields

    /// A snapshot of the header fields of new requests, each name spelled as it was given last.
    public var httpRequestHeaders: [String: String] {
        snapshot.headers.dictionary
    }

    /// Sets a default header field, replacing one whose name differs in case only. `nil` removes it.
    ///
    /// A request that has the field already keeps its own. A name that is not a token or a value with a line break
    /// makes building a request throw `RequestSerializationError.Code.invalidHeaderField`.
    open func setValue(_ value: String?, forHTTPHeaderField field: String) {
        change { $0.headers[field] = value }
    }

    /// The value of a default header field, whatever the case of its name.
    public func value(forHTTPHeaderField field: String) -> String? {
        snapshot.headers[field]
    }

    /// Sets `Authorization` to HTTP Basic credentials (RFC 7617) in UTF-8. The user name must not contain a colon.
    public func setAuthorizationHeaderFieldWithUsername(_ username: String, password: String) {
        let credentials = Data("\(username):\(password)".utf8).base64EncodedString()
        setValue("Basic \(credentials)", forHTTPHeaderField: "Authorization")
    }

    /// The header fields that identify the user.
    package static let identifyingFields = ["Authorization", "Cookie"]

    /// True if one of these is among the default header fields.
    package final var hasIdentifyingFields: Bool { settings.withLock { $0 }.hasIdentifyingFields }

    /// Removes the default `Authorization` field.
    public func clearAuthorizationHeader() {
        setValue(nil, forHTTPHeaderField: "Authorization")
    }

    // MARK: Requests

    /// A new request with this serializer's properties and header fields and the given parameters.
    ///
    /// - Parameters:
    ///   - method: the method; `URLRequest` writes the known ones in upper case, others are sent as given.
    ///   - urlString: an absolute URL.
    ///   - parameters: a dictionary, another value `queryString(from:)` takes, or an `Encodable` value.
    /// - Throws: `RequestSerializationError`: `.badURL`, `.invalidMethod`, `.invalidParameters`,
    ///   `.invalidHeaderField`; or what a query-string block threw.
    open func request(withMethod method: String, urlString: String, parameters: Any?) throws -> URLRequest {
        guard let url = URL(escaping: urlString) else {
            throw RequestSerializationError(
                code: .badURL,
                reason: "The string \(urlString.withoutUserInfo.withoutSecretValues.debugDescription) is not a URL.")
        }
        return try newRequest(withMethod: method, url: url, parameters: parameters)
    }

    /// `request(withMethod:urlString:parameters:)` for a URL that was parsed already: the override of a subclass is
    /// used.
    package final func request(withMethod method: String, url: URL, parameters: Any?) throws -> URLRequest {
        guard isBuiltIn else {
            return try request(withMethod: method, urlString: url.absoluteString, parameters: parameters)
        }
        return try newRequest(withMethod: method, url: url, parameters: parameters)
    }

    private func newRequest(withMethod method: String, url: URL, parameters: Any?) throws -> URLRequest {
        guard method.isToken else {
            throw RequestSerializationError(
                code: .invalidMethod, reason: "The string \(method.debugDescription) is not an HTTP method.",
                failingURL: url)
        }
        let settings = settings.withLock { $0 }
        var request = URLRequest(url: url)
        if method != "GET" { request.httpMethod = method }
        settings.values.applyProperties(to: &request)
        // A subclass of the user's gets a request without the header fields, and may add them as it likes.
        if isBuiltIn, let fields = settings.requestFields {
            if !fields.isEmpty { request.allHTTPHeaderFields = fields }
            try setParameters(parameters, of: &request, settings.values)
            return request
        }
        return try self.request(bySerializing: request, withParameters: parameters)
    }

    /// True if the class is one of the library's, which makes requests in `setParameters` only.
    var isBuiltIn: Bool { type(of: self) == HTTPRequestSerializer.self }

    /// A copy of `request` with the default header fields it lacks, and `parameters` in its query, for the methods
    /// in `httpMethodsEncodingParametersInURI`, or else as its body.
    ///
    /// The query goes after one the URL has and before its fragment. A body replaces the request's, is empty when
    /// there are no parameters, and is announced as `application/x-www-form-urlencoded` unless the request has a
    /// `Content-Type`. `Data` is a finished body, sent as it is and announced as `application/octet-stream`, unless
    /// there is a query-string block.
    open func request(bySerializing request: URLRequest, withParameters parameters: Any?) throws -> URLRequest {
        let settings = snapshot
        var result = request
        try settings.applyHeaders(to: &result)
        try setParameters(parameters, of: &result, settings)
        return result
    }

    /// Puts parameters into a request that has its header fields.
    func setParameters(
        _ parameters: Any?, of request: inout URLRequest, _ settings: RequestSerializerConfiguration
    ) throws {
        guard settings.encodesParametersInURI(request) else {
            try setContent(parameters, of: &request, settings)
            return
        }
        guard let query = try unwrappedParameter(parameters).map({ try self.query(of: $0, for: request, settings) }),
            !query.isEmpty
        else { return }
        guard let url = request.url.flatMap({ QueryString.url($0, appending: query) }) else {
            throw RequestSerializationError(
                code: .badURL, reason: "The query string cannot be added to the request's URL.", request: request)
        }
        request.url = url
    }

    /// Puts parameters into the content of a request.
    func setContent(
        _ parameters: Any?, of request: inout URLRequest, _ settings: RequestSerializerConfiguration
    ) throws {
        if let body = parameters as? Data, settings.queryStringSerialization == nil {
            try settings.setBody(body, contentType: "application/octet-stream", of: &request)
            return
        }
        let query = try unwrappedParameter(parameters).map { try self.query(of: $0, for: request, settings) }
        let encoding = String.Encoding(rawValue: settings.stringEncoding)
        guard let body = EncodedText.data(of: query ?? "", in: encoding) else {
            throw RequestSerializationError(
                code: .invalidParameters,
                reason: "The query string cannot be written in the encoding \(encoding); use UTF-8.",
                request: request)
        }
        try settings.setBody(body, contentType: "application/x-www-form-urlencoded", of: &request)
    }

    private func query(
        of parameters: Any, for request: URLRequest, _ settings: RequestSerializerConfiguration
    ) throws -> String {
        if let block = settings.queryStringSerialization { return try block(request, parameters) }
        do {
            return try QueryString.string(from: parameters, flattener: settings.flattener)
        } catch {
            throw Self.notEncodable(request, error)
        }
    }

    private static func notEncodable(_ request: URLRequest, _ error: any Error) -> RequestSerializationError {
        RequestSerializationError(
            code: .invalidParameters, reason: "The `parameters` argument cannot be encoded.",
            detail: error.localizedDescription, request: request, underlyingError: error)
    }

    // MARK: Multipart

    /// Makes a request with a `multipart/form-data` body. `parameters` come first, in the order of
    /// `queryString(from:)`, then the parts that `block` appends.
    ///
    /// The body is streamed. `Content-Type` and, when every part's length is known, `Content-Length` are set. Without
    /// parameters and parts the request has an empty form body.
    ///
    /// - Parameters:
    ///   - method: not GET or HEAD.
    ///   - urlString: an absolute URL.
    ///   - parameters: `Data` is taken as it is, null is an empty value, other values are as in a query string, in
    ///     `stringEncoding`.
    ///   - block: runs before this method returns.
    /// - Throws: `RequestSerializationError`, or what `block` threw.
    open func multipartFormRequest(
        withMethod method: String, urlString: String, parameters: [String: Any]?,
        constructingBodyWith block: ((any MultipartFormData) throws -> Void)?
    ) throws -> URLRequest {
        guard !["GET", "HEAD"].contains(method.uppercased()) else {
            throw RequestSerializationError(
                code: .invalidMethod, reason: "A \(method) request cannot have a multipart body; use POST or PUT.",
                failingURL: URL(escaping: urlString))
        }
        var request = try self.request(withMethod: method, urlString: urlString, parameters: nil)
        let settings = snapshot
        let form = MultipartFormBuilder()
        if let parameters {
            do {
                try form.append(
                    parameters: parameters, flattener: settings.flattener,
                    encoding: String.Encoding(rawValue: settings.stringEncoding))
            } catch {
                throw error as? RequestSerializationError ?? Self.notEncodable(request, error)
            }
        }
        try block?(form)
        let body = try form.finishedBody()
        guard !body.isEmpty else { return request }
        request.setValue(body.contentType, forHTTPHeaderField: "Content-Type")
        request.setValue(body.contentLength.map(String.init), forHTTPHeaderField: "Content-Length")
        request.httpBodyStream = MultipartBodyStream(body)
        return request
    }

    /// Writes the body of a multipart request to a file, and gives the request without it.
    ///
    /// The file is made readable by its owner only, or truncated when it exists; it is removed when writing fails. A
    /// body that can be read several times stays usable in `request`.
    ///
    /// - Parameters:
    ///   - request: a request of `multipartFormRequest(withMethod:urlString:parameters:constructingBodyWith:)`.
    ///   - fileURL: the file.
    ///   - handler: called on the main queue when the file is complete (nil) or has failed; the error names the path.
    /// - Returns: at once, a copy of `request` without its body stream, with its `Content-Type` and `Content-Length`.
    @preconcurrency
    open func request(
        withMultipartFormRequest request: URLRequest, writingStreamContentsToFile fileURL: URL,
        completionHandler handler: (@Sendable ((any Error)?) -> Void)?
    ) -> URLRequest {
        do {
            let spooler = try BodySpooler(request: request, fileURL: fileURL)
            spooler.start { result in
                guard let handler else { return }
                DispatchQueue.main.async {
                    switch result {
                    case .success: handler(nil)
                    case .failure(let error): handler(error)
                    }
                }
            }
        } catch {
            if let handler { DispatchQueue.main.async { handler(error) } }
        }
        var result = request
        result.httpBodyStream = nil
        return result
    }

    /// Writes the body of a multipart request to a file. The `async` face of
    /// `request(withMultipartFormRequest:writingStreamContentsToFile:completionHandler:)`.
    ///
    /// Cancelling the task ends the writing with an error and removes the file.
    ///
    /// - Parameters:
    ///   - request: a request of `multipartFormRequest(withMethod:urlString:parameters:constructingBodyWith:)`.
    ///   - fileURL: the file.
    /// - Throws: `RequestSerializationError`, or what a part of the body failed with.
    /// - Returns: a copy of `request` without its body stream, with the file's length as `Content-Length`.
    open func writeStreamContents(
        ofMultipartFormRequest request: URLRequest, toFile fileURL: URL
    ) async throws -> URLRequest {
        let spooler = try BodySpooler(request: request, fileURL: fileURL)
        // No cancellation is running then: the handler below would come too late for a small body.
        if Task.isCancelled { spooler.cancel() }
        let length = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // On the spooler's queue, where no task's lock is held.
                spooler.start { continuation.resume(with: $0) }
            }
        } onCancel: {
            // Swift holds the task's lock here, and a part's stream may wait while it is closed.
            WorkerPool.cancelling.perform { spooler.cancel() }
        }
        var result = request
        result.httpBodyStream = nil
        result.setValue(String(length), forHTTPHeaderField: "Content-Length")
        return result
    }

    // MARK: Copying and coding

    /// A serializer of the same class with the same settings.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = Self()
        let settings = settings.withLock { $0 }
        copy.settings.withLock { $0 = settings }
        return copy
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// Writes every setting that is not code.
    open func encode(with coder: NSCoder) {
        ArchiveBlob.encode(snapshot, with: coder, forKey: Self.settingsKey)
    }

    /// Reads what `encode(with:)` wrote. `nil` when the archive has no such settings, or broken ones.
    public required init?(coder: NSCoder) {
        guard
            let settings = ArchiveBlob.decode(
                RequestSerializerConfiguration.self, with: coder, forKey: Self.settingsKey)
        else { return nil }
        self.settings = Locked(RequestSerializerSettings(settings))
        super.init()
    }

    private static let settingsKey = "requestSerializerSettings"

    /// The class and the names of the header fields, not their values, which may be secret.
    open override var description: String {
        let names = snapshot.headers.fields.map(\.name).joined(separator: ", ")
        return "<\(type(of: self)): header fields \(names)>"
    }

    /// `description`.
    open override var debugDescription: String { description }
}
