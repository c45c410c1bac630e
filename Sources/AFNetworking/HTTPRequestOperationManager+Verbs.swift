// SPDX-License-Identifier: MIT
public import Foundation

// The names are AFNetworking's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

extension HTTPRequestOperationManager {
    /// `get(_:parameters:headers:success:failure:)`, as Swift 1 and 2 have it.
    @preconcurrency @discardableResult
    public func GET(
        _ URLString: String, parameters: Any?, success: (@Sendable (HTTPRequestOperation, AnyObject?) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation?, NSError) -> Void)?
    ) -> HTTPRequestOperation? {
        get(
            URLString, parameters: parameters, headers: nil, success: Forward.success(success),
            failure: Forward.failure(failure))
    }

    /// `get(_:parameters:headers:success:failure:)`, as Swift 1 and 2 have it. For blocks that take an object which is not optional: `NSNull` stands for nothing.
    @_disfavoredOverload
    @preconcurrency @discardableResult
    public func GET(
        _ URLString: String, parameters: Any?, success: (@Sendable (HTTPRequestOperation, AnyObject) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation?, NSError) -> Void)?
    ) -> HTTPRequestOperation? {
        get(
            URLString, parameters: parameters, headers: nil, success: Forward.success(success),
            failure: Forward.failure(failure))
    }

    /// `post(_:parameters:headers:success:failure:)`, as Swift 1 and 2 have it.
    @preconcurrency @discardableResult
    public func POST(
        _ URLString: String, parameters: Any?, success: (@Sendable (HTTPRequestOperation, AnyObject?) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation?, NSError) -> Void)?
    ) -> HTTPRequestOperation? {
        post(
            URLString, parameters: parameters, headers: nil, success: Forward.success(success),
            failure: Forward.failure(failure))
    }

    /// `post(_:parameters:headers:success:failure:)`, as Swift 1 and 2 have it. For blocks that take an object which is not optional: `NSNull` stands for nothing.
    @_disfavoredOverload
    @preconcurrency @discardableResult
    public func POST(
        _ URLString: String, parameters: Any?, success: (@Sendable (HTTPRequestOperation, AnyObject) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation?, NSError) -> Void)?
    ) -> HTTPRequestOperation? {
        post(
            URLString, parameters: parameters, headers: nil, success: Forward.success(success),
            failure: Forward.failure(failure))
    }

    /// `put(_:parameters:headers:success:failure:)`, as Swift 1 and 2 have it.
    @preconcurrency @discardableResult
    public func PUT(
        _ URLString: String, parameters: Any?, success: (@Sendable (HTTPRequestOperation, AnyObject?) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation?, NSError) -> Void)?
    ) -> HTTPRequestOperation? {
        put(
            URLString, parameters: parameters, headers: nil, success: Forward.success(success),
            failure: Forward.failure(failure))
    }

    /// `put(_:parameters:headers:success:failure:)`, as Swift 1 and 2 have it. For blocks that take an object which is not optional: `NSNull` stands for nothing.
    @_disfavoredOverload
    @preconcurrency @discardableResult
    public func PUT(
        _ URLString: String, parameters: Any?, success: (@Sendable (HTTPRequestOperation, AnyObject) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation?, NSError) -> Void)?
    ) -> HTTPRequestOperation? {
        put(
            URLString, parameters: parameters, headers: nil, success: Forward.success(success),
            failure: Forward.failure(failure))
    }

    /// `patch(_:parameters:headers:success:failure:)`, as Swift 1 and 2 have it.
    @preconcurrency @discardableResult
    public func PATCH(
        _ URLString: String, parameters: Any?, success: (@Sendable (HTTPRequestOperation, AnyObject?) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation?, NSError) -> Void)?
    ) -> HTTPRequestOperation? {
        patch(
            URLString, parameters: parameters, headers: nil, success: Forward.success(success),
            failure: Forward.failure(failure))
    }

    /// `patch(_:parameters:headers:success:failure:)`, as Swift 1 and 2 have it. For blocks that take an object which is not optional: `NSNull` stands for nothing.
    @_disfavoredOverload
    @preconcurrency @discardableResult
    public func PATCH(
        _ URLString: String, parameters: Any?, success: (@Sendable (HTTPRequestOperation, AnyObject) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation?, NSError) -> Void)?
    ) -> HTTPRequestOperation? {
        patch(
            URLString, parameters: parameters, headers: nil, success: Forward.success(success),
            failure: Forward.failure(failure))
    }

    /// `delete(_:parameters:headers:success:failure:)`, as Swift 1 and 2 have it.
    @preconcurrency @discardableResult
    public func DELETE(
        _ URLString: String, parameters: Any?, success: (@Sendable (HTTPRequestOperation, AnyObject?) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation?, NSError) -> Void)?
    ) -> HTTPRequestOperation? {
        delete(
            URLString, parameters: parameters, headers: nil, success: Forward.success(success),
            failure: Forward.failure(failure))
    }

    /// `delete(_:parameters:headers:success:failure:)`, as Swift 1 and 2 have it. For blocks that take an object which is not optional: `NSNull` stands for nothing.
    @_disfavoredOverload
    @preconcurrency @discardableResult
    public func DELETE(
        _ URLString: String, parameters: Any?, success: (@Sendable (HTTPRequestOperation, AnyObject) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation?, NSError) -> Void)?
    ) -> HTTPRequestOperation? {
        delete(
            URLString, parameters: parameters, headers: nil, success: Forward.success(success),
            failure: Forward.failure(failure))
    }

    /// `head(_:parameters:headers:success:failure:)`, as Swift 1 and 2 have it.
    @preconcurrency @discardableResult
    public func HEAD(
        _ URLString: String, parameters: Any?, success: (@Sendable (HTTPRequestOperation) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation?, NSError) -> Void)?
    ) -> HTTPRequestOperation? {
        head(URLString, parameters: parameters, headers: nil, success: success, failure: Forward.failure(failure))
    }
}
