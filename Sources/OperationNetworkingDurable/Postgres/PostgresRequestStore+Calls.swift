// SPDX-License-Identifier: MIT
public import Foundation

extension PostgresRequestStore {
    /// Adds requests, all or none. See ``RequestStore/add(_:)``.
    public func add(_ requests: [StoredRequest]) async throws -> Int {
        guard !requests.isEmpty else { return 0 }
        let outside = try AdditionOrder.outsideDependencies(of: requests)
        return try await perform { try $0.add(requests, dependingOn: outside) }
    }

    /// Leases requests that are ready. See ``RequestStore/lease(_:)``.
    public func lease(_ demand: LeaseDemand) async throws -> LeaseGrant {
        try await perform(isAlone: true) { try $0.lease(demand) }
    }

    /// Renews leases of a worker. See ``RequestStore/renew(_:worker:duration:)``.
    public func renew(_ leases: [RequestLease], worker: String, duration: TimeInterval) async throws -> LeaseRenewal {
        try await perform { try $0.renew(leases, worker: worker, duration: duration) }
    }

    /// Records the outcomes of attempts. See ``RequestStore/record(_:worker:)``.
    public func record(_ outcomes: [AttemptOutcome], worker: String) async throws -> [RecordedOutcome] {
        try await perform { try $0.record(outcomes, worker: worker) }
    }

    /// Cancels the open requests of a group. See ``RequestStore/cancel(group:)``.
    public func cancel(group: String) async throws -> CancellationCounts {
        let (last, first) = try await perform { session in
            let last = try session.lastRow()
            return (last, try session.markRunning(inGroup: group, upTo: last))
        }
        var counts = CancellationCounts(running: first)
        while true {
            let (ended, running) = try await perform { session in
                let ended = try session.cancelSome(inGroup: group, upTo: last)
                // A worker may have leased one between two transactions.
                return (ended, ended == 0 ? try session.markRunning(inGroup: group, upTo: last) : 0)
            }
            counts.ended += ended
            guard ended == 0 else { continue }
            counts.running = max(counts.running, running)
            return counts
        }
    }

    /// Cancels requests, as ``cancel(group:)`` does.
    public func cancel(_ ids: [DurableRequest.ID]) async throws -> CancellationCounts {
        try await perform { try $0.cancel(ids) }
    }

    /// Returns the record of a request.
    public func record(of id: DurableRequest.ID) async throws -> RequestRecord? {
        try await perform { try $0.record(of: id) }
    }

    /// Returns the content of a request's response that is kept in the store.
    public func content(of id: DurableRequest.ID) async throws -> Data? {
        try await perform { try $0.content(of: id) }
    }

    /// Returns a page of records, in the order of addition. See ``RequestStore/records(inGroup:after:limit:)``.
    public func records(
        inGroup group: String?, after previous: DurableRequest.ID?, limit: Int
    ) async throws -> [RequestRecord] {
        try await perform { try $0.records(inGroup: group, after: previous, limit: limit) }
    }

    /// Returns the numbers of requests in each state.
    public func counts(inGroup group: String?) async throws -> RequestCounts {
        try await perform { try $0.counts(inGroup: group) }
    }

    /// Removes requests that ended longer than so many seconds ago. See ``RequestStore/purge(endedBefore:)``.
    public func purge(endedBefore age: TimeInterval) async throws -> Int {
        let limit = 1000
        var total = 0
        while true {
            let count = try await perform { try $0.purgeSome(endedBefore: age, limit: limit) }
            total += count
            guard count == limit else { return total }
        }
    }
}
