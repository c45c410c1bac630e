// SPDX-License-Identifier: MIT
internal import NetworkingSupport

/// The statuses that a stream was not asked for yet, as a pure value that the manager's lock guards.
struct StatusBuffer {
    typealias Status = NetworkReachabilityManager.Status

    /// A caller that waited, and the status that it receives: after the unlock.
    struct Resumption {
        fileprivate let continuation: CheckedContinuation<Status?, Never>
        fileprivate let status: Status?

        func perform() { continuation.resume(returning: status) }
    }

    private static let limit = 64

    /// Nil until the first status is asked for.
    private var pending: [Status]?
    private var last: Status?
    private var waiters: [CheckedContinuation<Status?, Never>] = []

    /// Takes a new status in. A caller that waits receives it.
    mutating func append(_ status: Status) -> Resumption? {
        guard pending != nil else { return nil }
        if !waiters.isEmpty {
            guard status != last else { return nil }
            last = status
            return Resumption(continuation: waiters.removeFirst(), status: status)
        }
        if pending?.count == Self.limit { pending?.removeFirst() }
        pending?.append(status)
        return nil
    }

    /// Asks for the next status. Nil: no status is ready, and `waiter` receives the next one.
    mutating func next(_ waiter: CheckedContinuation<Status?, Never>, current: Status) -> Resumption? {
        var waiting = pending ?? [current]
        defer { pending = waiting }
        while let status = waiting.first {
            waiting.removeFirst()
            guard status != last else { continue }
            last = status
            return Resumption(continuation: waiter, status: status)
        }
        waiters.append(waiter)
        return nil
    }

    /// The end: callers wait no longer.
    func end() -> [Resumption] {
        waiters.map { Resumption(continuation: $0, status: nil) }
    }
}

/// A stream's place at the manager. It ends with `end()`, and when the stream is released.
final class StatusSubscription: Sendable {
    private let manager: NetworkReachabilityManager
    private let number: UInt64

    init(_ manager: NetworkReachabilityManager) {
        self.manager = manager
        number = manager.state.withLock { state in
            state.lastNumber += 1
            state.streams[state.lastNumber] = StatusBuffer()
            return state.lastNumber
        }
    }

    deinit { end() }

    /// The next status; nil after the end.
    func next() async -> NetworkReachabilityManager.Status? {
        await withCheckedContinuation { continuation in
            let resumption = manager.state.withLock { state -> StatusBuffer.Resumption? in
                let current = state.machine.status
                guard state.streams[number] != nil else {
                    return StatusBuffer.Resumption.ended(continuation)
                }
                return state.streams[number]?.next(continuation, current: current)
            }
            resumption?.perform()
        }
    }

    func end() {
        let ended = manager.state.withLock { $0.streams.removeValue(forKey: number)?.end() ?? [] }
        for resumption in ended { resumption.perform() }
    }
}

extension StatusBuffer.Resumption {
    fileprivate static func ended(
        _ continuation: CheckedContinuation<NetworkReachabilityManager.Status?, Never>
    ) -> Self {
        Self(continuation: continuation, status: nil)
    }
}
