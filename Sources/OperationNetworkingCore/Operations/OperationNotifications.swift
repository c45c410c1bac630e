// SPDX-License-Identifier: MIT
public import Foundation

extension Notification.Name {
    /// Posted after an operation began, and again after each resume. The object is the operation.
    ///
    /// Delivered on the operation's `completionQueue`, or the main queue. AF:
    /// `AFNetworkingOperationDidStartNotification`.
    public static let networkingOperationDidStart = Notification.Name("com.alamofire.networking.operation.start")

    /// Posted when an operation ended, and when an executing one was paused. The object is the operation.
    ///
    /// Delivered on the operation's `completionQueue`, or the main queue. AF:
    /// `AFNetworkingOperationDidFinishNotification`.
    public static let networkingOperationDidFinish = Notification.Name("com.alamofire.networking.operation.finish")
}
