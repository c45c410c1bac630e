public import Foundation

// The names are AFNetworking's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

// MARK: Notifications

/// The name of `Notification.Name.networkingOperationDidStart`, as Swift 1 and 2 had it.
public let AFNetworkingOperationDidStartNotification = Notification.Name.networkingOperationDidStart.rawValue
/// The name of `Notification.Name.networkingOperationDidFinish`, as Swift 1 and 2 had it.
public let AFNetworkingOperationDidFinishNotification = Notification.Name.networkingOperationDidFinish.rawValue
/// The name of `Notification.Name.networkingReachabilityDidChange`, as Swift 1 and 2 had it.
public let AFNetworkingReachabilityDidChangeNotification = Notification.Name.networkingReachabilityDidChange.rawValue
/// `NetworkingReachabilityNotificationStatusItem`.
public let AFNetworkingReachabilityNotificationStatusItem = NetworkingReachabilityNotificationStatusItem

extension Notification.Name {
    /// `networkingOperationDidStart`, as Swift 3 and later have it.
    public static let AFNetworkingOperationDidStart = networkingOperationDidStart
    /// `networkingOperationDidFinish`, as Swift 3 and later have it.
    public static let AFNetworkingOperationDidFinish = networkingOperationDidFinish
    /// `networkingReachabilityDidChange`, as Swift 3 and later have it.
    public static let AFNetworkingReachabilityDidChange = networkingReachabilityDidChange
}

// MARK: Errors

/// `URLRequestSerializationErrorDomain`.
public let AFURLRequestSerializationErrorDomain = URLRequestSerializationErrorDomain
/// `URLResponseSerializationErrorDomain`.
public let AFURLResponseSerializationErrorDomain = URLResponseSerializationErrorDomain
/// `NetworkingOperationFailingURLRequestErrorKey`.
public let AFNetworkingOperationFailingURLRequestErrorKey = NetworkingOperationFailingURLRequestErrorKey
/// `NetworkingOperationFailingURLResponseErrorKey`.
public let AFNetworkingOperationFailingURLResponseErrorKey = NetworkingOperationFailingURLResponseErrorKey
/// `NetworkingOperationFailingURLResponseDataErrorKey`.
public let AFNetworkingOperationFailingURLResponseDataErrorKey = NetworkingOperationFailingURLResponseDataErrorKey

// MARK: Throttling

/// `SuggestedUploadThrottling.packetSize`, in bytes.
public let kAFUploadStream3GSuggestedPacketSize = UInt(SuggestedUploadThrottling.packetSize)
/// `SuggestedUploadThrottling.delay`, in seconds.
public let kAFUploadStream3GSuggestedDelay = SuggestedUploadThrottling.delay

// MARK: Query strings

/// `queryString(from:)`; of AFNetworking 3.
public func AFQueryStringFromParameters(_ parameters: Any) -> String {
    queryString(from: parameters)
}

/// `percentEscapedString(from:)`; of AFNetworking 3.
public func AFPercentEscapedStringFromString(_ string: String) -> String {
    percentEscapedString(from: string)
}
