// SPDX-License-Identifier: MIT
public import Foundation

// The names are AFNetworking's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

extension HTTPRequestOperationManager {
    /// `post(_:parameters:headers:constructingBodyWith:success:failure:)`, as Swift 1 and 2 have it.
    ///
    /// `parameters` is a dictionary, also one of Objective-C's; its keys are described when they are no text.
    @preconcurrency @discardableResult
    public func POST(
        _ URLString: String, parameters: Any?,
        constructingBodyWithBlock block: ((any MultipartFormData) throws -> Void)?,
        success: (@Sendable (HTTPRequestOperation, AnyObject?) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation?, NSError) -> Void)?
    ) -> HTTPRequestOperation? {
        let form = FormParameters(parameters, block)
        return post(
            URLString, parameters: form.dictionary, headers: nil, constructingBodyWith: form.append,
            success: Forward.success(success), failure: Forward.failure(failure))
    }

    /// `post(_:parameters:headers:constructingBodyWith:success:failure:)`, as Swift 1 and 2 have it. For blocks that take
    /// an object which is not optional: `NSNull` stands for nothing.
    @_disfavoredOverload
    @preconcurrency @discardableResult
    public func POST(
        _ URLString: String, parameters: Any?,
        constructingBodyWithBlock block: ((any MultipartFormData) throws -> Void)?,
        success: (@Sendable (HTTPRequestOperation, AnyObject) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation?, NSError) -> Void)?
    ) -> HTTPRequestOperation? {
        let form = FormParameters(parameters, block)
        return post(
            URLString, parameters: form.dictionary, headers: nil, constructingBodyWith: form.append,
            success: Forward.success(success), failure: Forward.failure(failure))
    }

    /// `post(_:parameters:headers:constructingBodyWith:success:failure:)` for parameters that are no Swift dictionary
    /// with text for keys, and for a block that is optional.
    @_disfavoredOverload
    @preconcurrency @discardableResult
    public func post(
        _ URLString: String, parameters: Any?, constructingBodyWith block: ((any MultipartFormData) throws -> Void)?,
        success: (@Sendable (HTTPRequestOperation, Any?) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation?, any Error) -> Void)?
    ) -> HTTPRequestOperation? {
        let form = FormParameters(parameters, block)
        return post(
            URLString, parameters: form.dictionary, headers: nil, constructingBodyWith: form.append, success: success,
            failure: failure)
    }
}
