// SPDX-License-Identifier: MIT
public import Foundation

extension SQLiteRequestStore {
    /// Adds requests, in one transaction.
    public func add(_ requests: [StoredRequest]) async throws -> Int {
        guard !requests.isEmpty else { return 0 }
        let outside = try AdditionOrder.outsideDependencies(of: requests)
        return try await calls.perform { try $0.adjusted().add(requests, dependingOn: outside) }
    }

    /// Leases requests that are ready.
    public func lease(_ demand: LeaseDemand) async throws -> LeaseGrant {
        try await calls.perform { try $0.adjusted().lease(demand) }
    }

    /// Renews leases.
    public func renew(_ leases: [RequestLease], worker: String, duration: TimeInterval) async throws -> LeaseRenewal {
        try await calls.perform { try $0.adjusted().renew(leases, worker: worker, duration: duration) }
    }

    /// Records outcomes, in one transaction that is synced before this returns.
    public func record(_ outcomes: [AttemptOutcome], worker: String) async throws -> [RecordedOutcome] {
        try await calls.perform { try $0.adjusted().record(outcomes, worker: worker) }
    }

    /// Cancels the open requests of a group, a thousand in each transaction.
    public func cancel(group: String) async throws -> CancellationCounts {
        try await calls.cancel(group: group)
    }

    /// Cancels requests.
    public func cancel(_ ids: [DurableRequest.ID]) async throws -> CancellationCounts {
        try await calls.perform { try $0.cancel(ids) }
    }

    /// The record of a request. Nil: there is none.
    public func record(of id: DurableRequest.ID) async throws -> RequestRecord? {
        try await calls.perform { try $0.record(of: id) }
    }

    /// The stored content of a response. Nil: there is none.
    public func content(of id: DurableRequest.ID) async throws -> Data? {
        try await calls.perform { try $0.content(of: id) }
    }

    /// A page of records, in the order of addition.
    public func records(
        inGroup group: String?, after previous: DurableRequest.ID?, limit: Int
    ) async throws -> [RequestRecord] {
        try await calls.perform { try $0.records(inGroup: group, after: previous, limit: limit) }
    }

    /// The numbers of requests in each state.
    public func counts(inGroup group: String?) async throws -> RequestCounts {
        try await calls.perform { try $0.counts(inGroup: group) }
    }

    /// Removes requests that ended before, a thousand in each transaction.
    public func purge(endedBefore age: TimeInterval) async throws -> Int {
        try await calls.purge(endedBefore: age)
    }
}
