// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

/// The engine's reports about a transfer.
extension RequestAttempt: TransferHandler {
    func transferDidBegin(_ transfer: Transfer) {
        if let operation { Trace.step(.transfer, operation) }
        requestTime = now
        content.beganWithStored = false
        if configuration.value.limits.totalTimeout != nil { operation?.attempt(number, waitsForConnection: false) }
    }

    func transferDidQueue(_ transfer: Transfer) {
        if configuration.value.limits.totalTimeout != nil { operation?.attempt(number, waitsForConnection: true) }
    }

    func transfer(_ transfer: Transfer, didReceiveInterim head: ResponseHead) {
        assertOnThread()
        guard stop == nil, let url = machine.url else { return }
        operation?.tell(informational: head, from: url)
    }

    func transfer(_ transfer: Transfer, didReceive head: ResponseHead) -> BodyDelivery {
        assertOnThread()
        guard stop == nil else { return .fail(stopped) }
        takePresentConfiguration()
        incoming = IncomingContent()
        responseTime = now
        invalidateCache(by: head)
        if let url = machine.url, machine.request.httpShouldHandleCookies, head.contains(.setCookie) {
            storeCookies(of: head, from: url)
        }
        if let url = machine.url, let security = configuration.value.transport.strictTransportSecurity,
            configuration.value.transport.securityPolicy?.allowInvalidCertificates != true,
            machine.handshakeAnswers == nil,
            termsStand
        {
            security.note(head, from: url)
        }
        switch machine.receive(head, circumstances, credential: credentialSource) {
        case .accept:
            accept(head)
            return .deliver
        case .discard:
            return .discard
        case .hold:
            incoming.place = .held(MemorySink(limit: configuration.value.memoryLimit))
            return .deliver
        }
    }

    func transfer(_ transfer: Transfer, didReceive bytes: UnsafeRawBufferPointer) -> ReceiveResult {
        assertOnThread()
        guard stop == nil else { return .fail(stopped) }
        return take(bytes)
    }

    /// Hands content to its place.
    func take(_ bytes: UnsafeRawBufferPointer) -> ReceiveResult {
        switch incoming.place {
        case .held(let memory), .diverted(let memory):
            return memory.write(bytes)
        case .sink:
            guard let sink = content.sink else { return .accepted }
            let result = sink.write(bytes)
            if case .accepted = result {
                copy(bytes)
                reportProgress(bytes.count)
            }
            return result
        }
    }

    func transfer(_ transfer: Transfer, didSend total: Int64) {
        assertOnThread()
        guard stop == nil, total > bytesSent else { return }
        defer { bytesSent = total }
        client?.attemptDidSend(total: total, expected: uploadLength)
        guard let operation, let queue = operation.progressQueue(.upload) else { return }
        uploadProgress.report(Int(total - bytesSent), total: total, expected: uploadLength, of: operation, on: queue)
    }

    func transfer(_ transfer: Transfer, didFinish outcome: TransferOutcome) {
        assertOnThread()
        timings = outcome.timings
        self.transfer = nil
        if !outcome.trailers.isEmpty, incoming.isAccepted, stop == nil { operation?.record(trailers: outcome.trailers) }
        if let client, asksClient(.metrics) { client.attemptDidTransfer(exchange(outcome.timings)) }
        transferDidEnd(outcome.error)
    }

    /// The content of a stored response has got to its place.
    func playbackDidEnd() {
        // One that was validated is part of what the server's answer took.
        if let client, asksClient(.metrics), machine.cache.outcome == .hit {
            var exchange = exchange(TransferTimings())
            exchange.lookupTime = lookupTime ?? exchange.endTime
            client.attemptDidTransfer(exchange)
        }
        transferDidEnd(nil)
    }

    private func exchange(_ timings: TransferTimings) -> TransferExchange {
        TransferExchange(
            request: machine.request, url: machine.url, head: machine.head, timings: timings,
            uploadLength: uploadLength, usesProxy: configuration.value.transport.proxies != nil, endTime: runtime.uptime
        )
    }

    /// The transfer, or a stored response in its place, has ended.
    func transferDidEnd(_ error: TransferError?) {
        guard !hasFailedSink || stop != nil else { return }
        guard goesOn({ [self] in transferDidEnd(error) }) else { return }
        let followUp = machine.followUp(after: error, circumstances)
        // What follows may need the response's cookies.
        guard !isStoringCookies else {
            isAsking = true
            afterCookies = { [self] in goOn(with: followUp) }
            return
        }
        goOn(with: followUp)
    }

    private func goOn(with followUp: AttemptMachine.FollowUp) {
        if case .ask(let question) = followUp { ask(question) } else { perform(followUp) }
    }

    private var stopped: TransferError { TransferError(.cancelled, message: "the operation was paused or cancelled") }

    // MARK: The response that counts

    /// Makes the response the operation's, and gets ready for its content.
    func accept(_ head: ResponseHead) {
        let isFile = configuration.value.downloadDestination != nil
        let isSuccess = (200..<300).contains(head.statusCode)
        // An error's content does not go to the file, which is not opened for it: that locks the partial file, cuts off
        // what cannot be continued, and may fail, which would hide the error.
        if !isFile || content.memory != nil || isSuccess {
            _ = content.openSink(configuration, self, url: operation?.request.url)
        }
        let codings = ContentDecoder.codings(of: head)
        let form = form(of: codings, isRefusal: machine.offset > 0 && !isSuccess)
        incoming.isAccepted = true
        incoming.form = form
        // The length of content that the engine decodes is not known.
        let length = codings.isEmpty || decoding != .engine ? head.contentLength ?? -1 : -1
        if machine.continuesContent {
            let (whole, overflows) = machine.offset.addingReportingOverflow(max(length, 0))
            incoming.expectedLength = ContentRange(head: head)?.total ?? (length < 0 || overflows ? -1 : whole)
            client?.attemptDidContinue(at: machine.offset, expected: incoming.expectedLength)
        } else {
            incoming.expectedLength = length
            // Of a response that may be followed by another, nothing goes to a stream, which cannot take it back.
            let mayDivert = isFile || (configuration.mayRetry && content.memory == nil)
            if isSuccess || content.memory != nil || (!mayDivert && content.sink?.isUntouched != false) {
                machine.contentBeginsAnew()
                content.begin(
                    head, from: machine.url, method: machine.request.httpMethod ?? "GET", receivedAt: responseTime,
                    as: form)
            } else {
                let memory = MemorySink(limit: configuration.value.memoryLimit)
                memory.begin(nil, as: form)
                incoming.place = .diverted(memory)
                content.stream?.giveUpUndecided()
            }
            content.memory?.expect(length)
        }
        // A client has been told of the response that the content began with, and goes on with that.
        let isKnown = client != nil && machine.continuesContent
        let first = isKnown ? content.beginning : nil
        operation?.record(first?.head ?? head, from: first?.url ?? machine.url, isKnown: isKnown)
        copyForCache()
        judge(head)
    }

    /// Before a stream gives any content, the response serializer has to accept the response.
    private func judge(_ head: ResponseHead) {
        guard let stream = content.stream, case .sink = incoming.place, let response = stream.undecidedResponse else {
            return
        }
        operation?.judge(head) { [runtime] isAcceptable in
            if runtime.isNetworkThread {
                stream.decide(isAcceptable: isAcceptable, on: response)
            } else {
                runtime.onNetworkThread { stream.decide(isAcceptable: isAcceptable, on: response) }
            }
        }
    }

    /// Hands content to a reader from now on: what was collected so far goes there, too.
    func adoptStream() {
        assertOnThread()
        takePresentConfiguration()
        guard stop == nil, incoming.isAccepted, !incoming.isComplete, case .sink = incoming.place,
            let stream = configuration.value.stream, let head = machine.head,
            content.adopt(stream, configuration.value, as: incoming.form, events: self)
        else { return }
        judge(head)
    }

    /// - Parameter isRefusal: it is an error's, in place of a rest, which was asked for in no coding.
    private func form(of codings: [ContentDecoder.Coding], isRefusal: Bool) -> ContentForm {
        switch decoding {
        case _ where codings.isEmpty: .plain
        case .engine: .decoded(limit: configuration.value.memoryLimit)
        case .sink: .coded(codings)
        case .nobody: isRefusal && !decodesItself ? .coded(codings) : .plain
        }
    }

    // MARK: What follows a transfer

    func perform(_ followUp: AttemptMachine.FollowUp) {
        switch followUp {
        case .deliver:
            deliver()
        case .complete:
            _ = content.openSink(configuration, self, url: operation?.request.url)
            if let head = machine.head {
                let first = content.beginning
                operation?.record(first?.head ?? head.ofEmptyPart, from: first?.url ?? machine.url, isKnown: true)
                // It may have come while there was no stream.
                judge(first?.head ?? head.ofEmptyPart)
            }
            completeContent()
        case .startOver:
            machine.askForAllNext()
            send()
        case .answer(let answer):
            machine.challengeAnswer = answer
            send()
        case .sendAgain:
            send()
        case .serve(let stored, let service):
            serve(stored, service)
        case .refresh(let stored, let head):
            serve(refresh(stored, by: head), as: .validated)
        case .follow(let redirected):
            machine.follow(redirected)
            operation?.note(request: machine.request)
            send()
        case .ask(let question):
            ask(question)
        case .fail(let error):
            finish(error: error)
        }
    }

    private func deliver() {
        if case .held(let memory) = incoming.place, let head = machine.head {
            incoming.place = .sink
            accept(head)
            let held = memory.takeData()
            var target: (any ResponseSink)? = content.sink
            if case .diverted(let diverted) = incoming.place { target = diverted }
            if case .fail(let error) = held.withUnsafeBytes({ target?.write($0) }) {
                return finish(error: URLError(error, url: machine.url))
            }
            if case .sink = incoming.place, !held.isEmpty {
                held.withUnsafeBytes { copy($0) }
                reportProgress(held.count)
            }
        }
        switch machine.completeness(accepted: content.sink?.bytesAccepted, known: content.totalLength) {
        case .partial: send()
        case .fail(let error): finish(error: error)
        case .whole: completeContent()
        }
    }

    private func reportProgress(_ count: Int) {
        let queue = operation?.progressQueue(.download)
        guard client != nil || queue != nil, let sink = content.sink else { return }
        let expected = incoming.expectedLength
        // While the beginning comes again, more may be there than the present response promises.
        let total = expected < 0 ? sink.bytesAccepted : min(sink.bytesAccepted, expected)
        if let client {
            let isDecoded = incoming.form.isCoded && content.stream == nil
            client.attemptDidReceive(
                total: isDecoded ? sink.bytesDecoded : total, expected: isDecoded ? -1 : expected)
        }
        guard let operation, let queue else { return }
        downloadProgress.report(count, total: total, expected: expected, of: operation, on: queue)
    }

    private func completeContent() {
        switch operation?.didReceiveContent(number) {
        case .stale, nil: return
        case .held: return postpone { [self] in completeContent() }
        case .present: break
        }
        incoming.isComplete = true
        if case .diverted(let diverted) = incoming.place {
            if let error = diverted.complete() { return finish(error: URLError(error, url: machine.url)) }
            // An error response: what was received before, and the place for it, stay untouched.
            finish(error: nil, data: diverted.takeData())
        } else if let memory = content.memory {
            if let error = memory.complete() { return finish(error: URLError(error, url: machine.url)) }
            let data = memory.takeData()
            storeResponse(data)
            finish(error: nil, data: data, content: .read)
        } else if let stream = content.stream {
            incoming.isWriting = true
            stream.finish { [self] error in
                if let refused = stream.takeRefused() {
                    finish(error: nil, data: refused, content: .written)
                } else if error == nil, client != nil {
                    runtime.onNetworkThread { [self] in finishRead() }
                } else {
                    finish(writing: error)
                }
            }
        } else if let sink = content.sink {
            incoming.isWriting = true
            // Observers of the end may wait for other downloads, which may have the same queue.
            sink.finish { [self] error in runtime.onBlockThread { [self] in finish(writing: error) } }
        } else {
            finish(error: nil)
        }
    }
}
