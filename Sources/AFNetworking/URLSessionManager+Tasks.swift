// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking

// The forms of AFNetworking 2 in the names of Swift 3 and later. Those with progress blocks are the library's own.

extension URLSessionManager {
    /// `uploadTask(with:fromFile:progress:completionHandler:)`, with the task's progress where the pointer points to.
    @_disfavoredOverload
    @preconcurrency
    public func uploadTask(
        with request: URLRequest, fromFile fileURL: URL, progress: UnsafeMutablePointer<Progress?>?,
        completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)?
    ) -> URLSessionUploadTask {
        let task = uploadTask(with: request, fromFile: fileURL, progress: nil, completionHandler: completionHandler)
        progress?.pointee = uploadProgress(for: task)
        return task
    }

    /// `uploadTask(with:from:progress:completionHandler:)`, with the task's progress where the pointer points to.
    @_disfavoredOverload
    @preconcurrency
    public func uploadTask(
        with request: URLRequest, from bodyData: Data?, progress: UnsafeMutablePointer<Progress?>?,
        completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)?
    ) -> URLSessionUploadTask {
        let task = uploadTask(with: request, from: bodyData, progress: nil, completionHandler: completionHandler)
        progress?.pointee = uploadProgress(for: task)
        return task
    }

    /// `uploadTask(withStreamedRequest:progress:completionHandler:)`, with the task's progress where the pointer points to.
    @_disfavoredOverload
    @preconcurrency
    public func uploadTask(
        withStreamedRequest request: URLRequest, progress: UnsafeMutablePointer<Progress?>?,
        completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)?
    ) -> URLSessionUploadTask {
        let task = uploadTask(withStreamedRequest: request, progress: nil, completionHandler: completionHandler)
        progress?.pointee = uploadProgress(for: task)
        return task
    }

    /// `downloadTask(with:progress:destination:completionHandler:)`, with the task's progress where the pointer points to.
    @_disfavoredOverload
    @preconcurrency
    public func downloadTask(
        with request: URLRequest, progress: UnsafeMutablePointer<Progress?>?,
        destination: (@Sendable (URL, URLResponse) -> URL)?,
        completionHandler: (@Sendable (URLResponse, URL?, (any Error)?) -> Void)?
    ) -> URLSessionDownloadTask {
        let task = downloadTask(
            with: request, progress: nil, destination: destination, completionHandler: completionHandler)
        progress?.pointee = downloadProgress(for: task)
        return task
    }

    /// `downloadTask(withResumeData:progress:destination:completionHandler:)`, with the task's progress where the pointer
    /// points to.
    @_disfavoredOverload
    @preconcurrency
    public func downloadTask(
        withResumeData resumeData: Data, progress: UnsafeMutablePointer<Progress?>?,
        destination: (@Sendable (URL, URLResponse) -> URL)?,
        completionHandler: (@Sendable (URLResponse, URL?, (any Error)?) -> Void)?
    ) -> URLSessionDownloadTask {
        let task = downloadTask(
            withResumeData: resumeData, progress: nil, destination: destination, completionHandler: completionHandler)
        progress?.pointee = downloadProgress(for: task)
        return task
    }
}
