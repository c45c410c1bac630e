// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworkingCore

/// The delegate of a manager's session, for what is the session's and not a task's, and what the session knows of the
/// manager until it is invalid. Does not hold the manager.
final class SessionManagerDelegate: NSObject, URLSessionDelegate, Sendable {
    let client: SessionManagerClient
    let settings: URLSessionManager.SharedSettings

    init(_ client: SessionManagerClient, _ settings: URLSessionManager.SharedSettings) {
        self.client = client
        self.settings = settings
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        client.blocks.current.table.sessionDidBecomeInvalid?(session, error)
        NotificationMailbox.shared.post(.urlSessionDidInvalidate, object: session, on: .sharedMain)
    }
}
