// SPDX-License-Identifier: MIT
extension NetworkActivityManager {
    /// `shared`, as Swift 1 and 2 have it.
    public static func sharedManager() -> NetworkActivityManager { shared }

    /// `shared`, as Swift 3 and later have it.
    @_disfavoredOverload
    public static func shared() -> NetworkActivityManager { shared }

    /// `isEnabled`, as Swift 1 and 2 have it.
    public var enabled: Bool {
        get { isEnabled }
        set { isEnabled = newValue }
    }

    /// `setNetworkingActivityAction(_:)`, as Swift 3 and later have it.
    @preconcurrency
    public func setNetworkingActivityActionWith(_ block: (@Sendable (Bool) -> Void)?) {
        setNetworkingActivityAction(block)
    }

    /// `setNetworkingActivityAction(_:)`, as Swift 1 and 2 have it.
    @preconcurrency
    public func setNetworkingActivityActionWithBlock(_ block: (@Sendable (Bool) -> Void)?) {
        setNetworkingActivityAction(block)
    }
}
