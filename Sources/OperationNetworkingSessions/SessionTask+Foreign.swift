// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport
internal import OperationNetworkingCore

// The events that a loader other than an operation sends to its task. One call at a time, in order.

extension SessionTask {
    /// A response has come. `proceed` is called when its content may follow, unless the task was cancelled instead.
    func receive(_ response: URLResponse, proceed: @escaping @Sendable () -> Void) {
        let (isWanted, isAsked) = withState { state in
            guard state.machine.isActive else { return (false, false) }
            state.response = response
            state.traffic.expect(toReceive: response.expectedContentLength)
            return (true, state.interests.contains(.responses))
        }
        guard isWanted else { return }
        guard isAsked else { return proceed() }
        let once = FirstAnswer<URLSession.ResponseDisposition> { [self] disposition in
            switch disposition {
            case .cancel: cancel()
            case Self.becomeDownload: becomeForeignDownload(then: proceed)
            default: proceed()
            }
        }
        client.task(self, didReceive: response) { once.give($0) }
    }

    private func becomeForeignDownload(then proceed: @escaping @Sendable () -> Void) {
        let face = OperationDownloadTask(self, nil)
        let (session, isLate) = withState { state in
            // A download is not reported if its end was reported already, or is about to be.
            guard state.machine.isActive else { return (OperationURLSession?.none, true) }
            state.becomeDownload(face)
            return (state.session, false)
        }
        guard !isLate else { return }
        session?.taskDidBecome(face, self)
        client.task(self, didBecome: face) { proceed() }
    }

    /// Content has come, all of it or a piece.
    func receive(_ data: Data) {
        let (isWanted, tells, isDownload, limit) = withState { state -> (Bool, Bool, Bool, Int64?) in
            guard state.machine.isActive else { return (false, false, false, nil) }
            state.traffic.noteReceived(data.count)
            let isDownload = state.download.isWanted
            let tells = state.interests.contains(.data) && !isDownload
            let limit = state.exceededLimit
            if !tells, !isDownload, limit == nil { state.collected.append(data) }
            return (true, tells, isDownload, limit)
        }
        if let limit {
            return failLoading(
                URLError(
                    .dataLengthExceedsMaximum, url: originalRequest?.url,
                    reason: "the content is longer than the \(limit) bytes that it may have"))
        }
        guard isWanted, !isDownload || write(data) else { return }
        updateProgress()
        if tells {
            client.perform(for: self) { [self] in
                if !isCanceling { client.task(self, didReceive: data) }
            }
        } else if isDownload {
            reportWriting(Int64(data.count))
        }
    }

    /// Content of a download goes to its file as it comes. False: it could not, which is the task's end.
    private func write(_ data: Data) -> Bool {
        let location = downloadLocation
        let known = withState { $0.download.file }
        do {
            guard !isCanceling else { return false }
            let file = try known ?? makeFile(at: location)
            guard let file else { return false }
            try file.write(contentsOf: data)
            return true
        } catch {
            failLoading(
                URLError(
                    .cannotWriteToFile, url: originalRequest?.url,
                    reason: "the content could not be written to \(location.path)", underlying: error))
            return false
        }
    }

    /// Nil: the task has been cancelled meanwhile, and may have removed its file before this one was made.
    private func makeFile(at location: URL) throws -> FileHandle? {
        let file = try SessionDownloadFile.make(location)
        let isWanted = withState { state in
            guard state.machine.isActive else { return false }
            state.download.hold(file)
            return true
        }
        guard !isWanted else { return file }
        SessionDownloadFile.removeTarget(location)
        return nil
    }

    /// Ends the task of a loader that is no operation before that is done.
    func failLoading(_ error: URLError) {
        guard case .foreign(let loader) = withState({ $0.loader }) else { return }
        loader.stop()
        finishLoading(error)
    }

    /// A request has been answered, for metrics.
    func noteExchange(_ response: URLResponse?) {
        let now = Runtime.current.uptime
        withState { state in
            guard state.interests.contains(.metrics), let request = state.requests.current ?? originalRequest else {
                return
            }
            state.exchanges.append(
                TransferExchange(
                    request: request, url: request.url, head: nil, timings: TransferTimings(), uploadLength: 0,
                    usesProxy: false,
                    own: (response, state.exchanges.last?.endTime ?? state.beginning?.uptime ?? now), endTime: now))
        }
    }

    /// The loader is done. After an error the client receives no response, as with Foundation's own loaders.
    func finishLoading(_ failure: (any Error)?) {
        let file = withState { $0.download.takeFile() }
        try? file?.close()
        // What has come since the cancellation was dropped: that is the end.
        guard !isCanceling else { return }
        let (data, response, isDownload, tells) = withState { state in
            defer { state.collected = Data() }
            let tells = state.interests.contains(.data)
            return (state.collected, state.response, state.download.isWanted, tells)
        }
        var error = failure
        if error == nil, response == nil {
            error = URLError(
                .badServerResponse, url: originalRequest?.url, reason: "the protocol class finished without a response")
        }
        noteExchange(error == nil ? response : nil)
        var result = SessionTaskResult(ownResponse: error == nil ? response : nil, error: error)
        if isDownload {
            // A file that is there, but not this task's, is not what has come.
            finishDownload(result, errorContent: withState { $0.download.hasMadeFile } ? nil : Data())
        } else {
            if error == nil, !tells { result.data = data }
            complete(result)
        }
    }
}

extension SessionTask.State {
    /// Bytes of content of a loader that is no operation that may be collected in memory.
    var memoryLimit: Int { configuration?.value.memoryLimit ?? URLConnectionOperation.Configuration().memoryLimit }

    /// The limit that the content of such a loader exceeds; nil: it has none, or does not. What is collected in memory
    /// always has one.
    fileprivate var exceededLimit: Int64? {
        let isCollected = !download.isWanted && !interests.contains(.data)
        let limit = isCollected ? Int64(memoryLimit) : configuration?.value.limits.maximumResponseBodySize
        guard let limit, traffic.counts.received > limit else { return nil }
        return limit
    }
}
