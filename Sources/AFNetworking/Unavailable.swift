// Names that have nothing behind them on Linux, so that the compiler says why instead of that it knows no such name.

/// Not on Linux.
@available(*, unavailable, message: "Use AFHTTPRequestOperationManager: there are no session managers on Linux.")
public typealias AFURLSessionManager = Never
/// Not on Linux.
@available(*, unavailable, message: "Use AFHTTPRequestOperationManager: there are no session managers on Linux.")
public typealias AFHTTPSessionManager = Never
/// Not on Linux.
@available(*, unavailable, message: "There is no reachability on Linux: send the request, and look at the error.")
public typealias AFNetworkReachabilityManager = Never
/// Not on Linux.
@available(*, unavailable, message: "There is no reachability on Linux: send the request, and look at the error.")
public typealias AFNetworkReachabilityStatus = Never
/// Not on Linux.
@available(*, unavailable, message: "There are no images on Linux: use AFHTTPResponseSerializer, and the data.")
public typealias AFImageResponseSerializer = Never
/// Not on Linux.
@available(
    *, unavailable, message: "There is no activity indicator on Linux; the notifications of operations are here."
)
public typealias AFNetworkActivityIndicatorManager = Never

extension HTTPRequestOperationManager {
    /// Not on Linux.
    @available(*, unavailable, message: "There is no reachability on Linux: send the request, and look at the error.")
    public var reachabilityManager: Any? { nil }
}
