// SPDX-License-Identifier: MIT
public import Foundation
internal import FoundationNetworking

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

// MARK: Sessions

/// The name of `Notification.Name.networkingTaskDidResume`, as Swift 1 and 2 had it.
public let AFNetworkingTaskDidResumeNotification = Notification.Name.networkingTaskDidResume.rawValue
/// The name of `Notification.Name.networkingTaskDidResume`, as AFNetworking 2.0 had it.
public let AFNetworkingTaskDidStartNotification = AFNetworkingTaskDidResumeNotification
/// The name of `Notification.Name.networkingTaskDidSuspend`, as Swift 1 and 2 had it.
public let AFNetworkingTaskDidSuspendNotification = Notification.Name.networkingTaskDidSuspend.rawValue
/// The name of `Notification.Name.networkingTaskDidComplete`, as Swift 1 and 2 had it.
public let AFNetworkingTaskDidCompleteNotification = Notification.Name.networkingTaskDidComplete.rawValue
/// The name of `Notification.Name.networkingTaskDidComplete`, as AFNetworking 2.0 had it.
public let AFNetworkingTaskDidFinishNotification = AFNetworkingTaskDidCompleteNotification
/// The name of `Notification.Name.urlSessionDidInvalidate`, as Swift 1 and 2 had it.
public let AFURLSessionDidInvalidateNotification = Notification.Name.urlSessionDidInvalidate.rawValue
/// The name of `Notification.Name.urlSessionDownloadTaskDidMoveFileSuccessfully`.
public let AFURLSessionDownloadTaskDidMoveFileSuccessfullyNotification =
    Notification.Name.urlSessionDownloadTaskDidMoveFileSuccessfully.rawValue
/// The name of `Notification.Name.urlSessionDownloadTaskDidFailToMoveFile`, as Swift 1 and 2 had it.
public let AFURLSessionDownloadTaskDidFailToMoveFileNotification =
    Notification.Name.urlSessionDownloadTaskDidFailToMoveFile.rawValue

extension Notification.Name {
    /// `networkingTaskDidResume`, as Swift 3 and later have it.
    public static let AFNetworkingTaskDidResume = networkingTaskDidResume
    /// `networkingTaskDidResume`, as AFNetworking 2.0 had it.
    public static let AFNetworkingTaskDidStart = networkingTaskDidResume
    /// `networkingTaskDidSuspend`, as Swift 3 and later have it.
    public static let AFNetworkingTaskDidSuspend = networkingTaskDidSuspend
    /// `networkingTaskDidComplete`, as Swift 3 and later have it.
    public static let AFNetworkingTaskDidComplete = networkingTaskDidComplete
    /// `networkingTaskDidComplete`, as AFNetworking 2.0 had it.
    public static let AFNetworkingTaskDidFinish = networkingTaskDidComplete
    /// `urlSessionDidInvalidate`, as Swift 3 and later have it.
    public static let AFURLSessionDidInvalidate = urlSessionDidInvalidate
    /// `urlSessionDownloadTaskDidMoveFileSuccessfully`, as Swift 3 and later have it.
    public static let AFURLSessionDownloadTaskDidMoveFileSuccessfully = urlSessionDownloadTaskDidMoveFileSuccessfully
    /// `urlSessionDownloadTaskDidFailToMoveFile`, as Swift 3 and later have it.
    public static let AFURLSessionDownloadTaskDidFailToMoveFile = urlSessionDownloadTaskDidFailToMoveFile
}

/// `NetworkingTaskDidCompleteResponseDataKey`.
public let AFNetworkingTaskDidCompleteResponseDataKey = NetworkingTaskDidCompleteResponseDataKey
/// `NetworkingTaskDidCompleteResponseDataKey`, as AFNetworking 2.0 had it.
public let AFNetworkingTaskDidFinishResponseDataKey = NetworkingTaskDidCompleteResponseDataKey
/// `NetworkingTaskDidCompleteSerializedResponseKey`.
public let AFNetworkingTaskDidCompleteSerializedResponseKey = NetworkingTaskDidCompleteSerializedResponseKey
/// `NetworkingTaskDidCompleteSerializedResponseKey`, as AFNetworking 2.0 had it.
public let AFNetworkingTaskDidFinishSerializedResponseKey = NetworkingTaskDidCompleteSerializedResponseKey
/// `NetworkingTaskDidCompleteResponseSerializerKey`.
public let AFNetworkingTaskDidCompleteResponseSerializerKey = NetworkingTaskDidCompleteResponseSerializerKey
/// `NetworkingTaskDidCompleteResponseSerializerKey`, as AFNetworking 2.0 had it.
public let AFNetworkingTaskDidFinishResponseSerializerKey = NetworkingTaskDidCompleteResponseSerializerKey
/// `NetworkingTaskDidCompleteAssetPathKey`.
public let AFNetworkingTaskDidCompleteAssetPathKey = NetworkingTaskDidCompleteAssetPathKey
/// `NetworkingTaskDidCompleteAssetPathKey`, as AFNetworking 2.0 had it.
public let AFNetworkingTaskDidFinishAssetPathKey = NetworkingTaskDidCompleteAssetPathKey
/// `NetworkingTaskDidCompleteErrorKey`.
public let AFNetworkingTaskDidCompleteErrorKey = NetworkingTaskDidCompleteErrorKey
/// `NetworkingTaskDidCompleteErrorKey`, as AFNetworking 2.0 had it.
public let AFNetworkingTaskDidFinishErrorKey = NetworkingTaskDidCompleteErrorKey
/// `NetworkingTaskDidCompleteSessionTaskMetrics`.
public let AFNetworkingTaskDidCompleteSessionTaskMetrics = NetworkingTaskDidCompleteSessionTaskMetrics

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

/// Forwards to `queryString(from:)`. A function of AFNetworking 3.
public func AFQueryStringFromParameters(_ parameters: Any) -> String {
    queryString(from: parameters)
}

/// Forwards to `percentEscapedString(from:)`. A function of AFNetworking 3.
public func AFPercentEscapedStringFromString(_ string: String) -> String {
    percentEscapedString(from: string)
}

// MARK: JSON

/// Forwards to `jsonObject(byRemovingKeysWithNullValuesFrom:readingOptions:)`. A function of AFNetworking 4.
public func AFJSONObjectByRemovingKeysWithNullValues(
    _ object: Any, _ readingOptions: JSONSerialization.ReadingOptions
) -> Any {
    jsonObject(byRemovingKeysWithNullValuesFrom: object, readingOptions: readingOptions)
}

// MARK: Foundation

/// The key of a download error's resume data, by the name that Foundation's constant has on Apple's systems.
public let NSURLSessionDownloadTaskResumeData = URLSessionDownloadTaskResumeData
