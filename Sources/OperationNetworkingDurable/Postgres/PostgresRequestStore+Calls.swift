// SPDX-License-Identifier: MIT
public import Foundation

extension PostgresRequestStore {
    /// Adds requests, all or none. See ``RequestStore/add(_:)``.
    public func add(_ requests: [StoredRequest]) async throws -> Int {
        guard !requests.isEmpty else { return 0 }
        let outside = try AdditionOrder.outsideDependencies(of: requests)
        return try await calls.perform { try $0.add(requests, dependingOn: outside) }
    }

    /// Leases requests that are ready. See ``RequestStore/lease(_:)``.
    public func lease(_ demand: LeaseDemand) async throws -> LeaseGrant {
        try await calls.perform(isAlone: true) { try $0.lease(demand) }
    }

    /// Renews leases of a worker. See ``RequestStore/renew(_:worker:duration:)``.
    public func renew(_ leases: [RequestLease], worker: String, duration: TimeInterval) async throws -> LeaseRenewal {
        try await calls.perform { try $0.renew(leases, worker: worker, duration: duration) }
    }

    /// Records the outcomes of attempts. See ``RequestStore/record(_:worker:)``.
    public func record(_ outcomes: [AttemptOutcome], worker: String) async throws -> [RecordedOutcome] {
        try await calls.perform { try $0.record(outcomes, worker: worker) }
    }

    /// Cancels the open requests of a group. See ``RequestStore/cancel(group:)``.
    public func cancel(group: String) async throws -> CancellationCounts {
        try await calls.cancel(group: group)
    }

    /// Cancels requests, as ``cancel(group:)`` does.
    public func cancel(_ ids: [DurableRequest.ID]) async throws -> CancellationCounts {
        try await calls.perform { try $0.cancel(ids) }
    }

    /// Returns the record of a request.
    public func record(of id: DurableRequest.ID) async throws -> RequestRecord? {
        try await calls.perform { try $0.record(of: id) }
    }

    /// Returns the content of a request's response that is kept in the store.
    public func content(of id: DurableRequest.ID) async throws -> Data? {
        try await calls.perform { try $0.content(of: id) }
    }

    /// Returns a page of records, in the order of addition. See ``RequestStore/records(inGroup:after:limit:)``.
    public func records(
        inGroup group: String?, after previous: DurableRequest.ID?, limit: Int
    ) async throws -> [RequestRecord] {
        try await calls.perform { try $0.records(inGroup: group, after: previous, limit: limit) }
    }

    /// Returns the numbers of requests in each state.
    public func counts(inGroup group: String?) async throws -> RequestCounts {
        try await calls.perform { try $0.counts(inGroup: group) }
    }

    /// Removes requests that ended longer than so many seconds ago. See ``RequestStore/purge(endedBefore:)``.
    public func purge(endedBefore age: TimeInterval) async throws -> Int {
        try await calls.purge(endedBefore: age)
    }
}
