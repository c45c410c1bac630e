// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking

// The selectors of uploads and downloads as AFNetworking 3 has them, with a block for the progress.

extension URLSessionManager {
    /// `uploadTask(with:fromFile:progress:completionHandler:)`, as Swift 2 has it.
    @preconcurrency
    public func uploadTaskWithRequest(
        _ request: URLRequest, fromFile fileURL: URL, progress: (@Sendable (Progress) -> Void)?,
        completionHandler: (@Sendable (URLResponse, AnyObject?, NSError?) -> Void)?
    ) -> URLSessionUploadTask {
        uploadTask(
            with: request, fromFile: fileURL, progress: progress,
            completionHandler: Forward.completion(completionHandler))
    }

    /// `uploadTask(with:from:progress:completionHandler:)`, as Swift 2 has it.
    @preconcurrency
    public func uploadTaskWithRequest(
        _ request: URLRequest, fromData bodyData: Data?, progress: (@Sendable (Progress) -> Void)?,
        completionHandler: (@Sendable (URLResponse, AnyObject?, NSError?) -> Void)?
    ) -> URLSessionUploadTask {
        uploadTask(
            with: request, from: bodyData, progress: progress,
            completionHandler: Forward.completion(completionHandler))
    }

    /// `uploadTask(withStreamedRequest:progress:completionHandler:)`, as Swift 2 has it.
    @preconcurrency
    public func uploadTaskWithStreamedRequest(
        _ request: URLRequest, progress: (@Sendable (Progress) -> Void)?,
        completionHandler: (@Sendable (URLResponse, AnyObject?, NSError?) -> Void)?
    ) -> URLSessionUploadTask {
        uploadTask(
            withStreamedRequest: request, progress: progress,
            completionHandler: Forward.completion(completionHandler))
    }

    /// `downloadTask(with:progress:destination:completionHandler:)`, as Swift 2 has it.
    @preconcurrency
    public func downloadTaskWithRequest(
        _ request: URLRequest, progress: (@Sendable (Progress) -> Void)?,
        destination: (@Sendable (URL, URLResponse) -> URL)?,
        completionHandler: (@Sendable (URLResponse, URL?, NSError?) -> Void)?
    ) -> URLSessionDownloadTask {
        downloadTask(
            with: request, progress: progress, destination: destination,
            completionHandler: Forward.completion(completionHandler))
    }

    /// `downloadTask(withResumeData:progress:destination:completionHandler:)`, as Swift 2 has it.
    @preconcurrency
    public func downloadTaskWithResumeData(
        _ resumeData: Data, progress: (@Sendable (Progress) -> Void)?,
        destination: (@Sendable (URL, URLResponse) -> URL)?,
        completionHandler: (@Sendable (URLResponse, URL?, NSError?) -> Void)?
    ) -> URLSessionDownloadTask {
        downloadTask(
            withResumeData: resumeData, progress: progress, destination: destination,
            completionHandler: Forward.completion(completionHandler))
    }
}

// For Objective-C's request classes, which are what request serializers make in Swift 1 and 2.
extension URLSessionManager {
    /// `uploadTask(with:fromFile:progress:completionHandler:)`, as Swift 2 has it.
    @preconcurrency
    public func uploadTaskWithRequest(
        _ request: NSURLRequest, fromFile fileURL: URL, progress: (@Sendable (Progress) -> Void)?,
        completionHandler: (@Sendable (URLResponse, AnyObject?, NSError?) -> Void)?
    ) -> URLSessionUploadTask {
        uploadTask(
            with: Forward.request(request), fromFile: fileURL, progress: progress,
            completionHandler: Forward.completion(completionHandler))
    }

    /// `uploadTask(with:from:progress:completionHandler:)`, as Swift 2 has it.
    @preconcurrency
    public func uploadTaskWithRequest(
        _ request: NSURLRequest, fromData bodyData: Data?, progress: (@Sendable (Progress) -> Void)?,
        completionHandler: (@Sendable (URLResponse, AnyObject?, NSError?) -> Void)?
    ) -> URLSessionUploadTask {
        uploadTask(
            with: Forward.request(request), from: bodyData, progress: progress,
            completionHandler: Forward.completion(completionHandler))
    }

    /// `uploadTask(withStreamedRequest:progress:completionHandler:)`, as Swift 2 has it.
    @preconcurrency
    public func uploadTaskWithStreamedRequest(
        _ request: NSURLRequest, progress: (@Sendable (Progress) -> Void)?,
        completionHandler: (@Sendable (URLResponse, AnyObject?, NSError?) -> Void)?
    ) -> URLSessionUploadTask {
        uploadTask(
            withStreamedRequest: Forward.request(request), progress: progress,
            completionHandler: Forward.completion(completionHandler))
    }

    /// `downloadTask(with:progress:destination:completionHandler:)`, as Swift 2 has it.
    @preconcurrency
    public func downloadTaskWithRequest(
        _ request: NSURLRequest, progress: (@Sendable (Progress) -> Void)?,
        destination: (@Sendable (URL, URLResponse) -> URL)?,
        completionHandler: (@Sendable (URLResponse, URL?, NSError?) -> Void)?
    ) -> URLSessionDownloadTask {
        downloadTask(
            with: Forward.request(request), progress: progress, destination: destination,
            completionHandler: Forward.completion(completionHandler))
    }
}
