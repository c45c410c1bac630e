// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport

extension URLConnectionOperation {
    /// An operation that nobody waits for: it asks the server whether what is stored for a request is still so.
    ///
    /// It follows no redirect: nobody is there to be asked whether it may, and what interceptors have set does not leave the
    /// request's origin that way.
    ///
    /// - Parameters:
    ///   - settings: those of the operation that was given the stored response.
    ///   - isWithinOrigin: whether the request goes where that operation was made for, and not where a redirect has led.
    ///   - limit: the largest content that is of use, in bytes.
    ///   - decodesOwnCodings: whether that operation was given decoded content whatever its request says.
    convenience init(
        revalidating request: URLRequest, _ settings: SharedConfiguration, isWithinOrigin: Bool, limit: Int,
        decodesOwnCodings: Bool
    ) {
        var request = request
        request.cachePolicy = .reloadRevalidatingCacheData
        self.init(request: request)
        var own = Configuration(revalidatingWith: settings.value, isWithinOrigin: isWithinOrigin, limit: limit)
        own.decodesOwnCodings = decodesOwnCodings
        lock.withLock { _mutableConfiguration = own }
    }
}

extension URLConnectionOperation.Configuration {
    /// What says where a request goes, by which way, and whom it trusts. Nothing that asks or tells somebody, and no place
    /// for the content: those are the operation's that has its response already.
    fileprivate init(revalidatingWith other: Self, isWithinOrigin: Bool, limit: Int) {
        self.init()
        followsRedirects = false
        securityPolicy = other.securityPolicy
        proxies = other.proxies
        connections = other.connections
        strictTransportSecurity = other.strictTransportSecurity
        cookies = other.cookies
        cache = other.cache
        shouldUseCredentialStorage = other.shouldUseCredentialStorage
        credentialStorage = other.credentialStorage
        totalTimeout = other.totalTimeout
        // In memory, wherever the content of the operation itself goes.
        maximumResponseBodySize = Int64(min(other.memoryLimit, limit))
        runtime = other.runtime
        // Where notifications are posted, for those who observe all operations.
        completionQueue = other.completionQueue
        guard isWithinOrigin else { return }
        credential = other.credential
        clientIdentity = other.clientIdentity
    }
}
