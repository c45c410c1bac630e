// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
internal import OperationNetworkingCore

// Blocks for everything that happens to the tasks of a session. They may be set at any time, and are called one at a
// time on `operationQueue`. The manager holds them as long as it or a task is there; nil removes one.

extension URLSessionManager {
    /// Sets a block that is called when the session has become invalid. The error is nil when the program invalidated
    /// it. AF: `setSessionDidBecomeInvalidBlock:`.
    @preconcurrency
    public func setSessionDidBecomeInvalidBlock(
        _ block: (@Sendable (URLSession, (any Error)?) -> Void)?
    ) {
        blocks.change { $0.sessionDidBecomeInvalid = block }
    }

    /// Sets a block that answers challenges about a whole connection, which are an untrusted server, a client
    /// certificate, NTLM and Negotiate. The credential goes where the pointer points to. AF:
    /// `setSessionDidReceiveAuthenticationChallengeBlock:`.
    @preconcurrency
    public func setSessionDidReceiveAuthenticationChallengeBlock(
        _ block: (
            @Sendable (URLSession, URLAuthenticationChallenge, UnsafeMutablePointer<URLCredential?>?) ->
                URLSession.AuthChallengeDisposition
        )?
    ) {
        blocks.change { $0.sessionDidReceiveChallenge = block }
    }

    /// Sets a block that answers the challenges of tasks, and those about a connection that no session block answers.
    ///
    /// The handler returns
    /// - nil, when it calls the completion handler, at once or later;
    /// - an `Error`: the task ends with it;
    /// - a `URLCredential`: it is used;
    /// - a `URLSession.AuthChallengeDisposition`, or its raw value as a number. `.useCredential` needs a credential,
    ///   and is taken for `.performDefaultHandling` without one.
    ///
    /// Anything else ends the task with `URLError.cancelled`.
    /// AF: `setAuthenticationChallengeHandler:`.
    @preconcurrency
    public func setAuthenticationChallengeHandler(
        _ handler: (
            @Sendable (
                URLSession, URLSessionTask, URLAuthenticationChallenge,
                @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) -> Any?
        )?
    ) {
        blocks.change { $0.authenticationChallengeHandler = handler }
    }

    /// Sets what gives a request's content again, when it has to be sent again and came from a stream. A multipart form
    /// needs no such block. AF: `setTaskNeedNewBodyStreamBlock:`.
    @preconcurrency
    public func setTaskNeedNewBodyStreamBlock(
        _ block: (@Sendable (URLSession, URLSessionTask) -> InputStream?)?
    ) {
        blocks.change { $0.taskNeedNewBodyStream = block }
    }

    /// Sets a block that sees the request that a redirect asks for, and may change it. Nil as the answer makes the
    /// redirecting response the result. AF: `setTaskWillPerformHTTPRedirectionBlock:`.
    @preconcurrency
    public func setTaskWillPerformHTTPRedirectionBlock(
        _ block: (@Sendable (URLSession, URLSessionTask, URLResponse, URLRequest) -> URLRequest?)?
    ) {
        blocks.change { $0.taskWillPerformRedirection = block }
    }

    /// Sets a block that is called while content is sent. It gets the bytes since the last call, in all, and expected
    /// in all, −1 when unknown. AF: `setTaskDidSendBodyDataBlock:`.
    @preconcurrency
    public func setTaskDidSendBodyDataBlock(
        _ block: (@Sendable (URLSession, URLSessionTask, Int64, Int64, Int64) -> Void)?
    ) {
        blocks.change { $0.taskDidSendBodyData = block }
    }

    /// Sets a block that is called at the end of every transfer, with its error. A bad status is no error. AF:
    /// `setTaskDidCompleteBlock:`.
    @preconcurrency
    public func setTaskDidCompleteBlock(
        _ block: (@Sendable (URLSession, URLSessionTask, (any Error)?) -> Void)?
    ) {
        blocks.change { $0.taskDidComplete = block }
    }

    /// Sets what gets a task's metrics, before it is complete. AF: `setTaskDidFinishCollectingMetricsBlock:`.
    @preconcurrency
    public func setTaskDidFinishCollectingMetricsBlock(
        _ block: (@Sendable (URLSession, URLSessionTask, URLSessionTaskMetrics?) -> Void)?
    ) {
        blocks.change { $0.taskDidFinishCollectingMetrics = block }
    }

    /// Sets a block that decides at the response how a data task goes on. AF: `setDataTaskDidReceiveResponseBlock:`.
    @preconcurrency
    public func setDataTaskDidReceiveResponseBlock(
        _ block: (@Sendable (URLSession, URLSessionDataTask, URLResponse) -> URLSession.ResponseDisposition)?
    ) {
        blocks.change { $0.dataTaskDidReceiveResponse = block }
    }

    /// Sets a block that receives the download task that a data task became. AF:
    /// `setDataTaskDidBecomeDownloadTaskBlock:`.
    @preconcurrency
    public func setDataTaskDidBecomeDownloadTaskBlock(
        _ block: (@Sendable (URLSession, URLSessionDataTask, URLSessionDownloadTask) -> Void)?
    ) {
        blocks.change { $0.dataTaskDidBecomeDownloadTask = block }
    }

    /// Sets what gets the content of data and upload tasks while it comes. It is collected for the serializer all the
    /// same. AF: `setDataTaskDidReceiveDataBlock:`.
    @preconcurrency
    public func setDataTaskDidReceiveDataBlock(
        _ block: (@Sendable (URLSession, URLSessionDataTask, Data) -> Void)?
    ) {
        blocks.change { $0.dataTaskDidReceiveData = block }
    }

    /// Sets a block that sees a response before the session's cache stores it. Nil as the answer: it is not stored. AF:
    /// `setDataTaskWillCacheResponseBlock:`.
    @preconcurrency
    public func setDataTaskWillCacheResponseBlock(
        _ block: (@Sendable (URLSession, URLSessionDataTask, CachedURLResponse) -> CachedURLResponse?)?
    ) {
        blocks.change { $0.dataTaskWillCacheResponse = block }
    }

    /// Sets a block that is never called. There are no background sessions on Linux. Kept so that code builds. AF:
    /// `setDidFinishEventsForBackgroundURLSessionBlock:`.
    @preconcurrency
    public func setDidFinishEventsForBackgroundURLSessionBlock(
        _ block: (@Sendable (URLSession) -> Void)?
    ) {
        blocks.change { $0.didFinishBackgroundEvents = block }
    }

    /// Sets what says where a download goes, given where it is now. Comes before the destination that the task was made
    /// with; nil as the answer leaves the decision to that. AF: `setDownloadTaskDidFinishDownloadingBlock:`.
    @preconcurrency
    public func setDownloadTaskDidFinishDownloadingBlock(
        _ block: (@Sendable (URLSession, URLSessionDownloadTask, URL) -> URL?)?
    ) {
        blocks.change { $0.downloadTaskDidFinishDownloading = block }
    }

    /// Sets a block that is called while content is written. It gets the bytes since the last call, in all, and
    /// expected in all, −1 when unknown. AF: `setDownloadTaskDidWriteDataBlock:`.
    @preconcurrency
    public func setDownloadTaskDidWriteDataBlock(
        _ block: (@Sendable (URLSession, URLSessionDownloadTask, Int64, Int64, Int64) -> Void)?
    ) {
        blocks.change { $0.downloadTaskDidWriteData = block }
    }

    /// Sets a block that is called when a download goes on at an offset, with the size expected in all, −1 when
    /// unknown. AF: `setDownloadTaskDidResumeBlock:`.
    @preconcurrency
    public func setDownloadTaskDidResumeBlock(
        _ block: (@Sendable (URLSession, URLSessionDownloadTask, Int64, Int64) -> Void)?
    ) {
        blocks.change { $0.downloadTaskDidResume = block }
    }
}
