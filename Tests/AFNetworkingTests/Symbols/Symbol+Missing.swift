// What has no counterpart: nothing to compile.

extension Symbol {
    static var withoutCounterpart: [Symbol] {
        systemReachability + sessions + images + userInterface
    }

    private static var systemReachability: [Symbol] {
        missing(
            "no SystemConfiguration: use managerForDomain: or managerForAddress:",
            "-[AFNetworkReachabilityManager initWithReachability:]")
    }

    private static var sessions: [Symbol] {
        missing(
            "no session managers: use AFHTTPRequestOperationManager",
            "AFURLSessionManager",
            "AFURLSessionManager.session",
            "AFURLSessionManager.operationQueue",
            "AFURLSessionManager.responseSerializer",
            "AFURLSessionManager.securityPolicy",
            "AFURLSessionManager.reachabilityManager",
            "AFURLSessionManager.tasks",
            "AFURLSessionManager.dataTasks",
            "AFURLSessionManager.uploadTasks",
            "AFURLSessionManager.downloadTasks",
            "AFURLSessionManager.completionQueue",
            "AFURLSessionManager.completionGroup",
            "AFURLSessionManager.attemptsToRecreateUploadTasksForBackgroundSessions",
            "-[AFURLSessionManager initWithSessionConfiguration:]",
            "-[AFURLSessionManager invalidateSessionCancelingTasks:]",
            "-[AFURLSessionManager dataTaskWithRequest:completionHandler:]",
            "-[AFURLSessionManager uploadTaskWithRequest:fromFile:progress:completionHandler:]",
            "-[AFURLSessionManager uploadTaskWithRequest:fromData:progress:completionHandler:]",
            "-[AFURLSessionManager uploadTaskWithStreamedRequest:progress:completionHandler:]",
            "-[AFURLSessionManager downloadTaskWithRequest:progress:destination:completionHandler:]",
            "-[AFURLSessionManager downloadTaskWithResumeData:progress:destination:completionHandler:]",
            "-[AFURLSessionManager uploadProgressForTask:]",
            "-[AFURLSessionManager downloadProgressForTask:]",
            "-[AFURLSessionManager setSessionDidBecomeInvalidBlock:]",
            "-[AFURLSessionManager setSessionDidReceiveAuthenticationChallengeBlock:]",
            "-[AFURLSessionManager setTaskNeedNewBodyStreamBlock:]",
            "-[AFURLSessionManager setTaskWillPerformHTTPRedirectionBlock:]",
            "-[AFURLSessionManager setTaskDidReceiveAuthenticationChallengeBlock:]",
            "-[AFURLSessionManager setTaskDidSendBodyDataBlock:]",
            "-[AFURLSessionManager setTaskDidCompleteBlock:]",
            "-[AFURLSessionManager setDataTaskDidReceiveResponseBlock:]",
            "-[AFURLSessionManager setDataTaskDidBecomeDownloadTaskBlock:]",
            "-[AFURLSessionManager setDataTaskDidReceiveDataBlock:]",
            "-[AFURLSessionManager setDataTaskWillCacheResponseBlock:]",
            "-[AFURLSessionManager setDidFinishEventsForBackgroundURLSessionBlock:]",
            "-[AFURLSessionManager setDownloadTaskDidFinishDownloadingBlock:]",
            "-[AFURLSessionManager setDownloadTaskDidWriteDataBlock:]",
            "-[AFURLSessionManager setDownloadTaskDidResumeBlock:]",
            "AFNetworkingTaskDidStartNotification",
            "AFNetworkingTaskDidResumeNotification",
            "AFNetworkingTaskDidFinishNotification",
            "AFNetworkingTaskDidCompleteNotification",
            "AFNetworkingTaskDidSuspendNotification",
            "AFURLSessionDidInvalidateNotification",
            "AFURLSessionDownloadTaskDidFailToMoveFileNotification",
            "AFNetworkingTaskDidFinishResponseDataKey",
            "AFNetworkingTaskDidCompleteResponseDataKey",
            "AFNetworkingTaskDidFinishSerializedResponseKey",
            "AFNetworkingTaskDidCompleteSerializedResponseKey",
            "AFNetworkingTaskDidFinishResponseSerializerKey",
            "AFNetworkingTaskDidCompleteResponseSerializerKey",
            "AFNetworkingTaskDidFinishAssetPathKey",
            "AFNetworkingTaskDidCompleteAssetPathKey",
            "AFNetworkingTaskDidFinishErrorKey",
            "AFNetworkingTaskDidCompleteErrorKey",
            "AFHTTPSessionManager",
            "AFHTTPSessionManager.baseURL",
            "AFHTTPSessionManager.requestSerializer",
            "AFHTTPSessionManager.responseSerializer",
            "+[AFHTTPSessionManager manager]",
            "-[AFHTTPSessionManager initWithBaseURL:]",
            "-[AFHTTPSessionManager initWithBaseURL:sessionConfiguration:]",
            "-[AFHTTPSessionManager GET:parameters:success:failure:]",
            "-[AFHTTPSessionManager HEAD:parameters:success:failure:]",
            "-[AFHTTPSessionManager POST:parameters:success:failure:]",
            "-[AFHTTPSessionManager POST:parameters:constructingBodyWithBlock:success:failure:]",
            "-[AFHTTPSessionManager PUT:parameters:success:failure:]",
            "-[AFHTTPSessionManager PATCH:parameters:success:failure:]",
            "-[AFHTTPSessionManager DELETE:parameters:success:failure:]")
    }

    private static var images: [Symbol] {
        missing(
            "in the module AFNetworkingUIKit, because it needs an image library",
            "AFImageResponseSerializer",
            "AFImageResponseSerializer.imageScale",
            "AFImageResponseSerializer.automaticallyInflatesResponseImage")
    }

    private static var userInterface: [Symbol] {
        missing(
            "no UIKit: the module OperationNetworkingImages has bindings for views of any kind",
            "-[UIActivityIndicatorView setAnimatingWithStateOfTask:]",
            "-[UIActivityIndicatorView setAnimatingWithStateOfOperation:]",
            "+[UIAlertView showAlertViewForTaskWithErrorOnCompletion:delegate:]",
            "+[UIAlertView showAlertViewForTaskWithErrorOnCompletion:delegate:cancelButtonTitle:otherButtonTitles:]",
            "+[UIAlertView showAlertViewForRequestOperationWithErrorOnCompletion:delegate:]",
            "+[UIAlertView showAlertViewForRequestOperationWithErrorOnCompletion:delegate:cancelButtonTitle:otherButtonTitles:]",
            "UIButton.imageResponseSerializer",
            "+[UIButton sharedImageCache]",
            "+[UIButton setSharedImageCache:]",
            "-[UIButton setImageForState:withURL:]",
            "-[UIButton setImageForState:withURL:placeholderImage:]",
            "-[UIButton setImageForState:withURLRequest:placeholderImage:success:failure:]",
            "-[UIButton setBackgroundImageForState:withURL:]",
            "-[UIButton setBackgroundImageForState:withURL:placeholderImage:]",
            "-[UIButton setBackgroundImageForState:withURLRequest:placeholderImage:success:failure:]",
            "-[UIButton cancelImageRequestOperationForState:]",
            "-[UIButton cancelBackgroundImageRequestOperationForState:]",
            "+[UIImage safeImageWithData:]",
            "AFImageCache",
            "-[AFImageCache cachedImageForRequest:]",
            "-[AFImageCache cacheImage:forRequest:]",
            "UIImageView.imageResponseSerializer",
            "+[UIImageView sharedImageCache]",
            "+[UIImageView setSharedImageCache:]",
            "-[UIImageView setImageWithURL:]",
            "-[UIImageView setImageWithURL:placeholderImage:]",
            "-[UIImageView setImageWithURLRequest:placeholderImage:success:failure:]",
            "-[UIImageView cancelImageRequestOperation]",
            "-[UIProgressView setProgressWithUploadProgressOfTask:animated:]",
            "-[UIProgressView setProgressWithDownloadProgressOfTask:animated:]",
            "-[UIProgressView setProgressWithUploadProgressOfOperation:animated:]",
            "-[UIProgressView setProgressWithDownloadProgressOfOperation:animated:]",
            "-[UIRefreshControl setRefreshingWithStateOfTask:]",
            "-[UIRefreshControl setRefreshingWithStateOfOperation:]",
            "UIWebView.requestSerializer",
            "UIWebView.responseSerializer",
            "-[UIWebView loadRequest:progress:success:failure:]",
            "-[UIWebView loadRequest:MIMEType:textEncodingName:progress:success:failure:]")
    }
}
