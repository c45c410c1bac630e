// SPDX-License-Identifier: MIT
internal import Dispatch
internal import OperationNetworking

/// Tells on the main queue whether the operation that is followed is executing, and when that changes.
@MainActor
final class OperationFollower {
    private var observation: OperationStateObservation?
    private var show: (@MainActor (Bool) -> Void)?
    /// The value that was reported last for this operation.
    private var isShown: Bool?
    private var number: UInt64 = 0

    nonisolated init() {}

    /// Follows this operation, and no other any longer. Reports nothing for nil, or for an operation that has finished.
    func follow(_ operation: URLConnectionOperation?, show: @escaping @MainActor (Bool) -> Void) {
        observation = nil
        number += 1
        guard let operation, operation.state != .finished else { return }
        self.show = show
        isShown = nil
        let number = number
        observation = operation.observeState { [weak self, weak operation] _, _ in
            DispatchQueue.images.async { [weak self, weak operation] in
                MainActor.assumeIsolated { self?.update(number, operation?.state) }
            }
        }
        update(number, operation.state)
    }

    private func update(_ number: UInt64, _ state: OperationState?) {
        guard number == self.number else { return }
        let isExecuting = state == .executing
        if isShown != isExecuting {
            isShown = isExecuting
            show?(isExecuting)
        }
        if state == .finished || state == nil {
            observation = nil
            show = nil
        }
    }
}
