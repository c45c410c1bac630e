// The names are AFNetworking's without their prefix, upper-case initial included, so that code which reads the
// `userInfo` of an `NSError` moves over by dropping two letters.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The domain of a ``RequestSerializationError`` seen as an `NSError` (AFNetworking:
/// `AFURLRequestSerializationErrorDomain`).
public let URLRequestSerializationErrorDomain = "com.alamofire.error.serialization.request"

/// In the `userInfo` of an error of ``URLRequestSerializationErrorDomain``: the `URLRequest` that could not be
/// serialized (AFNetworking: `AFNetworkingOperationFailingURLRequestErrorKey`).
public let NetworkingOperationFailingURLRequestErrorKey = "com.alamofire.serialization.request.error.response"

/// The domain of a ``ResponseSerializationError`` seen as an `NSError` (AFNetworking:
/// `AFURLResponseSerializationErrorDomain`).
public let URLResponseSerializationErrorDomain = "com.alamofire.error.serialization.response"

/// In the `userInfo` of an error of ``URLResponseSerializationErrorDomain``: the `URLResponse` (AFNetworking:
/// `AFNetworkingOperationFailingURLResponseErrorKey`).
public let NetworkingOperationFailingURLResponseErrorKey = "com.alamofire.serialization.response.error.response"

/// In the `userInfo` of an error of ``URLResponseSerializationErrorDomain``: the body as `Data`; absent if there was
/// none (AFNetworking: `AFNetworkingOperationFailingURLResponseDataErrorKey`).
public let NetworkingOperationFailingURLResponseDataErrorKey = "com.alamofire.serialization.response.error.data"

/// In the `userInfo` of an error of ``URLResponseSerializationErrorDomain``: what the body of a refused response
/// parsed to; absent if it did not parse. AFNetworking has no such key.
public let NetworkingOperationFailingURLResponseObjectErrorKey = "com.alamofire.serialization.response.error.object"
