// SPDX-License-Identifier: MIT
public import Foundation

/// A result as a store keeps it. Opaque to the store.
public struct StoredResult: Sendable, Equatable {
    /// Status, header fields, the place of the content and the error, as ``DurableRequestQueue`` encodes them.
    public var summary: Data
    /// The content of the response, if it is kept in the store.
    public var content: Data?

    /// A result by its two parts.
    public init(summary: Data, content: Data? = nil) {
        self.summary = summary
        self.content = content
    }
}

/// The outcome of an attempt, as a worker records it.
public struct AttemptOutcome: Sendable {
    /// The further fate of the request.
    public enum Disposition: Sendable {
        /// It ends, with a response.
        case succeeded(StoredResult)
        /// It ends, with an error.
        case failed(StoredResult)
        /// It ends, because it was cancelled.
        case cancelled(StoredResult)
        /// It is sent again after so many seconds. The attempt counts as a failure. If the request was cancelled
        /// meanwhile, or its deadline comes first, it ends instead, with this result.
        case retry(delay: TimeInterval, StoredResult)
        /// It was not sent, or was stopped without a failure of its own. It is ready again at once, and nothing is
        /// counted.
        case released
    }

    /// The lease that the attempt was made under.
    public var lease: RequestLease
    /// The further fate of the request.
    public var disposition: Disposition
    /// The host's `Retry-After`, the seconds for which no worker is to ask it. Nil by default.
    public var hostPause: TimeInterval?

    /// An outcome.
    public init(_ lease: RequestLease, _ disposition: Disposition, hostPause: TimeInterval? = nil) {
        self.lease = lease
        self.disposition = disposition
        self.hostPause = hostPause
    }
}

/// The fate of an outcome in the store.
public enum RecordedOutcome: Sendable {
    /// It was taken. The state of the request is this one now; these other requests ended with it.
    case recorded(DurableRequest.State, ended: [EndedRequest])
    /// It was not taken. The worker has lost the lease. The request belongs to another worker, or has ended.
    case leaseLost
}

/// A request that has ended.
public struct EndedRequest: Sendable, Hashable {
    /// The request.
    public var id: DurableRequest.ID
    /// Its group.
    public var group: String?
    /// Its state, an end.
    public var state: DurableRequest.State
    /// A reason that the store itself has ended it for. Nil: it was a worker's outcome, a cancellation or a skip.
    public var reason: StoreEndReason?

    /// An ended request. Stores make them.
    public init(
        id: DurableRequest.ID, group: String?, state: DurableRequest.State, reason: StoreEndReason? = nil
    ) {
        self.id = id
        self.group = group
        self.state = state
        self.reason = reason
    }
}

/// A reason that a store ends a request for by itself. The raw values are what stores keep.
public enum StoreEndReason: Int, Sendable, Codable {
    /// Its deadline was over.
    case deadline = 1
    /// Its leases ran out too often, because its workers were killed, or cut off from the store.
    case lostTooOften = 2
}
