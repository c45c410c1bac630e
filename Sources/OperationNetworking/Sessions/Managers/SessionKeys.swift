// The names are AFNetworking's without their prefix, upper-case initial included, so that code which reads the
// user info of a notification moves over by dropping two letters.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// In the user info of ``Foundation/NSNotification/Name/networkingTaskDidComplete``: the response's content as `Data`;
/// absent when there is none, and for downloads. AF: `AFNetworkingTaskDidCompleteResponseDataKey`.
public let NetworkingTaskDidCompleteResponseDataKey = "com.alamofire.networking.complete.finish.responsedata"

/// In the user info of ``Foundation/NSNotification/Name/networkingTaskDidComplete``: what the response serializer made of
/// the response; absent when that is nothing. AF: `AFNetworkingTaskDidCompleteSerializedResponseKey`.
public let NetworkingTaskDidCompleteSerializedResponseKey =
    "com.alamofire.networking.task.complete.serializedresponse"

/// In the user info of ``Foundation/NSNotification/Name/networkingTaskDidComplete``: the response serializer of the task.
/// AF: `AFNetworkingTaskDidCompleteResponseSerializerKey`.
public let NetworkingTaskDidCompleteResponseSerializerKey =
    "com.alamofire.networking.task.complete.responseserializer"

/// In the user info of ``Foundation/NSNotification/Name/networkingTaskDidComplete``: the `URL` of the file that a download
/// was moved to; absent for other tasks. AF: `AFNetworkingTaskDidCompleteAssetPathKey`.
public let NetworkingTaskDidCompleteAssetPathKey = "com.alamofire.networking.task.complete.assetpath"

/// In the user info of ``Foundation/NSNotification/Name/networkingTaskDidComplete``: the error; absent when there is none.
/// AF: `AFNetworkingTaskDidCompleteErrorKey`.
public let NetworkingTaskDidCompleteErrorKey = "com.alamofire.networking.task.complete.error"

/// In the user info of ``Foundation/NSNotification/Name/networkingTaskDidComplete``: the ``TransferMetrics`` of the task;
/// absent when nothing was sent. AF: `AFNetworkingTaskDidCompleteSessionTaskMetrics`, which is a `URLSessionTaskMetrics`.
public let NetworkingTaskDidCompleteSessionTaskMetrics = "com.alamofire.networking.complete.sessiontaskmetrics"

/// In the user info of the error of a download that could not be moved to its destination: the `URL` of the file that the
/// content is kept in. It is the caller's: move it, or remove it. AFNetworking has no such key, and loses the content.
public let NetworkingDownloadedFileURLErrorKey = "OperationNetworking.downloadedFileURL"
