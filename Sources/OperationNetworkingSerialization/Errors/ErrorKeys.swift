// SPDX-License-Identifier: MIT

// The names are AFNetworking's without their prefix, upper-case initial included, so that code which reads the
// `userInfo` of an `NSError` moves over by dropping two letters.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The domain of a ``RequestSerializationError`` seen as an `NSError`. AF: `AFURLRequestSerializationErrorDomain`.
public let URLRequestSerializationErrorDomain = "com.alamofire.error.serialization.request"

/// The key of the `URLRequest` that could not be serialized, in the `userInfo` of an error of
/// ``URLRequestSerializationErrorDomain``. AF: `AFNetworkingOperationFailingURLRequestErrorKey`.
public let NetworkingOperationFailingURLRequestErrorKey = "com.alamofire.serialization.request.error.response"

/// The domain of a ``ResponseSerializationError`` seen as an `NSError`. AF: `AFURLResponseSerializationErrorDomain`.
public let URLResponseSerializationErrorDomain = "com.alamofire.error.serialization.response"

/// The key of the `URLResponse`, in the `userInfo` of an error of ``URLResponseSerializationErrorDomain``. AF:
/// `AFNetworkingOperationFailingURLResponseErrorKey`.
public let NetworkingOperationFailingURLResponseErrorKey = "com.alamofire.serialization.response.error.response"

/// The key of the body as `Data`, in the `userInfo` of an error of ``URLResponseSerializationErrorDomain``. Absent if
/// there was none. AF: `AFNetworkingOperationFailingURLResponseDataErrorKey`.
public let NetworkingOperationFailingURLResponseDataErrorKey = "com.alamofire.serialization.response.error.data"

/// The key of the object that the body of a refused response parsed to, in the `userInfo` of an error of
/// ``URLResponseSerializationErrorDomain``. Absent if it did not parse. AFNetworking has no such key.
public let NetworkingOperationFailingURLResponseObjectErrorKey = "com.alamofire.serialization.response.error.object"
