// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking

/// The session of a manager, whose tasks have what the manager is set to when they are made. It does not hold the manager.
// Sendable because it has no fields of its own.
final class ManagerURLSession: OperationURLSession, @unchecked Sendable {
    /// What is known of the manager; nil once the session is invalid, when no task is begun any more.
    private var manager: SessionManagerDelegate? { delegate as? SessionManagerDelegate }

    override var operationConfiguration: URLConnectionOperation.SharedConfiguration {
        manager?.settings.present(over: settings.operations).plainConfiguration ?? settings.operations
    }
}
