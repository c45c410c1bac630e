// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworkingCore

/// The session of a manager, whose tasks have the manager's settings when they are made. Those without a completion
/// handler are like the manager's own. It does not hold the manager.
// Sendable because it adds no fields.
final class ManagerURLSession: OperationURLSession, @unchecked Sendable {
    /// The manager's client and settings; nil once the session is invalid, when no task is begun any more.
    private var manager: SessionManagerDelegate? { delegate as? SessionManagerDelegate }

    override var operationConfiguration: URLConnectionOperation.SharedConfiguration {
        manager?.settings.present(over: settings.operations).plainConfiguration ?? settings.operations
    }

    override func recipient(_ handler: SessionDelegateClient.Handler?, of kind: SessionTask.Kind) -> Recipient {
        guard handler == nil, let manager else { return super.recipient(handler, of: kind) }
        let present = manager.settings.present(over: settings.operations)
        let managed = ManagedTask(settings: present.tasks, handler: .none)
        return present.recipient(managed, of: manager.client, parses: kind != .download)
    }

    /// The request's own stream is what the block of `setTaskNeedNewBodyStreamBlock(_:)` need not give, as in a task
    /// that the manager makes.
    override func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask {
        makeUploadTask(request, request.httpBodyStream == nil ? .stream : nil, nil)
    }
}
