public import Foundation

// The names that have nothing behind them on Linux and that programs use most. They are declared so that the compiler
// says what to do instead of that it knows no such name. Nothing of this can be called.

/// Not on Linux.
@available(*, unavailable, message: "There are no session managers on Linux: use AFHTTPRequestOperationManager.")
open class AFURLSessionManager: NSObject {}

/// Not on Linux.
@available(*, unavailable, message: "There are no session managers on Linux: use AFHTTPRequestOperationManager.")
open class AFHTTPSessionManager: AFURLSessionManager {
    /// Not on Linux.
    public init(baseURL: URL? = nil) {}
}

/// Not on Linux.
@available(*, unavailable, message: "There is no reachability on Linux: send the request, and look at its error.")
public final class AFNetworkReachabilityManager: NSObject {
    /// Not on Linux.
    public static func sharedManager() -> AFNetworkReachabilityManager { AFNetworkReachabilityManager() }
    /// Not on Linux.
    public static func shared() -> AFNetworkReachabilityManager { AFNetworkReachabilityManager() }
    /// Not on Linux.
    public var isReachable: Bool { false }
    /// Not on Linux.
    public var networkReachabilityStatus: AFNetworkReachabilityStatus { .unknown }
    /// Not on Linux.
    public func startMonitoring() {}
    /// Not on Linux.
    public func stopMonitoring() {}
    /// Not on Linux.
    public func setReachabilityStatusChangeBlock(_ block: ((AFNetworkReachabilityStatus) -> Void)?) {}
    /// Not on Linux.
    public func setReachabilityStatusChange(_ block: ((AFNetworkReachabilityStatus) -> Void)?) {}
}

/// Not on Linux.
@available(*, unavailable, message: "There is no reachability on Linux: send the request, and look at its error.")
public enum AFNetworkReachabilityStatus: Int {
    case unknown = -1
    case notReachable
    case reachableViaWWAN
    case reachableViaWiFi
}

extension HTTPRequestOperationManager {
    /// Not on Linux.
    @available(*, unavailable, message: "There is no reachability on Linux: send the request, and look at its error.")
    public var reachabilityManager: AFNetworkReachabilityManager { AFNetworkReachabilityManager() }
}

/// Not on Linux.
@available(*, unavailable, message: "There are no images on Linux: use AFHTTPResponseSerializer, and the data.")
open class AFImageResponseSerializer: HTTPResponseSerializer, @unchecked Sendable {}

/// Not on Linux.
@available(*, unavailable, message: "There is no activity indicator on Linux: observe the operations' notifications.")
public final class AFNetworkActivityIndicatorManager: NSObject {
    /// Not on Linux.
    public static func sharedManager() -> AFNetworkActivityIndicatorManager { AFNetworkActivityIndicatorManager() }
    /// Not on Linux.
    public static func shared() -> AFNetworkActivityIndicatorManager { AFNetworkActivityIndicatorManager() }
    /// Not on Linux.
    public var enabled: Bool {
        get { false }
        set {}
    }
    /// Not on Linux.
    public var isEnabled: Bool {
        get { false }
        set {}
    }
}
