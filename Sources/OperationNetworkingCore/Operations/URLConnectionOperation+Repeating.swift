// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport

extension URLConnectionOperation {
    /// The policy by which the request is sent again after a failure. Nil by default: never. Has no effect on an
    /// attempt that has ended; copied by `copy()`, not archived. See ``RetryPolicy``.
    public var retryPolicy: RetryPolicy? {
        get { lock.withLock { _configuration.value.interception.retryPolicy } }
        set { lock.withLock { _mutableConfiguration.interception.retryPolicy = newValue } }
    }

    /// The number of times that the request was sent again after a failure, by `retryPolicy` or an interceptor. 0
    /// during the first attempt. A pause and a resume do not count.
    public var retryCount: Int {
        lock.withLock { _retry?.attempts.count ?? 0 }
    }

    /// True if a request whose method is not idempotent may be sent twice, when it may have reached the server before.
    /// Such methods are POST, PATCH and unknown ones (RFC 9110, section 9.2.2). False by default: a pause keeps its
    /// connection open instead of repeating the request, and a connection that is lost before the response ends the
    /// operation with `URLError.networkConnectionLost`. Set it for requests that the server recognizes when they come
    /// twice. Copied by `copy()`.
    public var resendsNonIdempotentRequests: Bool {
        get { lock.withLock { _configuration.value.transport.resendsNonIdempotentRequests } }
        set { lock.withLock { _mutableConfiguration.transport.resendsNonIdempotentRequests = newValue } }
    }

    /// As `_mayRepeatRequest`. On any thread.
    var mayRepeatRequest: Bool { lock.withLock { _mayRepeatRequest } }

    /// True if the request may go out twice (RFC 9110, section 9.2.2), by its method or by the user's permission.
    /// Called with `lock` held.
    var _mayRepeatRequest: Bool {
        // Content that can be read only once: another request would have none.
        if let body = _request.httpBodyStream as? any ReplayableBodyStream, !body.isReplayable { return false }
        // Interceptors and redirects may have changed it.
        return _configuration.value.transport.resendsNonIdempotentRequests
            || ([_request, _retry?.adapted?.request].map { $0?.httpMethod ?? "GET" } + _received.value.redirectedMethods)
                .allSatisfy { RetryPolicy.idempotentMethods.contains($0) }
    }
}
