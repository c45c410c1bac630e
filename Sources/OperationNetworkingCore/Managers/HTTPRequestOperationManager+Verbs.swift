// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import FoundationNetworking

extension HTTPRequestOperationManager {
    /// A block that is called with the operation and the response object.
    public typealias Success = @Sendable (_ operation: HTTPRequestOperation, _ responseObject: Any?) -> Void
    /// A block that is called with the error. The operation is `nil` when the request could not even be made.
    public typealias Failure = @Sendable (_ operation: HTTPRequestOperation?, _ error: any Error) -> Void

    /// Makes an operation for a verb, without adding it to the queue. Dependencies can be added first.
    ///
    /// ```swift
    /// let operation = try manager.makeOperation(
    ///     method: "GET", "books", parameters: ["author": "Le Guin"])
    /// operation.queuePriority = .high
    /// manager.enqueue(operation)
    /// ```
    ///
    /// - Parameters:
    ///   - method: the method, as it is sent.
    ///   - URLString: resolved against `baseURL`.
    ///   - parameters: given to the request serializer.
    ///   - headers: set on the request, over the serializer's.
    ///   - success: called on `completionQueue`, or the main queue, with the response object. Nil, the default:
    ///     nothing.
    ///   - failure: likewise, with the error; also for a cancelled operation. The operation is never nil here.
    /// - Throws: what `requestSerializer` throws; `RequestSerializationError.Code.badURL` for a string that is no URL.
    public func makeOperation(
        method: String, _ URLString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        success: Success? = nil, failure: Failure? = nil
    ) throws -> HTTPRequestOperation {
        let serializer = requestSerializer
        let url = try base.resolve(URLString)
        let request = try serializer.request(withMethod: method, url: url, parameters: parameters)
        return makeOperation(with: request, of: serializer, headers: headers, success: success, failure: failure)
    }

    /// Makes an operation that submits a multipart form, without adding it to the queue.
    ///
    /// - Parameters:
    ///   - method: the method, as it is sent.
    ///   - URLString: resolved against `baseURL`.
    ///   - parameters: sent as parts, before those that `block` appends.
    ///   - headers: set on the request, over the serializer's.
    ///   - block: called once, on the calling thread.
    ///   - success: called on `completionQueue`, or the main queue, with the response object. Nil, the default:
    ///     nothing.
    ///   - failure: likewise, with the error; also for a cancelled operation. The operation is never nil here.
    /// - Throws: what `block` or `requestSerializer` throws.
    public func makeOperation(
        method: String, _ URLString: String, parameters: [String: Any]? = nil, headers: [String: String]? = nil,
        constructingBodyWith block: (any MultipartFormData) throws -> Void,
        success: Success? = nil, failure: Failure? = nil
    ) throws -> HTTPRequestOperation {
        let serializer = requestSerializer
        let url = try base.resolve(URLString)
        // The serializer calls the block before it returns.
        let request = try withoutActuallyEscaping(block) { block in
            try serializer.multipartFormRequest(
                withMethod: method, urlString: url.absoluteString, parameters: parameters, constructingBodyWith: block)
        }
        return makeOperation(with: request, of: serializer, headers: headers, success: success, failure: failure)
    }

    /// The operation for a request as `serializer` made it.
    func makeOperation(
        with request: URLRequest, of serializer: HTTPRequestSerializer, headers: [String: String]?, success: Success?,
        failure: Failure?
    ) -> HTTPRequestOperation {
        var request = request
        let withholdsIdentity = request.url.map { self.withholdsIdentity(from: $0, of: serializer) } ?? false
        if withholdsIdentity { request.removeIdentity(of: serializer) }
        request.setHeaders(headers)
        let operation = httpRequestOperation(
            with: request, success: success, failure: failure.map(Self.withOptionalOperation))
        guard withholdsIdentity else { return operation }
        // Unless a subclass has chosen another one.
        if let credential, operation.credential === credential { operation.credential = nil }
        if let own = clientIdentity?.material.fingerprint, operation.clientIdentity?.material.fingerprint == own {
            operation.clientIdentity = nil
        }
        return operation
    }

    /// A success block of a verb that has no object.
    static func ignoringObject(_ success: @escaping @Sendable (HTTPRequestOperation) -> Void) -> Success {
        { operation, _ in success(operation) }
    }

    /// A verb's failure block as an operation's.
    static func withOptionalOperation(
        _ failure: @escaping Failure
    ) -> @Sendable (HTTPRequestOperation, any Error) -> Void {
        { failure($0, $1) }
    }

    /// Makes an operation and adds it to the queue. A request that cannot be made calls `failure` with no operation, on
    /// the completion queue, and returns nil.
    func enqueue(
        method: String, _ URLString: String, parameters: Any?, headers: [String: String]?, success: Success?,
        failure: Failure?
    ) -> HTTPRequestOperation? {
        enqueue(reportingTo: failure) {
            try makeOperation(
                method: method, URLString, parameters: parameters, headers: headers, success: success, failure: failure)
        }
    }

    /// Adds what `make` returns to the queue. What it throws is reported to `failure`, on the completion queue.
    func enqueue(
        reportingTo failure: Failure?, _ make: () throws -> HTTPRequestOperation
    ) -> HTTPRequestOperation? {
        do {
            let operation = try make()
            operationQueue.addOperation(operation)
            return operation
        } catch {
            if let failure {
                (completionQueue ?? .sharedMain).async(group: completionGroup) { failure(nil, error) }
            }
            return nil
        }
    }
}
