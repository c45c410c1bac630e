// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking

// The names are AFNetworking's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

extension HTTPSessionManager {
    /// `get(_:parameters:headers:progress:success:failure:)`, as Swift 1 and 2 have it.
    @preconcurrency @discardableResult
    public func GET(
        _ URLString: String, parameters: Any?,
        success: (@Sendable (URLSessionDataTask, AnyObject?) -> Void)?,
        failure: (@Sendable (URLSessionDataTask?, NSError) -> Void)?
    ) -> URLSessionDataTask? {
        get(
            URLString, parameters: parameters, headers: nil, success: Forward.success(success),
            failure: Forward.failure(failure))
    }

    /// `get(_:parameters:headers:progress:success:failure:)`, as Swift 1 and 2 have it. For blocks that take an
    /// object which is not optional: `NSNull` stands for nothing.
    @_disfavoredOverload
    @preconcurrency @discardableResult
    public func GET(
        _ URLString: String, parameters: Any?,
        success: (@Sendable (URLSessionDataTask, AnyObject) -> Void)?,
        failure: (@Sendable (URLSessionDataTask?, NSError) -> Void)?
    ) -> URLSessionDataTask? {
        get(
            URLString, parameters: parameters, headers: nil, success: Forward.success(success),
            failure: Forward.failure(failure))
    }

    /// `get(_:parameters:headers:progress:success:failure:)`, as Swift 1 and 2 have it, with progress.
    @preconcurrency @discardableResult
    public func GET(
        _ URLString: String, parameters: Any?, progress: (@Sendable (Progress) -> Void)?,
        success: (@Sendable (URLSessionDataTask, AnyObject?) -> Void)?,
        failure: (@Sendable (URLSessionDataTask?, NSError) -> Void)?
    ) -> URLSessionDataTask? {
        get(
            URLString, parameters: parameters, headers: nil, progress: progress, success: Forward.success(success),
            failure: Forward.failure(failure))
    }

    /// `get(_:parameters:headers:progress:success:failure:)`, as Swift 1 and 2 have it, with progress. For blocks that take an
    /// object which is not optional: `NSNull` stands for nothing.
    @_disfavoredOverload
    @preconcurrency @discardableResult
    public func GET(
        _ URLString: String, parameters: Any?, progress: (@Sendable (Progress) -> Void)?,
        success: (@Sendable (URLSessionDataTask, AnyObject) -> Void)?,
        failure: (@Sendable (URLSessionDataTask?, NSError) -> Void)?
    ) -> URLSessionDataTask? {
        get(
            URLString, parameters: parameters, headers: nil, progress: progress, success: Forward.success(success),
            failure: Forward.failure(failure))
    }

    /// `post(_:parameters:headers:progress:success:failure:)`, as Swift 1 and 2 have it.
    @preconcurrency @discardableResult
    public func POST(
        _ URLString: String, parameters: Any?,
        success: (@Sendable (URLSessionDataTask, AnyObject?) -> Void)?,
        failure: (@Sendable (URLSessionDataTask?, NSError) -> Void)?
    ) -> URLSessionDataTask? {
        post(
            URLString, parameters: parameters, headers: nil, success: Forward.success(success),
            failure: Forward.failure(failure))
    }

    /// `post(_:parameters:headers:progress:success:failure:)`, as Swift 1 and 2 have it. For blocks that take an
    /// object which is not optional: `NSNull` stands for nothing.
    @_disfavoredOverload
    @preconcurrency @discardableResult
    public func POST(
        _ URLString: String, parameters: Any?,
        success: (@Sendable (URLSessionDataTask, AnyObject) -> Void)?,
        failure: (@Sendable (URLSessionDataTask?, NSError) -> Void)?
    ) -> URLSessionDataTask? {
        post(
            URLString, parameters: parameters, headers: nil, success: Forward.success(success),
            failure: Forward.failure(failure))
    }

    /// `post(_:parameters:headers:progress:success:failure:)`, as Swift 1 and 2 have it, with progress.
    @preconcurrency @discardableResult
    public func POST(
        _ URLString: String, parameters: Any?, progress: (@Sendable (Progress) -> Void)?,
        success: (@Sendable (URLSessionDataTask, AnyObject?) -> Void)?,
        failure: (@Sendable (URLSessionDataTask?, NSError) -> Void)?
    ) -> URLSessionDataTask? {
        post(
            URLString, parameters: parameters, headers: nil, progress: progress, success: Forward.success(success),
            failure: Forward.failure(failure))
    }

    /// `post(_:parameters:headers:progress:success:failure:)`, as Swift 1 and 2 have it, with progress. For blocks that take an
    /// object which is not optional: `NSNull` stands for nothing.
    @_disfavoredOverload
    @preconcurrency @discardableResult
    public func POST(
        _ URLString: String, parameters: Any?, progress: (@Sendable (Progress) -> Void)?,
        success: (@Sendable (URLSessionDataTask, AnyObject) -> Void)?,
        failure: (@Sendable (URLSessionDataTask?, NSError) -> Void)?
    ) -> URLSessionDataTask? {
        post(
            URLString, parameters: parameters, headers: nil, progress: progress, success: Forward.success(success),
            failure: Forward.failure(failure))
    }

    /// `put(_:parameters:headers:success:failure:)`, as Swift 1 and 2 have it.
    @preconcurrency @discardableResult
    public func PUT(
        _ URLString: String, parameters: Any?,
        success: (@Sendable (URLSessionDataTask, AnyObject?) -> Void)?,
        failure: (@Sendable (URLSessionDataTask?, NSError) -> Void)?
    ) -> URLSessionDataTask? {
        put(
            URLString, parameters: parameters, headers: nil, success: Forward.success(success),
            failure: Forward.failure(failure))
    }

    /// `put(_:parameters:headers:success:failure:)`, as Swift 1 and 2 have it. For blocks that take an
    /// object which is not optional: `NSNull` stands for nothing.
    @_disfavoredOverload
    @preconcurrency @discardableResult
    public func PUT(
        _ URLString: String, parameters: Any?,
        success: (@Sendable (URLSessionDataTask, AnyObject) -> Void)?,
        failure: (@Sendable (URLSessionDataTask?, NSError) -> Void)?
    ) -> URLSessionDataTask? {
        put(
            URLString, parameters: parameters, headers: nil, success: Forward.success(success),
            failure: Forward.failure(failure))
    }

    /// `patch(_:parameters:headers:success:failure:)`, as Swift 1 and 2 have it.
    @preconcurrency @discardableResult
    public func PATCH(
        _ URLString: String, parameters: Any?,
        success: (@Sendable (URLSessionDataTask, AnyObject?) -> Void)?,
        failure: (@Sendable (URLSessionDataTask?, NSError) -> Void)?
    ) -> URLSessionDataTask? {
        patch(
            URLString, parameters: parameters, headers: nil, success: Forward.success(success),
            failure: Forward.failure(failure))
    }

    /// `patch(_:parameters:headers:success:failure:)`, as Swift 1 and 2 have it. For blocks that take an
    /// object which is not optional: `NSNull` stands for nothing.
    @_disfavoredOverload
    @preconcurrency @discardableResult
    public func PATCH(
        _ URLString: String, parameters: Any?,
        success: (@Sendable (URLSessionDataTask, AnyObject) -> Void)?,
        failure: (@Sendable (URLSessionDataTask?, NSError) -> Void)?
    ) -> URLSessionDataTask? {
        patch(
            URLString, parameters: parameters, headers: nil, success: Forward.success(success),
            failure: Forward.failure(failure))
    }

    /// `delete(_:parameters:headers:success:failure:)`, as Swift 1 and 2 have it.
    @preconcurrency @discardableResult
    public func DELETE(
        _ URLString: String, parameters: Any?,
        success: (@Sendable (URLSessionDataTask, AnyObject?) -> Void)?,
        failure: (@Sendable (URLSessionDataTask?, NSError) -> Void)?
    ) -> URLSessionDataTask? {
        delete(
            URLString, parameters: parameters, headers: nil, success: Forward.success(success),
            failure: Forward.failure(failure))
    }

    /// `delete(_:parameters:headers:success:failure:)`, as Swift 1 and 2 have it. For blocks that take an
    /// object which is not optional: `NSNull` stands for nothing.
    @_disfavoredOverload
    @preconcurrency @discardableResult
    public func DELETE(
        _ URLString: String, parameters: Any?,
        success: (@Sendable (URLSessionDataTask, AnyObject) -> Void)?,
        failure: (@Sendable (URLSessionDataTask?, NSError) -> Void)?
    ) -> URLSessionDataTask? {
        delete(
            URLString, parameters: parameters, headers: nil, success: Forward.success(success),
            failure: Forward.failure(failure))
    }

    /// `head(_:parameters:headers:success:failure:)`, as Swift 1 and 2 have it.
    @preconcurrency @discardableResult
    public func HEAD(
        _ URLString: String, parameters: Any?,
        success: (@Sendable (URLSessionDataTask) -> Void)?,
        failure: (@Sendable (URLSessionDataTask?, NSError) -> Void)?
    ) -> URLSessionDataTask? {
        head(
            URLString, parameters: parameters, headers: nil, success: success,
            failure: Forward.failure(failure))
    }
}
