// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport
internal import OperationNetworkingCore

// The events and questions of the operation.

extension SessionTask: SessionOperationOwner {
    var wasAsked: Bool { withState { $0.requests.isAsked } }

    func operation(
        _ operation: SessionOperation, received response: HTTPURLResponse?, admit: @escaping @Sendable () -> Void
    ) {
        judge(response, admit: admit, refuse: { [self] in cancel() })
    }

    /// The client is asked for another stream whatever its interests are.
    var interests: ClientInterests { withState { $0.interests }.union(.bodyStreams) }

    var defaultHeaderFields: [HeaderField] { DefaultHeaders.fields }

    func attemptWillSend(_ request: URLRequest) {
        withState { $0.requests.send(request) }
    }

    func attempt(
        proposes redirected: URLRequest, after response: HTTPURLResponse,
        answer: @escaping @Sendable (URLRequest?) -> Void
    ) {
        noteQuestion()
        client.task(self, willFollow: redirected, after: response) { [self] reply in
            answer(reply.map { configured($0, inPlaceOf: redirected, redirectedFrom: response.url) })
        }
    }

    /// Returns a client's answer about a redirect with what the session's configuration adds to every request.
    ///
    /// - Parameter hop: the URL that redirects.
    func configured(_ answer: URLRequest, inPlaceOf proposed: URLRequest, redirectedFrom hop: URL?) -> URLRequest {
        guard let session, let origin = originalRequest?.url, let hop else { return answer }
        return session.settings.configured(answer, inPlaceOf: proposed, redirectedFrom: [origin, hop])
    }

    func attempt(
        received challenge: URLAuthenticationChallenge,
        answer: @escaping @Sendable (AuthenticationDisposition) -> Void
    ) {
        noteQuestion()
        let once = FirstAnswer<(URLSession.AuthChallengeDisposition, URLCredential?)> {
            [self] disposition, credential in
            switch disposition {
            case .useCredential: answer(credential.map { .useCredential($0) } ?? .rejectProtectionSpace)
            case .performDefaultHandling: answer(.performDefaultHandling)
            case .rejectProtectionSpace: answer(.rejectProtectionSpace)
            case .cancelAuthenticationChallenge:
                cancel()
                answer(.cancel)
            }
        }
        client.task(self, didReceive: challenge) { once.give(($0, $1)) }
    }

    func attempt(willCache response: CachedURLResponse, answer: @escaping @Sendable (CachedURLResponse?) -> Void) {
        noteQuestion()
        client.task(self, willCache: response, reply: answer)
    }

    func attempt(needsBodyStream answer: @escaping @Sendable (InputStream?) -> Void) {
        noteQuestion()
        client.task(self, needsBodyStream: answer)
    }

    /// Before the client is asked: it may suspend the task at once.
    private func noteQuestion() { withState { $0.requests.noteQuestion() } }

    func attemptDidSend(total: Int64, expected: Int64) {
        let (reports, advance) = withState { state in
            let reports = state.traffic.noteSent(
                total: total, expected: expected, isReported: state.interests.contains(.sending))
            return (reports, state.advance)
        }
        tell(advance)
        guard reports else { return }
        client.perform(for: self) { [self] in
            let (count, counts) = withState { $0.traffic.takeSent() }
            guard count > 0, !isCanceling else { return }
            client.task(self, didSend: count, total: counts.sent, expected: counts.expectedToSend)
        }
    }

    func attemptDidReceive(total: Int64, expected: Int64) {
        let (reports, advance) = withState { state in
            let isReported = state.download.isWanted && state.interests.contains(.writing)
            let reports = state.traffic.noteReceived(total: total, expected: expected, isReported: isReported)
            return (reports, state.advance)
        }
        tell(advance)
        if reports { scheduleReport() }
    }

    /// Content of a download was taken by a loader that is no operation.
    func reportWriting(_ count: Int64) {
        let reports = withState { $0.interests.contains(.writing) && $0.traffic.report(received: count) }
        if reports { scheduleReport() }
    }

    private func scheduleReport() {
        client.perform(for: self) { [self] in
            let (count, counts) = withState { $0.traffic.takeReceived() }
            guard count > 0, !isCanceling else { return }
            client.task(self, didWrite: count, total: counts.received, expected: counts.expectedToReceive)
        }
    }

    func attemptDidContinue(at offset: Int64, expected: Int64) {
        let isTold = withState { state in
            state.traffic.goOn(at: offset, expected: expected)
            return state.download.noteContinuation() && state.interests.contains(.writing)
        }
        if isTold { client.task(self, didResumeAt: offset, expected: expected) }
    }

    func attemptDidTransfer(_ exchange: TransferExchange) {
        withState { $0.exchanges.append(exchange) }
    }

    /// A response has come whose content the client reads.
    ///
    /// What follows a lost connection goes on with the response that was admitted, where it is the same one. Where it
    /// is another, the client is asked again, unless it has got content of the first already: then the task fails. What
    /// comes while the client has not answered yet waits for that answer.
    ///
    /// - Parameters:
    ///   - refuse: the client wants none of it.
    ///   - isLast: all of it is here, and nothing else ends the task.
    func judge(
        _ response: URLResponse?, isLast: Bool = false, admit: @escaping @Sendable () -> Void,
        refuse: @escaping @Sendable () -> Void
    ) {
        let new = ResponseQuestion.Waiting(
            response: response as? HTTPURLResponse, admit: admit, refuse: refuse, isLast: isLast)
        let isUnread = withState({ $0.pump })?.isUnread != false
        perform(
            withState { state in
                guard !isLast || state.machine.state != .canceling else { return .refuse(new) }
                return state.question.receive(
                    new, isAsked: state.interests.contains(.responses), isUnread: isUnread)
            })
    }

    /// The task was cancelled: the client's answer is not waited for any more.
    func giveUpQuestion() { perform(withState { $0.question.giveUp() }) }

    private func perform(_ action: ResponseQuestion.Action) {
        switch action {
        case .none: break
        case .admit(let response): response.admit()
        case .refuse(let response): response.refuse()
        case .fail(let other):
            let (pump, url) = (withState { $0.pump }, other.response?.url)
            // Not from within what the attempt is about.
            Runtime.current.onBlockThread { [self] in pump?.fail(URLError.lost(at: url), self) }
        case .ask(let response):
            let once = FirstAnswer<URLSession.ResponseDisposition> { [self] disposition in
                switch disposition {
                case .cancel: answerQuestion(isWanted: false)
                case Self.becomeDownload:
                    becomeDownload { [self] in answerQuestion(isWanted: true, isForAny: true) }
                default: answerQuestion(isWanted: true)
                }
            }
            client.task(self, didReceive: response) { once.give($0) }
        }
    }

    private func answerQuestion(isWanted: Bool, isForAny: Bool = false) {
        perform(withState { $0.question.answer(isWanted: isWanted, isForAny: isForAny) })
    }

    /// Foundation's own name for it is deprecated on Linux, where nothing else implements it.
    static let becomeDownload = URLSession.ResponseDisposition(rawValue: 2)

    private func becomeDownload(then admit: @escaping @Sendable () -> Void) {
        let location = downloadLocation
        let (pump, operation) = (withState { $0.pump }, operation)
        guard let pump else { return admit() }
        Runtime.current.onBlockThread { [self] in
            pump.turn(to: location)
            let face = OperationDownloadTask(self, operation)
            let (session, received, isLate) = withState { state in
                // The end came before the answer: the download is not reported.
                guard state.machine.state != .completed else { return (OperationURLSession?.none, Int64(0), true) }
                state.becomeDownload(face)
                return (state.session, state.traffic.counts.received, false)
            }
            guard !isLate else {
                pump.closeFile()
                return SessionDownloadFile.removeTarget(location)
            }
            session?.taskDidBecome(face, self)
            client.task(self, didBecome: face) { [self] in
                // The bytes that came before the client knew of the download.
                if received > 0 { reportWriting(received) }
                admit()
            }
        }
    }

    /// Brings the progress up to date, if it was asked for.
    func updateProgress() { tell(withState { $0.advance }) }

    /// The receivers of a change of the counts, and the counts.
    struct Advance: Sendable {
        let progress: Progress?
        let isClientInterested: Bool
        let counts: SessionTaskCounts
        let isOver: Bool
    }

    func tell(_ advance: Advance?) {
        guard let advance else { return }
        if advance.isClientInterested { client.taskDidAdvance(self) }
        guard let progress = advance.progress else { return }
        ProgressChanges.perform {
            // As it is by now: what another thread has reported since then is not taken back.
            guard let advance = withState({ $0.advance }) else { return }
            update(progress, advance.counts, isOver: advance.isOver)
        }
    }

    private func update(_ progress: Progress, _ counts: SessionTaskCounts, isOver: Bool) {
        if isOver {
            if progress.totalUnitCount < 0 { progress.totalUnitCount = max(1, counts.sent + counts.received) }
            progress.completedUnitCount = progress.totalUnitCount
            return
        }
        let (total, overflows) = max(0, counts.expectedToSend).addingReportingOverflow(counts.expectedToReceive)
        let isKnown = counts.expectedToReceive > 0 && counts.expectedToSend >= 0 && !overflows
        progress.totalUnitCount = isKnown ? total : -1
        progress.completedUnitCount = counts.sent &+ counts.received
    }
}

extension SessionTask.State {
    /// Nil: it was not asked for.
    var advance: SessionTask.Advance? {
        guard progress != nil || reportsAdvance else { return nil }
        return SessionTask.Advance(
            progress: progress, isClientInterested: reportsAdvance, counts: traffic.counts,
            isOver: machine.state == .completed)
    }
}
