// SPDX-License-Identifier: MIT
import AFNetworkingUIKit
import Foundation

// What stands on types of UIKit and WebKit: a binding does it, for a view of any kind.

extension Symbol {
    static var views: [Symbol] { indicators + alerts + buttons + imageViews + webViews }

    private static var indicators: [Symbol] {
        expressed(
            as: "ActivityBinding.setAnimatingWithState(of:)",
            symbols: [
                "-[UIActivityIndicatorView setAnimatingWithStateOfTask:]",
                "-[UIActivityIndicatorView setAnimatingWithStateOfOperation:]",
            ]
        ) { @MainActor (binding: ActivityBinding, manager: AFURLSessionManager, task: URLSessionTask) in
            binding.setAnimatingWithState(of: manager.operation(for: task))
        }
            + expressed(
                as: "RefreshBinding.setRefreshingWithState(of:)",
                symbols: [
                    "-[UIRefreshControl setRefreshingWithStateOfTask:]",
                    "-[UIRefreshControl setRefreshingWithStateOfOperation:]",
                ]
            ) { @MainActor (binding: RefreshBinding, operation: AFURLConnectionOperation) in
                binding.setRefreshingWithState(of: operation)
            }
            + expressed(
                as: "ProgressBinding.setProgressWithUploadProgress(of:animated:)",
                symbols: [
                    "-[UIProgressView setProgressWithUploadProgressOfTask:animated:]",
                    "-[UIProgressView setProgressWithUploadProgressOfOperation:animated:]",
                ]
            ) { @MainActor (binding: ProgressBinding, operation: AFURLConnectionOperation) in
                binding.setProgressWithUploadProgress(of: operation, animated: true)
            }
            + expressed(
                as: "ProgressBinding.setProgressWithDownloadProgress(of:animated:)",
                symbols: [
                    "-[UIProgressView setProgressWithDownloadProgressOfTask:animated:]",
                    "-[UIProgressView setProgressWithDownloadProgressOfOperation:animated:]",
                ]
            ) { @MainActor (binding: ProgressBinding, operation: AFURLConnectionOperation) in
                binding.setProgressWithDownloadProgress(of: operation, animated: true)
            }
    }

    private static var alerts: [Symbol] {
        expressed(
            as: "ErrorBinding.showError(of:)",
            symbols: [
                "+[UIAlertView showAlertViewForTaskWithErrorOnCompletion:delegate:]",
                "+[UIAlertView showAlertViewForTaskWithErrorOnCompletion:delegate:cancelButtonTitle:otherButtonTitles:]",
                "+[UIAlertView showAlertViewForRequestOperationWithErrorOnCompletion:delegate:]",
                "+[UIAlertView showAlertViewForRequestOperationWithErrorOnCompletion:delegate:cancelButtonTitle:otherButtonTitles:]",
            ]
        ) { @MainActor (binding: ErrorBinding, operation: AFURLConnectionOperation) in
            binding.showError(of: operation)
        }
    }

    private static var buttons: [Symbol] {
        expressed(
            as: "ButtonBinding.imageDownloader",
            symbols: [
                "UIButton.imageResponseSerializer", "+[UIButton sharedImageCache]",
                "+[UIButton setSharedImageCache:]", "+[UIButton sharedImageDownloader]",
                "+[UIButton setSharedImageDownloader:]",
            ]
        ) { @MainActor (binding: ButtonBinding, manager: AFHTTPSessionManager, cache: any AFImageRequestCache) in
            manager.responseSerializer = AFImageResponseSerializer()
            binding.imageDownloader = AFImageDownloader(sessionManager: manager, imageCache: cache)
        }
            + expressed(
                as: "ButtonBinding.setImage(for:with:placeholderImage:success:failure:)",
                symbols: [
                    "-[UIButton setImageForState:withURL:]", "-[UIButton setImageForState:withURL:placeholderImage:]",
                    "-[UIButton setImageForState:withURLRequest:placeholderImage:success:failure:]",
                ]
            ) { @MainActor (binding: ButtonBinding, url: URL, image: Image) in
                binding.setImage(for: .normal, with: URLRequest(url: url))
                binding.setImage(
                    for: .normal, with: URLRequest(url: url), placeholderImage: image, success: { _, _, _ in },
                    failure: { _, _, _ in })
            }
            + expressed(
                as: "ButtonBinding.setBackgroundImage(for:with:placeholderImage:success:failure:)",
                symbols: [
                    "-[UIButton setBackgroundImageForState:withURL:]",
                    "-[UIButton setBackgroundImageForState:withURL:placeholderImage:]",
                    "-[UIButton setBackgroundImageForState:withURLRequest:placeholderImage:success:failure:]",
                ]
            ) { @MainActor (binding: ButtonBinding, url: URL, image: Image) in
                binding.setBackgroundImage(for: .normal, with: URLRequest(url: url))
                binding.setBackgroundImage(
                    for: .normal, with: URLRequest(url: url), placeholderImage: image, success: { _, _, _ in },
                    failure: { _, _, _ in })
            }
            + expressed(
                as: "ButtonBinding.cancelImageDownloadTask(for:)",
                symbols: [
                    "-[UIButton cancelImageRequestOperationForState:]", "-[UIButton cancelImageDownloadTaskForState:]",
                ]
            ) { @MainActor (binding: ButtonBinding) in binding.cancelImageDownloadTask(for: .normal) }
            + expressed(
                as: "ButtonBinding.cancelBackgroundImageDownloadTask(for:)",
                symbols: [
                    "-[UIButton cancelBackgroundImageRequestOperationForState:]",
                    "-[UIButton cancelBackgroundImageDownloadTaskForState:]",
                ]
            ) { @MainActor (binding: ButtonBinding) in binding.cancelBackgroundImageDownloadTask(for: .normal) }
    }

    private static var imageViews: [Symbol] {
        expressed(as: "Image.init(data:)", symbols: ["+[UIImage safeImageWithData:]"]) { (data: Data) in
            _ = try Image(data: data)
        }
            + expressed(
                as: "AFImageRequestCache.image(for:)", symbols: ["-[AFImageCache cachedImageForRequest:]"]
            ) { (cache: any AFImageRequestCache, request: URLRequest) in _ = cache.image(for: request) }
            + expressed(
                as: "AFImageRequestCache.add(_:for:)", symbols: ["-[AFImageCache cacheImage:forRequest:]"]
            ) { (cache: any AFImageRequestCache, image: Image, request: URLRequest) in cache.add(image, for: request) }
            + expressed(
                as: "ImageViewBinding.imageDownloader",
                symbols: [
                    "UIImageView.imageResponseSerializer", "+[UIImageView sharedImageCache]",
                    "+[UIImageView setSharedImageCache:]", "+[UIImageView sharedImageDownloader]",
                    "+[UIImageView setSharedImageDownloader:]",
                ]
            ) { @MainActor (binding: ImageViewBinding, downloader: AFImageDownloader) in
                binding.imageDownloader = downloader
            }
            + expressed(
                as: "ImageViewBinding.setImage(with:placeholderImage:)",
                symbols: ["-[UIImageView setImageWithURL:]", "-[UIImageView setImageWithURL:placeholderImage:]"]
            ) { @MainActor (binding: ImageViewBinding, url: URL, image: Image) in
                binding.setImage(with: url)
                binding.setImage(with: url, placeholderImage: image)
            }
            + expressed(
                as: "ImageViewBinding.setImage(with:placeholderImage:success:failure:)",
                symbols: ["-[UIImageView setImageWithURLRequest:placeholderImage:success:failure:]"]
            ) { @MainActor (binding: ImageViewBinding, request: URLRequest) in
                binding.setImage(
                    with: request, placeholderImage: nil, success: { _, _, _ in }, failure: { _, _, _ in })
            }
            + expressed(
                as: "ImageViewBinding.cancelImageDownloadTask()",
                symbols: ["-[UIImageView cancelImageRequestOperation]", "-[UIImageView cancelImageDownloadTask]"]
            ) { @MainActor (binding: ImageViewBinding) in binding.cancelImageDownloadTask() }
    }

    private static var webViews: [Symbol] {
        expressed(
            as: "WebViewBinding.manager",
            symbols: [
                "UIWebView.requestSerializer", "UIWebView.responseSerializer", "UIWebView.sessionManager",
                "WKWebView.sessionManager", "WKWebView.responseSerializer",
            ]
        ) { @MainActor (binding: WebViewBinding) in
            binding.manager.requestSerializer = AFHTTPRequestSerializer()
        }
            + expressed(
                as: "WebViewBinding.load(_:progress:transform:failure:)",
                symbols: [
                    "-[UIWebView loadRequest:progress:success:failure:]",
                    "-[WKWebView loadRequest:navigation:progress:success:failure:]",
                ]
            ) { @MainActor (binding: WebViewBinding, request: URLRequest) in
                binding.load(request, progress: { _, _ in }, transform: { $1 }, failure: { _ in })
            }
            + expressed(
                as: "WebViewBinding.load(_:mimeType:characterEncodingName:progress:transform:failure:)",
                symbols: [
                    "-[UIWebView loadRequest:MIMEType:textEncodingName:progress:success:failure:]",
                    "-[WKWebView loadRequest:navigation:MIMEType:textEncodingName:progress:success:failure:]",
                ]
            ) { @MainActor (binding: WebViewBinding, request: URLRequest) in
                binding.load(
                    request, mimeType: "text/html", characterEncodingName: "utf-8", transform: { $1 },
                    failure: { _ in })
            }
    }
}
