// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
internal import OperationNetworkingCore

// The methods that make tasks without their progress blocks, so that a trailing closure is the completion handler.

extension URLSessionManager {
    /// Makes a task that sends a file. See `uploadTask(with:fromFile:progress:completionHandler:)`.
    @preconcurrency
    public func uploadTask(
        with request: URLRequest, fromFile fileURL: URL,
        completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)?
    ) -> URLSessionUploadTask {
        uploadTask(with: request, fromFile: fileURL, progress: nil, completionHandler: completionHandler)
    }

    /// Makes a task that sends data. See `uploadTask(with:from:progress:completionHandler:)`.
    @preconcurrency
    public func uploadTask(
        with request: URLRequest, from bodyData: Data?,
        completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)?
    ) -> URLSessionUploadTask {
        uploadTask(with: request, from: bodyData, progress: nil, completionHandler: completionHandler)
    }

    /// Makes a task that sends the request's stream. See `uploadTask(withStreamedRequest:progress:completionHandler:)`.
    @preconcurrency
    public func uploadTask(
        withStreamedRequest request: URLRequest,
        completionHandler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)?
    ) -> URLSessionUploadTask {
        uploadTask(withStreamedRequest: request, progress: nil, completionHandler: completionHandler)
    }

    /// Makes a task that downloads to a file. See `downloadTask(with:progress:destination:completionHandler:)`.
    @preconcurrency
    public func downloadTask(
        with request: URLRequest, destination: (@Sendable (_ targetPath: URL, _ response: URLResponse) -> URL)?,
        completionHandler: (@Sendable (URLResponse, URL?, (any Error)?) -> Void)?
    ) -> URLSessionDownloadTask {
        downloadTask(with: request, progress: nil, destination: destination, completionHandler: completionHandler)
    }
}
