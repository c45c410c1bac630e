// SPDX-License-Identifier: MIT
internal import Foundation
public import FoundationNetworking
public import OperationNetworkingCore

// Requests whose content has its own form, whatever the manager's request serializer makes of parameters.

extension HTTPSessionManager {
    /// Makes a task that sends a body, without resuming it.
    ///
    /// - Parameters:
    ///   - method: the method, as it is sent.
    ///   - URLString: resolved against `baseURL`.
    ///   - body: the content, and its form.
    ///   - headers: set on the request, over the serializer's and the body's.
    ///   - uploadProgress: called on `operationQueue` while content is sent.
    ///   - downloadProgress: likewise, while content is received.
    ///   - success: called on `completionQueue`, or the main queue, with the response object.
    ///   - failure: likewise, with the error; also for a cancelled task. Nil as the task: no request could be made.
    /// - Returns: the task; nil when the request could not be made.
    public func dataTask(
        withHTTPMethod method: String, URLString: String, body: RequestBody, headers: [String: String]? = nil,
        uploadProgress: ProgressBlock? = nil, downloadProgress: ProgressBlock? = nil, success: Success? = nil,
        failure: Failure? = nil
    ) -> URLSessionDataTask? {
        making(reportingTo: failure) {
            dataTask(
                for: try request(method: method, URLString, body: body, headers: headers),
                uploadProgress: uploadProgress, downloadProgress: downloadProgress, success: success, failure: failure)
        }
    }

    /// Submits a body by POST, and resumes its task.
    ///
    /// - Parameters:
    ///   - URLString: resolved against `baseURL`.
    ///   - body: the content, and its form.
    ///   - headers: set on the request, over the serializer's and the body's.
    ///   - uploadProgress: called on `operationQueue` while content is sent.
    ///   - success: called on `completionQueue`, or the main queue, with the response object.
    ///   - failure: likewise, with the error; with a nil task when the request could not be made.
    /// - Returns: the task; nil when the request could not be made.
    @discardableResult
    public func post(
        _ URLString: String, body: RequestBody, headers: [String: String]? = nil,
        progress uploadProgress: ProgressBlock? = nil, success: Success? = nil, failure: Failure? = nil
    ) -> URLSessionDataTask? {
        send("POST", URLString, body, headers, uploadProgress, success, failure)
    }

    /// Replaces a resource by PUT. The parameters are those of ``post(_:body:headers:progress:success:failure:)``.
    @discardableResult
    public func put(
        _ URLString: String, body: RequestBody, headers: [String: String]? = nil,
        progress uploadProgress: ProgressBlock? = nil, success: Success? = nil, failure: Failure? = nil
    ) -> URLSessionDataTask? {
        send("PUT", URLString, body, headers, uploadProgress, success, failure)
    }

    /// Changes a resource by PATCH. The parameters are those of ``post(_:body:headers:progress:success:failure:)``.
    @discardableResult
    public func patch(
        _ URLString: String, body: RequestBody, headers: [String: String]? = nil,
        progress uploadProgress: ProgressBlock? = nil, success: Success? = nil, failure: Failure? = nil
    ) -> URLSessionDataTask? {
        send("PATCH", URLString, body, headers, uploadProgress, success, failure)
    }

    private func send(
        _ method: String, _ URLString: String, _ body: RequestBody, _ headers: [String: String]?,
        _ uploadProgress: ProgressBlock?, _ success: Success?, _ failure: Failure?
    ) -> URLSessionDataTask? {
        let task = dataTask(
            withHTTPMethod: method, URLString: URLString, body: body, headers: headers, uploadProgress: uploadProgress,
            success: success, failure: failure)
        task?.resume()
        return task
    }
}
