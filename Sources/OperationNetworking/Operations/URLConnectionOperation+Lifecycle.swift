internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

extension DispatchQueue {
    /// Where the library runs what may take time: parsing, and the user's redirect, authentication, cache and
    /// preparation blocks.
    static let networkingProcessing = DispatchQueue(
        label: "OperationNetworking.processing", attributes: .concurrent, autoreleaseFrequency: .workItem)
}

extension URLConnectionOperation {
    func performStart() {
        let action = change {
            // The queue that is just taking the operation in will start it.
            _listing == .entering
                ? .none : _lifecycle.start(dependenciesAreMet: (_dependencyNode?.openCount ?? 0) == 0)
        }
        switch action {
        case .none:
            return
        case .end:
            conclude(discarding: lock.withLock { _transferState.take() })
        case .begin(let attempt):
            lock.withLock { if _listing == .listed { _listing = .executed } }
            DependencyGraph.didActivate(self)
            begin(attempt)
        }
    }

    func performPause() {
        let (action, exchange, scheduler) = change {
            () -> (OperationLifecycle.PauseAction, Exchange?, (any OperationScheduler)?) in
            let action = _lifecycle.pause()
            guard case .paused = action else { return (action, nil, nil) }
            defer { _exchange = nil }
            return (action, _exchange, _scheduler)
        }
        guard case .paused(let old) = action else { return }
        exchange?.detach()
        scheduler?.operationDidPause(self)
        if old == .executing { postNotification(.networkingOperationDidFinish) }
    }

    func performResume() {
        let (action, scheduler, isQueued) = change {
            (_lifecycle.resume(), _scheduler, _mayBeInFoundationQueue && !_lifecycle.hasStarted)
        }
        guard case .ready(let restart) = action else { return }
        if let scheduler {
            scheduler.operationDidResume(self)
        } else if restart, !isQueued {
            start()
        }
    }

    /// - Parameter cause: the upstream's error, when that is why.
    func performCancel(cause: (any Error)?) {
        let (action, exchange, attempt, scheduler) = change {
            () -> (OperationLifecycle.CancelAction, Exchange?, UInt, (any OperationScheduler)?) in
            let action = _lifecycle.cancel()
            if action != .none { _cancellationCause = cause }
            return (action, _exchange, _lifecycle.attempt, _scheduler)
        }
        guard action != .none else { return }
        withOwnReadinessPosts { super.cancel() }
        switch action {
        case .none:
            return
        case .marked:
            scheduler?.operationDidCancel(self)
        case .released(let restart):
            if let scheduler {
                scheduler.operationDidCancel(self)
            } else if restart {
                start()
            }
        case .stop:
            if let exchange {
                exchange.cancel()
            } else {
                end(attempt, error: URLError.cancelled(url: request.url), metrics: nil)
            }
        }
    }

    // MARK: An attempt

    private func begin(_ attempt: UInt) {
        let (startError, callsOut) = lock.withLock {
            (_startError ?? _losses.first, _startCallsOut) as ((any Error)?, Bool)
        }
        if let startError {
            end(attempt, error: startError, metrics: nil)
        } else if callsOut {
            DispatchQueue.networkingProcessing.async { [self] in prepare(attempt) }
        } else {
            launch(attempt)
        }
    }

    /// Whether something runs before the request is sent that may take time: the user's blocks, or a look at the disk.
    /// Called with `lock` held.
    var _startCallsOut: Bool {
        !_preparations.isEmpty || _configuration.redirectBlock != nil || _configuration.downloadDestination != nil
    }

    /// Hands the request to the user's blocks before it is sent: results of upstreams first, then the redirect block.
    ///
    /// A pause and a resume meanwhile do not make the blocks run again: who runs them goes on with the attempt that is
    /// the present one afterwards.
    private func prepare(_ attempt: UInt) {
        let isMine = lock.withLock {
            guard _lifecycle.isCurrent(attempt), !_isPreparing, attempt > _preparedAttempt else { return false }
            _isPreparing = true
            return true
        }
        guard isMine else { return }
        let isWanted = runPreparations()
        let (present, error) = lock.withLock { () -> (UInt?, (any Error)?) in
            _isPreparing = false
            guard _lifecycle.isCurrent(_lifecycle.attempt) else { return (nil, nil) }
            _preparedAttempt = _lifecycle.attempt
            return (_lifecycle.attempt, _startError)
        }
        if !isWanted {
            cancel()
        } else if let present, let error {
            end(present, error: error, metrics: nil)
        } else if let present {
            launch(present)
        }
    }

    /// False: the redirect block does not want the request sent.
    private func runPreparations() -> Bool {
        let (preparations, original, redirectBlock) = lock.withLock {
            (_preparations, _request, _configuration.redirectBlock)
        }
        var request = original
        do {
            for preparation in preparations { try preparation.prepare(preparation.upstream, &request) }
        } catch {
            lock.withLock {
                _startError = error
                _preparations = []
            }
            return true
        }
        var wanted: URLRequest? = request
        if let redirectBlock { wanted = redirectBlock(self, request, nil) }
        guard let prepared = wanted else { return false }
        lock.withLock {
            _request = prepared
            _preparations = []
        }
        return true
    }

    private func launch(_ attempt: UInt) {
        let (known, configuration) = lock.withLock { (_transferState, _sharedConfiguration) }
        // Not under the lock: a download looks at the disk.
        let state = known ?? TransferState(configuration: configuration.value, url: request.url)
        let exchange = lock.withLock { () -> Exchange? in
            guard _lifecycle.isCurrent(attempt), !_lifecycle.isCancelled else { return nil }
            _transferState = state
            state.activate(attempt)
            let exchange = Exchange(
                operation: self, attempt: attempt, request: _request, configuration: configuration, state: state)
            _exchange = exchange
            return exchange
        }
        guard let exchange else {
            // Cancelled between start and now, by somebody who saw no exchange to stop: `performCancel` ends it.
            return
        }
        // First, because the end may come at once, and is told on the same queue.
        postNotification(.networkingOperationDidStart)
        exchange.begin()
    }

    /// The settings as they are now.
    var presentConfiguration: SharedConfiguration { lock.withLock { _sharedConfiguration } }

    /// A response that counts has begun. Called on the network thread.
    func record(_ head: ResponseHead, from url: URL?) {
        lock.withLock {
            _reception.head = head
            _reception.url = url
            _reception.response = nil
            _reception.string = nil
        }
    }

    // MARK: The end

    /// All content of an attempt is here and is about to be written out, which a pause must not come between. False:
    /// the operation was paused before.
    func didReceiveContent(_ attempt: UInt) -> Bool {
        lock.withLock { _lifecycle.didReceiveContent(attempt: attempt) }
    }

    /// An attempt is over. Has an effect once: what comes later, or belongs to an earlier attempt, is dropped.
    func end(_ attempt: UInt, error: (any Error)?, data: Data? = nil, metrics: TransferMetrics?) {
        let (claimed, failed) = lock.withLock { () -> (Bool, TransferState?) in
            guard _lifecycle.beginEnding(attempt: attempt) else { return (false, nil) }
            _exchange = nil
            let state = _transferState
            _transferState = nil
            _reception.error = error
            _reception.data = error == nil ? data : nil
            _reception.metrics = metrics
            return (true, error == nil ? nil : state)
        }
        guard claimed else { return }
        if error == nil {
            processResponse { [self] in conclude() }
        } else {
            conclude(discarding: failed)
        }
    }

    /// The end of an operation that failed. A download's partial file is let go of first: who starts another one for the
    /// same target, when told of the failure, goes on with that file.
    private func conclude(discarding state: TransferState?) {
        guard let state else { return conclude() }
        // On the network thread, which may still be in the middle of a last write.
        guard lock.withLock({ _configuration.downloadDestination != nil }) else {
            TransportEngine.shared.perform { state.sink?.discard() }
            return conclude()
        }
        TransportEngine.shared.perform { [self] in
            guard let sink = state.sink else { return conclude() }
            sink.discard { [self] in conclude() }
        }
    }

    /// Everything about the result is known: finishes, and delivers. Called once in an operation's life.
    private func conclude() {
        let waits = lock.withLock {
            _lifecycle.conclude()
            if _lifecycle.isCancelled, (_reception.error as? URLError)?.code != .cancelled {
                _reception.error = URLError.cancelled(url: _request.url, underlying: _cancellationCause)
                _reception.data = nil
            }
            return _configuration.dependentsWaitForCompletionBlocks
        }
        if waits {
            deliverCompletion { [self] in finish() }
        } else {
            finish()
        }
    }

    private func finish() {
        claimExecuting()
        let result = lock.withLock { () -> Ending? in
            let old = snapshot()
            guard _lifecycle.finish() != nil else { return nil }
            defer {
                _atFinish = []
                _preparations = []
            }
            return Ending(
                old: old, new: snapshot(), observers: _observers, waiters: _atFinish, scheduler: _scheduler,
                delivers: !_configuration.dependentsWaitForCompletionBlocks,
                isInFoundationQueue: _mayBeInFoundationQueue)
        }
        guard let result else { return }
        // Dependants are ready when a completion block looks at them, but are started after it was dispatched: callbacks
        // of one queue come in the order of the ends. For the same reason it is dispatched before a queue of Foundation's
        // learns of the end, and starts the next.
        let dependants = DependencyGraph.didFinish(self)
        if result.delivers, result.isInFoundationQueue { deliverCompletion(then: nil) }
        announce(from: result.old, to: result.new, to: result.observers)
        if result.delivers, !result.isInFoundationQueue { deliverCompletion(then: nil) }
        for waiter in result.waiters { waiter() }
        dependants?.run()
        if let scheduler = result.scheduler {
            lock.withLock { _scheduler = nil }
            scheduler.operationDidFinish(self)
        }
    }

    private struct Ending {
        let old: StateSnapshot
        let new: StateSnapshot
        let observers: [OperationStateObservation.Entry]
        let waiters: [@Sendable () -> Void]
        let scheduler: (any OperationScheduler)?
        let delivers: Bool
        let isInFoundationQueue: Bool
    }
}
