// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport
internal import OperationNetworkingCore

extension DurableRun {
    /// Begins an attempt.
    func start(_ leased: LeasedRequest, leaseEnd: TimeInterval) {
        let lease = leased.lease
        let content: RequestContent
        let request: URLRequest
        let deadline = leased.timeToDeadline.map { Self.uptime + $0 } ?? .infinity
        state.withLock { $0.running[lease] = Running(leased: leased, leaseEnd: leaseEnd, deadline: deadline) }
        do {
            content = try decode(leased)
            request = try content.urlRequest(body: leased.body)
        } catch {
            return finish(lease, Attempt(content: nil, response: nil, error: error, mayRetry: false))
        }
        if queue.streams.isWatched { queue.streams.yield(.started(lease.id, attempt: leased.failures + 1)) }
        guard let reference = content.secretReference else { return send(request, DurableSecrets(), content, leased) }
        guard let provider = queue.configuration.secretProvider else {
            let error = DurableRequestError(
                .noSecretProvider, "the request has the secret reference \"\(reference)\", and the queue no provider",
                advice: "set secretProvider in the queue's configuration")
            return finish(lease, Attempt(content: content, response: nil, error: error, mayRetry: false))
        }
        let preparation = Task {
            do {
                let secrets = try await provider.secrets(for: reference, request: request)
                send(request, secrets, content, leased)
            } catch {
                finish(lease, Attempt(content: content, response: nil, error: error, mayRetry: true))
            }
        }
        let isWanted = state.withLock { state in
            state.running[lease]?.preparation = preparation
            return state.running[lease] != nil
        }
        if !isWanted { preparation.cancel() }
    }

    private func decode(_ leased: LeasedRequest) throws -> RequestContent {
        var content = try RequestContent.decode(leased.content)
        if let stored = content.destination, let resolver = queue.configuration.destinationResolver {
            content.destination = try resolver(stored)
        }
        return content
    }

    private func send(
        _ request: URLRequest, _ secrets: DurableSecrets, _ content: RequestContent, _ leased: LeasedRequest
    ) {
        var request = request
        for (name, value) in secrets.fields { request.setValue(value, forHTTPHeaderField: name) }
        let operation = queue.manager.httpRequestOperation(with: request)
        operation.completionQueue = completions
        operation.completionGroup = nil
        if let credential = secrets.credential { operation.credential = credential }
        if let identity = secrets.clientIdentity { operation.clientIdentity = identity }
        if let destination = content.destination {
            operation.downloadDestination = destination
            // The content goes to the file as it is, so that only the status is judged.
            let serializer = HTTPResponseSerializer()
            serializer.acceptableStatusCodes = operation.responseSerializer.acceptableStatusCodes
            operation.responseSerializer = serializer
        }
        let lease = leased.lease
        if let deadline = state.withLock({ $0.running[lease]?.deadline }), deadline < .infinity {
            operation.totalTimeout = min(operation.totalTimeout ?? .infinity, max(deadline - Self.uptime, 0.001))
        }
        if queue.streams.isWatched {
            operation.setDownloadProgressBlock { [streams = queue.streams] _, received, expected in
                streams.yield(.progress(lease.id, received: received, expected: expected))
            }
        }
        operation.setCompletionBlockWithSuccess(
            { [self] operation, _ in
                let response = Response(operation)
                finish(lease, Attempt(content: content, response: response, error: nil, mayRetry: false))
            },
            failure: { [self] operation, error in
                let response = Response(operation)
                finish(lease, Attempt(content: content, response: response, error: error, mayRetry: true))
            })
        // It may have been cancelled while its secrets were fetched. A process that was stopped for longer than the lease
        // must not send what another worker may have by now.
        let isWanted = state.withLock { state in
            guard let running = state.running[lease], running.verdict == nil else { return false }
            guard running.leaseEnd > Self.uptime else {
                state.running[lease]?.verdict = .released
                return false
            }
            state.running[lease]?.operation = operation
            return true
        }
        if isWanted {
            queue.manager.enqueue(operation)
        } else {
            finish(lease, Attempt(content: content, response: nil, error: URLError(.cancelled), mayRetry: false))
        }
    }

    // MARK: Cancelling

    func cancel(_ lease: RequestLease, _ verdict: Verdict) {
        let running = state.withLock { state -> Running? in
            guard state.running[lease] != nil, state.running[lease]?.verdict == nil else { return nil }
            state.running[lease]?.verdict = verdict
            return state.running[lease]
        }
        guard let running else { return }
        if let operation = running.operation { return operation.cancel() }
        // A provider need not answer, or mind that it is cancelled.
        running.preparation?.cancel()
        finish(lease, Attempt(content: nil, response: nil, error: URLError(.cancelled), mayRetry: false))
    }

    func cancelAll(_ verdict: Verdict) {
        for lease in state.withLock({ Array($0.running.keys) }) { cancel(lease, verdict) }
    }

    // MARK: Ends of attempts

    /// The outcome of an attempt.
    struct Attempt: Sendable {
        /// Nil: it cannot be read.
        var content: RequestContent?
        var response: Response?
        var error: (any Error)?
        var mayRetry: Bool
    }

    /// The response, as plain values.
    struct Response: Sendable {
        var status: Int?
        var fields: [String: String] = [:]
        var url: URL?
        var data: Data?

        init(_ operation: HTTPRequestOperation) {
            status = operation.response?.statusCode
            url = operation.response?.url
            data = operation.responseData
            for case (let name, let value) as (String, String) in operation.response?.allHeaderFields ?? [:]
            where !name.isFieldName("Set-Cookie") {
                fields[name] = value
            }
        }

        func field(_ name: String) -> String? {
            fields.first { $0.key.isFieldName(name) }?.value
        }
    }

    func finish(_ lease: RequestLease, _ attempt: Attempt) {
        guard let running = state.withLock({ $0.running[lease] }) else { return }
        let (summary, data) = summary(of: attempt)
        let hostPause = attempt.error == nil ? nil : self.hostPause(attempt)
        let disposition = (try? summary.stored(data)).map { self.disposition(running, attempt, $0) } ?? .released
        let outcome = AttemptOutcome(lease, disposition, hostPause: hostPause)
        state.withLock { state in
            // A cancellation and a late answer may both come here.
            guard state.running.removeValue(forKey: lease) != nil else { return }
            state.finished.append(Finished(outcome: outcome, running: running, summary: summary))
        }
        wakeup.signal()
    }

    private func disposition(
        _ running: Running, _ attempt: Attempt, _ result: StoredResult
    ) -> AttemptOutcome.Disposition {
        guard let error = attempt.error else { return .succeeded(result) }
        switch running.verdict {
        case .cancelled: return .cancelled(result)
        case .released, .lost: return .released
        case nil: break
        }
        // Cancelled by the program, through the manager.
        if (error as? URLError)?.code == .cancelled { return .cancelled(result) }
        let policy = attempt.content?.retryPolicy ?? queue.configuration.retryPolicy
        guard attempt.mayRetry, RetryRules.mayPass(error, status: attempt.response?.status, policy),
            let delay = policy.delay(
                afterFailures: running.leased.failures + 1, chance: .random(in: 0..<1), retryAfter: retryAfter(attempt))
        else { return .failed(result) }
        return .retry(delay: delay, result)
    }

    private func retryAfter(_ attempt: Attempt) -> TimeInterval? {
        guard let response = attempt.response, let value = response.field("Retry-After") else { return nil }
        return RetryAfter.seconds(Array(value.utf8), date: response.field("Date").map { Array($0.utf8) }, now: Date())
    }

    /// Seconds for which no worker asks the host.
    private func hostPause(_ attempt: Attempt) -> TimeInterval? {
        guard let status = attempt.response?.status, status == 429 || status == 503 else { return nil }
        let policy = attempt.content?.retryPolicy ?? queue.configuration.retryPolicy
        return retryAfter(attempt).map { min($0, policy.maximumRetryAfter) }
    }

    private func summary(of attempt: Attempt) -> (ResultSummary, Data?) {
        var summary = ResultSummary()
        summary.status = attempt.response?.status
        summary.fields = attempt.response?.fields ?? [:]
        summary.url = attempt.response?.url
        summary.failure = attempt.error.map(DurableRequestResult.Failure.init)
        if attempt.error == nil, let file = attempt.content?.destination?.fileURL {
            summary.content = .file(file)
            return (summary, nil)
        }
        guard let data = attempt.response?.data, !data.isEmpty else { return (summary, nil) }
        guard data.count <= queue.configuration.maximumStoredContent else {
            summary.content = .omitted(size: data.count)
            return (summary, nil)
        }
        summary.content = .stored(size: data.count)
        return (summary, data)
    }
}
