// SPDX-License-Identifier: MIT
internal import Foundation
public import FoundationNetworking
internal import NetworkingSupport

/// Puts a token into requests, and gets a new one when the server answers 401. It is one of a manager's `interceptors`.
///
/// However many requests are refused at once, there is one refresh; then all of them are sent again. Requests that
/// begin meanwhile wait for it. A request that was refused with an older token than the present one is sent again
/// without a refresh. A refresh that fails ends all requests with its error that were made before, also those that wait
/// in a queue; the next one that is refused makes another try. A request that the server refuses with a new token, too,
/// ends with that 401.
///
/// The token is for the origin of the manager's base URL, unless `sendsAuthorizationToOtherOrigins` is true or there is
/// no base URL: then it goes to every origin that is asked. It stays within the request's origin when the server
/// redirects. It is in no description.
///
/// The operations that `refresh` makes with managers that have the refresher go without it, so that they do not wait
/// for themselves, and no limit of their queue holds them up: the slots may be taken by operations that wait for the
/// token.
///
/// ```swift
/// manager.interceptors = [TokenRefresher { try await logIn() }]
/// ```
public final class TokenRefresher: RequestInterceptor {
    private struct State {
        var token: String?
        /// The number of refreshes that have ended, and of tokens that were set.
        var round = 0
        /// The error of the last refresh; nil: it brought a token.
        var failure: (any Error)?
        var isRefreshing = false
        /// The tasks that wait for the refresh that is under way. They receive its error.
        var waiters: [CheckedContinuation<(any Error)?, Never>] = []
    }

    /// Refreshers whose `refresh` the present task is part of.
    @TaskLocal private static var active: [ObjectIdentifier] = []

    private let state: Locked<State>
    private let refresh: @Sendable () async throws -> String
    private let apply: @Sendable (_ token: String, _ request: inout URLRequest) -> Void

    /// Sets `Authorization: Bearer` with the token (RFC 6750, section 2.1).
    public static let bearer: @Sendable (_ token: String, _ request: inout URLRequest) -> Void = { token, request in
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    }

    /// A refresher.
    ///
    /// - Parameters:
    ///   - token: the token to begin with. Nil, the default: requests go without one until the server wants it.
    ///   - refresh: gets a token. Called in a separate task, one at a time; the error it throws is the error of the
    ///     operations that wait for it.
    ///   - apply: puts a token into a request. ``bearer`` by default.
    public init(
        token: String? = nil, refresh: @escaping @Sendable () async throws -> String,
        apply: @escaping @Sendable (_ token: String, _ request: inout URLRequest) -> Void = TokenRefresher.bearer
    ) {
        state = Locked(State(token: token))
        self.refresh = refresh
        self.apply = apply
    }

    /// The present token. `nil` when none is known. Set it after a login, or to nil after a logout: requests that begin
    /// from now on have it, and those that were refused with another one are sent again.
    public var token: String? {
        get { state.withLock { $0.token } }
        set {
            let isOwn = Self.active.contains(ObjectIdentifier(self))
            state.withLock { state in
                state.token = newValue
                state.failure = nil
                // What the refresh that is under way sets itself does not outdo what it brings.
                if !isOwn || !state.isRefreshing { state.round += 1 }
            }
        }
    }

    /// Puts the token into the request, after a refresh that is under way.
    ///
    /// - Throws: the error of that refresh, or of one that has failed since the operation was made.
    public func adapt(_ request: URLRequest, for operation: HTTPRequestOperation) async throws -> URLRequest {
        guard operation.maySendIdentity(to: request.url) else { return request }
        if state.withLock({ $0.isRefreshing }), let failure = await refreshDidEnd() { throw failure }
        let (token, round, failure) = state.withLock { ($0.token, $0.round, $0.failure) }
        var use = operation.tokenUse(of: self) ?? TokenUse(round: round)
        if let failure, use.round != round { throw failure }
        use.round = round
        operation.setTokenUse(use, of: self)
        var request = request
        if let token { apply(token, &request) }
        return request
    }

    /// After a 401, gets a new token or learns that there is one, and has the request sent again.
    public func retry(_ operation: HTTPRequestOperation, dueTo error: any Error) async -> RetryDecision {
        guard let response = operation.response, response.statusCode == 401,
            operation.maySendIdentity(to: response.url),
            var use = operation.tokenUse(of: self)
        else { return .doNotRetry }
        let step = state.withLock { state -> Step in
            if state.isRefreshing { return .wait }
            if state.round != use.round { return state.failure.map { .fail($0) } ?? .sendAgain }
            // What it was sent with is as new as can be.
            guard !use.hasRefreshed else { return .giveUp }
            state.isRefreshing = true
            return .refresh(since: state.round)
        }
        if case .refresh(let round) = step { _ = operation.runtime.task { [self] in await makeRefresh(since: round) } }
        switch step {
        case .giveUp:
            return .doNotRetry
        case .sendAgain:
            return .retry
        case .fail(let failure):
            return .doNotRetryWithError(failure)
        case .wait, .refresh:
            use.hasRefreshed = true
            operation.setTokenUse(use, of: self)
            if let failure = await refreshDidEnd() { return .doNotRetryWithError(failure) }
            return .retry
        }
    }

    private enum Step {
        case sendAgain, giveUp, wait
        case refresh(since: Int)
        case fail(any Error)
    }

    /// Waits for the refresh that is under way. Returns its error, or that of the last one, if it has just ended.
    private func refreshDidEnd() async -> (any Error)? {
        await withCheckedContinuation { continuation in
            let (isOver, failure) = state.withLock { state in
                if state.isRefreshing { state.waiters.append(continuation) }
                return (!state.isRefreshing, state.failure)
            }
            if isOver { continuation.resume(returning: failure) }
        }
    }

    private func makeRefresh(since round: Int) async {
        let result: Result<String, any Error>
        do {
            result = .success(
                try await Self.$active.withValue(Self.active + [ObjectIdentifier(self)]) { try await refresh() })
        } catch {
            result = .failure(error)
        }
        let (failure, waiters) = state.withLock { state in
            state.isRefreshing = false
            // A token that was set meanwhile stands: after a logout, or another login.
            if state.round == round {
                state.round += 1
                switch result {
                case .success(let token):
                    state.token = token
                    state.failure = nil
                case .failure(let error):
                    state.failure = error
                }
            }
            defer { state.waiters = [] }
            return (state.failure, state.waiters)
        }
        for waiter in waiters { waiter.resume(returning: failure) }
    }

    /// A manager has made an operation with `interceptors`: refreshers among them note when, or leave it alone if it is
    /// made by their own `refresh`.
    package static func note(_ operation: HTTPRequestOperation, with interceptors: [any RequestInterceptor]) {
        let active = active
        for case let refresher as TokenRefresher in interceptors {
            if active.contains(ObjectIdentifier(refresher)) {
                operation.removeInterceptors { $0 as? TokenRefresher === refresher }
                // The slots of its queue and its host may be taken by operations that wait for the token.
                DependencyGraph.expedite(operation)
            } else {
                let round = refresher.state.withLock { $0.round }
                operation.setTokenUse(TokenUse(round: round), of: refresher)
            }
        }
    }
}

extension TokenRefresher: CustomStringConvertible, CustomReflectable {
    /// A text that says if there is a token, and never shows the token itself.
    public var description: String { "<TokenRefresher, \(token == nil ? "without" : "with") a token>" }

    /// Shows the description, which has no secrets.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// The notes of a `TokenRefresher` on an operation's attempt.
struct TokenUse {
    /// The refresher's round when the operation was made, or its last request.
    var round: Int
    /// The operation has waited for a refresh already.
    var hasRefreshed = false
}
