// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworkingCore

extension HTTPSessionManager {
    /// Limits the data that identify the user to the origin of the base URL.
    func confine(to base: BaseURL) {
        withSettings { $0.confiningOrigin = base.confiningOrigin }
    }

    /// The request for a verb.
    func request(
        method: String, _ URLString: String, parameters: Any?, headers: [String: String]?
    ) throws -> URLRequest {
        let serializer = requestSerializer
        let url = try base.resolve(URLString)
        var request = try serializer.request(withMethod: method, url: url, parameters: parameters)
        complete(&request, of: serializer, headers: headers)
        return request
    }

    /// The request for a body with its own form.
    func request(
        method: String, _ URLString: String, body: RequestBody, headers: [String: String]?
    ) throws -> URLRequest {
        let serializer = requestSerializer
        var request = try serializer.request(withMethod: method, url: base.resolve(URLString), body: body)
        complete(&request, of: serializer, headers: headers)
        return request
    }

    /// A verb's task, for the blocks of a verb.
    func dataTask(
        for request: URLRequest, uploadProgress: ProgressBlock?, downloadProgress: ProgressBlock?, success: Success?,
        failure: Failure?
    ) -> URLSessionDataTask {
        // Without progress blocks, by way of the method that clients written for AFNetworking 2 override.
        func make(_ handler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)?) -> URLSessionDataTask {
            guard uploadProgress != nil || downloadProgress != nil else {
                return dataTask(with: request, completionHandler: handler)
            }
            return dataTask(
                with: request, uploadProgress: uploadProgress, downloadProgress: downloadProgress,
                completionHandler: handler)
        }
        guard success != nil || failure != nil else { return make(nil) }
        let result = TaskResult(
            success: success, failure: failure, needsNoResponse: type(of: self) == HTTPSessionManager.self)
        let task = make { _, object, error in result.deliver(object, error) }
        assign(result, to: task)
        return task
    }

    /// The request for a multipart form.
    func formRequest(
        _ URLString: String, parameters: [String: Any]?, headers: [String: String]?,
        _ block: (any MultipartFormData) throws -> Void
    ) throws -> URLRequest {
        let serializer = requestSerializer
        let url = try base.resolve(URLString)
        // The serializer calls the block before it returns.
        var request = try withoutActuallyEscaping(block) { block in
            try serializer.multipartFormRequest(
                withMethod: "POST", urlString: url.absoluteString, parameters: parameters, constructingBodyWith: block)
        }
        complete(&request, of: serializer, headers: headers)
        return request
    }

    private func complete(
        _ request: inout URLRequest, of serializer: HTTPRequestSerializer, headers: [String: String]?
    ) {
        // Last, because to work out an origin takes longer.
        if base.url != nil, serializer.hasIdentifyingFields, !sendsAuthorizationToOtherOrigins,
            let url = request.url, base.isLeft(by: url)
        {
            request.removeIdentity(of: serializer)
        }
        request.setHeaders(headers)
    }

    /// A success block of a verb that has no object.
    static func ignoringObject(_ success: @escaping @Sendable (URLSessionDataTask) -> Void) -> Success {
        { task, _ in success(task) }
    }

    /// Lets the blocks of a verb have their task.
    func assign(_ result: TaskResult, to task: URLSessionDataTask) {
        if let managed = task.ownFace?.task.managed {
            managed.assign(result, of: task)
        } else {
            // A subclass has made it in some other way.
            result.setTask(task)
        }
    }

    /// Returns what `make` makes. What it throws is reported to `failure`, on the completion queue.
    func making(
        reportingTo failure: Failure?, _ make: () throws -> URLSessionDataTask
    ) -> URLSessionDataTask? {
        do {
            return try make()
        } catch {
            if let failure {
                (completionQueue ?? .sharedMain).async(group: completionGroup) { failure(nil, error) }
            }
            return nil
        }
    }
}
