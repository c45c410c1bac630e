// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking

/// Rules for sending failed requests again. An operation and a manager have one as `retryPolicy`.
///
/// An attempt is followed by another when
/// - there was no response: the host was not found, no connection was made or it was lost, or nothing came for
///   `timeoutInterval`; or the status of the response is one of `statusCodes`, whatever the serializer accepts;
/// - the method is one of `methods`, also that of the request that a redirect led to, or the operation's
///   `resendsNonIdempotentRequests` is true;
/// - the content of the request can be sent again: data, files and multipart forms of these, not a stream that was
///   read;
/// - nothing would come twice: content in memory begins anew, a download goes on with its partial file, and content
///   that went to an `outputStream` already is continued by a range if the server's validator allows that;
/// - there were fewer than `maximumAttempts` attempts, and `budget` has something left.
///
/// The operation stays executing, with its dependencies and one completion. While it waits it has no slot of a
/// `RequestOperationQueue` and no connection; it can be paused, resumed and cancelled, and the wait counts for
/// `totalTimeout`. With a retry policy the content of an error response does not go to an `outputStream`, but to
/// `responseData`, as with downloads.
///
/// ```swift
/// manager.retryPolicy = RetryPolicy(
///     maximumAttempts: 4,
///     backoff: .exponential(initial: 0.2, factor: 2, maximum: 10),
///     budget: RetryBudget())
/// ```
public struct RetryPolicy: Sendable {
    /// Attempts in all, those after an interceptor's decision included. 3 by default; 1 or less: no other one.
    public var maximumAttempts: Int
    /// The time before another attempt. By default up to half a second at random, then up to 1, 2 … 30 seconds.
    public var backoff: Backoff
    /// Statuses that another attempt may do better than. 408, 425, 429, 500, 502, 503 and 504 by default.
    public var statusCodes: Set<Int>
    /// True if a `Retry-After` of such a response, in seconds or as a date, is waited for. The time of `backoff` comes
    /// on top. True by default. One that is longer than a minute and than the maximum of `backoff` ends the operation
    /// with the response at hand: to come earlier would be rude, and to wait longer is the caller's decision.
    public var honorsRetryAfter: Bool
    /// Methods that may be sent twice, spelled as they are sent, in capitals. ``idempotentMethods`` by default.
    public var methods: Set<String>
    /// The limit for the share of retries of many operations. Nil by default: no limit.
    public var budget: RetryBudget?
    /// True if attempts that did not reach the host, because its name was not found or no connection was made, do not
    /// count for `maximumAttempts` and `budget`. The operation then waits for the network. It tries again when the
    /// kernel reports a change of links, addresses or routes, and after the times of `backoff`, until it is cancelled
    /// or `totalTimeout` is over. False by default. With `Backoff.none` it waits a second between such attempts.
    public var waitsForConnectivity: Bool

    /// The methods that may be repeated (RFC 9110, section 9.2.2). They are GET, HEAD, OPTIONS, TRACE, PUT and DELETE.
    public static let idempotentMethods: Set<String> = ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]

    /// Makes a policy. A rule that is left out has its default.
    public init(
        maximumAttempts: Int = 3, backoff: Backoff = .exponential(initial: 0.5, factor: 2, maximum: 30),
        statusCodes: Set<Int> = [408, 425, 429, 500, 502, 503, 504], honorsRetryAfter: Bool = true,
        methods: Set<String> = RetryPolicy.idempotentMethods, budget: RetryBudget? = nil,
        waitsForConnectivity: Bool = false
    ) {
        self.maximumAttempts = maximumAttempts
        self.backoff = backoff
        self.statusCodes = statusCodes
        self.honorsRetryAfter = honorsRetryAfter
        self.methods = methods
        self.budget = budget
        self.waitsForConnectivity = waitsForConnectivity
    }
}
