// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// The questions that may take time or are the user's: asked on another thread, while no transfer is under way.
extension RequestAttempt {
    /// Asks the user's block, and goes on with the answer on the network thread.
    func ask(_ question: AttemptMachine.Question) {
        let url = machine.url
        let configuration = self.configuration
        let (failures, proposed, content) = facts(for: question)
        isAsking = true
        switch question {
        case .lookup: return look()
        case .credential(let challenge, let head): return askStorage(for: challenge, head)
        default: break
        }
        if let client, askClient(client, question, proposed: proposed, failures: failures, content: content) {
            return
        }
        runtime.onBlockThread { [self] in
            switch question {
            case .redirect(let proposed, let head):
                let answer = answerToRedirect(proposed, head, url, configuration)
                resume { $0.take(redirect: answer) }
            case .challenge(let challenge, let head):
                let answer = answer(to: challenge, head, url, configuration, proposed: proposed, failures: failures)
                resume { [self] in $0.take(answer, for: challenge, credential: credentialSource) }
            case .handshake(let challenge):
                let answer = answer(to: challenge, url, configuration, failures: failures)
                resume { $0.take(answer, for: challenge) }
            case .cache:
                if let content { offerToCache(content, configuration) }
                resume { _ in .deliver }
            case .lookup, .credential:
                break
            }
        }
    }

    /// Looks into the cache, on a thread where that may take its time.
    private func look() {
        let work: @Sendable () -> Void = { [self, lookup = cacheLookup()] in
            let (stored, primary) = lookup?.find() ?? (nil, nil)
            let now = now
            resume { $0.take(stored: stored, primary: primary, at: now) }
        }
        // Not made here: the shared one makes a folder.
        if let cache = configuration.value.storages.cache.cacheIfMade {
            cache.look(on: runtime, work)
        } else {
            runtime.onCachingThread(work)
        }
    }

    /// Puts a response's cookies into the storage, on another thread, while its content comes: for other requests to
    /// the server meanwhile, and also if the content is not wanted.
    func storeCookies(of head: ResponseHead, from url: URL) {
        let cookies = ReceivedCookies(
            heads: [(head, url)], mainDocumentURL: machine.request.mainDocumentURL,
            setting: configuration.value.storages.cookies)
        isStoringCookies = true
        runtime.onBlockThread { [self] in
            cookies.store()
            runtime.onNetworkThread { [self] in
                isStoringCookies = false
                guard let next = afterCookies.take() else { return }
                isAsking = false
                if goesOn(next) { next() }
            }
        }
    }

    /// Hands an answer to the machine, and does what follows.
    func resume(_ take: @escaping @Sendable (inout AttemptMachine) -> AttemptMachine.FollowUp) {
        runtime.onNetworkThread { [self] in
            isAsking = false
            resumeNow(take)
        }
    }

    private func resumeNow(_ take: @escaping @Sendable (inout AttemptMachine) -> AttemptMachine.FollowUp) {
        guard goesOn({ [self] in resumeNow(take) }) else { return }
        perform(take(&machine))
    }

    /// The facts that a block receives with the question.
    private func facts(
        for question: AttemptMachine.Question
    ) -> (failures: Int, proposed: URLCredential?, content: CacheableContent?) {
        switch question {
        case .challenge(let challenge, _):
            let failures = machine.challengeFailures
            return (failures, failures == 0 ? ownCredential ?? clientsProposal(for: challenge) : nil, nil)
        case .handshake(let challenge):
            return (machine.handshakeAnswers?.failures(challenge.question) ?? 0, nil, nil)
        case .cache:
            return (0, nil, cacheableContent)
        case .redirect, .lookup, .credential:
            return (0, nil, nil)
        }
    }

    // MARK: The user's blocks: not on the network thread

    private func answerToRedirect(
        _ proposed: URLRequest, _ head: ResponseHead, _ url: URL?,
        _ configuration: URLConnectionOperation.SharedConfiguration
    ) -> URLRequest? {
        guard let operation, let url, let block = configuration.value.redirectBlock else { return proposed }
        return block(operation, proposed, ResponseFace(head: head, url: url))
    }

    private func answer(
        to challenge: HTTPChallenge, _ head: ResponseHead, _ url: URL?,
        _ configuration: URLConnectionOperation.SharedConfiguration, proposed: URLCredential?, failures: Int
    ) -> AuthenticationDisposition {
        guard let operation, let url, let block = configuration.value.challengeBlock else {
            return .rejectProtectionSpace
        }
        return block(
            operation,
            challenge.authenticationChallenge(
                url: url, proposed: proposed, failures: failures, response: ResponseFace(head: head, url: url)))
    }

    private func answer(
        to challenge: HandshakeChallenge, _ url: URL?, _ configuration: URLConnectionOperation.SharedConfiguration,
        failures: Int
    ) -> AuthenticationDisposition {
        guard let operation, let url, let block = configuration.value.challengeBlock else {
            return .performDefaultHandling
        }
        return block(operation, challenge.authenticationChallenge(url: url, failures: failures))
    }
}
