// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport
internal import OperationNetworkingCore

// From the end of what loads to the client's last event.

extension SessionTask {
    /// The operation is over. On the thread that ended it, the network thread perhaps.
    func operationDidFinish(_ operation: SessionOperation) {
        let (pump, isDownload) = withState { ($0.pump, $0.download.isWanted) }
        let (error, data) = operation.transferResult
        var result = SessionTaskResult(operation: operation, error: error)
        if let pump {
            guard error == nil, let data else { return finish(result, reading: pump) }
            // A response that might have been followed by another attempt was kept from the client until now.
            tellLate(data, of: result, by: pump)
        } else if isDownload {
            finishDownload(result, errorContent: data)
        } else {
            result.data = data
            complete(result)
        }
    }

    private func tellLate(_ data: Data, of result: SessionTaskResult, by pump: SessionContentPump) {
        guard pump.forgetUnread() else {
            return finish(
                SessionTaskResult(operation: result.operation, error: URLError.lost(at: originalRequest?.url)),
                reading: pump)
        }
        judge(
            result.response, isLast: true,
            admit: { [self] in finish(result, reading: pump, after: data) },
            refuse: { [self] in
                _ = withState { $0.machine.cancel() }
                let error = URLError.cancelled(url: originalRequest?.url)
                complete(SessionTaskResult(operation: result.operation, error: error))
            })
    }

    /// A task that ends without an operation.
    func end(error: URLError) {
        complete(SessionTaskResult(ownResponse: withState { $0.response }, error: error))
    }

    /// The end of what the client reads: after the last piece of it.
    ///
    /// - Parameter content: what comes before, all in one piece.
    private func finish(_ result: SessionTaskResult, reading pump: SessionContentPump, after content: Data? = nil) {
        pump.finish(for: self) { [self] in
            if let content, !content.isEmpty { pump.take(content, for: self) }
            pump.closeFile()
            var result = result
            if let failure = pump.failure { result.error = failure }
            if withState({ $0.download.isWanted }) {
                finishDownload(result, errorContent: nil)
            } else {
                if result.error == nil { result.data = pump.takeData() }
                complete(result)
            }
        }
    }

    // MARK: Downloads

    func finishDownload(_ result: SessionTaskResult, errorContent: Data?) {
        guard withState({ $0.download.finish() }) else { return }
        let location = downloadLocation
        guard result.error == nil else { return finishFailedDownload(result, at: location) }
        Runtime.current.onFileThread { [self] in
            var result = result
            let place: URL
            do {
                place = try completeFile(at: location, errorContent: errorContent)
            } catch {
                result.error = URLError(
                    .cannotCreateFile, url: originalRequest?.url,
                    reason: "the content could not be written to \(location.path)", underlying: error)
                SessionDownloadFile.removePart(location)
                if withState({ $0.mayOwnTarget }) { SessionDownloadFile.removeTarget(location) }
                complete(result)
                return
            }
            let finished = result
            let length = SessionDownloadFile.length(of: place)
            // Of a response that did not say it, the length stays unknown.
            attemptDidReceive(total: length, expected: counts.expectedToReceive < 0 ? -1 : length)
            let once = FirstAnswer<Void> { [self] in
                let (isKept, hasLeftResumeData) = withState { ($0.download.isKept, $0.download.hasLeftResumeData) }
                if hasLeftResumeData {
                    SessionDownloadFile.removeTarget(place)
                } else if !isKept {
                    remove(place)
                }
                let isFirst = complete(finished)
                // The client has received the end from another call, and no handler is called for this one.
                if isKept, !isFirst { remove(place) }
            }
            client.task(self, didFinishDownloadingTo: place) { once.give(()) }
        }
    }

    /// Completes the file that is handed over. It gets a name of the task's where another task of the same resume data
    /// has the same location.
    private func completeFile(at location: URL, errorContent: Data?) throws -> URL {
        let (isShared, isEmpty) = withState { ($0.download.isLocationShared, $0.traffic.counts.received == 0) }
        guard isShared else {
            // The content of an error response does not go where that of the real one would.
            try SessionDownloadFile.complete(location, errorContent: errorContent)
            return location
        }
        let own = SessionDownloadFile.newLocation()
        if errorContent == nil { try SessionDownloadFile.move(location, to: own, mayBeMissing: isEmpty) }
        withState { $0.download.move(to: own) }
        try SessionDownloadFile.complete(own, errorContent: errorContent)
        return own
    }

    /// Removes the file that was handed over, unless it was moved away, and the partial file at the location.
    private func remove(_ place: URL) {
        SessionDownloadFile.removeTarget(place)
        SessionDownloadFile.removePart(downloadLocation)
    }

    /// Leaves the file where it is until the end was reported. Called by the client while it has the location.
    func keepDownload() { withState { $0.download.keep() } }

    /// The file that was left.
    var keptDownload: URL? { withState { $0.download.keptFile } }

    /// Leaves what had come of the file before the response that the client refuses. Called by the client while it has
    /// the location.
    ///
    /// - Returns: resume data; nil: nothing had come.
    func leaveResumeData() -> Data? {
        guard let request = originalRequest,
            let data = SessionResumeData(request: request, location: downloadLocation)?.encoded()
        else { return nil }
        withState { $0.download.noteResumeData() }
        return data
    }

    private func finishFailedDownload(_ result: SessionTaskResult, at location: URL) {
        let (handlers, keeps, hasPump, mayOwnTarget, hasMadeTarget) = withState { state in
            let (handlers, leavesPart) = state.download.fail(isCancelled: state.machine.state == .canceling)
            return (handlers, leavesPart, state.pump != nil, state.mayOwnTarget, state.download.hasMadeFile)
        }
        let run = handlers.isEmpty ? Runtime.current.onFileThread : Runtime.current.onBlockThread
        run { [self] in
            var result = result
            var data: Data?
            if keeps, !hasPump, let request = originalRequest {
                data = SessionResumeData(request: request, location: location)?.encoded()
            }
            if let data {
                result.error = result.error.map { Self.adding(data, to: $0) }
            } else {
                SessionDownloadFile.removePart(location)
            }
            if data == nil ? mayOwnTarget : hasMadeTarget { SessionDownloadFile.removeTarget(location) }
            for handler in handlers { handler(data) }
            complete(result)
        }
    }

    private static func adding(_ resumeData: Data, to error: any Error) -> any Error {
        (error as? URLError)?.adding(resumeData, forKey: URLSessionDownloadTaskResumeData) ?? error
    }

    // MARK: The end

    /// Reports the end to the client, once. Returns true if this call does it.
    @discardableResult
    func complete(_ result: SessionTaskResult) -> Bool {
        var result = result
        result.error = result.error.map(Self.inFoundationsWords)
        // Released after the unlock: what waits for an answer holds the task.
        var pump: SessionContentPump?
        var question = ResponseQuestion()
        // Not closed here: another thread may write to it at the moment, and releases it after that.
        var file: FileHandle?
        var advance: Advance?
        // Of a cancellation that came too late to leave anything.
        var handlers: [SessionDownload.ResumeDataHandler] = []
        let isFirst = withState { state in
            guard state.machine.complete() else { return false }
            state.error = result.error
            if state.response == nil { state.response = result.ownResponse }
            if state.interests.contains(.metrics) {
                result.metrics = SessionTaskMetrics(state.exchanges, clock: state.beginning ?? SessionTaskClock())
            }
            state.exchanges = []
            pump = state.pump.take()
            file = state.download.takeFile()
            swap(&question, &state.question)
            handlers = state.download.takeHandlers()
            advance = state.advance
            return true
        }
        guard isFirst else { return false }
        withExtendedLifetime((pump, question, file)) {}
        file = nil
        tellLate(handlers)
        tell(advance)
        client.task(self, didFinish: result)
        return true
    }

    /// Not at once: the caller may hold a lock that a handler takes.
    private func tellLate(_ handlers: [SessionDownload.ResumeDataHandler]) {
        guard !handlers.isEmpty else { return }
        Runtime.current.onBlockThread {
            for handler in handlers { handler(nil) }
        }
    }

    /// The client is about to report the end: from now on the task shows that it is completed.
    func willTellEnd() { withState { $0.isTold = true } }

    /// Returns the error with Foundation's text, where programs for Foundation's sessions compare the text. For a URL
    /// without a scheme the code is `unsupportedURL`.
    private static func inFoundationsWords(_ error: any Error) -> any Error {
        guard let error = error as? URLError else { return error }
        return switch error.code {
        case .cancelled: error.adding("cancelled", forKey: NSLocalizedDescriptionKey)
        case .httpTooManyRedirects: error.adding("too many HTTP redirects", forKey: NSLocalizedDescriptionKey)
        case .badURL where error.failingURL?.scheme == nil: error.recoded(.unsupportedURL)
        default: error
        }
    }

    /// The client has reported everything: the session releases the task. Called by the client, once, after
    /// `didFinish`.
    func close() {
        // Released after the unlock.
        let (session, operation, delegate, formerFace) = withState { state in
            state.isTold = true
            return (state.hold.end(), state.operation.take(), state.delegate.take(), state.formerFace.take())
        }
        if let file = keptDownload { remove(file) }
        session?.taskDidEnd(self)
        withExtendedLifetime((operation, delegate, formerFace)) {}
    }
}

extension SessionTask.State {
    /// True if a file at the download's location can be this task's. With the same resume data it can be another
    /// task's, until that has its own name. An operation that fails leaves no file there, unless it was cancelled too
    /// late.
    fileprivate var mayOwnTarget: Bool {
        if case .foreign = loader { return download.hasMadeFile || !download.isLocationShared }
        return !download.isLocationShared || machine.state == .canceling
    }
}
