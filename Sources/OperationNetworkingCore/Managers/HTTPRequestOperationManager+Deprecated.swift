// SPDX-License-Identifier: MIT
internal import Foundation

// Names from before 0.1.0, for programs that were written against previews.

extension HTTPRequestOperationManager {
    /// Makes an operation. See ``makeOperation(method:_:parameters:headers:success:failure:)``.
    @available(*, deprecated, renamed: "makeOperation(method:_:parameters:headers:success:failure:)")
    public func operation(
        method: String, _ URLString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        success: Success? = nil, failure: Failure? = nil
    ) throws -> HTTPRequestOperation {
        try makeOperation(
            method: method, URLString, parameters: parameters, headers: headers, success: success, failure: failure)
    }

    /// Makes a form's operation. See
    /// ``makeOperation(method:_:parameters:headers:constructingBodyWith:success:failure:)``.
    @available(
        *, deprecated, renamed: "makeOperation(method:_:parameters:headers:constructingBodyWith:success:failure:)"
    )
    public func operation(
        method: String, _ URLString: String, parameters: [String: Any]? = nil, headers: [String: String]? = nil,
        constructingBodyWith block: (any MultipartFormData) throws -> Void,
        success: Success? = nil, failure: Failure? = nil
    ) throws -> HTTPRequestOperation {
        try makeOperation(
            method: method, URLString, parameters: parameters, headers: headers, constructingBodyWith: block,
            success: success, failure: failure)
    }

    /// Makes a body's operation. See ``makeOperation(method:_:body:headers:success:failure:)``.
    @available(*, deprecated, renamed: "makeOperation(method:_:body:headers:success:failure:)")
    public func operation(
        method: String, _ URLString: String, body: RequestBody, headers: [String: String]? = nil,
        success: Success? = nil, failure: Failure? = nil
    ) throws -> HTTPRequestOperation {
        try makeOperation(
            method: method, URLString, body: body, headers: headers, success: success, failure: failure)
    }
}
