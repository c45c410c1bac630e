// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport
internal import OperationNetworkingCore

/// The settings of a session's configuration, as they were when the session was made.
struct SessionSettings: Sendable {
    /// The configuration that the tasks' operations share.
    let operations: URLConnectionOperation.SharedConfiguration
    let maximumConnectionsPerHost: Int
    private let additionalHeaders: [(name: String, value: String)]
    private let requestTimeout: TimeInterval
    private let cachePolicy: URLRequest.CachePolicy
    private let cookieStorage: HTTPCookieStorage?
    private let credentialStorage: URLCredentialStorage?

    /// Seconds; the time-out of a request that was given none.
    private static let usualTimeout: TimeInterval = 60
    /// Foundation's own value for `timeoutIntervalForResource`, a week, which no task waits for.
    private static let longestResourceTimeout: TimeInterval = 604_800

    init(
        _ configuration: URLSessionConfiguration, securityPolicy: SecurityPolicy?, clientIdentity: ClientIdentity?,
        proxies: ProxyConfiguration?
    ) {
        var settings = URLConnectionOperation.Configuration()
        settings.transport.securityPolicy = securityPolicy
        settings.identity.clientIdentity = clientIdentity
        settings.storages.shouldUseCredentialStorage = configuration.urlCredentialStorage != nil
        settings.storages.credentialStorage = configuration.urlCredentialStorage
        settings.storages.cookies.managers = configuration.httpCookieStorage.map { .storage($0) } ?? .none
        settings.storages.cookies.areSent = configuration.httpShouldSetCookies
        settings.storages.cookies.acceptPolicy = configuration.httpCookieAcceptPolicy
        settings.storages.cache = CacheSetting(configuration.urlCache)
        let proxies = proxies ?? ProxyConfiguration(dictionary: configuration.connectionProxyDictionary)
        settings.transport.proxies = proxies.map(SharedProxyConfiguration.init)
        let resourceTimeout = configuration.timeoutIntervalForResource
        if resourceTimeout < Self.longestResourceTimeout { settings.limits.totalTimeout = resourceTimeout }
        operations = URLConnectionOperation.SharedConfiguration(settings)
        maximumConnectionsPerHost = max(1, configuration.httpMaximumConnectionsPerHost)
        requestTimeout = configuration.timeoutIntervalForRequest
        cachePolicy = configuration.requestCachePolicy
        cookieStorage = configuration.httpCookieStorage
        credentialStorage = configuration.urlCredentialStorage
        additionalHeaders = (configuration.httpAdditionalHeaders as? [String: String] ?? [:]).map { ($0, $1) }
        if maximumConnectionsPerHost > NetworkEngine.maximumConnectionsPerHost {
            NetworkEngine.maximumConnectionsPerHost = maximumConnectionsPerHost
        }
    }

    /// A request with what the configuration adds. The task's original request does not show that.
    func configured(_ request: URLRequest) -> URLRequest { configured(request, adding: additionalHeaders) }

    /// The same for a request that a client answers a redirect with. One that is followed as it was proposed stays as
    /// it is.
    ///
    /// - Parameter sources: the URLs of the task and of the redirect. For another origin than theirs no fields are added: a
    ///   client may have left them out for that reason.
    func configured(
        _ answer: URLRequest, inPlaceOf proposed: URLRequest, redirectedFrom sources: [URL]
    ) -> URLRequest {
        guard !answer.isSent(like: proposed) else { return answer }
        let isHome = answer.url.map { target in sources.allSatisfy { Origin.isSame($0, target) } } ?? false
        return configured(answer, adding: isHome ? additionalHeaders : [])
    }

    private func configured(_ request: URLRequest, adding headers: [(name: String, value: String)]) -> URLRequest {
        var request = request
        let missing = headers.filter { request.value(forHTTPHeaderField: $0.name) == nil }
        if !missing.isEmpty {
            // One by one, Foundation would spell the names anew.
            request.allHTTPHeaderFields = (request.allHTTPHeaderFields ?? [:]).merging(missing) { own, _ in own }
        }
        if request.timeoutInterval == Self.usualTimeout, requestTimeout != Self.usualTimeout {
            request.timeoutInterval = requestTimeout
        }
        if request.cachePolicy == .useProtocolCachePolicy, cachePolicy != .useProtocolCachePolicy {
            request.cachePolicy = cachePolicy
        }
        return request
    }

    /// Returns the request as it is sent: a form has a type, as Foundation gives it one, and a stream may be one.
    ///
    /// - Parameter awaitsStream: the delegate will give the content.
    func outgoing(_ request: URLRequest, awaitsStream: Bool) -> URLRequest {
        let hasStream = awaitsStream || (request.httpBodyStream.map { !$0.isBodyOfFile } ?? false)
        guard request.httpMethod == "POST", hasStream || request.httpBody?.isEmpty == false,
            request.value(forHTTPHeaderField: "Content-Type") == nil
        else { return request }
        var request = request
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        return request
    }

    /// Empties the storages that keep something of requests, and then calls `whenDone`. Writes files.
    func reset(_ whenDone: @escaping @Sendable () -> Void) {
        cookieStorage?.removeCookies(since: .distantPast)
        removeCredentials()
        // With the responses that wait for their place in it.
        if let cache = operations.value.storages.cache.cache { cache.removeAll(whenDone) } else { whenDone() }
    }

    private func removeCredentials() {
        guard let credentialStorage else { return }
        for (space, credentials) in credentialStorage.allCredentials {
            for credential in credentials.values { credentialStorage.remove(credential, for: space) }
        }
    }
}

extension URLSessionConfiguration {
    /// A copy whose additional header fields are text: with any other value Foundation stops the process.
    func copiedWithTexts() -> URLSessionConfiguration {
        let copy = copied()
        var texts: [String: String] = [:]
        for (name, value) in httpAdditionalHeaders ?? [:] {
            if let name = name as? String { texts[name] = value as? String ?? String(describing: value) }
        }
        copy.httpAdditionalHeaders = texts.isEmpty ? nil : texts
        return copy
    }
}
