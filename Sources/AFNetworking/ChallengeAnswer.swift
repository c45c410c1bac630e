// SPDX-License-Identifier: MIT
internal import NetworkingSupport
internal import OperationNetworking

/// An answer to a challenge that comes later, on any thread.
final class ChallengeAnswer: Sendable {
    private let disposition = Locked<AuthenticationDisposition?>(nil)
    private let isGiven = Latch()

    /// The first answer counts.
    func give(_ answer: AuthenticationDisposition) {
        disposition.withLock { if $0 == nil { $0 = answer } }
        isGiven.open()
    }

    /// Blocks the calling thread until there is an answer.
    func wait() -> AuthenticationDisposition {
        isGiven.wait()
        return disposition.withLock { $0 } ?? .cancel
    }
}
