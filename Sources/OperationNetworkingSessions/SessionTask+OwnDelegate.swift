// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworkingCore

// The delegate that the user gave to the task itself: by the protocols that it is of.

extension SessionTask {
    /// Nil: the session's counts, or a manager's blocks.
    var ownDelegate: (any URLSessionTaskDelegate)? { withState { $0.delegate } }

    var ownDownloadDelegate: (any URLSessionDownloadDelegate)? {
        ownDelegate.flatMap { $0 as? any URLSessionDownloadDelegate }
    }

    /// The events and questions that the task's own delegate receives.
    var ownDelegateInterests: ClientInterests {
        guard let delegate = ownDelegate else { return [] }
        var interests = ClientInterests.ofTaskDelegates
        if kind == .download || delegate is any URLSessionDownloadDelegate { interests.insert(.writing) }
        if kind != .download, delegate is any URLSessionDataDelegate { interests.formUnion(.ofDataDelegates) }
        return interests
    }
}
