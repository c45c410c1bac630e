// SPDX-License-Identifier: MIT
public import Foundation

extension URLSessionManager {
    /// `maximumResponseBodySize` of the operations of tasks made from now on: the number of bytes of content that a response
    /// may have, after decompression. More ends the task with `URLError.dataLengthExceedsMaximum` (−1103).
    ///
    /// Nil by default: 256 MiB in memory, any number of bytes to a file. A value below 0 counts as 0.
    public var maximumResponseBodySize: Int64? {
        get { taskSettings[\.maximumResponseBodySize] }
        set { withSettings { $0[\.maximumResponseBodySize] = newValue.map { max(0, $0) } } }
    }

    /// `totalTimeout` of the operations of tasks made from now on, in seconds. Then the task ends with `URLError.timedOut`
    /// (−1001).
    ///
    /// Nil by default: what the session configuration's `timeoutIntervalForResource` says. It stands while the task is
    /// suspended.
    public var totalTimeout: TimeInterval? {
        get { taskSettings[\.totalTimeout] }
        set { withSettings { $0[\.totalTimeout] = newValue } }
    }

    /// `resendsNonIdempotentRequests` of the operations of tasks made from now on. False by default.
    public var resendsNonIdempotentRequests: Bool {
        get { taskSettings[\.resendsNonIdempotentRequests] }
        set { withSettings { $0[\.resendsNonIdempotentRequests] = newValue } }
    }
}
