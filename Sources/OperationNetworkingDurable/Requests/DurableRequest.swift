// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
public import OperationNetworkingCore

/// A request as it is added to a ``DurableRequestQueue``, with its place in the graph and its rules.
///
/// Secrets are not stored: a request with `Authorization`, `Proxy-Authorization` or `Cookie`, or with a user name or a
/// password in its URL, is refused. ``secretReference`` names what a ``DurableSecretProvider`` puts in when the request
/// is sent.
public struct DurableRequest: Sendable {
    /// The name in the store. A new one by default.
    public var id: ID
    /// The request. `httpBody` is stored with it; a stream cannot be, and is refused.
    public var request: URLRequest
    /// The group, for cancelling and counting. Nil by default.
    public var group: String?
    /// The requests that have to end first. None by default.
    public var dependencies: [Dependency] = []
    /// The priority among the requests that may be sent. `.normal` by default.
    public var priority = Operation.QueuePriority.normal
    /// The file that the content of the response goes to. Nil by default: up to a size it goes into the store. An
    /// attempt goes on with what an earlier one has left, if the server still has the same representation.
    public var destination: DownloadDestination?
    /// The file that is sent as the body, which has to be there when the request is sent. Nil by default.
    public var bodyFile: URL?
    /// The rules for further attempts. Nil by default: those of the queue that sends it.
    public var retryPolicy: DurableRetryPolicy?
    /// Seconds before it may be sent, counted from the addition. 0 by default.
    public var delay: TimeInterval = 0
    /// Seconds, counted from the addition, after which it fails if it has not ended. Nil by default: never.
    public var timeToDeadline: TimeInterval?
    /// The value of `Idempotency-Key`, without quotation marks, of a POST or PATCH request. Nil by default: a new UUID.
    /// A field of that name that the request has already is sent as it is.
    public var idempotencyKey: String?
    /// A name that the queue's ``DurableSecretProvider`` knows. Stored; it must be no secret itself. Nil by default.
    public var secretReference: String?
    /// Data of the program's own, given back with the result. Stored. Nil by default.
    public var context: Data?

    /// A request with the defaults of all rules.
    public init(_ request: URLRequest, id: ID = ID()) {
        self.request = request
        self.id = id
    }
}
