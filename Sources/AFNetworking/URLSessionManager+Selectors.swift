// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking

// The names of Swift 1 and 2, which are the selectors, as AFNetworking 2 has them: those with a pointer for the progress
// give way to those with a block, which AFNetworking 3 has.

extension URLSessionManager {
    /// `dataTask(with:uploadProgress:downloadProgress:completionHandler:)`, as Swift 1 and 2 have it.
    @preconcurrency
    public func dataTaskWithRequest(
        _ request: URLRequest, completionHandler: (@Sendable (URLResponse, AnyObject?, NSError?) -> Void)?
    ) -> URLSessionDataTask {
        dataTask(
            with: request, uploadProgress: nil, downloadProgress: nil,
            completionHandler: Forward.completion(completionHandler))
    }

    /// `dataTask(with:uploadProgress:downloadProgress:completionHandler:)`, as Swift 2 has it.
    @preconcurrency
    public func dataTaskWithRequest(
        _ request: URLRequest, uploadProgress: (@Sendable (Progress) -> Void)?,
        downloadProgress: (@Sendable (Progress) -> Void)?,
        completionHandler: (@Sendable (URLResponse, AnyObject?, NSError?) -> Void)?
    ) -> URLSessionDataTask {
        dataTask(
            with: request, uploadProgress: uploadProgress, downloadProgress: downloadProgress,
            completionHandler: Forward.completion(completionHandler))
    }

    /// `uploadTask(with:fromFile:progress:completionHandler:)`, as Swift 1 and 2 have it.
    @_disfavoredOverload
    @preconcurrency
    public func uploadTaskWithRequest(
        _ request: URLRequest, fromFile fileURL: URL, progress: UnsafeMutablePointer<Progress?>?,
        completionHandler: (@Sendable (URLResponse, AnyObject?, NSError?) -> Void)?
    ) -> URLSessionUploadTask {
        uploadTask(
            with: request, fromFile: fileURL, progress: progress,
            completionHandler: Forward.completion(completionHandler))
    }

    /// `uploadTask(with:from:progress:completionHandler:)`, as Swift 1 and 2 have it.
    @_disfavoredOverload
    @preconcurrency
    public func uploadTaskWithRequest(
        _ request: URLRequest, fromData bodyData: Data?, progress: UnsafeMutablePointer<Progress?>?,
        completionHandler: (@Sendable (URLResponse, AnyObject?, NSError?) -> Void)?
    ) -> URLSessionUploadTask {
        uploadTask(
            with: request, from: bodyData, progress: progress,
            completionHandler: Forward.completion(completionHandler))
    }

    /// `uploadTask(withStreamedRequest:progress:completionHandler:)`, as Swift 1 and 2 have it.
    @_disfavoredOverload
    @preconcurrency
    public func uploadTaskWithStreamedRequest(
        _ request: URLRequest, progress: UnsafeMutablePointer<Progress?>?,
        completionHandler: (@Sendable (URLResponse, AnyObject?, NSError?) -> Void)?
    ) -> URLSessionUploadTask {
        uploadTask(
            withStreamedRequest: request, progress: progress,
            completionHandler: Forward.completion(completionHandler))
    }

    /// `downloadTask(with:progress:destination:completionHandler:)`, as Swift 1 and 2 have it.
    @_disfavoredOverload
    @preconcurrency
    public func downloadTaskWithRequest(
        _ request: URLRequest, progress: UnsafeMutablePointer<Progress?>?,
        destination: (@Sendable (URL, URLResponse) -> URL)?,
        completionHandler: (@Sendable (URLResponse, URL?, NSError?) -> Void)?
    ) -> URLSessionDownloadTask {
        downloadTask(
            with: request, progress: progress, destination: destination,
            completionHandler: Forward.completion(completionHandler))
    }

    /// `downloadTask(withResumeData:progress:destination:completionHandler:)`, as Swift 1 and 2 have it.
    @_disfavoredOverload
    @preconcurrency
    public func downloadTaskWithResumeData(
        _ resumeData: Data, progress: UnsafeMutablePointer<Progress?>?,
        destination: (@Sendable (URL, URLResponse) -> URL)?,
        completionHandler: (@Sendable (URLResponse, URL?, NSError?) -> Void)?
    ) -> URLSessionDownloadTask {
        downloadTask(
            withResumeData: resumeData, progress: progress, destination: destination,
            completionHandler: Forward.completion(completionHandler))
    }

    /// `uploadProgress(for:)`, as Swift 1 and 2 have it.
    public func uploadProgressForTask(_ task: URLSessionTask) -> Progress? { uploadProgress(for: task) }

    /// `downloadProgress(for:)`, as Swift 1 and 2 have it.
    public func downloadProgressForTask(_ task: URLSessionTask) -> Progress? { downloadProgress(for: task) }
}

// For Objective-C's request classes, which are what request serializers make in Swift 1 and 2.
extension URLSessionManager {
    /// `dataTask(with:uploadProgress:downloadProgress:completionHandler:)`, as Swift 1 and 2 have it.
    @preconcurrency
    public func dataTaskWithRequest(
        _ request: NSURLRequest, completionHandler: (@Sendable (URLResponse, AnyObject?, NSError?) -> Void)?
    ) -> URLSessionDataTask {
        dataTaskWithRequest(Forward.request(request), completionHandler: completionHandler)
    }

    /// `dataTask(with:uploadProgress:downloadProgress:completionHandler:)`, as Swift 2 has it.
    @preconcurrency
    public func dataTaskWithRequest(
        _ request: NSURLRequest, uploadProgress: (@Sendable (Progress) -> Void)?,
        downloadProgress: (@Sendable (Progress) -> Void)?,
        completionHandler: (@Sendable (URLResponse, AnyObject?, NSError?) -> Void)?
    ) -> URLSessionDataTask {
        dataTaskWithRequest(
            Forward.request(request), uploadProgress: uploadProgress, downloadProgress: downloadProgress,
            completionHandler: completionHandler)
    }

    /// `uploadTask(with:fromFile:progress:completionHandler:)`, as Swift 1 and 2 have it.
    @_disfavoredOverload
    @preconcurrency
    public func uploadTaskWithRequest(
        _ request: NSURLRequest, fromFile fileURL: URL, progress: UnsafeMutablePointer<Progress?>?,
        completionHandler: (@Sendable (URLResponse, AnyObject?, NSError?) -> Void)?
    ) -> URLSessionUploadTask {
        uploadTaskWithRequest(
            Forward.request(request), fromFile: fileURL, progress: progress, completionHandler: completionHandler)
    }

    /// `uploadTask(with:from:progress:completionHandler:)`, as Swift 1 and 2 have it.
    @_disfavoredOverload
    @preconcurrency
    public func uploadTaskWithRequest(
        _ request: NSURLRequest, fromData bodyData: Data?, progress: UnsafeMutablePointer<Progress?>?,
        completionHandler: (@Sendable (URLResponse, AnyObject?, NSError?) -> Void)?
    ) -> URLSessionUploadTask {
        uploadTaskWithRequest(
            Forward.request(request), fromData: bodyData, progress: progress, completionHandler: completionHandler)
    }

    /// `uploadTask(withStreamedRequest:progress:completionHandler:)`, as Swift 1 and 2 have it.
    @_disfavoredOverload
    @preconcurrency
    public func uploadTaskWithStreamedRequest(
        _ request: NSURLRequest, progress: UnsafeMutablePointer<Progress?>?,
        completionHandler: (@Sendable (URLResponse, AnyObject?, NSError?) -> Void)?
    ) -> URLSessionUploadTask {
        uploadTaskWithStreamedRequest(
            Forward.request(request), progress: progress, completionHandler: completionHandler)
    }

    /// `downloadTask(with:progress:destination:completionHandler:)`, as Swift 1 and 2 have it.
    @_disfavoredOverload
    @preconcurrency
    public func downloadTaskWithRequest(
        _ request: NSURLRequest, progress: UnsafeMutablePointer<Progress?>?,
        destination: (@Sendable (URL, URLResponse) -> URL)?,
        completionHandler: (@Sendable (URLResponse, URL?, NSError?) -> Void)?
    ) -> URLSessionDownloadTask {
        downloadTaskWithRequest(
            Forward.request(request), progress: progress, destination: destination,
            completionHandler: completionHandler)
    }
}
