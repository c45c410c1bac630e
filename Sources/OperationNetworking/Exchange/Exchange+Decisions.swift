internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// What may take time or is the user's: on the processing queue, while no transfer of the exchange is under way.
extension Exchange {
    /// Cookies that are kept of one response: what browsers keep of one host. Foundation writes its store to the disk for
    /// each, so that thousands would take minutes.
    private static let maximumCookies = 180

    /// Keeps the cookies of the responses so far, before anything is sent that may need them.
    func storeCookies() {
        for (head, url) in cookieHeads {
            var count = 0
            head.forEachField { name, value in
                guard name.isFieldName("Set-Cookie"), count < Self.maximumCookies else { return }
                count += 1
                for cookie in HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": value], for: url) {
                    HTTPCookieStorage.shared.setCookie(cookie)
                }
            }
        }
        cookieHeads = []
    }

    /// Asks the user's block, where one decides, and goes on with the answer on the network thread.
    func decide() {
        switch next {
        case .askRedirect(let proposed, let head):
            next = answerToRedirect(proposed, head)
        case .askChallenge(let challenge, let head):
            guard let step = answerToChallenge(challenge, head) else { return endCancelled() }
            next = step
        case .askHandshake(let challenge):
            switch answerToHandshake(challenge) {
            case .sendAgain: next = .sendAgain
            case .fail: return end(URLError(challenge.error, url: url))
            case .cancel: return endCancelled()
            }
        case .deliver:
            offerToCache()
        case .complete, .answer, .follow, .startOver, .sendAgain:
            break
        }
        engine.perform { [self] in
            guard releaseTransfer() else { return }
            proceed()
        }
    }

    private func endCancelled() {
        end(
            URLError(.userCancelledAuthentication, url: url, reason: "the authentication challenge was cancelled"))
    }

    private func end(_ error: URLError) {
        engine.perform { [self] in
            guard releaseTransfer() else { return }
            finish(error: error)
        }
    }

    private func answerToRedirect(_ proposed: URLRequest, _ head: ResponseHead) -> NextStep {
        guard let url, let block = configuration.redirectBlock else { return .follow(proposed) }
        guard let edited = block(operation, proposed, HTTPURLResponse(head: head, url: url)) else { return .deliver }
        return .follow(edited)
    }

    /// Answers to one server's challenges after which the 401 is the result, whatever the user's block says.
    static let maximumAnswers = 20

    /// Nil: the operation is to end.
    private func answerToChallenge(_ challenge: HTTPChallenge, _ head: ResponseHead) -> NextStep? {
        guard let url, let block = configuration.challengeBlock, challengeFailures < Self.maximumAnswers else {
            return .deliver
        }
        let proposed = challengeFailures == 0 ? ownCredential(for: url) : nil
        let sent = challenge.authenticationChallenge(
            url: url, proposed: proposed, failures: challengeFailures, response: HTTPURLResponse(head: head, url: url))
        switch block(operation, sent) {
        case .useCredential(let credential):
            guard let answer = challenge.answer(with: credential) else { return .deliver }
            challengeFailures += 1
            return .answer(answer)
        case .performDefaultHandling:
            return defaultAnswer(to: challenge).map { .answer($0) } ?? .deliver
        case .cancel:
            return nil
        case .rejectProtectionSpace:
            return .deliver
        }
    }

    /// The operation's credential, or the URL's, once; later the 401 is the result.
    func defaultAnswer(to challenge: HTTPChallenge) -> ChallengeAnswer? {
        guard challengeFailures == 0, let url else { return nil }
        let candidate = urlCredential(url) ?? ownCredential(for: url) ?? storedCredential(for: challenge, url: url)
        guard let candidate, let answer = challenge.answer(with: candidate) else { return nil }
        challengeFailures += 1
        return answer
    }

    /// The operation's credential, for the origin that the operation was made for.
    private func ownCredential(for url: URL) -> URLCredential? {
        isWithinOrigin(url) ? configuration.credential : nil
    }

    private func urlCredential(_ url: URL) -> URLCredential? {
        guard let user = url.user(percentEncoded: false) else { return nil }
        return URLCredential(user: user, password: url.password(percentEncoded: false) ?? "", persistence: .none)
    }

    private func storedCredential(for challenge: HTTPChallenge, url: URL) -> URLCredential? {
        guard configuration.shouldUseCredentialStorage else { return nil }
        return URLCredentialStorage.shared.defaultCredential(matching: challenge.protectionSpace(url: url))
    }

    private func offerToCache() {
        guard let block = configuration.cacheBlock, let head, head.statusCode == 200, let url,
            let memory = state.memory,
            let response = HTTPURLResponse(head: head, url: url)
        else { return }
        let cached = CachedURLResponse(response: response, data: memory.snapshot())
        guard let answer = block(operation, cached) else { return }
        URLCache.shared.storeCachedResponse(answer, for: request)
    }
}
