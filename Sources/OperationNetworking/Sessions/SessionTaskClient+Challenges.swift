// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking

extension SessionTaskClient {
    /// Asks the session's delegate about a challenge that concerns a connection. Calls `otherwise` for other
    /// challenges, and where the delegate asks for the default handling.
    ///
    /// - Parameter outer: the session whose delegate is asked, where that is not the task's; nil: the task's.
    func askSession(
        of task: SessionTask, standingInFor outer: URLSession? = nil, about challenge: URLAuthenticationChallenge,
        reply: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void,
        otherwise: @escaping @Sendable () -> Void
    ) {
        guard challenge.protectionSpace.isOfConnection else { return otherwise() }
        perform(for: task) {
            guard let own = task.session else { return otherwise() }
            let session: URLSession = outer ?? own
            guard let delegate = session.delegate else { return otherwise() }
            let once = FirstAnswer<(URLSession.AuthChallengeDisposition, URLCredential?)> { disposition, credential in
                if disposition == .performDefaultHandling { otherwise() } else { reply(disposition, credential) }
            }
            delegate.urlSession(session, didReceive: challenge) { once.give(($0, $1)) }
        }
    }
}

extension URLProtectionSpace {
    /// True if a challenge is about the connection, and not about one request on it: for the authentication methods
    /// that Foundation's documentation lists.
    fileprivate var isOfConnection: Bool {
        switch authenticationMethod {
        case ServerTrustProtectionSpace.serverTrustMethod, ServerTrustProtectionSpace.clientCertificateMethod,
            NSURLAuthenticationMethodNTLM, NSURLAuthenticationMethodNegotiate:
            true
        default: false
        }
    }
}
