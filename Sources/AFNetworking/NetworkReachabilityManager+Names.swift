// SPDX-License-Identifier: MIT

// The names are AFNetworking's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

extension NetworkReachabilityManager {
    /// `shared`, as Swift 1 and 2 have it.
    public static func sharedManager() -> NetworkReachabilityManager { shared }

    /// `shared`, as Swift 3 and later have it.
    @_disfavoredOverload
    public static func shared() -> NetworkReachabilityManager { shared }

    /// `init()`.
    public static func manager() -> NetworkReachabilityManager { NetworkReachabilityManager() }

    /// `init(domain:)`.
    public convenience init(forDomain domain: String) {
        self.init(domain: domain)
    }

    /// `init(socketAddress:)`.
    public convenience init(forAddress address: UnsafeRawPointer) {
        self.init(socketAddress: address)
    }

    /// `isReachable`, as Swift 1 and 2 have it.
    public var reachable: Bool { isReachable }

    /// `isReachableViaWWAN`, as Swift 1 and 2 have it.
    public var reachableViaWWAN: Bool { isReachableViaWWAN }

    /// `isReachableViaWiFi`, as Swift 1 and 2 have it.
    public var reachableViaWiFi: Bool { isReachableViaWiFi }

    /// The property of the same name.
    @_disfavoredOverload
    public func localizedNetworkReachabilityStatusString() -> String { localizedNetworkReachabilityStatusString }

    /// `setReachabilityStatusChangeBlock(_:)`, as Swift 3 and later have it.
    @preconcurrency
    public func setReachabilityStatusChange(_ block: (@Sendable (AFNetworkReachabilityStatus) -> Void)?) {
        setReachabilityStatusChangeBlock(block)
    }
}

extension NetworkReachabilityManager.Status {
    /// `unknown`, as Swift 1 and 2 have it.
    public static let Unknown = NetworkReachabilityManager.Status.unknown
    /// `notReachable`, as Swift 1 and 2 have it.
    public static let NotReachable = NetworkReachabilityManager.Status.notReachable
    /// `reachableViaWWAN`, as Swift 1 and 2 have it.
    public static let ReachableViaWWAN = NetworkReachabilityManager.Status.reachableViaWWAN
    /// `reachableViaWiFi`, as Swift 1 and 2 have it.
    public static let ReachableViaWiFi = NetworkReachabilityManager.Status.reachableViaWiFi
}

/// `NetworkReachabilityManager.Status.localizedString`.
public func AFStringFromNetworkReachabilityStatus(_ status: AFNetworkReachabilityStatus) -> String {
    status.localizedString
}
