internal import Foundation
internal import NetworkingSupport

/// The operations that wait for the network: whoever learns that it is back lets them try at once. Without such news they try
/// again when their back-off is over.
final class Connectivity: Sendable {
    static let shared = Connectivity()

    // Sendable because the reference is only read and replaced under the lock.
    private struct Waiter: @unchecked Sendable {
        weak var operation: URLConnectionOperation?
        let attempt: UInt
    }

    private let waiters = Locked<[ObjectIdentifier: Waiter]>([:])

    /// An operation waits for the attempt after this one.
    func add(_ operation: URLConnectionOperation, after attempt: UInt) {
        waiters.withLock { waiters in
            waiters[ObjectIdentifier(operation)] = Waiter(operation: operation, attempt: attempt)
        }
    }

    /// An operation waits no more.
    func remove(_ operation: URLConnectionOperation) {
        waiters.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(operation)) }
    }

    /// The network can be reached again.
    func becameAvailable() {
        let all = waiters.withLock { waiters in
            defer { waiters = [:] }
            return waiters
        }
        for waiter in all.values { waiter.operation?.backOffIsOver(after: waiter.attempt) }
    }
}
