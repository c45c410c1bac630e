// SPDX-License-Identifier: MIT
import AFNetworking

private typealias Manager = AFURLSessionManager

extension Symbol {
    static var sessionBlocks: [Symbol] {
        [
            available(
                "-[AFURLSessionManager setSessionDidBecomeInvalidBlock:]",
                "setSessionDidBecomeInvalidBlock(_:)", "setSessionDidBecomeInvalid(_:)"
            ) { (manager: Manager) in
                manager.setSessionDidBecomeInvalidBlock(nil)
                manager.setSessionDidBecomeInvalid { (_: URLSession, _: (any Error)?) in }
            },
            available(
                "-[AFURLSessionManager setSessionDidReceiveAuthenticationChallengeBlock:]",
                "setSessionDidReceiveAuthenticationChallengeBlock(_:)",
                "setSessionDidReceiveAuthenticationChallenge(_:)"
            ) { (manager: Manager) in
                manager.setSessionDidReceiveAuthenticationChallengeBlock(nil)
                manager.setSessionDidReceiveAuthenticationChallenge {
                    (
                        _: URLSession, _: URLAuthenticationChallenge,
                        _: AutoreleasingUnsafeMutablePointer<URLCredential?>?
                    )
                        -> URLSession.AuthChallengeDisposition in .performDefaultHandling
                }
            },
            available(
                "-[AFURLSessionManager setTaskDidReceiveAuthenticationChallengeBlock:]",
                "setTaskDidReceiveAuthenticationChallengeBlock(_:)",
                "setTaskDidReceiveAuthenticationChallenge(_:)"
            ) { (manager: Manager) in
                manager.setTaskDidReceiveAuthenticationChallengeBlock(nil)
                manager.setTaskDidReceiveAuthenticationChallenge {
                    (
                        _: URLSession, _: URLSessionTask, _: URLAuthenticationChallenge,
                        _: AutoreleasingUnsafeMutablePointer<URLCredential?>?
                    ) -> URLSession.AuthChallengeDisposition in .performDefaultHandling
                }
            },
            available(
                "-[AFURLSessionManager setTaskNeedNewBodyStreamBlock:]",
                "setTaskNeedNewBodyStreamBlock(_:)", "setTaskNeedNewBodyStream(_:)"
            ) { (manager: Manager) in
                manager.setTaskNeedNewBodyStreamBlock(nil)
                manager.setTaskNeedNewBodyStream { (_: URLSession, _: URLSessionTask) -> InputStream? in nil
                }
            },
            available(
                "-[AFURLSessionManager setTaskWillPerformHTTPRedirectionBlock:]",
                "setTaskWillPerformHTTPRedirectionBlock(_:)", "setTaskWillPerformHTTPRedirection(_:)"
            ) { (manager: Manager) in
                manager.setTaskWillPerformHTTPRedirectionBlock(nil)
                manager.setTaskWillPerformHTTPRedirection {
                    (_: URLSession, _: URLSessionTask, _: URLResponse, request: URLRequest) -> URLRequest in
                    request
                }
            },
            available(
                "-[AFURLSessionManager setTaskDidSendBodyDataBlock:]", "setTaskDidSendBodyDataBlock(_:)",
                "setTaskDidSendBodyData(_:)"
            ) { (manager: Manager) in
                manager.setTaskDidSendBodyDataBlock(nil)
                manager.setTaskDidSendBodyData {
                    (_: URLSession, _: URLSessionTask, _: Int64, _: Int64, _: Int64) in
                }
            },
            available(
                "-[AFURLSessionManager setTaskDidCompleteBlock:]", "setTaskDidCompleteBlock(_:)",
                "setTaskDidComplete(_:)"
            ) { (manager: Manager) in
                manager.setTaskDidCompleteBlock(nil)
                manager.setTaskDidComplete { (_: URLSession, _: URLSessionTask, _: (any Error)?) in }
            },
            available(
                "-[AFURLSessionManager setTaskDidFinishCollectingMetricsBlock:]",
                "setTaskDidFinishCollectingMetricsBlock(_:)", "setTaskDidFinishCollectingMetrics(_:)"
            ) { (manager: Manager) in
                manager.setTaskDidFinishCollectingMetricsBlock(nil)
                manager.setTaskDidFinishCollectingMetrics {
                    (_: URLSession, _: URLSessionTask, _: URLSessionTaskMetrics?) in
                }
            },
            available(
                "-[AFURLSessionManager setDataTaskDidReceiveResponseBlock:]",
                "setDataTaskDidReceiveResponseBlock(_:)", "setDataTaskDidReceiveResponse(_:)"
            ) { (manager: Manager) in
                manager.setDataTaskDidReceiveResponseBlock(nil)
                manager.setDataTaskDidReceiveResponse {
                    (_: URLSession, _: URLSessionDataTask, _: URLResponse) -> URLSession.ResponseDisposition
                    in .allow
                }
            },
            available(
                "-[AFURLSessionManager setDataTaskDidBecomeDownloadTaskBlock:]",
                "setDataTaskDidBecomeDownloadTaskBlock(_:)", "setDataTaskDidBecomeDownloadTask(_:)"
            ) { (manager: Manager) in
                manager.setDataTaskDidBecomeDownloadTaskBlock(nil)
                manager.setDataTaskDidBecomeDownloadTask {
                    (_: URLSession, _: URLSessionDataTask, _: URLSessionDownloadTask) in
                }
            },
            available(
                "-[AFURLSessionManager setDataTaskDidReceiveDataBlock:]",
                "setDataTaskDidReceiveDataBlock(_:)", "setDataTaskDidReceiveData(_:)"
            ) { (manager: Manager) in
                manager.setDataTaskDidReceiveDataBlock(nil)
                manager.setDataTaskDidReceiveData { (_: URLSession, _: URLSessionDataTask, _: Data) in }
            },
            available(
                "-[AFURLSessionManager setDataTaskWillCacheResponseBlock:]",
                "setDataTaskWillCacheResponseBlock(_:)", "setDataTaskWillCacheResponse(_:)"
            ) { (manager: Manager) in
                manager.setDataTaskWillCacheResponseBlock(nil)
                manager.setDataTaskWillCacheResponse {
                    (_: URLSession, _: URLSessionDataTask, response: CachedURLResponse) -> CachedURLResponse
                    in response
                }
            },
            available(
                "-[AFURLSessionManager setDidFinishEventsForBackgroundURLSessionBlock:]",
                "setDidFinishEventsForBackgroundURLSessionBlock(_:)",
                "setDidFinishEventsForBackgroundURLSession(_:)",
                note: "Never called: no background sessions."
            ) { (manager: Manager) in
                manager.setDidFinishEventsForBackgroundURLSessionBlock(nil)
                manager.setDidFinishEventsForBackgroundURLSession { (_: URLSession) in }
            },
            available(
                "-[AFURLSessionManager setDownloadTaskDidFinishDownloadingBlock:]",
                "setDownloadTaskDidFinishDownloadingBlock(_:)", "setDownloadTaskDidFinishDownloading(_:)"
            ) { (manager: Manager) in
                manager.setDownloadTaskDidFinishDownloadingBlock(nil)
                manager.setDownloadTaskDidFinishDownloading {
                    (_: URLSession, _: URLSessionDownloadTask, _: URL) -> URL? in nil
                }
            },
            available(
                "-[AFURLSessionManager setDownloadTaskDidWriteDataBlock:]",
                "setDownloadTaskDidWriteDataBlock(_:)", "setDownloadTaskDidWriteData(_:)"
            ) { (manager: Manager) in
                manager.setDownloadTaskDidWriteDataBlock(nil)
                manager.setDownloadTaskDidWriteData {
                    (_: URLSession, _: URLSessionDownloadTask, _: Int64, _: Int64, _: Int64) in
                }
            },
            available(
                "-[AFURLSessionManager setDownloadTaskDidResumeBlock:]",
                "setDownloadTaskDidResumeBlock(_:)", "setDownloadTaskDidResume(_:)"
            ) { (manager: Manager) in
                manager.setDownloadTaskDidResumeBlock(nil)
                manager.setDownloadTaskDidResume {
                    (_: URLSession, _: URLSessionDownloadTask, _: Int64, _: Int64) in
                }
            },
            available(
                "-[AFURLSessionManager setAuthenticationChallengeHandler:]",
                "setAuthenticationChallengeHandler(_:)"
            ) {
                (manager: Manager) in
                manager.setAuthenticationChallengeHandler {
                    (_: URLSession, _: URLSessionTask, challenge: URLAuthenticationChallenge, reply) -> Any in
                    reply(.performDefaultHandling, nil)
                    return challenge.previousFailureCount
                }
            },
        ]
    }

    static var sessionConstants: [Symbol] {
        notifications + keys
    }

    private static var notifications: [Symbol] {
        [
            available(
                "AFNetworkingTaskDidResumeNotification", "AFNetworkingTaskDidResumeNotification",
                "AFNetworkingTaskDidResume"
            ) { (_: Void) in
                _ =
                    Notification.Name(rawValue: AFNetworkingTaskDidResumeNotification)
                    == .AFNetworkingTaskDidResume
            },
            available(
                "AFNetworkingTaskDidStartNotification", "AFNetworkingTaskDidStartNotification",
                "AFNetworkingTaskDidStart"
            ) { (_: Void) in
                _ =
                    Notification.Name(rawValue: AFNetworkingTaskDidStartNotification)
                    == .AFNetworkingTaskDidStart
            },
            available(
                "AFNetworkingTaskDidSuspendNotification", "AFNetworkingTaskDidSuspendNotification",
                "AFNetworkingTaskDidSuspend"
            ) { (_: Void) in
                _ =
                    Notification.Name(rawValue: AFNetworkingTaskDidSuspendNotification)
                    == .AFNetworkingTaskDidSuspend
            },
            available(
                "AFNetworkingTaskDidCompleteNotification", "AFNetworkingTaskDidCompleteNotification",
                "AFNetworkingTaskDidComplete"
            ) { (_: Void) in
                _ =
                    Notification.Name(rawValue: AFNetworkingTaskDidCompleteNotification)
                    == .AFNetworkingTaskDidComplete
            },
            available(
                "AFNetworkingTaskDidFinishNotification", "AFNetworkingTaskDidFinishNotification",
                "AFNetworkingTaskDidFinish"
            ) { (_: Void) in
                _ =
                    Notification.Name(rawValue: AFNetworkingTaskDidFinishNotification)
                    == .AFNetworkingTaskDidFinish
            },
            available(
                "AFURLSessionDidInvalidateNotification", "AFURLSessionDidInvalidateNotification",
                "AFURLSessionDidInvalidate"
            ) { (_: Void) in
                _ =
                    Notification.Name(rawValue: AFURLSessionDidInvalidateNotification)
                    == .AFURLSessionDidInvalidate
            },
            available(
                "AFURLSessionDownloadTaskDidFailToMoveFileNotification",
                "AFURLSessionDownloadTaskDidFailToMoveFileNotification",
                "AFURLSessionDownloadTaskDidFailToMoveFile"
            ) { (_: Void) in
                _ =
                    Notification.Name(rawValue: AFURLSessionDownloadTaskDidFailToMoveFileNotification)
                    == .AFURLSessionDownloadTaskDidFailToMoveFile
            },
            available(
                "AFURLSessionDownloadTaskDidMoveFileSuccessfullyNotification",
                "AFURLSessionDownloadTaskDidMoveFileSuccessfullyNotification",
                "AFURLSessionDownloadTaskDidMoveFileSuccessfully"
            ) { (_: Void) in
                _ =
                    Notification.Name(rawValue: AFURLSessionDownloadTaskDidMoveFileSuccessfullyNotification)
                    == .AFURLSessionDownloadTaskDidMoveFileSuccessfully
            },
        ]
    }

    private static var keys: [Symbol] {
        [
            available(
                "AFNetworkingTaskDidCompleteResponseDataKey", "AFNetworkingTaskDidCompleteResponseDataKey"
            ) { (note: Notification) in _ = note.userInfo?[AFNetworkingTaskDidCompleteResponseDataKey] },
            available(
                "AFNetworkingTaskDidFinishResponseDataKey", "AFNetworkingTaskDidFinishResponseDataKey"
            ) { (note: Notification) in _ = note.userInfo?[AFNetworkingTaskDidFinishResponseDataKey] },
            available(
                "AFNetworkingTaskDidCompleteSerializedResponseKey",
                "AFNetworkingTaskDidCompleteSerializedResponseKey"
            ) { (note: Notification) in
                _ = note.userInfo?[AFNetworkingTaskDidCompleteSerializedResponseKey]
            },
            available(
                "AFNetworkingTaskDidFinishSerializedResponseKey",
                "AFNetworkingTaskDidFinishSerializedResponseKey"
            ) { (note: Notification) in _ = note.userInfo?[AFNetworkingTaskDidFinishSerializedResponseKey]
            },
            available(
                "AFNetworkingTaskDidCompleteResponseSerializerKey",
                "AFNetworkingTaskDidCompleteResponseSerializerKey"
            ) { (note: Notification) in
                _ = note.userInfo?[AFNetworkingTaskDidCompleteResponseSerializerKey]
            },
            available(
                "AFNetworkingTaskDidFinishResponseSerializerKey",
                "AFNetworkingTaskDidFinishResponseSerializerKey"
            ) { (note: Notification) in _ = note.userInfo?[AFNetworkingTaskDidFinishResponseSerializerKey]
            },
            available(
                "AFNetworkingTaskDidCompleteAssetPathKey", "AFNetworkingTaskDidCompleteAssetPathKey"
            ) { (note: Notification) in _ = note.userInfo?[AFNetworkingTaskDidCompleteAssetPathKey] },
            available("AFNetworkingTaskDidFinishAssetPathKey", "AFNetworkingTaskDidFinishAssetPathKey") {
                (note: Notification) in _ = note.userInfo?[AFNetworkingTaskDidFinishAssetPathKey]
            },
            available("AFNetworkingTaskDidCompleteErrorKey", "AFNetworkingTaskDidCompleteErrorKey") {
                (note: Notification) in _ = note.userInfo?[AFNetworkingTaskDidCompleteErrorKey]
            },
            available("AFNetworkingTaskDidFinishErrorKey", "AFNetworkingTaskDidFinishErrorKey") {
                (note: Notification) in _ = note.userInfo?[AFNetworkingTaskDidFinishErrorKey]
            },
            available(
                "AFNetworkingTaskDidCompleteSessionTaskMetrics",
                "AFNetworkingTaskDidCompleteSessionTaskMetrics",
                note: "The value is a TransferMetrics."
            ) { (note: Notification) in _ = note.userInfo?[AFNetworkingTaskDidCompleteSessionTaskMetrics]
            },
        ]
    }
}
