// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking

// Requests whose content is in a form that does not depend on the manager's request serializer.

extension HTTPRequestOperationManager {
    /// Makes an operation that sends a body, without adding it to the queue. Dependencies can be added first.
    ///
    /// - Parameters:
    ///   - method: the method, as it is sent.
    ///   - URLString: resolved against `baseURL`.
    ///   - body: the content, and its form.
    ///   - headers: set on the request, over the serializer's and the body's.
    ///   - success: called on `completionQueue`, or the main queue, with the response object. `nil`, the default:
    ///     nothing.
    ///   - failure: likewise, with the error; also for a cancelled operation. The operation is never `nil` here.
    /// - Throws: what `requestSerializer` throws; `RequestSerializationError` for a string that is no URL, and for a
    ///   body that cannot be written.
    public func makeOperation(
        method: String, _ URLString: String, body: RequestBody, headers: [String: String]? = nil,
        success: Success? = nil, failure: Failure? = nil
    ) throws -> HTTPRequestOperation {
        let serializer = requestSerializer
        let request = try serializer.request(withMethod: method, url: base.resolve(URLString), body: body)
        return makeOperation(with: request, of: serializer, headers: headers, success: success, failure: failure)
    }

    /// Submits a body by POST. See ``makeOperation(method:_:body:headers:success:failure:)``.
    ///
    /// - Parameters:
    ///   - URLString: resolved against `baseURL`.
    ///   - body: the content, and its form.
    ///   - headers: set on the request, over the serializer's and the body's.
    ///   - success: called on `completionQueue`, or the main queue, with the response object.
    ///   - failure: likewise, with the error; with a `nil` operation when the request could not be made.
    /// - Returns: the operation, in `operationQueue` already; `nil` when the request could not be made.
    @discardableResult
    public func post(
        _ URLString: String, body: RequestBody, headers: [String: String]? = nil, success: Success? = nil,
        failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        enqueue("POST", URLString, body, headers, success, failure)
    }

    /// Replaces a resource by PUT. The parameters are those of ``post(_:body:headers:success:failure:)``.
    @discardableResult
    public func put(
        _ URLString: String, body: RequestBody, headers: [String: String]? = nil, success: Success? = nil,
        failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        enqueue("PUT", URLString, body, headers, success, failure)
    }

    /// Changes a resource by PATCH. The parameters are those of ``post(_:body:headers:success:failure:)``.
    @discardableResult
    public func patch(
        _ URLString: String, body: RequestBody, headers: [String: String]? = nil, success: Success? = nil,
        failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        enqueue("PATCH", URLString, body, headers, success, failure)
    }

    private func enqueue(
        _ method: String, _ URLString: String, _ body: RequestBody, _ headers: [String: String]?, _ success: Success?,
        _ failure: Failure?
    ) -> HTTPRequestOperation? {
        enqueue(reportingTo: failure) {
            try makeOperation(
                method: method, URLString, body: body, headers: headers, success: success, failure: failure)
        }
    }
}
