// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking

// The names are AFNetworking's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

extension HTTPRequestOperationManager {
    /// `init(baseURL:)` without a URL. AF: `+manager`, which Swift imported as `init()`.
    public static func manager() -> HTTPRequestOperationManager {
        HTTPRequestOperationManager()
    }

    /// `init(baseURL:)` for Objective-C's URL class.
    @_disfavoredOverload
    public convenience init(baseURL: NSURL?) {
        self.init(baseURL: baseURL.map { $0 as URL })
    }

    /// `httpRequestOperation(with:success:failure:)`, as Swift 1 and 2 have it.
    @preconcurrency
    public func HTTPRequestOperationWithRequest(
        _ request: URLRequest, success: (@Sendable (HTTPRequestOperation, AnyObject?) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation, NSError) -> Void)?
    ) -> HTTPRequestOperation {
        httpRequestOperation(with: request, success: Forward.success(success), failure: Forward.failure(failure))
    }

    /// `httpRequestOperation(with:success:failure:)`, as Swift 1 and 2 have it. For blocks that take an object which is
    /// not optional: `NSNull` stands for nothing.
    @_disfavoredOverload
    @preconcurrency
    public func HTTPRequestOperationWithRequest(
        _ request: URLRequest, success: (@Sendable (HTTPRequestOperation, AnyObject) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation, NSError) -> Void)?
    ) -> HTTPRequestOperation {
        httpRequestOperation(with: request, success: Forward.success(success), failure: Forward.failure(failure))
    }

    /// `httpRequestOperation(with:success:failure:)`, as Swift 1 and 2 have it, for Objective-C's request classes.
    @preconcurrency
    public func HTTPRequestOperationWithRequest(
        _ request: NSURLRequest, success: (@Sendable (HTTPRequestOperation, AnyObject?) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation, NSError) -> Void)?
    ) -> HTTPRequestOperation {
        HTTPRequestOperationWithRequest(Forward.request(request), success: success, failure: failure)
    }

    /// `httpRequestOperation(with:success:failure:)`, as Swift 1 and 2 have it, for Objective-C's request classes. For
    /// blocks that take an object which is not optional: `NSNull` stands for nothing.
    @_disfavoredOverload
    @preconcurrency
    public func HTTPRequestOperationWithRequest(
        _ request: NSURLRequest, success: (@Sendable (HTTPRequestOperation, AnyObject) -> Void)?,
        failure: (@Sendable (HTTPRequestOperation, NSError) -> Void)?
    ) -> HTTPRequestOperation {
        HTTPRequestOperationWithRequest(Forward.request(request), success: success, failure: failure)
    }
}
