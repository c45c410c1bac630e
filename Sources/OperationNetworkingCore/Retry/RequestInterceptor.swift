// SPDX-License-Identifier: MIT
internal import Foundation
public import FoundationNetworking

/// Sees every attempt of a manager's operations, may change the request before, and may have it sent again after a
/// failure. `HTTPRequestOperationManager.interceptors` has them; Alamofire's protocol of that name.
///
/// Both hooks have an implementation that does nothing. They run as tasks, off the library's threads, and may take
/// their time: the operation can be cancelled meanwhile, which cancels the task, and `totalTimeout` ends it, too. They
/// may be called for many operations at once. They must not wait for the operation that they are called for.
public protocol RequestInterceptor: Sendable {
    /// Makes the request of an attempt. Called before each, also after a retry or a pause, and always with the
    /// operation's own request. Interceptors are called in order, each with what the one before returned.
    ///
    /// `operation.request` stays as it is. Header fields that are set or changed here are not sent to another origin
    /// that a redirect leads to. The operation has its slot in the queue meanwhile.
    ///
    /// - Throws: the error that the operation ends with; it becomes `error` as it is, and no retry follows.
    func adapt(_ request: URLRequest, for operation: HTTPRequestOperation) async throws -> URLRequest

    /// Decides about a failed attempt. There was no response, or one that the response serializer refuses, or a 401,
    /// also one that it accepts. Interceptors are asked in order until one says something other than `.doNotRetry`, for
    /// any method: an interceptor that says `.retry` accepts that the request is sent twice.
    ///
    /// Not asked about requests whose content cannot be sent again, about content that went to its place already, and
    /// about a cancelled operation. `operation.retryCount` is the number of retries so far. The operation has no slot
    /// in a `RequestOperationQueue` meanwhile.
    func retry(_ operation: HTTPRequestOperation, dueTo error: any Error) async -> RetryDecision
}

extension RequestInterceptor {
    /// The request as it is.
    public func adapt(_ request: URLRequest, for operation: HTTPRequestOperation) async throws -> URLRequest { request }

    /// `.doNotRetry`.
    public func retry(_ operation: HTTPRequestOperation, dueTo error: any Error) async -> RetryDecision { .doNotRetry }
}
