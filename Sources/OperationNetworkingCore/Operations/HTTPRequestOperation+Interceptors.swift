// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

// The questions to interceptors, and the effects of their answers.

extension URLConnectionOperation {
    /// True if interceptors see the attempts. Called with `lock` held.
    var _isIntercepted: Bool { !_configuration.value.interception.interceptors.isEmpty && self is HTTPRequestOperation }
}

extension HTTPRequestOperation {
    /// Lets interceptors make the request of the attempt that is about to begin, and begins it.
    func adaptRequest() {
        let (interceptors, request, isOver) = lock.withLock {
            (_configuration.value.interception.interceptors, _request, _startError != nil || _machine.isCancelled)
        }
        run { [self] in
            if !isOver { await adapt(request, by: interceptors) }
            if let number = lock.withLock({ _machine.didPrepare() }) { launch(number) }
        }
    }

    private func adapt(_ request: URLRequest, by interceptors: [any RequestInterceptor]) async {
        do {
            var adapted = request
            for interceptor in interceptors {
                // The operation has ended: the answer is not wanted any more.
                try Task.checkCancellation()
                adapted = try await interceptor.adapt(adapted, for: self)
            }
            let result = AdaptedRequest(
                request: adapted, confinedFields: Self.fields(thatDifferIn: adapted, from: request))
            lock.withLock { _retryState.adapted = result }
        } catch {
            lock.withLock {
                if _startError == nil { _startError = error }
            }
        }
    }

    /// The names, in small letters, of the header fields that `adapted` has and `request` does not.
    private static func fields(thatDifferIn adapted: URLRequest, from request: URLRequest) -> Set<[UInt8]> {
        let own = request.allHTTPHeaderFields ?? [:]
        var names: Set<[UInt8]> = []
        for (name, value) in adapted.allHTTPHeaderFields ?? [:] {
            if !own[name].hasOctets(of: value) { names.insert(name.utf8.map(\.lowercasedASCII)) }
        }
        return names
    }

    /// Asks interceptors about an attempt that ended, if it failed.
    func askInterceptors(about end: AttemptEnd, of number: UInt) {
        let (isAsking, error, interceptors, scheduler, alarm) = lock.withLock {
            let error = failureOfAttempt(end)
            let isAsking = error != nil && _machine.consult()
            let alarm = isAsking ? _totalTime?.runBetweenAttempts(at: runtime.uptime) : nil
            return (isAsking, error, _configuration.value.interception.interceptors, _scheduler, alarm)
        }
        set(alarm)
        guard isAsking, let error else {
            if !retryByPolicy(end, of: number) { conclude(end) }
            return
        }
        scheduler?.operationDidPause(self)
        run { [self] in
            for interceptor in interceptors {
                guard !Task.isCancelled else { return }
                switch await interceptor.retry(self, dueTo: error) {
                case .doNotRetry: continue
                case .retry: retry(end, of: number, after: 0)
                case .retryAfter(let delay): retry(end, of: number, after: delay)
                case .doNotRetryWithError(let error): decline(end, of: number, with: error)
                }
                return
            }
            if !retryByPolicy(end, of: number) { decline(end, of: number, with: nil) }
        }
    }

    /// Returns the reason that an attempt failed: no response, the serializer's error, or a 401; nil: it did not fail.
    /// Called with `lock` held.
    private func failureOfAttempt(_ end: AttemptEnd) -> (any Error)? {
        if let error = end.error ?? _serializationFailure { return error }
        guard _received.value.head?.statusCode == 401 else { return nil }
        return URLError(
            .userAuthenticationRequired, url: _received.value.url, reason: "the server answered with status 401")
    }

    /// No other attempt follows.
    private func decline(_ end: AttemptEnd, of number: UInt, with error: (any Error)?) {
        let isPresent = lock.withLock {
            guard _machine.decline(number) else { return false }
            if let error { _mutableReceived.error = error.naming(_request.httpMethod) }
            return true
        }
        if isPresent { conclude(end) }
    }

    /// Runs hooks, which are cancelled when the operation ends.
    private func run(_ hooks: @escaping @Sendable () async -> Void) {
        let task = runtime.task(hooks)
        let isOver = lock.withLock {
            switch _machine.phase {
            case .concluding, .concluded, .finished:
                return true
            default:
                _retryState.task = task
                return _machine.isCancelled
            }
        }
        if isOver { task.cancel() }
    }

    // MARK: For `TokenRefresher`

    /// Removes interceptors.
    func removeInterceptors(where isUnwanted: (any RequestInterceptor) -> Bool) {
        lock.withLock { _mutableConfiguration.interception.interceptors.removeAll(where: isUnwanted) }
    }

    /// Returns the notes of a refresher.
    func tokenUse(of refresher: TokenRefresher) -> TokenUse? {
        lock.withLock { _retry?.tokens[ObjectIdentifier(refresher)] }
    }

    func setTokenUse(_ use: TokenUse, of refresher: TokenRefresher) {
        lock.withLock { _retryState.tokens[ObjectIdentifier(refresher)] = use }
    }

    /// Returns true if data that identify the manager's user may go to `url`, or were asked for from there.
    func maySendIdentity(to url: URL?) -> Bool {
        let (origin, own, security) = lock.withLock {
            (
                _configuration.value.interception.authorizedOrigin, _request.url,
                _configuration.value.transport.strictTransportSecurity
            )
        }
        guard let url, let own else { return false }
        // What is asked over TLS in place of http is of the same origin.
        func isSame(_ other: URL) -> Bool {
            Origin.isSame(url, other) || security?.secureURL(for: other).map { Origin.isSame(url, $0) } ?? false
        }
        guard isSame(own) else { return false }
        guard let origin else { return true }
        return URL(escaping: origin).map(isSame) ?? false
    }
}
