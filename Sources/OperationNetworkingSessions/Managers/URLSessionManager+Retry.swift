// SPDX-License-Identifier: MIT
internal import Foundation
public import OperationNetworkingCore

extension URLSessionManager {
    /// `retryPolicy` of the operations of tasks made from now on. Nil by default: nothing is sent again by itself.
    /// Carried over by `copy()`, not archived.
    ///
    /// The task is running from its first attempt to its last, and its handler receives the result of the last. A
    /// response that another attempt follows is not shown to the blocks for responses and data.
    ///
    /// ```swift
    /// manager.retryPolicy = RetryPolicy(maximumAttempts: 5)
    /// ```
    public var retryPolicy: RetryPolicy? {
        get { taskSettings[\.interception.retryPolicy] }
        set { withSettings { $0[\.interception.retryPolicy] = newValue } }
    }

    /// The interceptors of the operations of tasks made from now on. None by default. `adapt` is called in order,
    /// `retry` in order until one decides; `retryPolicy` has its say after that. Carried over by `copy()`, not
    /// archived.
    ///
    /// They are given the task's operation. Of a download, and of a task whose content a block takes piece by piece,
    /// the response serializer judges after them; so they are asked when there is no response, or when its status is
    /// 401.
    public var interceptors: [any RequestInterceptor] {
        get { taskSettings[\.interception.interceptors] }
        set { withSettings { $0[\.interception.interceptors] = newValue } }
    }
}
