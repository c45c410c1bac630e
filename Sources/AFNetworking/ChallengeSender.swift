// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking

/// The sender of a challenge whose methods are the answer, as with AFNetworking.
///
/// Only the challenge holds it. When the last reference to an unanswered challenge goes away, the sender is released,
/// too, and no code waits for an answer that cannot come.
final class ChallengeSender: NSObject, URLAuthenticationChallengeSender {
    private let answer: ChallengeAnswer

    init(_ answer: ChallengeAnswer) {
        self.answer = answer
    }

    deinit { answer.give(.performDefaultHandling) }

    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
        answer.give(.useCredential(credential))
    }

    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {
        answer.give(.rejectProtectionSpace)
    }

    func cancel(_ challenge: URLAuthenticationChallenge) {
        answer.give(.cancel)
    }

    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {
        answer.give(.performDefaultHandling)
    }

    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {
        answer.give(.rejectProtectionSpace)
    }
}
