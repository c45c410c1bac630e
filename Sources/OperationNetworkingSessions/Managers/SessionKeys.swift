// SPDX-License-Identifier: MIT
internal import OperationNetworkingCore

// The names are AFNetworking's without their prefix, upper-case initial included, so that code which reads the
// user info of a notification moves over by dropping two letters.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The key of the response's content as `Data`, in the user info of
/// ``Foundation/NSNotification/Name/networkingTaskDidComplete``. Absent without content, and for downloads. AF:
/// `AFNetworkingTaskDidCompleteResponseDataKey`.
public let NetworkingTaskDidCompleteResponseDataKey = "com.alamofire.networking.complete.finish.responsedata"

/// The key of the object that the response serializer made of the response, in the user info of
/// ``Foundation/NSNotification/Name/networkingTaskDidComplete``. Absent without an object. AF:
/// `AFNetworkingTaskDidCompleteSerializedResponseKey`.
public let NetworkingTaskDidCompleteSerializedResponseKey =
    "com.alamofire.networking.task.complete.serializedresponse"

/// The key of the response serializer of the task, in the user info of
/// ``Foundation/NSNotification/Name/networkingTaskDidComplete``. AF:
/// `AFNetworkingTaskDidCompleteResponseSerializerKey`.
public let NetworkingTaskDidCompleteResponseSerializerKey =
    "com.alamofire.networking.task.complete.responseserializer"

/// The key of the `URL` of the file that a download was moved to, in the user info of
/// ``Foundation/NSNotification/Name/networkingTaskDidComplete``. Absent for other tasks. AF:
/// `AFNetworkingTaskDidCompleteAssetPathKey`.
public let NetworkingTaskDidCompleteAssetPathKey = "com.alamofire.networking.task.complete.assetpath"

/// The key of the error, in the user info of ``Foundation/NSNotification/Name/networkingTaskDidComplete``. Absent
/// without an error. AF: `AFNetworkingTaskDidCompleteErrorKey`.
public let NetworkingTaskDidCompleteErrorKey = "com.alamofire.networking.task.complete.error"

/// The key of the `URLSessionTaskMetrics` of the task, in the user info of
/// ``Foundation/NSNotification/Name/networkingTaskDidComplete``. Absent when nothing was sent. AF:
/// `AFNetworkingTaskDidCompleteSessionTaskMetrics`.
public let NetworkingTaskDidCompleteSessionTaskMetrics = "com.alamofire.networking.complete.sessiontaskmetrics"

/// The key of the `URL` of the file that the content is kept in, in the user info of the error of a download that could
/// not be moved to its destination. It is the caller's: move it, or remove it. AFNetworking has no such key, and loses
/// the content.
public let NetworkingDownloadedFileURLErrorKey = "OperationNetworking.downloadedFileURL"
