// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// The questions that the attempt's client is asked in place of a block of the user's.
extension RequestAttempt {
    /// Asks the client, and goes on with the answer on the network thread. False: the question is not for it.
    func askClient(
        _ client: any AttemptClient, _ question: AttemptMachine.Question, proposed: URLCredential?, failures: Int,
        content: CacheableContent?
    ) -> Bool {
        guard let url = machine.url else { return false }
        switch question {
        case .redirect(let redirected, let head):
            guard configuration.value.redirectBlock == nil, let response = ResponseFace(head: head, url: url) else {
                return false
            }
            let answer = answerer { answer in { $0.take(redirect: answer) } }
            client.attempt(proposes: redirected, after: response, answer: answer)
        case .challenge(let challenge, let head):
            guard configuration.value.challengeBlock == nil else { return false }
            let answer = answerer { [self] answer in
                { [self] in $0.take(answer, for: challenge, credential: credentialSource) }
            }
            let asked = challenge.authenticationChallenge(
                url: url, proposed: proposed, failures: failures, response: ResponseFace(head: head, url: url))
            client.attempt(received: asked, answer: answer)
        case .handshake(let challenge):
            guard configuration.value.challengeBlock == nil else { return false }
            let answer = answerer { answer in { $0.take(answer, for: challenge) } }
            let asked = challenge.authenticationChallenge(url: url, failures: failures)
            client.attempt(received: asked, answer: answer)
        case .cache:
            guard configuration.value.cacheBlock == nil, let content,
                let response = ResponseFace(head: content.head, url: content.url)
            else { return false }
            // Not in `take`, to which the machine belongs meanwhile.
            let answer: @Sendable (CachedURLResponse?) -> Void = answerer { [self] answer in
                keep(answer, inPlaceOf: response, content)
                return { _ in .deliver }
            }
            let offered = CachedURLResponse(response: response, data: content.data)
            client.attempt(willCache: offered, answer: answer)
        case .lookup, .credential:
            return false
        }
        return true
    }

    /// Takes the first answer to the question that is being asked; later ones, or those to earlier questions, are
    /// ignored.
    private func answerer<Answer: Sendable>(
        _ take: @escaping @Sendable (Answer) -> @Sendable (inout AttemptMachine) -> AttemptMachine.FollowUp
    ) -> @Sendable (Answer) -> Void {
        questionNumber += 1
        let number = questionNumber
        return { [self] answer in
            runtime.onNetworkThread { [self] in
                guard number == questionNumber else { return }
                questionNumber += 1
                resume(take(answer))
            }
        }
    }

    /// A client has read all content of a response, which the cache may keep now.
    func finishRead() {
        guard goesOn({ [self] in finishRead() }) else { return }
        // Of content that did not decode to its end the reader hears.
        if incoming.copy?.complete() != nil { incoming.copy = nil }
        guard configuration.value.cacheBlock == nil, let client, asksClient(.caching), let content = cacheableContent,
            let response = ResponseFace(head: content.head, url: content.url)
        else {
            if let copy = incoming.copy { storeResponse(copy.takeData()) }
            return finish(writing: nil)
        }
        isAsking = true
        questionNumber += 1
        let number = questionNumber
        // What says nothing about caches is used by few requests, and not worth its place on the disk.
        let policy: URLCache.StoragePolicy = StorageRules.mayBeOfUse(content.head) ? .allowed : .allowedInMemoryOnly
        let offered = CachedURLResponse(response: response, data: content.data, userInfo: nil, storagePolicy: policy)
        client.attempt(willCache: offered) { [self] answer in
            runtime.onNetworkThread { [self] in
                guard number == questionNumber else { return }
                questionNumber += 1
                guard let answer, let cache = configuration.value.storages.cache.cache else {
                    isAsking = false
                    return finish(writing: nil)
                }
                keep(answer, inPlaceOf: response, content)
                // When the end is reported, the response is in the cache.
                cache.whenSettled { [self] in
                    runtime.onNetworkThread { [self] in
                        isAsking = false
                        finish(writing: nil)
                    }
                }
            }
        }
    }

    /// The request's stream was read and cannot be read again: asks the client for another one. False: no need to.
    func askForBodyStream() -> Bool {
        guard asksClient(.bodyStreams), let client, let stream = machine.request.httpBodyStream,
            content.needsAnother(for: stream)
        else { return false }
        isAsking = true
        questionNumber += 1
        let number = questionNumber
        client.attempt { [self] stream in
            // The client gave the stream away.
            nonisolated(unsafe) let stream = stream
            runtime.onNetworkThread { [self] in
                guard number == questionNumber else { return }
                questionNumber += 1
                isAsking = false
                take(bodyStream: stream)
            }
        }
        return true
    }

    private func take(bodyStream stream: InputStream?) {
        // Without one the request fails when it is made.
        if let stream {
            content.forgetSource(of: stream)
            machine.replaceBodyStream(by: stream)
            guard goesOn({ [self] in send() }) else { return }
            send()
        } else {
            let error = URLError(
                .requestBodyStreamExhausted, url: machine.url,
                reason: "the request's content has to be sent again, and the delegate gave no other stream for it")
            guard goesOn({ [self] in finish(error: error) }) else { return }
            finish(error: error)
        }
    }

    /// The credential that the storage proposes to a client that is asked about a challenge.
    func clientsProposal(for challenge: HTTPChallenge) -> URLCredential? {
        guard asksClient(.challenges), configuration.value.challengeBlock == nil, let url = machine.url else {
            return nil
        }
        return storedCredential(for: challenge, url: url)
    }
}
