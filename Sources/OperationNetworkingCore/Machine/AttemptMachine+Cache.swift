// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// The cache's part in one request of an attempt.
struct CacheUse {
    enum Stage {
        case unknown
        /// The cache is to be asked.
        case wanted
        /// The cache was asked, or need not be.
        case settled
    }

    var stage = Stage.unknown
    /// The stored response that the request is to validate, or that is there for the case of an error.
    var validating: StoredResponse?
    /// The response that is kept under the URL itself: of its variants the one that came last.
    var primary: StoredResponse?
    /// The moment of the first look into the cache, or of sending the request; nil: neither has happened.
    var moment: CacheRemovals.Moment?
    /// The present response is a stored one.
    var isServing = false
    /// True if the cache can answer the request; nil: not asked yet.
    var isCacheable: Bool?
    /// The request's directives, once `isCacheable` is known.
    var request = CacheControl()
    var outcome = CacheOutcome.none
}

/// The decisions about stored responses.
///
/// | input                                    | decision                                                       |
/// |------------------------------------------|----------------------------------------------------------------|
/// | a request that the cache can answer      | `lookup`, once; not when a part of the content is here already |
/// | … and that must not be sent              | `lookup`, also then: what is served is compared with the part  |
/// | any other that must not be sent          | `lookup`, whether there is a cache or not                      |
/// | what was found                           | see `CacheDecision`                                            |
/// | … what it would serve, found wanting     | `sendAgain`, without a condition                               |
/// | 304 for the stored response              | `refresh`                                                      |
/// | 304 for another                          | `sendAgain`, without a condition                               |
/// | 500, 502, 503, 504, or no answer         | `serve`, where `stale-if-error` allows it                      |
extension AttemptMachine {
    /// Returns true if the cache is to be asked about the present request, until `beginLookup`.
    ///
    /// - Parameters:
    ///   - hasCache: true if there is a cache.
    ///   - mayHold: true if something may be stored in it for the request.
    mutating func wantsLookup(hasCache: Bool, mayHold: @autoclosure () -> Bool) -> Bool {
        if case .unknown = cache.stage {
            cache.stage = needsLookup(hasCache: hasCache, mayHold: mayHold()) ? .wanted : .settled
        }
        return cache.stage == .wanted
    }

    /// The request is for the cache only, whatever that has.
    var mustNotAsk: Bool {
        request.cachePolicy == .returnCacheDataDontLoad
            || (CacheDecision.reads(request.cachePolicy) && CacheControl(request).onlyIfCached)
    }

    /// True if the cache can answer the request, and keep the answer.
    var isCacheable: Bool { cache.isCacheable ?? request.isCacheable }

    /// The request's directives.
    var cacheControl: CacheControl { cache.isCacheable == nil ? CacheControl(request) : cache.request }

    mutating func beginLookup() { cache.stage = .settled }

    private mutating func needsLookup(hasCache: Bool, mayHold: @autoclosure () -> Bool) -> Bool {
        // Whatever there is: this request is not sent.
        if request.cachePolicy == .returnCacheDataDontLoad { return true }
        guard CacheDecision.reads(request.cachePolicy) else { return false }
        let (isCacheable, hasDirectives) = request.cacheability
        cache.isCacheable = isCacheable
        if hasDirectives { cache.request = CacheControl(request) }
        // Nor is this one.
        if cache.request.onlyIfCached { return true }
        // What answered a challenge goes out with the request, and is not part of what is looked up.
        guard challengeAnswer == nil, hasCache, isCacheable else { return false }
        guard mayHold() else {
            cache.outcome = .miss
            return false
        }
        return true
    }

    /// - Parameters:
    ///   - stored: what may be given to the request.
    ///   - primary: what is kept under the URL itself.
    ///   - now: seconds since 1970.
    mutating func take(stored: StoredResponse?, primary: StoredResponse?, at now: Double) -> FollowUp {
        cache.primary = primary
        switch CacheDecision(stored, policy: request.cachePolicy, request: cache.request, at: now) {
        case .serve(let service):
            guard let stored, !isRejected(stored) else {
                cache.outcome = .miss
                return .sendAgain
            }
            cache.outcome = .hit
            return .serve(stored.withAge(at: now), service)
        case .validate:
            cache.validating = stored
            cache.outcome = .miss
            return .sendAgain
        case .load:
            cache.outcome = .miss
            return .sendAgain
        case .unavailable:
            return .fail(
                URLError(
                    .resourceUnavailable, url: request.url,
                    reason: "the cache has no response that may be used, and the request forbids to ask the server; "
                        + "use another cachePolicy than returnCacheDataDontLoad, and no \"only-if-cached\""))
        }
    }

    /// Returns true if a stored response must not answer another attempt: it may be the very one that was not good
    /// enough. One that came later, for another request, may answer.
    private func isRejected(_ stored: StoredResponse) -> Bool {
        guard let rejectionTime, stored.responseTime <= rejectionTime else { return false }
        return request.cachePolicy != .returnCacheDataElseLoad && !mustNotAsk
    }

    /// The stored response takes the place of the server's: `receive` is called with its head.
    mutating func serve(from url: URL, as outcome: CacheOutcome) {
        beginTransfer(to: url)
        cache.validating = nil
        cache.isServing = true
        cache.outcome = outcome
    }

    /// Fields that make the request conditional (RFC 9111, section 4.3.1).
    var conditions: [HeaderField] {
        guard let stored = cache.validating else { return [] }
        var fields: [HeaderField] = []
        if let tag = stored.entityTag { fields.append(HeaderField("If-None-Match", octets: tag)) }
        if let date = stored.lastModified { fields.append(HeaderField("If-Modified-Since", octets: date)) }
        return fields
    }

    /// Returns the step that a stored response makes of the server's response; nil: it changes nothing.
    mutating func followUpByCache(for head: ResponseHead, _ circumstances: Circumstances) -> FollowUp? {
        guard let stored = cache.validating else { return nil }
        switch head.statusCode {
        case 304 where !conditions.isEmpty:
            guard StorageRules.confirms(head, stored) else {
                cache.validating = nil
                return .sendAgain
            }
            return .refresh(stored, head)
        case 500, 502, 503, 504:
            return stale(stored, circumstances)
        default:
            return nil
        }
    }

    /// Returns the step that a stored response makes of an error; nil: it changes nothing. An error that says that the
    /// server is another one always stands.
    mutating func followUpByCache(after error: TransferError, _ circumstances: Circumstances) -> FollowUp? {
        guard let stored = cache.validating, head == nil else { return nil }
        switch error.kind {
        case .cannotFindHost, .cannotConnect, .timedOut, .connectionLost: return stale(stored, circumstances)
        default: return nil
        }
    }

    private func stale(_ stored: StoredResponse, _ circumstances: Circumstances) -> FollowUp? {
        let now = circumstances.now()
        guard CacheDecision.allowsStaleIfError(stored, request: cache.request, at: now) else { return nil }
        return .serve(stored.withAge(at: now), .asIs)
    }
}

extension URLRequest {
    /// True if the cache can answer the request, and keep the answer: a GET for the whole content, without a body, and
    /// without conditions or a `Host` field.
    var isCacheable: Bool { cacheability.isCacheable }

    /// The same, and whether the request has directives for caches, cacheable or not.
    var cacheability: (isCacheable: Bool, hasDirectives: Bool) {
        var isCacheable = httpMethod ?? "GET" == "GET" && httpBody == nil && httpBodyStream == nil
        var hasDirectives = false
        for (name, _) in allHTTPHeaderFields ?? [:] {
            isCacheable = isCacheable && !Self.excludes(name.utf8)
            hasDirectives =
                hasDirectives || name.utf8.equalsIgnoringCase("Cache-Control") || name.utf8.equalsIgnoringCase("Pragma")
        }
        return (isCacheable, hasDirectives)
    }

    private static func excludes(_ name: String.UTF8View) -> Bool {
        // One comparison for names of these lengths, and none for others.
        switch name.count {
        // Asks for what the URL does not name.
        case 4: name.equalsIgnoringCase("Host")
        case 5: name.equalsIgnoringCase("Range")
        case 8: name.equalsIgnoringCase("If-Range") || name.equalsIgnoringCase("If-Match")
        case 13: name.equalsIgnoringCase("If-None-Match")
        case 17: name.equalsIgnoringCase("If-Modified-Since")
        case 19: name.equalsIgnoringCase("If-Unmodified-Since")
        default: false
        }
    }
}
