// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking

// The names are AFNetworking's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

extension HTTPSessionManager {
    /// `post(_:parameters:headers:constructingBodyWith:progress:success:failure:)`, as Swift 1 and 2 have it.
    @preconcurrency @discardableResult
    public func POST(
        _ URLString: String, parameters: Any?,
        constructingBodyWithBlock block: ((any MultipartFormData) throws -> Void)?,
        success: (@Sendable (URLSessionDataTask, AnyObject?) -> Void)?,
        failure: (@Sendable (URLSessionDataTask?, NSError) -> Void)?
    ) -> URLSessionDataTask? {
        let form = FormParameters(parameters, block)
        return post(
            URLString, parameters: form.dictionary, headers: nil, constructingBodyWith: form.append,
            success: Forward.success(success), failure: Forward.failure(failure))
    }

    /// `post(_:parameters:headers:constructingBodyWith:progress:success:failure:)`, as Swift 1 and 2 have it. For
    /// blocks that take an object which is not optional: `NSNull` stands for nothing.
    @_disfavoredOverload
    @preconcurrency @discardableResult
    public func POST(
        _ URLString: String, parameters: Any?,
        constructingBodyWithBlock block: ((any MultipartFormData) throws -> Void)?,
        success: (@Sendable (URLSessionDataTask, AnyObject) -> Void)?,
        failure: (@Sendable (URLSessionDataTask?, NSError) -> Void)?
    ) -> URLSessionDataTask? {
        let form = FormParameters(parameters, block)
        return post(
            URLString, parameters: form.dictionary, headers: nil, constructingBodyWith: form.append,
            success: Forward.success(success), failure: Forward.failure(failure))
    }

    /// `post(_:parameters:headers:constructingBodyWith:progress:success:failure:)`, as Swift 1 and 2 have it, with
    /// progress.
    @preconcurrency @discardableResult
    public func POST(
        _ URLString: String, parameters: Any?,
        constructingBodyWithBlock block: ((any MultipartFormData) throws -> Void)?,
        progress: (@Sendable (Progress) -> Void)?,
        success: (@Sendable (URLSessionDataTask, AnyObject?) -> Void)?,
        failure: (@Sendable (URLSessionDataTask?, NSError) -> Void)?
    ) -> URLSessionDataTask? {
        let form = FormParameters(parameters, block)
        return post(
            URLString, parameters: form.dictionary, headers: nil, constructingBodyWith: form.append, progress: progress,
            success: Forward.success(success), failure: Forward.failure(failure))
    }

    /// `post(_:parameters:headers:constructingBodyWith:progress:success:failure:)`, as Swift 1 and 2 have it, with
    /// progress. For blocks that take an object which is not optional: `NSNull` stands for nothing.
    @_disfavoredOverload
    @preconcurrency @discardableResult
    public func POST(
        _ URLString: String, parameters: Any?,
        constructingBodyWithBlock block: ((any MultipartFormData) throws -> Void)?,
        progress: (@Sendable (Progress) -> Void)?,
        success: (@Sendable (URLSessionDataTask, AnyObject) -> Void)?,
        failure: (@Sendable (URLSessionDataTask?, NSError) -> Void)?
    ) -> URLSessionDataTask? {
        let form = FormParameters(parameters, block)
        return post(
            URLString, parameters: form.dictionary, headers: nil, constructingBodyWith: form.append, progress: progress,
            success: Forward.success(success), failure: Forward.failure(failure))
    }

    /// `post(_:parameters:headers:constructingBodyWith:progress:success:failure:)` for parameters that are no Swift
    /// dictionary with text for keys, and for a block that is optional.
    @_disfavoredOverload
    @preconcurrency @discardableResult
    public func post(
        _ URLString: String, parameters: Any?, headers: [String: String]? = nil,
        constructingBodyWith block: ((any MultipartFormData) throws -> Void)?,
        progress uploadProgress: (@Sendable (Progress) -> Void)? = nil,
        success: (@Sendable (URLSessionDataTask, Any?) -> Void)?,
        failure: (@Sendable (URLSessionDataTask?, any Error) -> Void)?
    ) -> URLSessionDataTask? {
        let form = FormParameters(parameters, block)
        return post(
            URLString, parameters: form.dictionary, headers: headers, constructingBodyWith: form.append,
            progress: uploadProgress, success: success, failure: failure)
    }
}
