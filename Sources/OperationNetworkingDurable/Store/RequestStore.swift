// SPDX-License-Identifier: MIT
public import Foundation

/// The place where a ``DurableRequestQueue`` keeps its requests, for example ``SQLiteRequestStore``.
///
/// Every call is one transaction, or several that are each complete in themselves where that is said: it has happened as
/// a whole when it returns, and survives a power cut from then on. After an error nothing of it has happened, or, where
/// the connection to the store was lost, nothing or all of it; each call may be repeated then, because what was done
/// already is found done. Many calls may be under way at once, of many processes.
///
/// A store must not block Swift's threads: what waits for a disk or a network does so on threads of its own.
///
/// The clock is the store's own, one for all workers. Spans of time go in and come out, so that the clocks of machines
/// need not agree.
public protocol RequestStore: Sendable {
    /// Adds requests, all or none, in the given order. Those whose ID is there already are left as they are.
    ///
    /// A request becomes `waiting` while it has dependencies that have not ended, `skipped` if one has ended in a way
    /// that its condition excludes, otherwise `scheduled` or `ready`.
    ///
    /// - Returns: the number of requests that were not there yet.
    /// - Throws: ``RequestStoreError``: `.unknownDependency`, `.dependencyCycle`, and the faults of a store.
    func add(_ requests: [StoredRequest]) async throws -> Int

    /// Leases requests that are ready, the highest priority first, within the limits for their hosts, which hold over
    /// all workers together.
    ///
    /// The same call does what time has brought: requests whose time has come become ready; a lease that has run out
    /// goes back, or ends its request when that was cancelled or lost too often; what is past its deadline fails. A lease
    /// that the demand names as held is renewed instead.
    func lease(_ demand: LeaseDemand) async throws -> LeaseGrant

    /// Renews leases of a worker. They last for `duration` seconds from now on.
    ///
    /// A lease that has run out, but was given to no other worker yet, is renewed, too.
    func renew(_ leases: [RequestLease], worker: String, duration: TimeInterval) async throws -> LeaseRenewal

    /// Records the outcomes of attempts, and what follows for dependents and hosts, in one transaction.
    ///
    /// An outcome counts only if the worker still has the lease, which is looked at in the same transaction. One that
    /// ran out, but was given to no other worker yet, does. An outcome that was recorded already is found as
    /// `leaseLost`.
    ///
    /// - Returns: a fate for each outcome, in the same order.
    func record(_ outcomes: [AttemptOutcome], worker: String) async throws -> [RecordedOutcome]

    /// Cancels the open requests of a group that are in the store when the call begins. What is not running ends at
    /// once; what is running is marked, and its worker hears of it at the next renewal. Their dependents are judged by
    /// their conditions. A large group takes several transactions.
    func cancel(group: String) async throws -> CancellationCounts

    /// Cancels requests, as ``cancel(group:)`` does. Those that have ended, or are not there, are left out.
    func cancel(_ ids: [DurableRequest.ID]) async throws -> CancellationCounts

    /// The record of a request. Nil: there is none, or it was purged.
    func record(of id: DurableRequest.ID) async throws -> RequestRecord?

    /// The content of a request's response that is kept in the store. Nil: there is none.
    func content(of id: DurableRequest.ID) async throws -> Data?

    /// A page of records, in the order of addition.
    ///
    /// - Parameters:
    ///   - group: nil: those of all groups, and of none.
    ///   - previous: the last one of the page before. Nil: the first page. One that is not there gives the first page.
    ///   - limit: the largest number of records.
    func records(inGroup group: String?, after previous: DurableRequest.ID?, limit: Int) async throws -> [RequestRecord]

    /// The numbers of requests in each state.
    ///
    /// - Parameter group: nil: those of all groups, and of none.
    func counts(inGroup group: String?) async throws -> RequestCounts

    /// Removes requests that ended longer than so many seconds ago, with their results. A large number takes several
    /// transactions; a task that is cancelled begins no further one.
    ///
    /// - Returns: the number of requests that were removed.
    func purge(endedBefore age: TimeInterval) async throws -> Int

    /// A stream that yields when the store may have changed, by this process or another one. Requests were added,
    /// became ready, were cancelled. Changes that come together may yield once; a store may yield without a change. It
    /// ends when the store is closed.
    func changes() -> AsyncStream<Void>

    /// Closes the store. Calls that are under way end first; later ones throw ``RequestStoreError`` with `.closed`.
    func close() async
}
