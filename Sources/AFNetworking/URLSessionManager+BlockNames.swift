// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking

// The names that Swift 3 and later have made of AFNetworking's: without the word Block.

extension URLSessionManager {
    /// `setSessionDidBecomeInvalidBlock(_:)`, as Swift 3 and later have it.
    @preconcurrency
    public func setSessionDidBecomeInvalid(
        _ block: (@Sendable (URLSession, (any Error)?) -> Void)?
    ) {
        setSessionDidBecomeInvalidBlock(block)
    }

    /// `setSessionDidReceiveAuthenticationChallengeBlock(_:)`, as Swift 3 and later have it.
    @preconcurrency
    public func setSessionDidReceiveAuthenticationChallenge(
        _ block: (
            @Sendable (URLSession, URLAuthenticationChallenge, UnsafeMutablePointer<URLCredential?>?) ->
                URLSession.AuthChallengeDisposition
        )?
    ) {
        setSessionDidReceiveAuthenticationChallengeBlock(block)
    }

    /// `setTaskNeedNewBodyStreamBlock(_:)`, as Swift 3 and later have it.
    @preconcurrency
    public func setTaskNeedNewBodyStream(
        _ block: (@Sendable (URLSession, URLSessionTask) -> InputStream?)?
    ) {
        setTaskNeedNewBodyStreamBlock(block)
    }

    /// `setTaskWillPerformHTTPRedirectionBlock(_:)`, as Swift 3 and later have it.
    @preconcurrency
    public func setTaskWillPerformHTTPRedirection(
        _ block: (@Sendable (URLSession, URLSessionTask, URLResponse, URLRequest) -> URLRequest?)?
    ) {
        setTaskWillPerformHTTPRedirectionBlock(block)
    }

    /// `setTaskDidSendBodyDataBlock(_:)`, as Swift 3 and later have it.
    @preconcurrency
    public func setTaskDidSendBodyData(
        _ block: (@Sendable (URLSession, URLSessionTask, Int64, Int64, Int64) -> Void)?
    ) {
        setTaskDidSendBodyDataBlock(block)
    }

    /// `setTaskDidCompleteBlock(_:)`, as Swift 3 and later have it.
    @preconcurrency
    public func setTaskDidComplete(
        _ block: (@Sendable (URLSession, URLSessionTask, (any Error)?) -> Void)?
    ) {
        setTaskDidCompleteBlock(block)
    }

    /// `setTaskDidFinishCollectingMetricsBlock(_:)`, as Swift 3 and later have it.
    @preconcurrency
    public func setTaskDidFinishCollectingMetrics(
        _ block: (@Sendable (URLSession, URLSessionTask, URLSessionTaskMetrics?) -> Void)?
    ) {
        setTaskDidFinishCollectingMetricsBlock(block)
    }

    /// `setDataTaskDidReceiveResponseBlock(_:)`, as Swift 3 and later have it.
    @preconcurrency
    public func setDataTaskDidReceiveResponse(
        _ block: (@Sendable (URLSession, URLSessionDataTask, URLResponse) -> URLSession.ResponseDisposition)?
    ) {
        setDataTaskDidReceiveResponseBlock(block)
    }

    /// `setDataTaskDidBecomeDownloadTaskBlock(_:)`, as Swift 3 and later have it.
    @preconcurrency
    public func setDataTaskDidBecomeDownloadTask(
        _ block: (@Sendable (URLSession, URLSessionDataTask, URLSessionDownloadTask) -> Void)?
    ) {
        setDataTaskDidBecomeDownloadTaskBlock(block)
    }

    /// `setDataTaskDidReceiveDataBlock(_:)`, as Swift 3 and later have it.
    @preconcurrency
    public func setDataTaskDidReceiveData(
        _ block: (@Sendable (URLSession, URLSessionDataTask, Data) -> Void)?
    ) {
        setDataTaskDidReceiveDataBlock(block)
    }

    /// `setDataTaskWillCacheResponseBlock(_:)`, as Swift 3 and later have it.
    @preconcurrency
    public func setDataTaskWillCacheResponse(
        _ block: (@Sendable (URLSession, URLSessionDataTask, CachedURLResponse) -> CachedURLResponse?)?
    ) {
        setDataTaskWillCacheResponseBlock(block)
    }

    /// `setDidFinishEventsForBackgroundURLSessionBlock(_:)`, as Swift 3 and later have it.
    @preconcurrency
    public func setDidFinishEventsForBackgroundURLSession(
        _ block: (@Sendable (URLSession) -> Void)?
    ) {
        setDidFinishEventsForBackgroundURLSessionBlock(block)
    }

    /// `setDownloadTaskDidFinishDownloadingBlock(_:)`, as Swift 3 and later have it.
    @preconcurrency
    public func setDownloadTaskDidFinishDownloading(
        _ block: (@Sendable (URLSession, URLSessionDownloadTask, URL) -> URL?)?
    ) {
        setDownloadTaskDidFinishDownloadingBlock(block)
    }

    /// `setDownloadTaskDidWriteDataBlock(_:)`, as Swift 3 and later have it.
    @preconcurrency
    public func setDownloadTaskDidWriteData(
        _ block: (@Sendable (URLSession, URLSessionDownloadTask, Int64, Int64, Int64) -> Void)?
    ) {
        setDownloadTaskDidWriteDataBlock(block)
    }

    /// `setDownloadTaskDidResumeBlock(_:)`, as Swift 3 and later have it.
    @preconcurrency
    public func setDownloadTaskDidResume(
        _ block: (@Sendable (URLSession, URLSessionDownloadTask, Int64, Int64) -> Void)?
    ) {
        setDownloadTaskDidResumeBlock(block)
    }
}
