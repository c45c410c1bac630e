// SPDX-License-Identifier: MIT
internal import Foundation
internal import OperationNetworking

/// An answer to a challenge that comes later, on any thread.
// Sendable because `disposition` is touched only with `condition` held.
final class ChallengeAnswer: @unchecked Sendable {
    private let condition = NSCondition()
    /// Guarded by `condition`.
    private var disposition: AuthenticationDisposition?

    /// The first answer counts.
    func give(_ answer: AuthenticationDisposition) {
        condition.withLock {
            if disposition == nil { disposition = answer }
            condition.broadcast()
        }
    }

    /// Blocks the calling thread until there is an answer.
    func wait() -> AuthenticationDisposition {
        condition.withLock {
            while true {
                if let disposition { return disposition }
                condition.wait()
            }
        }
    }
}
