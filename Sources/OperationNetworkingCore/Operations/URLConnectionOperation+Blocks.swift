// SPDX-License-Identifier: MIT
internal import Foundation
public import FoundationNetworking
internal import NetworkingSupport

extension URLConnectionOperation {
    /// Sets a block that is called as content is sent. Nil removes it. AF: `setUploadProgressBlock:`.
    ///
    /// Called on `completionQueue`, or the main queue. Calls that the queue has not come to are merged: the sum of
    /// `bytesWritten` is right. The expected total is −1 when it is unknown.
    ///
    /// ```swift
    /// operation.setUploadProgressBlock { _, sent, total in
    ///     print("\(sent) of \(total) bytes")
    /// }
    /// ```
    @preconcurrency
    public func setUploadProgressBlock(
        _ block: (
            @Sendable (_ bytesWritten: Int, _ totalBytesWritten: Int64, _ totalBytesExpectedToWrite: Int64) -> Void
        )?
    ) {
        lock.withLock { _mutableConfiguration.uploadProgress = block }
    }

    /// Sets a block that is called as content is received. Nil removes it. AF: `setDownloadProgressBlock:`.
    ///
    /// Called on `completionQueue`, or the main queue. Calls that the queue has not come to are merged: the sum of
    /// `bytesRead` is right. The expected total is −1 when it is unknown; after a resume it covers what was received
    /// before. Content in a coding such as gzip is counted as it came when it goes to a file or stream that was set
    /// before the start, and decoded, of an unknown total, when it is collected in memory.
    ///
    /// ```swift
    /// operation.setDownloadProgressBlock { _, received, expected in
    ///     print("\(received) of \(expected) bytes")
    /// }
    /// ```
    @preconcurrency
    public func setDownloadProgressBlock(
        _ block: (@Sendable (_ bytesRead: Int, _ totalBytesRead: Int64, _ totalBytesExpectedToRead: Int64) -> Void)?
    ) {
        lock.withLock { _mutableConfiguration.downloadProgress = block }
    }

    /// Sets a block that receives informational responses, which come before the response. These are 103 (Early Hints,
    /// RFC 8297), whose `Link` fields name what the response will need, 102, and others from 104 to 199. Nil removes
    /// it.
    ///
    /// Called on `completionQueue`, or the main queue, in order, also for a response that leads elsewhere. 100 and 101
    /// are not reported.
    public func setInformationalResponseBlock(
        _ block: (@Sendable (URLConnectionOperation, HTTPURLResponse) -> Void)?
    ) {
        lock.withLock { _mutableConfiguration.informationalBlock = block }
    }

    /// Adds a block that is called as content is sent, after the block that is there.
    package func addUploadProgressBlock(_ block: @escaping @Sendable (Int, Int64, Int64) -> Void) {
        lock.withLock {
            let earlier = _configuration.value.uploadProgress
            _mutableConfiguration.uploadProgress = {
                earlier?($0, $1, $2)
                block($0, $1, $2)
            }
        }
    }

    /// Adds a block that is called as content is received, after the block that is there.
    package func addDownloadProgressBlock(_ block: @escaping @Sendable (Int, Int64, Int64) -> Void) {
        lock.withLock {
            let earlier = _configuration.value.downloadProgress
            _mutableConfiguration.downloadProgress = {
                earlier?($0, $1, $2)
                block($0, $1, $2)
            }
        }
    }

    /// Sets a block that answers authentication challenges. Nil, the default: the operation's credential, once, then
    /// the storage's. Called on one of the library's threads, where it may wait for other operations, and 20 times at
    /// most for one server; then the failure stands.
    ///
    /// It is asked about
    /// - a 401 response, whose `protectionSpace` has the realm and scheme;
    /// - a server that `securityPolicy` does not trust: `protectionSpace.untrustedServer` has its certificates, `error`
    ///   the reason. The policy is asked first, and its verdict stands unless the answer is
    ///   `URLCredential.accepting(_:)` with these certificates;
    /// - a server that wants a client certificate and got none that it takes: `protectionSpace.wantsClientIdentity`.
    ///
    /// AF: `setWillSendRequestForAuthenticationChallengeBlock:`.
    ///
    /// ```swift
    /// operation.setWillSendRequestForAuthenticationChallengeBlock {
    ///     _, challenge in
    ///     guard challenge.previousFailureCount == 0 else {
    ///         return .cancel
    ///     }
    ///     return .useCredential(
    ///         URLCredential(user: user, password: password, persistence: .none))
    /// }
    /// ```
    @preconcurrency
    public func setWillSendRequestForAuthenticationChallengeBlock(
        _ block: (@Sendable (URLConnectionOperation, URLAuthenticationChallenge) -> AuthenticationDisposition)?
    ) {
        lock.withLock { _mutableConfiguration.challengeBlock = block }
    }

    /// Sets a block that sees every request before it is sent, the first with a nil response, and may edit it.
    ///
    /// Nil for a redirect delivers the redirecting response as the result; nil for the first request cancels the
    /// operation. Nil block, the default: redirects are followed. Called on one of the library's threads.
    ///
    /// It is asked about a redirect when the redirect's content has come, or failed to come whole, which is the
    /// operation's error if the answer is nil. The time-outs and `maximumResponseBodySize` say how much of it is waited
    /// for.
    ///
    /// AF: `setRedirectResponseBlock:`.
    ///
    /// ```swift
    /// operation.setRedirectResponseBlock { operation, request, response in
    ///     // Nil in place of the request: the redirect is the result.
    ///     response == nil ? request : nil
    /// }
    /// ```
    @preconcurrency
    public func setRedirectResponseBlock(
        _ block: (@Sendable (URLConnectionOperation, URLRequest, HTTPURLResponse?) -> URLRequest?)?
    ) {
        lock.withLock { _mutableConfiguration.redirectBlock = block }
    }

    /// Sets a block that decides whether a complete response to a GET is stored in the cache, and how. It returns the
    /// response it is given, another one, or nil for none. Without it, the default, the rules of RFC 9111 decide.
    ///
    /// Not asked about what may not be stored (`no-store`, parts, answers to challenges), what came from the cache, and
    /// content of streams and files. Called on one of the library's threads, before the operation finishes. AF:
    /// `setCacheResponseBlock:`.
    ///
    /// ```swift
    /// operation.setCacheResponseBlock { operation, response in
    ///     response.data.count < 65_536 ? response : nil
    /// }
    /// ```
    @preconcurrency
    public func setCacheResponseBlock(
        _ block: (@Sendable (URLConnectionOperation, CachedURLResponse) -> CachedURLResponse?)?
    ) {
        lock.withLock { _mutableConfiguration.cacheBlock = block }
    }
}
