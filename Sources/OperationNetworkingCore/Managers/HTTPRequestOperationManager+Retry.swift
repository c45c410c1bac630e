// SPDX-License-Identifier: MIT
internal import Foundation

extension HTTPRequestOperationManager {
    /// `retryPolicy` of the operations made from now on. Nil by default: nothing is sent again by itself. Carried over
    /// by `copy()`, not archived.
    ///
    /// ```swift
    /// manager.retryPolicy = RetryPolicy(maximumAttempts: 5)
    /// ```
    public var retryPolicy: RetryPolicy? {
        get { withSettings { $0[\.interception.retryPolicy] } }
        set { withSettings { $0[\.interception.retryPolicy] = newValue } }
    }

    /// The interceptors of the operations made from now on. None by default. `adapt` is called in order, `retry` in
    /// order until one decides; `retryPolicy` decides after that. Carried over by `copy()`, of operations, too, and not
    /// archived.
    public var interceptors: [any RequestInterceptor] {
        get { withSettings { $0[\.interception.interceptors] } }
        set {
            let origin = base.confiningOrigin
            withSettings {
                $0[\.interception.interceptors] = newValue
                $0[\.interception.authorizedOrigin] = $0.sendsAuthorizationToOtherOrigins ? nil : origin
            }
        }
    }
}
