// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// The decision about a request, given the stored response for it (RFC 9111, section 4, and Foundation's policies).
///
/// | policy                               | nothing stored | fresh    | stale                                        |
/// |--------------------------------------|----------------|----------|----------------------------------------------|
/// | `useProtocolCachePolicy`             | `load`         | `serve`  | `validate`; `serve` where both sides allow it |
/// | … with `only-if-cached`              | `unavailable`  | `serve`  | `unavailable`                                |
/// | `returnCacheDataElseLoad`            | `load`         | `serve`  | `serve`                                      |
/// | `returnCacheDataDontLoad`            | `unavailable`  | `serve`  | `serve`                                      |
/// | `reloadRevalidatingCacheData`        | `load`         | `validate` | `validate`                                 |
/// | `reloadIgnoringLocal…CacheData`      | `load`         | `load`   | `load`                                       |
enum CacheDecision: Equatable {
    /// The stored response is the result.
    case serve(Service)
    /// The origin is asked, on the condition that it has something else, where there is a validator.
    case validate
    /// The origin is asked as if nothing were stored.
    case load
    /// The origin must not be asked, and nothing may be used.
    case unavailable

    enum Service: Equatable {
        case asIs
        /// And the origin is asked afterwards, for the next one (RFC 5861, section 3).
        case whileRevalidating
    }

    /// - Parameters:
    ///   - request: the request's directives.
    ///   - now: seconds since 1970.
    init(_ stored: StoredResponse?, policy: URLRequest.CachePolicy, request: CacheControl, at now: Double) {
        let mayLoad = policy != .returnCacheDataDontLoad && !request.onlyIfCached
        guard let stored, Self.reads(policy) else {
            self = mayLoad ? .load : .unavailable
            return
        }
        switch policy {
        case .returnCacheDataElseLoad, .returnCacheDataDontLoad:
            self = .serve(.asIs)
        case .reloadRevalidatingCacheData:
            self = mayLoad ? .validate : .unavailable
        default:
            self = Self.service(of: stored, request, at: now).map { .serve($0) } ?? (mayLoad ? .validate : .unavailable)
        }
    }

    /// Returns true if stored responses matter under a policy.
    static func reads(_ policy: URLRequest.CachePolicy) -> Bool {
        switch policy {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: false
        default: true
        }
    }

    /// Returns the way in which a response is used without asking the origin first; nil: it is not.
    private static func service(of stored: StoredResponse, _ request: CacheControl, at now: Double) -> Service? {
        let control = CacheControl(stored.head)
        let pragma = stored.head.firstBytes(for: .pragma).map { CacheControl.containsNoCache($0) } ?? false
        guard !request.noCache, !request.noStore, !control.noCache, !(pragma && !stored.head.contains(.cacheControl))
        else { return nil }
        let freshness = Freshness(stored, control, at: now)
        if let maxAge = request.maxAge, maxAge == 0 || freshness.age > Double(maxAge) { return nil }
        if freshness.lifetime > freshness.age + Double(request.minFresh ?? 0) { return .asIs }
        guard !control.mustRevalidate, request.minFresh == nil else { return nil }
        if let maxStale = request.maxStale, freshness.staleness <= Double(maxStale) { return .asIs }
        // A request that says how old a response may be wants no stale one unless it says so (section 5.2.1.1).
        if request.maxAge == nil, let seconds = control.staleWhileRevalidate, freshness.staleness <= Double(seconds) {
            return .whileRevalidating
        }
        return nil
    }

    /// Returns true if a stale response may be used instead of an error (RFC 5861, section 4).
    static func allowsStaleIfError(_ stored: StoredResponse, request: CacheControl, at now: Double) -> Bool {
        let control = CacheControl(stored.head)
        guard !control.noCache, !control.mustRevalidate, !request.noCache,
            let seconds = request.staleIfError ?? control.staleIfError
        else { return false }
        return Freshness(stored, control, at: now).staleness <= Double(seconds)
    }
}
