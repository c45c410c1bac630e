// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport

extension URLConnectionOperation {
    /// An operation that no caller waits for: it asks the server whether the response stored for a request is still
    /// valid.
    ///
    /// It follows no redirect: there is no caller to ask whether it may, and header fields that interceptors have set
    /// do not leave the request's origin that way.
    ///
    /// - Parameters:
    ///   - settings: those of the operation that received the stored response.
    ///   - isWithinOrigin: true if the request goes where that operation was made for, and not where a redirect has
    ///     led.
    ///   - limit: the largest content that is of use, in bytes.
    ///   - decodesOwnCodings: true if that operation received decoded content whatever its request says.
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
    /// The settings that say where a request goes, by which way, and which servers it trusts. Those that ask or inform
    /// the user, and the place for the content, are left out: they are for the operation that has its response already.
    fileprivate init(revalidatingWith other: Self, isWithinOrigin: Bool, limit: Int) {
        self.init()
        followsRedirects = false
        transport = other.transport
        storages = other.storages
        limits = other.limits
        // In memory, wherever the content of the operation itself goes.
        limits.maximumResponseBodySize = Int64(min(other.memoryLimit, limit))
        runtime = other.runtime
        // The queue for notifications, for code that observes all operations.
        completionQueue = other.completionQueue
        guard isWithinOrigin else { return }
        identity.credential = other.identity.credential
        identity.clientIdentity = other.identity.clientIdentity
    }
}
