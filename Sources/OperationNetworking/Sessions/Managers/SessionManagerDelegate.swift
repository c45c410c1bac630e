// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking

/// The delegate of a manager's session, for what is the session's and not a task's. Does not hold the manager.
// Sendable because it is immutable.
final class SessionManagerDelegate: NSObject, URLSessionDelegate, Sendable {
    private let blocks: SessionBlocks

    init(_ blocks: SessionBlocks) {
        self.blocks = blocks
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        blocks.current.sessionDidBecomeInvalid?(session, error)
        NotificationMailbox.shared.post(.urlSessionDidInvalidate, object: session, on: .sharedMain)
    }
}
