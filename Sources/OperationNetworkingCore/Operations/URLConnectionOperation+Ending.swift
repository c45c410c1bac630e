// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

// From the end of an attempt to the end of the operation.

extension URLConnectionOperation {
    /// An attempt is over. Has an effect once: what comes later, or belongs to an earlier attempt, is dropped.
    ///
    /// - Returns: `held` when the operation is paused and the attempt goes on later; nothing was done then.
    @discardableResult
    func endAttempt(_ number: UInt, with end: AttemptEnd) -> RequestMachine.Standing {
        let (standing, mayRetry, isIntercepted) = lock.withLock { () -> (RequestMachine.Standing, Bool, Bool) in
            let standing = _machine.endAttempt(number)
            if standing == .held, end.isUnsent { _machine.abandonHold(of: number) }
            guard standing == .present else { return (standing, false, false) }
            _attempt = nil
            _mutableReceived.error = end.error?.naming(_request.httpMethod)
            _mutableReceived.data = end.error == nil ? end.data : nil
            _noteMetrics(of: end)
            return (standing, end.isRepeatable && _configuration.mayRetry, _isIntercepted)
        }
        guard standing == .present else { return standing }
        if mayRetry, isIntercepted, let operation = self as? HTTPRequestOperation {
            parse(end) { operation.askInterceptors(about: end, of: number) }
        } else if !(mayRetry && retryByPolicy(end, of: number)) {
            parse(end) { [self] in conclude(end) }
        }
        return standing
    }

    /// Makes an object of the response, if there is one, and goes on.
    private func parse(_ end: AttemptEnd, then next: @escaping @Sendable () -> Void) {
        guard end.error == nil else { return next() }
        Trace.step(.parse, self)
        processResponse(completion: next)
    }

    /// No other attempt follows.
    func conclude(_ end: AttemptEnd) {
        let content = lock.withLock { _content.take() }
        conclude(discarding: end.content == .kept ? content : nil)
    }

    /// Ends an operation that failed. A download's partial file is released first: a caller that learns of the failure
    /// and starts another download for the same target goes on with that file.
    func conclude(discarding content: ResumableContent?) {
        guard let content else { return conclude() }
        let (isFile, stream) = lock.withLock {
            (_configuration.value.downloadDestination != nil, _configuration.value.outputStream)
        }
        // The caller gave it away with the operation.
        nonisolated(unsafe) let unused = stream
        // On the network thread, which may still be in the middle of a last write.
        runtime.onNetworkThread { [self] in
            guard isFile else {
                // No response came that it would have been opened for. It may be the caller's own class, which may
                // block.
                if content.sink == nil, unused != nil { runtime.onBlockThread { unused?.close() } }
                guard unused != nil else { return content.discard() }
                // Not before: the caller may remove the file of a stream that was not opened yet.
                return content.discard { [self] in
                    if runtime.isNetworkThread { conclude() } else { runtime.onBlockThread { [self] in conclude() } }
                }
            }
            content.discard { [self] in runtime.onBlockThread { [self] in conclude() } }
        }
        if !isFile, stream == nil { conclude() }
    }

    /// Everything about the result is known: removes what is not to be left, finishes, and delivers.
    private func conclude() {
        let settled = lock.withLock { () -> (waits: Bool, task: Task<Void, Never>?, hold: URLConnectionOperation?)? in
            guard _machine.settle() else { return nil }
            let (task, hold) = _retry?.end() ?? (nil, nil)
            if _machine.isCancelled, (_received.value.error as? URLError)?.code != .cancelled {
                _mutableReceived.error = URLError.cancelled(url: _request.url, underlying: _cancellationCause)
                    .naming(_request.httpMethod)
                _mutableReceived.data = nil
            }
            return (_configuration.value.dependentsWaitForCompletionBlocks, task, hold)
        }
        guard let settled else {
            return runtime.onFileThread { [self] in
                removePart()
                // Not here: observers may wait for anything.
                runtime.onBlockThread { [self] in conclude() }
            }
        }
        defer { withExtendedLifetime(settled.hold) {} }
        settled.task?.cancel()
        if settled.waits {
            deliverCompletion(in: lock.withLock(_enterCompletionGroup)) { [self] in finish(delivers: false) }
        } else {
            finish(delivers: true)
        }
    }

    /// A queue's call of `start()` has done its part. An end that came meanwhile follows.
    func endStartByFoundation() {
        if let delivers = lock.withLock({ _evidence.endStart() }) { finish(delivers: delivers) }
    }

    /// - Parameter delivers: the completion block comes after this, and was not before.
    private func finish(delivers: Bool) {
        Trace.step(.finish, self)
        // Foundation complains about an operation in a queue that ends without having executed, as a cancelled one
        // does: it is shown as executing for the moment.
        if !super.isExecuting { didChangeValue(forKey: OperationState.executing.key) }
        // What waits for nothing any more is released outside the lock: a block holds anything.
        var preparations = PreparationList()
        defer { withExtendedLifetime(preparations) {} }
        let result = lock.withLock { () -> Ending? in
            let old = snapshot()
            guard !_evidence.putOffEnd(delivers: delivers), _machine.finish() else { return nil }
            defer { _atFinish = [] }
            preparations = _preparations.removeAll()
            return Ending(
                news: _news(from: old, to: snapshot()), waiters: _atFinish, scheduler: _scheduler,
                owner: _machine.owner, group: delivers ? _enterCompletionGroup() : nil)
        }
        guard let result else { return }
        endObservation()
        // Dependents are ready when a completion block looks at them, but are started after it was dispatched:
        // callbacks of one queue come in the order of the ends. For the same reason it is dispatched before a queue of
        // Foundation's learns of the end, and starts the next; observers come before both.
        let dependents = DependencyGraph.didFinish(self)
        if delivers, result.owner == .foundationQueue {
            announce(result.news) { [self] in deliverCompletion(in: result.group, then: nil) }
        } else {
            announce(result.news)
            if delivers { deliverCompletion(in: result.group, then: nil) }
        }
        didFinish()
        // Not before: blocks that were dispatched by now come before what shows that activity is over.
        if result.news.old.isExecuting { OperationActivity.shared.note(isExecuting: false) }
        for waiter in result.waiters { waiter() }
        dependents?.run()
        if let scheduler = result.scheduler {
            lock.withLock { _scheduler = nil }
            scheduler.operationDidFinish(self)
        }
    }

    private struct Ending {
        let news: StateNews
        let waiters: [@Sendable () -> Void]
        let scheduler: (any OperationScheduler)?
        let owner: RequestMachine.Owner
        let group: DispatchGroup?
    }
}
