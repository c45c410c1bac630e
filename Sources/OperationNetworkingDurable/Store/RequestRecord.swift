// SPDX-License-Identifier: MIT
public import Foundation

/// The knowledge of a store about a request, without its body and the content of its response.
public struct RequestRecord: Sendable {
    /// The request.
    public var id: DurableRequest.ID
    /// Its group.
    public var group: String?
    /// Its state.
    public var state: DurableRequest.State
    /// Its rank.
    public var priority: Int
    /// The number of attempts that ended with a failure.
    public var failures: Int
    /// The number of leases that ran out.
    public var losses: Int
    /// The worker that has the lease. Nil: it is not running.
    public var worker: String?
    /// True if it was cancelled, and its worker has not recorded the end yet.
    public var isCancelling: Bool
    /// The time of its addition, by the store's clock.
    public var addition: Date
    /// The time before which it is not sent, by the store's clock. Nil: it does not wait for a time.
    public var earliestStart: Date?
    /// The time of its end, by the store's clock. Nil: it has not ended.
    public var end: Date?
    /// A reason that the store itself has ended it for.
    public var reason: StoreEndReason?
    /// The request, as it was added.
    public var content: Data
    /// The summary of the result, of the end or of the last attempt that failed. Nil: there is none yet.
    public var summary: Data?

    /// A record. Stores make them.
    public init(
        id: DurableRequest.ID, group: String?, state: DurableRequest.State, priority: Int, failures: Int, losses: Int,
        worker: String?, isCancelling: Bool, addition: Date, earliestStart: Date?, end: Date?,
        reason: StoreEndReason?, content: Data, summary: Data?
    ) {
        self.id = id
        self.group = group
        self.state = state
        self.priority = priority
        self.failures = failures
        self.losses = losses
        self.worker = worker
        self.isCancelling = isCancelling
        self.addition = addition
        self.earliestStart = earliestStart
        self.end = end
        self.reason = reason
        self.content = content
        self.summary = summary
    }
}

/// The numbers of requests of a store, or of a group, in each state.
public struct RequestCounts: Sendable, Equatable {
    /// The numbers, without those that are 0.
    private var numbers: [DurableRequest.State: Int]

    /// Counts by their numbers.
    public init(_ numbers: [DurableRequest.State: Int] = [:]) {
        self.numbers = numbers.filter { $0.value != 0 }
    }

    /// The number of requests in a state.
    public subscript(state: DurableRequest.State) -> Int { numbers[state] ?? 0 }

    /// The number of all requests.
    public var total: Int { numbers.values.reduce(0, +) }

    /// The number of requests that have not ended.
    public var open: Int { numbers.reduce(0) { $1.key.isEnd ? $0 : $0 + $1.value } }

    /// The number of requests that have ended.
    public var ended: Int { total - open }
}

/// The numbers of requests that a cancellation has reached.
public struct CancellationCounts: Sendable, Equatable {
    /// Requests that ended at once, without the dependents that were skipped for it.
    public var ended = 0
    /// Requests that are running. Their workers hear of it, and record the end.
    public var running = 0

    /// Counts.
    public init(ended: Int = 0, running: Int = 0) {
        self.ended = ended
        self.running = running
    }
}
