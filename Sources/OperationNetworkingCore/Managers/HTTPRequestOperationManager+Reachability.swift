// SPDX-License-Identifier: MIT
extension HTTPRequestOperationManager {
    /// The monitor that tells whether this manager's server can be reached. `NetworkReachabilityManager.shared` by
    /// default, which watches the way to the Internet. It is not started, and requests do not ask it. AF:
    /// `reachabilityManager`.
    public var reachabilityManager: NetworkReachabilityManager {
        get { withSettings { $0.reachabilityManager } ?? .shared }
        set { withSettings { $0.reachabilityManager = newValue } }
    }
}
