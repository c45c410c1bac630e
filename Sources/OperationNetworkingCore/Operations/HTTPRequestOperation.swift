// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
internal import NetworkingTransport
internal import NetworkingSupport

/// One HTTP request as an operation, with a serializer for its response. AF: `AFHTTPRequestOperation`.
///
/// The response is validated and parsed before the operation is finished, off the network thread: what depends on it
/// finds `responseObject` and `error` in place.
// Sendable for the same reason as `URLConnectionOperation`: the fields below are guarded by `lock`.
open class HTTPRequestOperation: URLConnectionOperation, @unchecked Sendable {
    /// The result of the serializer for the response.
    private enum Serialization {
        case none
        /// Status and content type are right; the content was left to a decoder, and is parsed when it is asked for.
        case accepted
        /// A decoder has made a value of the content: that this serializer might not is no error.
        case decoded
        case done(Any?, (any Error)?)
    }

    // Guarded by `lock`.
    @exclusivity(unchecked) private var _responseSerializer: HTTPResponseSerializer = .plain
    @exclusivity(unchecked) private var _serialization = Serialization.none
    /// A decoder is to parse the content.
    @exclusivity(unchecked) private var _leavesParsing = false

    /// The last response received. `nil` before one.
    open override var response: HTTPURLResponse? {
        super.response as? HTTPURLResponse
    }

    /// The serializer that validates and parses the response. A plain `HTTPResponseSerializer` by default: status
    /// 200–299, the object is the data. Setting another one on a finished operation makes `responseObject` and `error`
    /// its work. AF: `responseSerializer`.
    ///
    /// ```swift
    /// operation.responseSerializer = DecodableResponseSerializer<Book>()
    /// ```
    public var responseSerializer: HTTPResponseSerializer {
        get {
            lock.withLock {
                if _responseSerializer === HTTPResponseSerializer.plain {
                    _responseSerializer = HTTPResponseSerializer()
                }
                return _responseSerializer
            }
        }
        set {
            lock.withLock {
                _responseSerializer = newValue
                _serialization = .none
                _unarchivedProperties.remove(.responseSerializer)
            }
        }
    }

    /// The object that the serializer made of the response, also for a bad status, when the content could be parsed.
    /// Nil before the end, and after a transport error. AF: `responseObject`.
    public var responseObject: Any? {
        let (hasFailed, known) = lock.withLock { (_received.value.error != nil, _serialization) }
        guard !hasFailed else { return nil }
        if case .done(let object, _) = known { return object }
        switch serialization() {
        case .done(let object, _): return object
        case .decoded: return parseDecoded()
        case .none, .accepted: return nil
        }
    }

    /// The transport's error, or else the serializer's.
    open override var error: (any Error)? {
        let (failure, known) = lock.withLock { (_received.value.error, _serialization) }
        if let failure { return failure }
        if case .done(_, let error) = known { return error }
        guard case .done(_, let error) = serialization() else { return nil }
        return error
    }

    /// `responseObject` and `error` of a finished operation, at once.
    package var serializationResult: (object: Any?, error: (any Error)?) {
        if let error = super.error { return (nil, error) }
        guard case .done(let object, let error) = serialization() else { return (nil, nil) }
        return (object, error)
    }

    /// Sets the blocks for success and failure, on `completionQueue` or the main queue, in place of `completionBlock`.
    ///
    /// A cancelled operation calls `failure` with `URLError.cancelled`. Both blocks are released after the call.
    /// AF: `setCompletionBlockWithSuccess:failure:`.
    ///
    /// ```swift
    /// operation.setCompletionBlockWithSuccess(
    ///     { operation, object in print(object ?? "no content") },
    ///     failure: { operation, error in print(error.localizedDescription) })
    /// ```
    @preconcurrency
    open func setCompletionBlockWithSuccess(
        _ success: (@Sendable (HTTPRequestOperation, Any?) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation, any Error) -> Void)?
    ) {
        setCompletion(.result(success: success, failure: failure))
    }

    /// A fresh operation for the same request, with the same settings and blocks and a copy of the response serializer,
    /// but without results and completion block.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        if let operation = copy as? HTTPRequestOperation {
            let serializer = lock.withLock { _responseSerializer }
            operation.lock.withLock {
                operation._responseSerializer =
                    serializer === HTTPResponseSerializer.plain
                    ? serializer : serializer.copy() as? HTTPResponseSerializer ?? serializer
            }
        }
        return copy
    }

    // MARK: Serialization

    override func processResponse(completion: @escaping @Sendable () -> Void) {
        let (serializer, head, data) = lock.withLock {
            (_responseSerializer, _received.value.head, _received.value.data)
        }
        if let status = head?.statusCode, serializer.fastValidation(statusCode: status) == true {
            lock.withLock { _serialization = .done(data, nil) }
            completion()
        } else {
            scheduler?.operationDidLeaveHost(self)
            runtime.parse(with: serializer, for: parsingOrigin) { [self] in
                if !acceptForDecoder() { serialize() }
                completion()
            }
        }
    }

    /// The response as serializers look at it.
    private var serializedResponse: SerializedResponse {
        // A subclass may have overridden `response`.
        let isPlain = type(of: self) == HTTPRequestOperation.self || self is SessionOperation
        guard isPlain, let head = lock.withLock({ _received.value.head }) else { return SerializedResponse(response) }
        return SerializedResponse(head) { [self] in response }
    }

    /// Returns true if a serializer accepts a response without a look at what its content says.
    private func accepts(_ serializer: HTTPResponseSerializer, data: Data?) -> Bool {
        (try? serializer.check(serializedResponse, data: data)) != nil
    }

    /// The origin whose content is parsed.
    package var parsingOrigin: String { lock.withLock { _target?.origin } ?? "" }

    // MARK: For `decoded`

    /// A decoder will parse the content: it is not parsed before, so that it is parsed once.
    func leavesParsingToDecoder() {
        lock.withLock { _leavesParsing = true }
    }

    /// Leaves the content to a decoder if that is wanted, and the serializer does no more than parse JSON. False: the
    /// content is to be parsed.
    private func acceptForDecoder() -> Bool {
        let (serializer, data) = lock.withLock { (_leavesParsing ? _responseSerializer : nil, _received.value.data) }
        guard let serializer, type(of: serializer) == JSONResponseSerializer.self,
            accepts(serializer, data: data)
        else { return false }
        return lock.withLock {
            guard serializer === _responseSerializer else { return false }
            _serialization = .accepted
            return true
        }
    }

    /// The error of an operation whose content a decoder is to parse. A JSON serializer's error about the content does
    /// not count: it takes no bare values.
    var errorBeforeDecoding: (any Error)? {
        let (serialization, isJSON) = lock.withLock {
            (_serialization, type(of: _responseSerializer) == JSONResponseSerializer.self)
        }
        if super.error == nil, case .accepted = serialization { return nil }
        guard let error else { return nil }
        if isJSON, (error as? ResponseSerializationError)?.code == .cannotParseResponse { return nil }
        return error
    }

    /// The error that counts for operations that depend on this one. A bare value that is left to a decoder is no
    /// error.
    var errorForDependents: (any Error)? {
        let (serialization, serializer, data) = lock.withLock {
            (_serialization, _responseSerializer, _received.value.data)
        }
        // Other content is parsed once, for all.
        let isBare = data?.first { $0 > UInt8(ascii: " ") }.map { $0 != UInt8(ascii: "{") && $0 != UInt8(ascii: "[") }
        if super.error == nil, case .accepted = serialization, isBare == true,
            let json = serializer.copy() as? JSONResponseSerializer
        {
            json.readingOptions.insert(.fragmentsAllowed)
            if (try? json.parsed(serializedResponse, data: data)) != nil { return nil }
        }
        return error
    }

    /// The serializer's error; nil also while it has not looked at the content.
    var knownSerializationFailure: (any Error)? { lock.withLock { _serializationFailure } }

    /// True if the serializer has made an object of the content.
    var hasParsedContent: Bool {
        guard case .done = lock.withLock({ _serialization }) else { return false }
        return true
    }

    /// A decoder has made a value of the content.
    func didDecodeContent() {
        lock.withLock {
            if case .accepted = _serialization { _serialization = .decoded }
        }
    }

    /// Returns the object of content that a decoder has decoded; nil for content that the serializer does not take.
    private func parseDecoded() -> Any? {
        let (serializer, data) = lock.withLock { (_responseSerializer, _received.value.data) }
        let object = (try? serializer.parsed(serializedResponse, data: data)) ?? nil
        lock.withLock {
            if serializer === _responseSerializer, case .decoded = _serialization {
                _serialization = .done(object, nil)
            }
        }
        return object
    }

    override func judge(_ head: ResponseHead, decide: @escaping @Sendable (_ isAcceptable: Bool) -> Void) {
        let serializer = lock.withLock { _responseSerializer }
        if let isAcceptable = serializer.fastValidation(statusCode: head.statusCode) { return decide(isAcceptable) }
        runtime.parse(with: serializer, for: parsingOrigin) { [self] in
            // Without content, as at the end: the content type is the reader's matter.
            decide(accepts(serializer, data: nil))
        }
    }

    override func runCompletion(_ handler: CompletionHandler) {
        guard case .result(let success, let failure) = handler else {
            super.runCompletion(handler)
            return
        }
        if let error {
            failure?(self, error)
        } else {
            success?(self, responseObject)
        }
    }

    /// The result of the serializer that is set now, once there is one.
    private func serialization() -> Serialization {
        let (known, isOver) = lock.withLock {
            (_serialization, _machine.hasResult && _received.value.error == nil)
        }
        switch known {
        case .none where isOver, .accepted where isOver: return serialize()
        default: return known
        }
    }

    @discardableResult
    private func serialize() -> Serialization {
        let (serializer, received, method, isRead, isLost) = lock.withLock {
            let isRead = _configuration.value.stream?.isOpen == true
            let isLost = _unarchivedProperties.contains(.responseSerializer)
            return (_responseSerializer, _received.value.data, _request.httpMethod, isRead, isLost)
        }
        // Finished before it was archived: the plain serializer in the lost one's place may take what that one refused.
        if isLost { return .done(nil, UnarchivedProperty.responseSerializer) }
        // A response to HEAD has no content that could be of a wrong type, and that of one which is accepted may be a
        // reader's matter, though it was kept back until now.
        let isOthers = isRead && accepts(serializer, data: nil)
        let data = method == "HEAD" || isOthers ? nil : received
        let result: Serialization
        do {
            result = .done(try serializer.parsed(serializedResponse, data: data), nil)
        } catch {
            result = .done((error as? ResponseSerializationError)?.responseObject, error.naming(method))
        }
        lock.withLock {
            if serializer === _responseSerializer { _serialization = result }
        }
        return result
    }

    /// The serializer's error for the response that was received last. Called with `lock` held.
    var _serializationFailure: (any Error)? {
        guard case .done(_, let error) = _serialization else { return nil }
        return error
    }

    /// Another attempt makes the result. Called with `lock` held.
    func _forgetSerialization() { _serialization = .none }

    // Called with `lock` held.
    var _archivedSerializer: HTTPResponseSerializer? {
        get { _responseSerializer === HTTPResponseSerializer.plain ? nil : _responseSerializer }
        set { _responseSerializer = newValue ?? .plain }
    }
}

extension HTTPResponseSerializer {
    /// The serializer of all operations whose own has not been asked for, so that thousands of them share one.
    static let plain = HTTPResponseSerializer()
}
