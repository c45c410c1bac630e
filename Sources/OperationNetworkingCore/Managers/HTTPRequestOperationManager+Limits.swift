// SPDX-License-Identifier: MIT
public import Foundation

extension HTTPRequestOperationManager {
    /// `maximumResponseBodySize` of the operations made from now on. Nil by default: 256 MiB in memory, any number of
    /// bytes to a file or stream.
    public var maximumResponseBodySize: Int64? {
        get { withSettings { $0[\.limits.maximumResponseBodySize] } }
        set { withSettings { $0[\.limits.maximumResponseBodySize] = newValue.map { max(0, $0) } } }
    }

    /// `totalTimeout` of the operations made from now on, in seconds. Nil by default: no limit.
    public var totalTimeout: TimeInterval? {
        get { withSettings { $0[\.limits.totalTimeout] } }
        set { withSettings { $0[\.limits.totalTimeout] = newValue } }
    }

    /// `resendsNonIdempotentRequests` of the operations made from now on. False by default.
    public var resendsNonIdempotentRequests: Bool {
        get { withSettings { $0[\.transport.resendsNonIdempotentRequests] } }
        set { withSettings { $0[\.transport.resendsNonIdempotentRequests] = newValue } }
    }
}
