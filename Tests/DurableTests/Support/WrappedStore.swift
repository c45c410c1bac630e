// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworkingDurable

/// A store that does by another one whatever it does not do itself.
protocol WrappedStore: RequestStore {
    associatedtype Base: RequestStore
    var store: Base { get }
}

extension WrappedStore {
    func add(_ requests: [StoredRequest]) async throws -> Int { try await store.add(requests) }
    func lease(_ demand: LeaseDemand) async throws -> LeaseGrant { try await store.lease(demand) }
    func renew(_ leases: [RequestLease], worker: String, duration: TimeInterval) async throws -> LeaseRenewal {
        try await store.renew(leases, worker: worker, duration: duration)
    }
    func record(_ outcomes: [AttemptOutcome], worker: String) async throws -> [RecordedOutcome] {
        try await store.record(outcomes, worker: worker)
    }
    func cancel(group: String) async throws -> CancellationCounts { try await store.cancel(group: group) }
    func cancel(_ ids: [DurableRequest.ID]) async throws -> CancellationCounts { try await store.cancel(ids) }
    func record(of id: DurableRequest.ID) async throws -> RequestRecord? { try await store.record(of: id) }
    func content(of id: DurableRequest.ID) async throws -> Data? { try await store.content(of: id) }
    func records(
        inGroup group: String?, after previous: DurableRequest.ID?, limit: Int
    ) async throws -> [RequestRecord] { try await store.records(inGroup: group, after: previous, limit: limit) }
    func counts(inGroup group: String?) async throws -> RequestCounts { try await store.counts(inGroup: group) }
    func purge(endedBefore age: TimeInterval) async throws -> Int { try await store.purge(endedBefore: age) }
    func changes() -> AsyncStream<Void> { store.changes() }
    func close() async { await store.close() }
}
