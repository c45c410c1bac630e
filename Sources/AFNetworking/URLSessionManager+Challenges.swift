// SPDX-License-Identifier: MIT
public import FoundationNetworking

/// A pointer for what a block makes, as in Swift on Apple's systems. Foundation on Linux has no such type.
public typealias AutoreleasingUnsafeMutablePointer = UnsafeMutablePointer

extension URLSessionManager {
    /// `setAuthenticationChallengeHandler(_:)` for a block that answers at once, as AFNetworking 2 and 3 have it. The
    /// credential goes where the pointer points to.
    @preconcurrency
    public func setTaskDidReceiveAuthenticationChallengeBlock(
        _ block: (
            @Sendable (URLSession, URLSessionTask, URLAuthenticationChallenge, UnsafeMutablePointer<URLCredential?>?) ->
                URLSession.AuthChallengeDisposition
        )?
    ) {
        guard let block else { return setAuthenticationChallengeHandler(nil) }
        setAuthenticationChallengeHandler { session, task, challenge, completionHandler in
            var credential: URLCredential?
            let disposition = block(session, task, challenge, &credential)
            completionHandler(disposition, credential)
            return nil
        }
    }

    /// `setTaskDidReceiveAuthenticationChallengeBlock(_:)`, as Swift 3 and later have it.
    @preconcurrency
    public func setTaskDidReceiveAuthenticationChallenge(
        _ block: (
            @Sendable (URLSession, URLSessionTask, URLAuthenticationChallenge, UnsafeMutablePointer<URLCredential?>?) ->
                URLSession.AuthChallengeDisposition
        )?
    ) {
        setTaskDidReceiveAuthenticationChallengeBlock(block)
    }
}
