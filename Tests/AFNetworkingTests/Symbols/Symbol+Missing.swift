// SPDX-License-Identifier: MIT

// What has no counterpart: nothing to compile.

extension Symbol {
    static var withoutCounterpart: [Symbol] {
        systemReachability + images + laterImages + userInterface + laterUserInterface
    }

    private static var systemReachability: [Symbol] {
        missing(
            "no SystemConfiguration: use managerForDomain: or managerForAddress:",
            "-[AFNetworkReachabilityManager initWithReachability:]")
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

    private static var laterImages: [Symbol] {
        missing(
            "no images: use AFHTTPResponseSerializer, and the data",
            "-[AFImageCache addImage:withIdentifier:]",
            "-[AFImageCache removeImageWithIdentifier:]",
            "-[AFImageCache removeAllImages]",
            "-[AFImageCache imageWithIdentifier:]",
            "AFImageRequestCache",
            "-[AFImageRequestCache shouldCacheImage:forRequest:withAdditionalIdentifier:]",
            "-[AFImageRequestCache addImage:forRequest:withAdditionalIdentifier:]",
            "-[AFImageRequestCache removeImageforRequest:withAdditionalIdentifier:]",
            "-[AFImageRequestCache imageforRequest:withAdditionalIdentifier:]",
            "AFAutoPurgingImageCache",
            "AFAutoPurgingImageCache.memoryCapacity",
            "AFAutoPurgingImageCache.preferredMemoryUsageAfterPurge",
            "AFAutoPurgingImageCache.memoryUsage",
            "-[AFAutoPurgingImageCache init]",
            "-[AFAutoPurgingImageCache initWithMemoryCapacity:preferredMemoryCapacity:]",
            "AFImageDownloadPrioritization",
            "AFImageDownloadPrioritizationFIFO",
            "AFImageDownloadPrioritizationLIFO",
            "AFImageDownloadReceipt",
            "AFImageDownloadReceipt.task",
            "AFImageDownloadReceipt.receiptID",
            "AFImageDownloader",
            "AFImageDownloader.imageCache",
            "AFImageDownloader.sessionManager",
            "AFImageDownloader.downloadPrioritization",
            "+[AFImageDownloader defaultInstance]",
            "+[AFImageDownloader defaultURLCache]",
            "+[AFImageDownloader defaultURLSessionConfiguration]",
            "-[AFImageDownloader init]",
            "-[AFImageDownloader initWithSessionConfiguration:]",
            "-[AFImageDownloader initWithSessionManager:downloadPrioritization:maximumActiveDownloads:imageCache:]",
            "-[AFImageDownloader downloadImageForURLRequest:success:failure:]",
            "-[AFImageDownloader downloadImageForURLRequest:withReceiptID:success:failure:]",
            "-[AFImageDownloader cancelTaskForImageDownloadReceipt:]",
            "AFImageDownloader.downloadPrioritizaton")
    }

    private static var laterUserInterface: [Symbol] {
        missing(
            "no UIKit and no WebKit",
            "+[UIButton sharedImageDownloader]",
            "+[UIButton setSharedImageDownloader:]",
            "-[UIButton cancelImageDownloadTaskForState:]",
            "-[UIButton cancelBackgroundImageDownloadTaskForState:]",
            "+[UIImageView sharedImageDownloader]",
            "+[UIImageView setSharedImageDownloader:]",
            "-[UIImageView cancelImageDownloadTask]",
            "WKWebView.sessionManager",
            "WKWebView.responseSerializer",
            "-[WKWebView loadRequest:navigation:progress:success:failure:]",
            "-[WKWebView loadRequest:navigation:MIMEType:textEncodingName:progress:success:failure:]",
            "UIWebView.sessionManager")
    }
}
