// SPDX-License-Identifier: MIT
public import Foundation

/// The right of a worker to send a request, until the lease's end.
///
/// The number is a fencing token: the store raises it with every lease of the request. Whatever a worker says under an
/// older number, because it was cut off or asleep meanwhile, is not taken.
public struct RequestLease: Hashable, Sendable {
    /// The request.
    public var id: DurableRequest.ID
    /// The number of leases of the request, this one included.
    public var token: Int64

    /// A lease by its two parts.
    public init(id: DurableRequest.ID, token: Int64) {
        self.id = id
        self.token = token
    }
}

/// A worker's wish for requests.
public struct LeaseDemand: Sendable {
    /// The worker, unique among all that use the store.
    public var worker: String
    /// The largest number of requests.
    public var limit: Int
    /// Seconds that the leases last if they are not renewed, by the store's clock.
    public var duration: TimeInterval
    /// The largest number of requests of one host that are running at once, those of all workers together. Nil by
    /// default: no limit.
    public var maximumPerHost: Int?
    /// The leases that the worker has. One that has run out is renewed, and not taken from it. None by default.
    public var held: [RequestLease] = []

    /// A wish without a limit per host.
    public init(worker: String, limit: Int, duration: TimeInterval, maximumPerHost: Int? = nil) {
        self.worker = worker
        self.limit = limit
        self.duration = duration
        self.maximumPerHost = maximumPerHost
    }
}

/// A request that a worker may send.
public struct LeasedRequest: Sendable {
    /// The lease.
    public var lease: RequestLease
    /// The group.
    public var group: String?
    /// The number of attempts so far that ended with a failure.
    public var failures: Int
    /// The number of leases so far that ran out.
    public var losses: Int
    /// Seconds that are left until the deadline. Nil: there is none.
    public var timeToDeadline: TimeInterval?
    /// The request, as it was added.
    public var content: Data
    /// The body, as it was added.
    public var body: Data?

    /// A leased request. Stores make them.
    public init(
        lease: RequestLease, group: String?, failures: Int, losses: Int, timeToDeadline: TimeInterval?, content: Data,
        body: Data?
    ) {
        self.lease = lease
        self.group = group
        self.failures = failures
        self.losses = losses
        self.timeToDeadline = timeToDeadline
        self.content = content
        self.body = body
    }
}

/// A store's answer to a wish for requests.
public struct LeaseGrant: Sendable {
    /// The requests, the most urgent first.
    public var requests: [LeasedRequest]
    /// Requests that this call has ended. Their deadline was over, their leases ran out too often, they were cancelled
    /// and their worker is gone; and their dependents that are skipped for it.
    public var ended: [EndedRequest]
    /// Seconds until another request may become ready without a change of the store. A back-off ends, a host may be
    /// asked again, a lease or a deadline is over. Nil: there is no such time.
    public var delay: TimeInterval?
    /// True if the store has requests that have not ended, those of other workers and of this call included.
    public var hasOpenRequests: Bool

    /// An answer. Stores make them.
    public init(requests: [LeasedRequest], ended: [EndedRequest], delay: TimeInterval?, hasOpenRequests: Bool) {
        self.requests = requests
        self.ended = ended
        self.delay = delay
        self.hasOpenRequests = hasOpenRequests
    }
}

/// A store's answer to a renewal, with the leases that do not simply go on.
public struct LeaseRenewal: Sendable {
    /// Leases that the worker no longer has. What it does under them must stop; its outcome is not taken.
    public var lost: [RequestLease]
    /// Leases on requests that were cancelled. They were renewed; the worker cancels, and records the end.
    public var cancelled: [RequestLease]

    /// An answer. Stores make them.
    public init(lost: [RequestLease] = [], cancelled: [RequestLease] = []) {
        self.lost = lost
        self.cancelled = cancelled
    }
}
