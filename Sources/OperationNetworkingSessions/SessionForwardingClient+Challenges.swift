// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworkingCore

extension SessionForwardingClient {
    /// Asks the session's delegate about a challenge that concerns a connection, and the task's about another one, or
    /// where the session's asks for the default handling.
    func task(
        _ task: SessionTask, didReceive challenge: URLAuthenticationChallenge,
        reply: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard challenge.protectionSpace.isOfConnection else { return ask(task, about: challenge, reply: reply) }
        perform(for: task) { [self] in
            guard task.session != nil, let session = session(of: task), let delegate = session.delegate else {
                return ask(task, about: challenge, reply: reply)
            }
            let once = FirstAnswer<(URLSession.AuthChallengeDisposition, URLCredential?)> {
                [self] disposition, credential in
                guard disposition == .performDefaultHandling else { return reply(disposition, credential) }
                ask(task, about: challenge, reply: reply)
            }
            delegate.urlSession(session, didReceive: challenge) { once.give(($0, $1)) }
        }
    }

    private func ask(
        _ task: SessionTask, about challenge: URLAuthenticationChallenge,
        reply: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        tell((any URLSessionTaskDelegate).self, of: task, otherwise: { reply(.performDefaultHandling, nil) }) {
            [self] in
            $0.urlSession($1, task: face(of: task), didReceive: challenge, completionHandler: reply)
        }
    }
}

extension URLProtectionSpace {
    /// True if a challenge is about the connection, and not about one request on it: for the authentication methods
    /// that Foundation's documentation lists.
    var isOfConnection: Bool {
        switch authenticationMethod {
        case ServerTrustProtectionSpace.serverTrustMethod, ServerTrustProtectionSpace.clientCertificateMethod,
            NSURLAuthenticationMethodNTLM, NSURLAuthenticationMethodNegotiate:
            true
        default: false
        }
    }
}
