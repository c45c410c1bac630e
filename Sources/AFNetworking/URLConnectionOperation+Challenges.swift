// SPDX-License-Identifier: MIT
public import FoundationNetworking

extension URLConnectionOperation {
    /// `setWillSendRequestForAuthenticationChallengeBlock(_:)` for blocks that answer by a method of the challenge's
    /// `sender`, as AFNetworking's do, within the block or later.
    ///
    /// A thread of the library's waits for the answer, also when the operation is cancelled meanwhile. A challenge that
    /// goes away without an answer is handled as without a block. `continueWithoutCredential(for:)` is answered as
    /// `rejectProtectionSpaceAndContinue(with:)` is: the 401 response is the result.
    @_disfavoredOverload
    @preconcurrency
    public func setWillSendRequestForAuthenticationChallengeBlock(
        _ block: (@Sendable (URLConnectionOperation, URLAuthenticationChallenge) -> Void)?
    ) {
        typealias Deciding = @Sendable (URLConnectionOperation, URLAuthenticationChallenge) -> AuthenticationDisposition
        guard let block else { return setWillSendRequestForAuthenticationChallengeBlock(nil as Deciding?) }
        let deciding: Deciding = { operation, challenge in
            let answer = ChallengeAnswer()
            // No reference to the challenge is kept here: see ChallengeSender.
            block(
                operation,
                URLAuthenticationChallenge(authenticationChallenge: challenge, sender: ChallengeSender(answer)))
            return answer.wait()
        }
        setWillSendRequestForAuthenticationChallengeBlock(deciding)
    }

    /// `setWillSendRequestForAuthenticationChallengeBlock(_:)` for blocks that answer by a method of the challenge's
    /// `sender`, as Swift 3 and later have it.
    ///
    /// There is no form of it with a block that returns the answer. The compiler would have to choose by the block's
    /// result, and where a block is a call of a method it would drop what the method returns.
    @preconcurrency
    public func setWillSendRequestForAuthenticationChallenge(
        _ block: (@Sendable (URLConnectionOperation, URLAuthenticationChallenge) -> Void)?
    ) {
        setWillSendRequestForAuthenticationChallengeBlock(block)
    }
}
