// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport
internal import NetworkingTransport

/// The operations that wait for the network. They try at once when the kernel reports a change of links, addresses or
/// routes, and otherwise when their back-off is over.
final class Connectivity: Sendable {
    static let shared = Connectivity()

    /// Seconds from a change to the attempts: an interface that comes up gets its addresses and routes one by one.
    static let settlingTime: TimeInterval = 0.25

    private struct Waiter: Sendable {
        weak var operation: URLConnectionOperation?
        let attempt: UInt
    }

    private struct State {
        var waiters: [ObjectIdentifier: Waiter] = [:]
        /// From the first attempt on that may have to wait, so that no change since its beginning is missed.
        var subscription: NetworkChangeMonitor.Subscription?
        /// By the monotonic clock: one that is set back would make it later than what began after it. 0: none.
        var lastChange: UInt64 = 0
        /// The waiters will be told.
        var isTelling = false

        /// Returns true if the caller is to tell the waiters, because no other thread is about to.
        mutating func tell() -> Bool {
            defer { isTelling = true }
            return !isTelling
        }
    }

    private let state = Locked(State())

    /// An operation waits for the attempt after this one, which began at `start` of the monotonic clock.
    func add(_ operation: URLConnectionOperation, after attempt: UInt, begunAt start: UInt64?) {
        watch()
        let isLate = state.withLock { state in
            state.waiters[ObjectIdentifier(operation)] = Waiter(operation: operation, attempt: attempt)
            return start.map { state.lastChange >= $0 } == true && state.tell()
        }
        if isLate { tellSoon() }
    }

    /// An operation waits no more for the attempt after this one.
    func remove(_ operation: URLConnectionOperation, after attempt: UInt) {
        let id = ObjectIdentifier(operation)
        state.withLock { state in
            if state.waiters[id]?.attempt == attempt { state.waiters[id] = nil }
        }
    }

    /// An operation that waited has gone, or may have.
    func forget(_ id: ObjectIdentifier) {
        let present = state.withLock { state in
            let operation = state.waiters[id]?.operation
            if operation == nil { state.waiters[id] = nil }
            return operation
        }
        // Not released under the lock.
        withExtendedLifetime(present) {}
    }

    /// The number of operations that wait.
    var count: Int { state.withLock { $0.waiters.count } }

    /// The waiters are about to be told.
    var isTelling: Bool { state.withLock { $0.isTelling } }

    /// The network may be reached again.
    func becameAvailable() {
        let all = state.withLock { state in
            defer { state.waiters = [:] }
            state.isTelling = false
            return state.waiters
        }
        for waiter in all.values { waiter.operation?.backOffIsOver(after: waiter.attempt) }
    }

    private func tellSoon() {
        Runtime.current.after(Self.settlingTime) { [self] in becameAvailable() }
    }

    /// An attempt begins whose operation waits for the network if it fails.
    func watch() {
        guard state.withLock({ $0.subscription == nil }) else { return }
        // Without one, the back-off has to do.
        guard
            let subscription = try? NetworkChangeMonitor.shared.subscribe({ [weak self] event in self?.receive(event) })
        else { return }
        let surplus = state.withLock { state -> NetworkChangeMonitor.Subscription? in
            guard state.subscription == nil, !subscription.isVoid else { return subscription }
            state.subscription = subscription
            return nil
        }
        // Not under the lock: its release ends it.
        withExtendedLifetime(surplus) {}
    }

    /// On the network thread.
    func receive(_ event: NetworkChangeMonitor.Event) {
        let (isNews, lost) = state.withLock { state -> (Bool, NetworkChangeMonitor.Subscription?) in
            switch event {
            case .changed:
                state.lastChange = MonotonicClock.now
                return (!state.waiters.isEmpty && state.tell(), nil)
            case .lost:
                return (false, state.subscription?.isVoid == true ? state.subscription.take() : nil)
            }
        }
        withExtendedLifetime(lost) {}
        if isNews { tellSoon() }
    }
}
