// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking

extension HTTPSessionManager {
    /// Forwards to `init()`. AF: `+manager`, which Swift imported as `init()`.
    public static func manager() -> HTTPSessionManager {
        HTTPSessionManager()
    }

    /// `init(baseURL:)` for Objective-C's URL class.
    @_disfavoredOverload
    public convenience init(baseURL: NSURL?) {
        self.init(baseURL: baseURL.map { $0 as URL }, sessionConfiguration: nil)
    }

    /// `init(baseURL:sessionConfiguration:)` for Objective-C's URL class.
    @_disfavoredOverload
    public convenience init(baseURL: NSURL?, sessionConfiguration: URLSessionConfiguration?) {
        self.init(baseURL: baseURL.map { $0 as URL }, sessionConfiguration: sessionConfiguration)
    }
}

extension URLSessionManager {
    /// Kept so that code builds, without effect. There are no background sessions on Linux. False.
    public var attemptsToRecreateUploadTasksForBackgroundSessions: Bool {
        get { false }
        set {}
    }
}
