internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

extension Exchange: TransferHandler {
    func transfer(_ transfer: Transfer, didReceive head: ResponseHead) -> BodyDelivery {
        assert(engine.isCurrentThread)
        guard isCurrent else { return .fail(TransferError(.cancelled, message: "the operation was paused")) }
        self.head = head
        sharedConfiguration = operation.presentConfiguration
        held = nil
        diverted = nil
        if let url, request.httpShouldHandleCookies, head.firstValue(for: "Set-Cookie") != nil {
            cookieHeads.append((head, url))
        }
        next = step(for: head)
        switch next {
        case .deliver:
            accept(head)
            return .deliver
        case .complete, .startOver, .answer, .follow:
            return .discard
        case .askHandshake, .sendAgain:
            // Steps after a transfer, not after a head.
            return .discard
        case .askRedirect, .askChallenge:
            held = MemorySink(limit: configuration.maximumBufferedLength)
            return .deliver
        }
    }

    func transfer(_ transfer: Transfer, didReceive bytes: UnsafeRawBufferPointer) -> ReceiveResult {
        assert(engine.isCurrentThread)
        guard isCurrent else { return .fail(TransferError(.cancelled, message: "the operation was paused")) }
        if let held { return held.write(bytes) }
        if let diverted { return diverted.write(bytes) }
        guard let sink = state.sink else { return .accepted }
        let result = sink.write(bytes)
        if case .accepted = result {
            reportProgress(bytes.count)
        }
        return result
    }

    func transfer(_ transfer: Transfer, didSend total: Int64) {
        assert(engine.isCurrentThread)
        guard isCurrent, total > bytesSent else { return }
        defer { bytesSent = total }
        guard let queue = operation.progressQueue(.upload) else { return }
        uploadProgress.report(
            Int(total - bytesSent), total: total, expected: uploadLength, of: operation, on: queue)
    }

    func transfer(_ transfer: Transfer, didFinish outcome: TransferOutcome) {
        assert(engine.isCurrentThread)
        timings = outcome.timings
        guard releaseTransfer() else { return }
        if let error = outcome.error, !dropsContent {
            guard let challenge = handshakeChallenge(error) else { return finish(error: URLError(error, url: url)) }
            next = .askHandshake(challenge)
        }
        if !cookieHeads.isEmpty || needsUser {
            DispatchQueue.networkingProcessing.async { [self] in
                storeCookies()
                decide()
            }
        } else {
            proceed()
        }
    }

    /// Whether the present response's content does not matter, nor how it ended.
    private var dropsContent: Bool {
        switch next {
        case .answer, .follow, .startOver, .complete: head != nil
        case .deliver, .askRedirect, .askChallenge, .askHandshake, .sendAgain: false
        }
    }

    private var needsUser: Bool {
        switch next {
        case .askRedirect, .askChallenge, .askHandshake: true
        case .deliver: configuration.cacheBlock != nil && request.httpMethod ?? "GET" == "GET"
        case .answer, .follow, .startOver, .complete, .sendAgain: false
        }
    }

    // MARK: What a head means

    private func step(for head: ResponseHead) -> NextStep {
        if let url, let redirected = RedirectPolicy.next(after: request, at: url, for: head) {
            return configuration.redirectBlock == nil ? .follow(redirected) : .askRedirect(redirected, head)
        }
        if head.statusCode == 401, let challenge = HTTPChallenge(head: head) {
            if let renewed = challengeAnswer?.renewed(by: challenge) { return .answer(renewed) }
            if configuration.challengeBlock != nil { return .askChallenge(challenge, head) }
            if let answer = defaultAnswer(to: challenge) { return .answer(answer) }
        }
        guard offset > 0, let representation = state.representation else { return .deliver }
        // Not what a range was asked of; the request without one is for coded content, too.
        guard ContentDecoder.codings(of: head).isEmpty else { return .startOver }
        switch head.statusCode {
        case 206:
            return representation.isContinued(by: head, from: offset) ? .deliver : .startOver
        case 416:
            let isComplete = ContentRange(head: head)?.total == offset && representation.totalLength ?? offset == offset
            return isComplete ? .complete : .startOver
        default:
            return .deliver
        }
    }

    /// The response counts: makes it the operation's, and gets ready for its content.
    private func accept(_ head: ResponseHead) {
        let isFile = configuration.downloadDestination != nil
        if !isFile || state.sink != nil || (200..<300).contains(head.statusCode) {
            _ = state.openSink(configuration, self, url: originalURL)
        }
        let codings = ContentDecoder.codings(of: head)
        let form: ContentForm =
            switch decoding {
            case _ where codings.isEmpty: .plain
            case .engine: .decoded(limit: configuration.maximumBufferedLength)
            case .sink: .coded(codings)
            case .nobody: .plain
            }
        // Of content that libcurl decodes nobody knows the length.
        let length = codings.isEmpty || decoding != .engine ? head.contentLength ?? -1 : -1
        let continues = offset > 0 && head.statusCode == 206
        let isSuccess = (200..<300).contains(head.statusCode)
        if continues {
            let total = ContentRange(head: head)?.total
            expectedLength = total ?? (length >= 0 ? offset + length : -1)
        } else {
            expectedLength = length
            if isSuccess || state.memory != nil || (!isFile && state.sink?.isUntouched != false) {
                offset = 0
                state.begin(head, method: request.httpMethod ?? "GET", as: form)
            } else {
                let memory = MemorySink(limit: configuration.maximumBufferedLength)
                memory.begin(nil, as: form)
                diverted = memory
            }
            state.memory?.expect(length)
        }
        operation.record(head, from: url)
    }

    // MARK: What follows a transfer

    /// Does what the transfer's end asks for.
    func proceed() {
        switch next {
        case .deliver:
            deliver()
        case .complete:
            _ = state.openSink(configuration, self, url: originalURL)
            completeContent()
        case .startOver:
            asksForRange = false
            send()
        case .answer(let answer):
            challengeAnswer = answer
            send()
        case .sendAgain:
            send()
        case .follow(let redirected):
            follow(redirected)
        case .askRedirect, .askChallenge, .askHandshake:
            // Answered on the processing queue, which leaves one of the other steps here.
            deliver()
        }
    }

    private func follow(_ redirected: URLRequest) {
        hops += 1
        guard hops <= RedirectPolicy.maximumHops else {
            finish(
                error: URLError(
                    .httpTooManyRedirects, url: url, reason: "more than \(RedirectPolicy.maximumHops) redirects"))
            return
        }
        // A credential answers for the origin that asked for it.
        if let url, let target = redirected.url, !Origin.isSame(url, target) {
            challengeAnswer = nil
            handshakeAnswers = nil
        }
        challengeFailures = 0
        request = redirected
        send()
    }

    private func deliver() {
        if let held, let head {
            self.held = nil
            accept(head)
            let content = held.takeData()
            let written = content.withUnsafeBytes { (diverted ?? state.sink)?.write($0) }
            if case .fail(let error) = written {
                finish(error: URLError(error, url: url))
                return
            }
            if diverted == nil, !content.isEmpty { reportProgress(content.count) }
        }
        guard !asksForMore() else { return }
        if let diverted {
            guard operation.didReceiveContent(attempt) else { return }
            if let error = diverted.complete() { return finish(error: URLError(error, url: url)) }
            // An error response: what was received before, and the place for it, stay untouched.
            let data = diverted.takeData()
            guard let sink = state.sink else {
                finish(error: nil, data: data)
                return
            }
            sink.discard { [self] in finish(error: nil, data: data) }
            return
        }
        completeContent()
    }

    /// A range may end before the representation does: asks for what follows, or ends the operation when that leads
    /// nowhere. False: all of it is here.
    private func asksForMore() -> Bool {
        guard offset > 0, let head, head.statusCode == 206, let accepted = state.sink?.bytesAccepted,
            let total = state.representation?.totalLength ?? ContentRange(head: head)?.total, accepted != total
        else { return false }
        if accepted > total {
            finish(
                error: URLError(
                    .cannotParseResponse, url: url, reason: "the server sent \(accepted) bytes of a content of \(total)"
                ))
        } else if accepted == offset {
            finish(
                error: URLError(
                    .networkConnectionLost, url: url,
                    reason: "the server sent \(accepted) of \(total) bytes, and no more"))
        } else {
            send()
        }
        return true
    }

    private func reportProgress(_ count: Int) {
        guard let sink = state.sink, let queue = operation.progressQueue(.download) else { return }
        // While the beginning comes again, more may be there than the present response promises.
        let total = expectedLength < 0 ? sink.bytesAccepted : min(sink.bytesAccepted, expectedLength)
        downloadProgress.report(count, total: total, expected: expectedLength, of: operation, on: queue)
    }

    private func completeContent() {
        guard operation.didReceiveContent(attempt) else { return }
        guard let memory = state.memory else {
            guard let sink = state.sink else { return finish(error: nil) }
            sink.finish { [self] error in
                finish(error: error.map { URLError(TransferError(sink: $0), url: url) })
            }
            return
        }
        if let error = memory.complete() { return finish(error: URLError(error, url: url)) }
        finish(error: nil, data: memory.takeData())
    }
}
