// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import NetworkingSupport
internal import OperationNetworkingCore

/// One call of a queue's `run()`: leases requests, sends them, and records their outcomes, many in one transaction.
///
/// A task of its own works in a loop; operations and callers only leave something in `state`, and wake it.
final class DurableRun: Sendable {
    /// A request that is being sent.
    struct Running: Sendable {
        var leased: LeasedRequest
        /// Nil: its secrets are being put in.
        var operation: HTTPRequestOperation?
        /// The call of the secret provider.
        var preparation: Task<Void, Never>?
        /// The time when the lease has run out, if nothing renews it, in seconds of the uptime.
        var leaseEnd: TimeInterval
        /// The time at which the request is late, in seconds of the uptime.
        var deadline: TimeInterval = .infinity
        /// The end that is recorded, whatever the operation says.
        var verdict: Verdict?
    }

    /// The decision about a request while it is being sent.
    enum Verdict {
        case cancelled, released, lost
    }

    /// The outcome of an attempt, and what its event has to say.
    struct Finished: Sendable {
        var outcome: AttemptOutcome
        var running: Running
        var summary: ResultSummary
    }

    enum Phase: Int, Comparable {
        case taking, draining, stopping
        static func < (left: Phase, right: Phase) -> Bool { left.rawValue < right.rawValue }
    }

    struct State {
        var phase = Phase.taking
        var running: [RequestLease: Running] = [:]
        var finished: [Finished] = []
        var renewsSoon = false
        /// The removal of what is old, beside the loop: it may take longer than a lease.
        var purge: Task<Void, Never>?
        var purgeFailure: (any Error)?
        /// The time at which a drain becomes a stop, in seconds of the uptime.
        var end: TimeInterval?
    }

    let queue: DurableRequestQueue
    let ended = EndGate()
    let state = Locked(State())
    let wakeup = Wakeup()
    /// The queue on which operations report. Their managers' queue may be the main one, which nothing need serve.
    let completions = DispatchQueue(label: "OperationNetworking.durable")

    private let endsWhenEmpty: Bool

    init(_ queue: DurableRequestQueue, endsWhenEmpty: Bool) {
        self.queue = queue
        self.endsWhenEmpty = endsWhenEmpty
    }

    private var settings: DurableRequestQueue.Configuration { queue.configuration }
    static var uptime: TimeInterval { ProcessInfo.processInfo.systemUptime }

    // MARK: From outside

    func stop() {
        state.withLock { $0.phase = .stopping }
        wakeup.signal()
    }

    func drain(timeout: TimeInterval?) {
        state.withLock { state in
            state.phase = max(state.phase, .draining)
            if let timeout { state.end = Self.uptime + max(timeout, 0) }
        }
        wakeup.signal()
    }

    func renewSoon() {
        state.withLock { $0.renewsSoon = true }
        wakeup.signal()
    }

    // MARK: The loop

    func work() async throws {
        let changes = queue.store.changes()
        let watcher = Task { [wakeup] in for await _ in changes { wakeup.signal() } }
        defer { watcher.cancel() }
        do {
            try await loop()
        } catch {
            await giveUp()
            await endPurge()
            throw error
        }
        await endPurge()
    }

    private func loop() async throws {
        var (renewals, nextPurge) = (RenewalClock(leaseDuration: settings.leaseDuration), 0.0)
        while true {
            var phase = state.withLock { state in
                if let end = state.end, end <= Self.uptime { state.phase = .stopping }
                return state.phase
            }
            if phase == .stopping { cancelAll(.released) }
            if let failure = state.withLock({ $0.purgeFailure }) { throw failure }
            if nextPurge <= Self.uptime, phase == .taking {
                nextPurge = Self.uptime + 3600
                purge()
            }
            let isDue = state.withLock { state in
                defer { state.renewsSoon = false }
                return state.renewsSoon
            }
            if isDue || renewals.isDue { try await renew(&renewals) }
            // A host that wants to be left alone gets nothing by what is leased now.
            if state.withLock({ $0.finished.contains { $0.outcome.hostPause != nil } }) { try await record() }
            let held = state.withLock { Array($0.running.keys) + $0.finished.map(\.outcome.lease) }
            // Both in one transaction of the store.
            async let recording: Void = record()
            let taken = phase == .taking ? try await lease(beside: held) : nil
            do {
                try await recording
            } catch {
                taken.map(giveBack)
                throw error
            }
            // Not before what has ended is told: it may be what these have waited for.
            if let taken { try await begin(taken, &renewals) }
            let grant = taken?.grant
            phase = state.withLock { $0.phase }
            let (isIdle, isWaiting, isPurging) = state.withLock {
                ($0.running.isEmpty && $0.finished.isEmpty, $0.finished.isEmpty, $0.purge != nil)
            }
            if isIdle {
                if phase > .taking { return }
                if let grant, endsWhenEmpty, !isPurging, grant.requests.isEmpty, !grant.hasOpenRequests { return }
            }
            // What has finished meanwhile is recorded at once.
            guard isWaiting else { continue }
            var wait = max(0, renewals.next - Self.uptime)
            // Stores tell of additions. That other workers have ended the last requests has to be looked for.
            if isIdle { wait = min(grant?.delay ?? .infinity, endsWhenEmpty ? 1 : 5) }
            if let delay = grant?.delay { wait = min(wait, delay) }
            if let end = state.withLock({ $0.end }) { wait = min(wait, max(0, end - Self.uptime)) }
            await wakeup.wait(max(wait, 0.001))
        }
    }

    /// What a store has granted, and until when.
    private struct Lease {
        let grant: LeaseGrant
        /// In seconds of the uptime.
        let end: TimeInterval
    }

    /// Asks for as many requests as may begin; nil: too few to ask for.
    private func lease(beside held: [RequestLease]) async throws -> Lease? {
        let limit = max(settings.maximumConcurrentRequests, 1)
        let count = state.withLock { $0.running.count }
        // Not for each that ends: one transaction brings many.
        guard count == 0 || limit - count >= max(limit / 4, 1) else { return nil }
        // From before the call: the store's span begins later.
        let leaseEnd = Self.uptime + settings.leaseDuration
        var demand = LeaseDemand(
            worker: queue.worker, limit: limit - count, duration: settings.leaseDuration,
            maximumPerHost: settings.maximumRequestsPerHost)
        demand.held = held
        return Lease(grant: try await queue.store.lease(demand), end: leaseEnd)
    }

    private func begin(_ lease: Lease, _ renewals: inout RenewalClock) async throws {
        // Each may be a call of the store, and there may be a thousand: what runs keeps its lease meanwhile.
        do {
            for other in lease.grant.ended {
                if renewals.isDue { try await renew(&renewals) }
                await tell(other)
            }
        } catch {
            giveBack(lease)
            throw error
        }
        // The run may have been told to take no more while the store was asked.
        guard state.withLock({ $0.phase }) == .taking else { return giveBack(lease) }
        for request in lease.grant.requests { start(request, leaseEnd: lease.end) }
    }

    /// Leaves requests that will not begin to other workers, by the next record.
    private func giveBack(_ lease: Lease) {
        let released = lease.grant.requests.map { request in
            Finished(
                outcome: AttemptOutcome(request.lease, .released),
                running: Running(leased: request, leaseEnd: lease.end), summary: ResultSummary())
        }
        state.withLock { $0.finished += released }
    }

    /// When the leases of what runs are renewed next. In seconds of the uptime.
    private struct RenewalClock {
        let interval: TimeInterval
        var next: TimeInterval

        init(leaseDuration: TimeInterval) {
            interval = min(max(leaseDuration / 3, 0.01), 1)
            next = DurableRun.uptime + interval
        }

        var isDue: Bool { next <= DurableRun.uptime }
    }

    private func renew(_ clock: inout RenewalClock) async throws {
        try await renew()
        clock.next = Self.uptime + clock.interval
    }

    private func renew() async throws {
        let leases = state.withLock { Array($0.running.keys) }
        guard !leases.isEmpty else { return }
        let leaseEnd = Self.uptime + settings.leaseDuration
        let renewal = try await queue.store.renew(leases, worker: queue.worker, duration: settings.leaseDuration)
        state.withLock { state in for lease in leases { state.running[lease]?.leaseEnd = leaseEnd } }
        for lease in renewal.lost { cancel(lease, .lost) }
        for lease in renewal.cancelled { cancel(lease, .cancelled) }
        endLate()
    }

    /// Ends those whose deadline has come before their secrets; an operation has a time of its own.
    private func endLate() {
        let late = state.withLock { state in
            state.running.filter { $0.value.operation == nil && $0.value.deadline <= Self.uptime }
        }
        for (lease, running) in late {
            running.preparation?.cancel()
            finish(lease, Attempt(content: nil, response: nil, error: URLError(.timedOut), mayRetry: true))
        }
    }

    // MARK: What is old

    private func purge() {
        state.withLock { state in
            guard state.purge == nil else { return }
            state.purge = Task { [self] in
                var failure: (any Error)?
                do { _ = try await queue.store.purge(endedBefore: settings.retention) } catch { failure = error }
                self.state.withLock { state in
                    state.purge = nil
                    state.purgeFailure = failure
                }
                wakeup.signal()
            }
        }
    }

    /// Waits for the transaction that is under way.
    private func endPurge() async {
        let purge = state.withLock { $0.purge }
        purge?.cancel()
        await purge?.value
    }

    private func record() async throws {
        let finished = state.withLock { state in
            defer { state.finished = [] }
            return state.finished
        }
        guard !finished.isEmpty else { return }
        let fates: [RecordedOutcome]
        do {
            fates = try await queue.store.record(finished.map(\.outcome), worker: queue.worker)
        } catch {
            // For one more attempt at the end.
            state.withLock { $0.finished = finished + $0.finished }
            throw error
        }
        for (one, fate) in zip(finished, fates) { await tell(one, fate) }
    }

    /// After a failure of the store: ends what runs, and tries once more to record what is known.
    private func giveUp() async {
        state.withLock { $0.phase = .stopping }
        cancelAll(.released)
        let end = Self.uptime + 5
        while !state.withLock({ $0.running.isEmpty }), Self.uptime < end { await wakeup.wait(0.05) }
        try? await record()
    }
}
