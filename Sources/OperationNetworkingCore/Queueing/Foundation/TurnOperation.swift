// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

/// Ends when an operation's turn has come, in `ForeignQueue`.
// Sendable because `hasCome` is behind a lock, and the rest is Foundation's own.
final class TurnOperation: Operation, @unchecked Sendable {
    private let hasCome = Locked(false)

    override var isFinished: Bool { hasCome.withLock { $0 } }

    /// Ends the operation. False: it had ended.
    func come() -> Bool {
        let isFirst = hasCome.withLock { hasCome in
            defer { hasCome = true }
            return !hasCome
        }
        if isFirst { didChangeValue(forKey: OperationState.finished.key) }
        return isFirst
    }
}
