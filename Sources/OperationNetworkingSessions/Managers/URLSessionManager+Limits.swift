// SPDX-License-Identifier: MIT
public import Foundation
internal import OperationNetworkingCore

extension URLSessionManager {
    /// The number of bytes of content that a response may have, after decompression, for tasks made from now on. More
    /// ends the task with `URLError.dataLengthExceedsMaximum` (−1103).
    ///
    /// Nil by default: 256 MiB in memory, any number of bytes to a file. A value below 0 counts as 0.
    public var maximumResponseBodySize: Int64? {
        get { taskSettings[\.limits.maximumResponseBodySize] }
        set { withSettings { $0[\.limits.maximumResponseBodySize] = newValue.map { max(0, $0) } } }
    }

    /// The time that a task made from now on may take, in seconds. Then it ends with `URLError.timedOut` (−1001).
    ///
    /// Nil by default: what the session configuration's `timeoutIntervalForResource` says. It stands while the task is
    /// suspended.
    public var totalTimeout: TimeInterval? {
        get { taskSettings[\.limits.totalTimeout] }
        set { withSettings { $0[\.limits.totalTimeout] = newValue } }
    }

    /// True if requests that may have reached the server are sent again whatever their method, by tasks made from now
    /// on. False by default.
    public var resendsNonIdempotentRequests: Bool {
        get { taskSettings[\.transport.resendsNonIdempotentRequests] }
        set { withSettings { $0[\.transport.resendsNonIdempotentRequests] = newValue } }
    }
}
