// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import OperationNetworkingCore

/// The blocks of a session manager. Its tasks hold them, and look one up when it is to be called: they may be set at any
/// time, and are there when the manager is gone.
final class SessionBlocks: NSObject, Sendable {
    struct Table: Sendable {
        var sessionDidBecomeInvalid: (@Sendable (URLSession, (any Error)?) -> Void)?
        var sessionDidReceiveChallenge:
            (
                @Sendable (URLSession, URLAuthenticationChallenge, UnsafeMutablePointer<URLCredential?>?) ->
                    URLSession.AuthChallengeDisposition
            )?
        var authenticationChallengeHandler:
            (
                @Sendable (
                    URLSession, URLSessionTask, URLAuthenticationChallenge,
                    @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
                ) -> Any?
            )?
        var taskNeedNewBodyStream: (@Sendable (URLSession, URLSessionTask) -> InputStream?)?
        var taskWillPerformRedirection:
            (@Sendable (URLSession, URLSessionTask, URLResponse, URLRequest) -> URLRequest?)?
        var taskDidSendBodyData: (@Sendable (URLSession, URLSessionTask, Int64, Int64, Int64) -> Void)?
        var taskDidComplete: (@Sendable (URLSession, URLSessionTask, (any Error)?) -> Void)?
        var taskDidFinishCollectingMetrics: (@Sendable (URLSession, URLSessionTask, URLSessionTaskMetrics?) -> Void)?
        var dataTaskDidReceiveResponse:
            (@Sendable (URLSession, URLSessionDataTask, URLResponse) -> URLSession.ResponseDisposition)?
        var dataTaskDidBecomeDownloadTask: (@Sendable (URLSession, URLSessionDataTask, URLSessionDownloadTask) -> Void)?
        var dataTaskDidReceiveData: (@Sendable (URLSession, URLSessionDataTask, Data) -> Void)?
        var dataTaskWillCacheResponse:
            (@Sendable (URLSession, URLSessionDataTask, CachedURLResponse) -> CachedURLResponse?)?
        var didFinishBackgroundEvents: (@Sendable (URLSession) -> Void)?
        var downloadTaskDidFinishDownloading: (@Sendable (URLSession, URLSessionDownloadTask, URL) -> URL?)?
        var downloadTaskDidWriteData: (@Sendable (URLSession, URLSessionDownloadTask, Int64, Int64, Int64) -> Void)?
        var downloadTaskDidResume: (@Sendable (URLSession, URLSessionDownloadTask, Int64, Int64) -> Void)?
    }

    /// All blocks as they were set together; never changed.
    final class Snapshot: Sendable {
        let table: Table

        init(_ table: Table) {
            self.table = table
        }
    }

    private let snapshot = Locked(Snapshot(Table()))

    /// The blocks as they are now.
    var current: Snapshot { snapshot.withLock { $0 } }

    /// Sets some blocks.
    func change(_ body: (inout Table) -> Void) {
        let old = snapshot.withLock { snapshot in
            var table = snapshot.table
            body(&table)
            let old = snapshot
            snapshot = Snapshot(table)
            return old
        }
        // Not under the lock: what a block holds may go with it.
        withExtendedLifetime(old) {}
    }
}
