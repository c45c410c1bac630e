// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

/// Tells when an operation that Foundation runs has ended.
///
/// The probe depends on that operation in Foundation's sense and is never enqueued: Foundation asks `isReady` of every
/// dependent at the moment its last upstream ends, on the thread that ends it. So the report needs no extra thread, and
/// arrives even if all threads of the pool are blocked.
// Sendable because all state that is not Foundation's is behind `body`.
final class FinishObserver: Operation, @unchecked Sendable {
    private let body = Locked<(@Sendable () -> Void)?>(nil)

    /// Calls `body` once when `operation` ends: before this method returns when it has ended already.
    ///
    /// The caller keeps the probe alive until then or until `disarm`: Foundation does not retain it.
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
