// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

/// Tells when an operation that Foundation runs has ended.
///
/// The probe depends on that operation in Foundation's sense and is never enqueued: Foundation asks `isReady` of every
/// dependent at the moment its last upstream ends, on the thread that ends it. So the news needs no thread of its own
/// and arrives although all threads of the pool may be blocked.
// Sendable because the only state beside Foundation's own is behind `body`.
final class FinishObserver: Operation, @unchecked Sendable {
    private let body = Locked<(@Sendable () -> Void)?>(nil)

    /// Calls `body` once when `operation` ends: before this method returns when it has ended already.
    ///
    /// Whoever calls this keeps the probe alive until then or until `disarm`: Foundation does not retain it.
    func arm(_ operation: Operation, body: @escaping @Sendable () -> Void) {
        self.body.withLock { $0 = body }
        addDependency(operation)
    }

    /// Disconnects from the operation.
    func disarm() {
        _ = body.withLock { $0.take() }
        for operation in dependencies { removeDependency(operation) }
    }

    override var isReady: Bool {
        let isReady = super.isReady
        if isReady { body.withLock { $0.take() }?() }
        return isReady
    }
}
