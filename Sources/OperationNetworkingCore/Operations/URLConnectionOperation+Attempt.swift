// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

// From the start to the network thread, and the way back.

extension URLConnectionOperation {
    /// True if something runs before the request is sent that may take time: the user's blocks, or a look at the disk.
    /// Called with `lock` held.
    var _needsPreparation: Bool {
        if !_preparations.isEmpty || _configuration.value.redirectBlock != nil || _isIntercepted { return true }
        return _configuration.value.downloadDestination != nil && _content == nil
    }

    /// The target of the request, worked out once; nil when it cannot be sent.
    var requestTarget: RequestTarget? {
        let (known, url) = lock.withLock { (_target, _request.url) }
        return known ?? url.flatMap(requestTarget(of:))
    }

    /// Returns the target of the request, and keeps it while the request has this URL.
    func requestTarget(of url: URL) -> RequestTarget? {
        guard let target = RequestTarget(ifRequestable: url) else { return nil }
        lock.withLock {
            if _request.url == url { _target = target }
        }
        return target
    }

    /// Hands the request to the user's blocks before it is sent: results of upstreams first, then the redirect block,
    /// then interceptors. On a thread for blocks.
    ///
    /// A pause and a resume meanwhile do not make the blocks run again: this goes on with the attempt that is the
    /// present one afterwards.
    func prepareRequest() {
        let isWanted = runPreparations()
        if !isWanted { cancel() }
        if isWanted, let operation = self as? HTTPRequestOperation, lock.withLock({ _isIntercepted }) {
            operation.adaptRequest()
        } else if let number = lock.withLock({ _machine.didPrepare() }), isWanted {
            launch(number)
        }
    }

    /// Returns false if the redirect block does not want the request sent.
    private func runPreparations() -> Bool {
        let (preparations, original, redirectBlock, isOver) = lock.withLock {
            (
                _preparations.all, _unedited ?? _request, _configuration.value.redirectBlock,
                _startError != nil || _machine.isCancelled
            )
        }
        guard !isOver else { return true }
        var request = original
        do {
            for preparation in preparations where preparation.isDue {
                try preparation.prepare(preparation.upstream, &request)
            }
        } catch {
            // Not released inside the lock: a block holds anything.
            let done = lock.withLock {
                _startError = error
                return _preparations.removeAll()
            }
            withExtendedLifetime(done) {}
            return true
        }
        var wanted: URLRequest? = request
        if let redirectBlock { wanted = redirectBlock(self, request, nil) }
        guard let prepared = wanted else { return false }
        let done = lock.withLock {
            _request = prepared
            _unedited = redirectBlock == nil ? nil : request
            _target = nil
            return _preparations.removeAll()
        }
        withExtendedLifetime(done) {}
        return true
    }

    /// Makes an attempt, and sends its first request.
    func launch(_ number: UInt) {
        let (known, configuration, adapted, target, error, rejectionTime, isRetry, isFirst) = lock.withLock {
            _retry?.forget(&_mutableReceived)
            let adapted = _retry?.adapted ?? AdaptedRequest(request: _request)
            let target = adapted.request.url == _request.url ? _target : nil
            let error = (_startError ?? _unarchivedProperties.first) as (any Error)?
            return (
                _content, _configuration, adapted, target, error, _retry?.rejectionTime, _machine.isRetry,
                _machine.launch()
            )
        }
        if let error {
            endAttempt(number, with: AttemptEnd(error: error, isUnsent: true))
            return
        }
        let policy = configuration.value.interception.retryPolicy
        if policy?.waitsForConnectivity == true { Connectivity.shared.watch() }
        if isFirst {
            policy?.budget?.deposit(at: runtime.uptime)
            beginObservation()
        }
        let request = adapted.request
        // Not under the lock: a download looks at the disk. For what the operation was made of: an interceptor may sign
        // it anew each time.
        let content = known ?? ResumableContent(configuration: configuration, url: self.request.url)
        let attempt = RequestAttempt(
            operation: self, number: number, request: request, target: target, configuration: configuration,
            content: content, confinedFields: adapted.confinedFields, rejectionTime: rejectionTime)
        // No other code knows the content yet, so nothing of an earlier attempt has to come to rest before this one:
        // its request is made here, so that the network thread need not.
        let first: Transfer?
        do {
            first = known == nil ? try attempt.prepare() : nil
        } catch {
            if !isRetry { postNotification(.networkingOperationDidStart) }
            endAttempt(number, with: AttemptEnd(error: error, isUnsent: true))
            return
        }
        let (isPresent, other) = lock.withLock { () -> (Bool, ResumableContent?) in
            let standing = _machine.standing(of: number)
            if standing == .present, !_machine.isCancelled {
                _take(content)
                _attempt = attempt
                return (true, nil)
            }
            // Here, since the next attempt stops the one that the content knows on the network thread. Releases nothing
            // under the lock: `first` is held until after it.
            attempt.abandon()
            if standing == .held {
                // Paused before anything was sent.
                _take(content)
                _machine.abandonHold(of: number)
                return (false, nil)
            }
            return (false, known == nil ? _leave(content) : nil)
        }
        guard isPresent else {
            withExtendedLifetime(first) {}
            if let other { runtime.onNetworkThread { other.keep(content) } }
            return
        }
        // First, because the end may come at once, and is reported on the same queue.
        if !isRetry { postNotification(.networkingOperationDidStart) }
        Trace.step(.send, self)
        if let first {
            runtime.start(first)
        } else {
            runtime.onNetworkThread { attempt.send() }
        }
    }

    /// Makes the content of an attempt the operation's. Called with `lock` held.
    private func _take(_ content: ResumableContent) {
        // An attempt that was paused before anything was sent, and launched meanwhile, has left its own.
        if let left = _content, left !== content { content.keep(left) }
        _content = content
    }

    /// Leaves the content of an attempt that was paused before anything was sent to the next one, if it has the
    /// request's stream: with the content goes the stream's source, which closes the stream. Called with `lock` held,
    /// for a content that no other thread knows.
    ///
    /// - Returns: the content that the next attempt has already, which is to keep this one.
    private func _leave(_ content: ResumableContent) -> ResumableContent? {
        if let present = _content { return content.hasSource ? present : nil }
        // A download without a stream looks at the disk once more.
        guard content.hasSource, !_machine.isCancelled else { return nil }
        switch _machine.phase {
        case .ready, .paused, .preparing, .running: _content = content
        // A cancel that saw no attempt ends the operation itself.
        case .received, .concluding, .judging, .waiting, .concluded, .finished: break
        }
        return nil
    }

    // MARK: Questions and reports of an attempt

    /// The settings as they are now.
    var presentConfiguration: SharedConfiguration { lock.withLock { _configuration } }

    /// Returns the standing of an attempt: `present` for the one that counts.
    func standing(ofAttempt number: UInt) -> RequestMachine.Standing {
        lock.withLock { _machine.standing(of: number) }
    }

    /// A response that counts has begun. Called on the network thread.
    ///
    /// - Parameter isKnown: the content goes on, and the response was reported before: it changes nothing, unless
    ///   another attempt was made.
    func record(_ head: ResponseHead, from url: URL?, isKnown: Bool) {
        Trace.step(.receive, self)
        lock.withLock {
            if isKnown, _received.value.head != nil { return }
            _mutableReceived.head = head
            _mutableReceived.url = url
            _mutableReceived.response = nil
            _mutableReceived.trailers = []
            _mutableReceived.string = nil
        }
    }

    /// Fields came after the content. Called on the network thread.
    func record(trailers: [UInt8]) {
        lock.withLock { _mutableReceived.trailers = trailers }
    }

    /// An interim response came. Called on the network thread.
    func tell(informational head: ResponseHead, from url: URL) {
        guard lock.withLock({ _configuration.value.informationalBlock != nil }) else { return }
        runtime.on(lock.withLock { _configuration.value.completionQueue } ?? .sharedMain) { [self] in
            guard let block = lock.withLock({ _configuration.value.informationalBlock }),
                let response = ResponseFace(head: head, url: url)
            else { return }
            block(self, response)
        }
    }

    /// All content of an attempt is here and is about to be written out, which a pause must not come between.
    func didReceiveContent(_ number: UInt) -> RequestMachine.Standing {
        lock.withLock { _machine.didReceiveContent(number) }
    }
}
