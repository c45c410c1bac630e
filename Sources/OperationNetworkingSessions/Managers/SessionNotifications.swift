// SPDX-License-Identifier: MIT
public import Foundation
internal import OperationNetworkingCore

// Delivered on the main queue. A program that does not run its main queue gets none; they keep no task alive there.

extension Notification.Name {
    /// Posted when a session manager's task begins, and again after each resume that has an effect. The object is the
    /// task. AF: `AFNetworkingTaskDidResumeNotification`.
    public static let networkingTaskDidResume = Notification.Name("com.alamofire.networking.task.resume")

    /// Posted when a session manager's task was suspended while it was running. The object is the task.
    /// AF: `AFNetworkingTaskDidSuspendNotification`.
    public static let networkingTaskDidSuspend = Notification.Name("com.alamofire.networking.task.suspend")

    /// Posted when a session manager's task ended, after its completion handler has returned. The object is the task;
    /// the user info has what the `NetworkingTaskDidComplete…Key` constants name. AF:
    /// `AFNetworkingTaskDidCompleteNotification`.
    public static let networkingTaskDidComplete = Notification.Name("com.alamofire.networking.task.complete")

    /// Posted when a session manager's session became invalid. The object is the session.
    /// AF: `AFURLSessionDidInvalidateNotification`.
    public static let urlSessionDidInvalidate = Notification.Name("com.alamofire.networking.session.invalidate")

    /// Posted when a download was moved to its destination. The object is the task.
    /// AF: `AFURLSessionDownloadTaskDidMoveFileSuccessfullyNotification`.
    public static let urlSessionDownloadTaskDidMoveFileSuccessfully = Notification.Name(
        "com.alamofire.networking.session.download.file-manager-succeed")

    /// Posted when a download could not be moved to its destination. The object is the task, the user info that of the
    /// error. AF: `AFURLSessionDownloadTaskDidFailToMoveFileNotification`.
    public static let urlSessionDownloadTaskDidFailToMoveFile = Notification.Name(
        "com.alamofire.networking.session.download.file-manager-error")
}
