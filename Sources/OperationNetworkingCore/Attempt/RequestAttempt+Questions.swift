// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// The questions that may take time or are the user's: asked while no transfer is under way, and answered once.
extension RequestAttempt {
    /// Asks, and goes on with the answer on the network thread.
    func ask(_ question: AttemptMachine.Question) {
        isAsking = true
        switch question {
        case .lookup:
            look()
        case .credential(let challenge, let head):
            askStorage(for: challenge, head)
        case .redirect(let proposed, let head):
            ask(about: proposed, after: head)
        case .challenge(let challenge, let head):
            ask(about: challenge, head)
        case .handshake(let challenge):
            ask(about: challenge)
        case .cache:
            guard let content = cacheableContent else { return resume { _ in .deliver } }
            offer(content, policy: .allowed) { [self] _ in resume { _ in .deliver } }
        }
    }

    /// Puts a question to the user's block, on a thread for blocks, or, where there is no block, to the client.
    ///
    /// - Parameters:
    ///   - otherwise: the answer where there is nothing to ask.
    ///   - take: called once, on any thread.
    private func put<Answer: Sendable>(
        to block: (@Sendable (URLConnectionOperation, URL) -> Answer)?,
        or askClient: (any AttemptClient, URL, @escaping @Sendable (Answer) -> Void) -> Void, otherwise: Answer,
        _ take: @escaping @Sendable (Answer) -> Void
    ) {
        guard let url = machine.url else { return take(otherwise) }
        guard let block else {
            guard let client else { return take(otherwise) }
            return askClient(client, url, FirstAnswer(take).give)
        }
        runtime.onBlockThread { [self] in take(operation.map { block($0, url) } ?? otherwise) }
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

    // MARK: Redirects and challenges

    private func ask(about redirected: URLRequest, after head: ResponseHead) {
        var askBlock: (@Sendable (URLConnectionOperation, URL) -> URLRequest?)?
        if let block = configuration.value.redirectBlock {
            askBlock = { block($0, redirected, ResponseFace(head: head, url: $1)) }
        }
        put(
            to: askBlock,
            or: { client, url, answer in
                guard let response = ResponseFace(head: head, url: url) else { return answer(redirected) }
                client.attempt(proposes: redirected, after: response, answer: answer)
            }, otherwise: redirected
        ) { [self] answer in resume { $0.take(redirect: answer) } }
    }

    private func ask(about challenge: HTTPChallenge, _ head: ResponseHead) {
        let failures = machine.challengeFailures
        let proposed = failures == 0 ? ownCredential ?? clientsProposal(for: challenge) : nil
        put(
            about: { url in
                challenge.authenticationChallenge(
                    url: url, proposed: proposed, failures: failures, response: ResponseFace(head: head, url: url))
            }, otherwise: .rejectProtectionSpace
        ) { [self] answer in
            resume { [self] in $0.take(answer, for: challenge, credential: credentialSource) }
        }
    }

    private func ask(about challenge: HandshakeChallenge) {
        let failures = machine.handshakeAnswers?.failures(challenge.question) ?? 0
        put(
            about: { challenge.authenticationChallenge(url: $0, failures: failures) },
            otherwise: .performDefaultHandling
        ) { [self] answer in resume { $0.take(answer, for: challenge) } }
    }

    private func put(
        about challenge: @escaping @Sendable (URL) -> URLAuthenticationChallenge,
        otherwise: AuthenticationDisposition, _ take: @escaping @Sendable (AuthenticationDisposition) -> Void
    ) {
        var askBlock: (@Sendable (URLConnectionOperation, URL) -> AuthenticationDisposition)?
        if let block = configuration.value.challengeBlock { askBlock = { block($0, challenge($1)) } }
        put(
            to: askBlock, or: { $0.attempt(received: challenge($1), answer: $2) }, otherwise: otherwise, take)
    }

    /// The credential that the storage proposes to a client that is asked about a challenge.
    private func clientsProposal(for challenge: HTTPChallenge) -> URLCredential? {
        guard asksClient(.challenges), configuration.value.challengeBlock == nil, let url = machine.url else {
            return nil
        }
        return storedCredential(for: challenge, url: url)
    }

    // MARK: The cache

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

    /// Offers a complete response to the block or the client, and stores what it answers.
    ///
    /// - Parameter next: called on the network thread; false: nothing is to be stored.
    private func offer(
        _ content: CacheableContent, policy: URLCache.StoragePolicy, _ next: @escaping @Sendable (Bool) -> Void
    ) {
        guard let response = ResponseFace(head: content.head, url: content.url) else { return next(false) }
        let offered = CachedURLResponse(response: response, data: content.data, userInfo: nil, storagePolicy: policy)
        var askBlock: (@Sendable (URLConnectionOperation, URL) -> CachedURLResponse?)?
        if let block = configuration.value.cacheBlock { askBlock = { operation, _ in block(operation, offered) } }
        put(
            to: askBlock,
            or: { client, _, answer in client.attempt(willCache: offered, answer: answer) }, otherwise: nil
        ) { [self] answer in
            runtime.onNetworkThread { [self] in
                if let answer { keep(answer, inPlaceOf: response, content) }
                next(answer != nil)
            }
        }
    }

    /// A client has read all content of a response, which the cache may keep now.
    func finishRead() {
        guard goesOn({ [self] in finishRead() }) else { return }
        // Of content that did not decode to its end the reader hears.
        if incoming.copy?.complete() != nil { incoming.copy = nil }
        guard configuration.value.cacheBlock == nil, asksClient(.caching), let content = cacheableContent else {
            if let copy = incoming.copy { storeResponse(copy.takeData()) }
            return finish(writing: nil)
        }
        isAsking = true
        // What says nothing about caches is used by few requests, and not worth its place on the disk.
        let policy: URLCache.StoragePolicy = StorageRules.mayBeOfUse(content.head) ? .allowed : .allowedInMemoryOnly
        offer(content, policy: policy) { [self] isStored in
            guard isStored, let cache = configuration.value.storages.cache.cache else {
                isAsking = false
                return finish(writing: nil)
            }
            // When the end is reported, the response is in the cache.
            cache.whenSettled { [self] in
                runtime.onNetworkThread { [self] in
                    isAsking = false
                    finish(writing: nil)
                }
            }
        }
    }

    // MARK: Content of the request

    /// The request's stream was read and cannot be read again: asks the client for another one. False: no need to.
    func askForBodyStream() -> Bool {
        guard asksClient(.bodyStreams), let client, let stream = machine.request.httpBodyStream,
            content.needsAnother(for: stream)
        else { return false }
        isAsking = true
        let once = FirstAnswer<InputStream?> { [self] stream in
            // The client gave the stream away.
            nonisolated(unsafe) let stream = stream
            runtime.onNetworkThread { [self] in
                isAsking = false
                take(bodyStream: stream)
            }
        }
        client.attempt(needsBodyStream: once.give)
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

    // MARK: Cookies

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
}
