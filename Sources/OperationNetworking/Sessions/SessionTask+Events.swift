// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

// What the operation tells and asks.

extension SessionTask: AttemptClient {
    var attemptQuestions: AttemptQuestions {
        let interests = withState { $0.interests }
        var questions: AttemptQuestions = [.bodyStreams]
        if interests.contains(.redirects) { questions.insert(.redirects) }
        if interests.contains(.challenges) { questions.insert(.challenges) }
        if interests.contains(.caching) { questions.insert(.caching) }
        return questions
    }

    func attemptWillSend(_ request: URLRequest) {
        withState { state in
            state.requestCount += 1
            if state.requestCount > 1 { state.currentRequest = request }
        }
    }

    func attempt(
        proposes redirected: URLRequest, after response: HTTPURLResponse,
        answer: @escaping @Sendable (URLRequest?) -> Void
    ) {
        client.task(self, willFollow: redirected, after: response, reply: answer)
    }

    func attempt(
        received challenge: URLAuthenticationChallenge,
        answer: @escaping @Sendable (AuthenticationDisposition) -> Void
    ) {
        client.task(self, didReceive: challenge) { [self] disposition, credential in
            switch disposition {
            case .useCredential: answer(credential.map { .useCredential($0) } ?? .rejectProtectionSpace)
            case .performDefaultHandling: answer(.performDefaultHandling)
            case .rejectProtectionSpace: answer(.rejectProtectionSpace)
            case .cancelAuthenticationChallenge:
                cancel()
                answer(.cancel)
            }
        }
    }

    func attempt(willCache response: CachedURLResponse, answer: @escaping @Sendable (CachedURLResponse?) -> Void) {
        client.task(self, willCache: response, reply: answer)
    }

    func attempt(needsBodyStream answer: @escaping @Sendable (InputStream?) -> Void) {
        client.task(self, needsBodyStream: answer)
    }

    func attemptDidSend(total: Int64, expected: Int64) {
        let reports = withState { state in
            let count = total - state.counts.sent
            state.counts.sent = total
            state.counts.expectedToSend = expected
            guard state.interests.contains(.sending) else { return false }
            return state.sent.add(max(0, count))
        }
        updateProgress()
        guard reports else { return }
        client.perform(for: self) { [self] in
            let (count, counts) = withState { ($0.sent.take(), $0.counts) }
            guard count > 0 else { return }
            client.task(self, didSend: count, total: counts.sent, expected: counts.expectedToSend)
        }
    }

    func attemptDidReceive(total: Int64, expected: Int64) {
        let reports = withState { state in
            let count = max(0, total - state.counts.received)
            state.counts.received = total
            state.counts.expectedToReceive = expected
            guard state.isDownload, state.interests.contains(.writing) else { return false }
            return state.received.add(count)
        }
        updateProgress()
        if reports { scheduleReport() }
    }

    /// Content of a download was taken by a loader that is no operation.
    func reportWriting(_ count: Int64) {
        let reports = withState { $0.interests.contains(.writing) && $0.received.add(count) }
        if reports { scheduleReport() }
    }

    private func scheduleReport() {
        client.perform(for: self) { [self] in
            let (count, counts) = withState { ($0.received.take(), $0.counts) }
            guard count > 0 else { return }
            client.task(self, didWrite: count, total: counts.received, expected: counts.expectedToReceive)
        }
    }

    func attemptDidContinue(at offset: Int64, expected: Int64) {
        let isTold = withState { state in
            state.counts.received = offset
            state.counts.expectedToReceive = expected
            // What a pause interrupted goes on without a word.
            defer { state.goesOnFromResumeData = false }
            return state.goesOnFromResumeData && state.interests.contains(.writing)
        }
        if isTold { client.task(self, didResumeAt: offset, expected: expected) }
    }

    func attemptDidTransfer(_ exchange: TransferExchange) {
        withState { state in
            guard state.interests.contains(.metrics) else { return }
            state.exchanges.append(exchange)
        }
    }

    /// A response has come whose content the client reads.
    func judge(_ response: URLResponse?, admit: @escaping @Sendable () -> Void) {
        guard let response, withState({ $0.interests.contains(.responses) }) else { return admit() }
        let once = FirstAnswer<URLSession.ResponseDisposition> { [self] disposition in
            switch disposition {
            case .allow: admit()
            case .cancel: cancel()
            case Self.becomeDownload: becomeDownload(then: admit)
            default: admit()
            }
        }
        client.task(self, didReceive: response) { once.give($0) }
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
            let session = withState { state in
                state.isDownload = true
                state.formerFace = state.face
                state.face = face
                return state.session
            }
            session?.taskDidBecome(face, self)
            client.task(self, didBecome: face) { admit() }
        }
    }

    /// Brings the progress that somebody asked for up to date.
    func updateProgress() {
        client.taskDidAdvance(self)
        let (progress, counts, isOver) = withState { ($0.progress, $0.counts, $0.machine.state == .completed) }
        guard let progress else { return }
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
