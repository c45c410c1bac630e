// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// The answers of the user's code.
extension AttemptMachine {
    /// The response that a question was asked about is the result, as far as it came.
    private var delivery: FollowUp {
        guard let heldError else { return .deliver }
        return .fail(heldError.failure(url: url))
    }

    /// - Parameter redirected: nil: the redirecting response is the result.
    func take(redirect redirected: URLRequest?) -> FollowUp {
        guard let redirected else { return delivery }
        return .follow(redirected)
    }

    /// - Parameter credential: is asked for the first challenge's default handling.
    mutating func take(
        _ disposition: AuthenticationDisposition, for challenge: HTTPChallenge,
        credential: CredentialSource
    ) -> FollowUp {
        switch disposition {
        case .useCredential(let credential):
            guard let answer = challenge.answer(with: credential) else { return delivery }
            challengeFailures += 1
            return .answer(answer)
        case .performDefaultHandling:
            if let answer = defaultAnswer(to: challenge, credential) { return answer }
            return delivery
        case .cancel:
            return .fail(cancelledChallenge)
        case .rejectProtectionSpace:
            return delivery
        }
    }

    /// The user's storage has answered.
    ///
    /// - Parameter credential: has what it said.
    mutating func takeStored(
        for challenge: HTTPChallenge, _ head: ResponseHead, hasChallengeBlock: Bool, credential: CredentialSource
    ) -> FollowUp {
        if hasChallengeBlock { return .ask(.challenge(challenge, head)) }
        return defaultAnswer(to: challenge, credential) ?? delivery
    }

    mutating func take(_ disposition: AuthenticationDisposition, for challenge: HandshakeChallenge) -> FollowUp {
        switch disposition {
        case .useCredential(let credential):
            var answers = handshakeAnswers ?? HandshakeAnswers()
            defer { handshakeAnswers = answers }
            return answers.take(credential, for: challenge.question)
                ? .sendAgain : .fail(URLError(challenge.error, url: url))
        case .performDefaultHandling, .rejectProtectionSpace:
            return .fail(URLError(challenge.error, url: url))
        case .cancel:
            return .fail(cancelledChallenge)
        }
    }

    private var cancelledChallenge: URLError {
        URLError(.userCancelledAuthentication, url: url, reason: "the authentication challenge was cancelled")
    }

    /// One credential is tried once; nil: the 401 is the result.
    mutating func defaultAnswer(to challenge: HTTPChallenge, _ source: CredentialSource) -> FollowUp? {
        guard challengeFailures == 0, let url, let credential = source(challenge, url, isWithinOrigin(url)),
            let answer = challenge.answer(with: credential)
        else { return nil }
        challengeFailures += 1
        return .answer(answer)
    }
}
