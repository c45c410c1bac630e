// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

/// The attempt's use of the cache.
extension RequestAttempt {
    // MARK: Looking

    /// Returns true if the cache is asked before the present request is sent. On the network thread, or before any
    /// other thread knows the attempt.
    func looksIntoCache() -> Bool {
        if machine.cache.moment == nil {
            machine.cache.moment = configuration.value.storages.cache.cacheIfMade?.moment ?? 0
        }
        // What began with a stored response goes on with it.
        guard content.sink?.isUntouched != false || machine.mustNotAsk || content.beganWithStored else { return false }
        let setting = configuration.value.storages.cache
        // Not `self.machine`, which is being changed when it asks.
        let (request, target) = (machine.request, presentTarget)
        return machine.wantsLookup(
            hasCache: setting.isThere,
            mayHold: setting.mayHold { request.url.flatMap { cacheKey(for: $0, target, of: request) } })
    }

    /// Looks, on another thread if that takes reading the disk.
    func lookIntoCache() {
        assertOnThread()
        machine.beginLookup()
        if asksClient(.metrics) { lookupTime = runtime.uptime }
        guard let found = cacheLookup()?.findRecent() else { return ask(.lookup) }
        perform(machine.take(stored: found.stored, primary: found.primary, at: now))
    }

    /// The lookup for the present request; nil: the request is not cached.
    func cacheLookup() -> CacheLookup? {
        guard configuration.value.storages.cache.isThere, machine.isCacheable, let url = machine.request.url,
            let key = cacheKey()
        else { return nil }
        return CacheLookup(
            setting: configuration.value.storages.cache, key: key, url: key.target.url, request: machine.request,
            cookies: configuration.value.storages.cookies, cookieURL: url, defaults: client?.defaultHeaderFields ?? [],
            decodesItself: decodesItself)
    }

    /// The key under which responses to the present request are kept; nil: they are not kept.
    private func cacheKey() -> CacheKey? {
        machine.request.url.flatMap { cacheKey(for: $0, presentTarget, of: machine.request) }
    }

    /// The target of the present request, if it is known.
    private var presentTarget: RequestTarget? { machine.isUnchanged ? firstTarget : nil }

    /// The key under which the present response is kept; nil: it is not kept.
    private func storingKey() -> CacheKey? { termsStand ? cacheKey() : nil }

    /// - Parameters:
    ///   - target: of the URL; nil: it is not known.
    ///   - request: whose `Authorization` field counts; nil: for requests without one.
    private func cacheKey(for url: URL, _ target: RequestTarget?, of request: URLRequest?) -> CacheKey? {
        guard let target = target ?? RequestTarget(ifRequestable: url), var trust = trust(for: target) else {
            return nil
        }
        var mayHaveProxy = true
        // Another address, socket or interface is another server, or another view of it.
        if !configuration.value.transport.connections.isEmpty {
            guard let route = try? configuration.value.transport.connections.settings.route(for: url) else {
                return nil
            }
            mayHaveProxy = route.unixSocketPath == nil
            for place in [route.address, route.unixSocketPath, route.networkInterface] {
                trust += place.map { " \($0.utf8.count):\($0)" } ?? " -"
            }
        }
        // Without TLS no certificate says who answered: the answer of a proxy counts as the proxy's.
        if mayHaveProxy, !Self.hasTLS(target), let proxy = configuration.value.transport.proxies?.value.proxy(for: url)
        {
            guard let verdict = proxy.scheme == .https ? verdict(of: proxy.securityPolicy) : "" else { return nil }
            let place = "\(proxy.scheme.rawValue)://\(proxy.host):\(proxy.port) \(verdict)"
            trust += " p\(place.utf8.count):\(place)"
        }
        guard let user = CacheKey.user(of: request) else { return nil }
        trust += user
        if let last = lastCacheKey, last.trust.hasOctets(of: trust), last.target == target { return last }
        lastCacheKey = CacheKey(target, trust: trust)
        return lastCacheKey
    }

    /// A text that identifies the policy that trusted the server: a response under one policy is no answer under
    /// another. Empty: the default policy, or no TLS. Nil: there is no such text (a subclass, a revocation list), or
    /// the answer is for the holder of a certificate.
    private func trust(for target: RequestTarget) -> String? {
        guard Self.hasTLS(target) else { return "" }
        return configuration.value.identity.clientIdentity == nil
            ? verdict(of: configuration.value.transport.securityPolicy) : nil
    }

    /// An origin begins with "http://" or "https://".
    private static func hasTLS(_ target: RequestTarget) -> Bool {
        target.origin.utf8.dropFirst(4).first == UInt8(ascii: "s")
    }

    private func verdict(of policy: SecurityPolicy?) -> String? {
        let policy = policy ?? .sharedDefault
        guard type(of: policy) == SecurityPolicy.self else { return nil }
        let settings = policy.settings
        if settings == SecurityPolicySettings() { return "" }
        guard settings.certificateRevocationList == nil else { return nil }
        return try? settings.fingerprint(revocationList: nil)
    }

    // MARK: Using

    func serve(_ stored: StoredResponse, _ service: CacheDecision.Service) {
        if service == .whileRevalidating { revalidate() }
        serve(stored, as: .hit)
    }

    /// Lets a stored response take the place of the server's.
    func serve(_ stored: StoredResponse, as outcome: CacheOutcome) {
        assertOnThread()
        guard let url = machine.request.url else {
            return finish(error: URLError(.badURL, url: nil, reason: "the request has no URL"))
        }
        content.claim(for: self)
        guard stop == nil else { return }
        takePresentConfiguration()
        if timings == nil { timings = TransferTimings() }
        content.beganWithStored = true
        incoming = IncomingContent()
        decoding = .nobody
        machine.serve(from: url, as: outcome)
        if outcome == .hit { client?.attemptWillSend(machine.request) }
        let head = stored.playableHead
        playback = stored.content
        switch machine.receive(head, circumstances, credential: credentialSource) {
        case .accept:
            accept(head)
            incoming.expectedLength = Int64(stored.content.count)
        case .discard:
            playback = Data()
        case .hold:
            incoming.place = .held(MemorySink(limit: configuration.value.memoryLimit))
        }
        play()
    }

    /// Hands the rest of a stored response to its place, as fast as that takes it.
    func play() {
        assertOnThread()
        guard stop == nil, var rest = playback else { return }
        while !rest.isEmpty {
            let piece = rest.prefix(Self.pieceLength)
            switch piece.withUnsafeBytes({ take($0) }) {
            case .accepted:
                rest = rest.dropFirst(piece.count)
            case .pause:
                playback = rest
                return
            case .enough:
                rest = Data()
            case .fail(let error):
                playback = nil
                // A question is still to be asked.
                if case .held = incoming.place { return transferDidEnd(error) }
                return finish(error: URLError(error, url: machine.url))
            }
        }
        playback = nil
        playbackDidEnd()
    }

    private static let pieceLength = 1 << 17

    /// Asks the origin for the next response, once for all requests that would.
    private func revalidate() {
        guard let url = machine.request.url, let cache = configuration.value.storages.cache.cacheIfMade,
            let key = cacheKey(),
            cache.beginRevalidation(key)
        else { return }
        // It has no client that would add them.
        var request = machine.request
        for field in client?.defaultHeaderFields ?? [] where request.value(forHTTPHeaderField: field.name) == nil {
            request.setValue(field.value, forHTTPHeaderField: field.name)
        }
        let background = URLConnectionOperation(
            revalidating: request, configuration, isWithinOrigin: machine.isWithinOrigin(url),
            limit: cache.largestContent, decodesOwnCodings: decodesOwnCodings)
        background.whenFinished { cache.endRevalidation(key) }
        runtime.onBlockThread { background.start() }
    }

    // MARK: Storing

    /// Keeps a complete response, if it may be kept.
    func storeResponse(_ data: Data) {
        guard configuration.value.cacheBlock == nil, !asksClient(.caching), mayBeOfUse, let (head, url) = storableHead,
            StorageRules.allows(head, request: machine.cacheControl, ofAnyAge: takesAnyAge)
        else { return }
        store(head, url, data, policy: unaskedPolicy)
    }

    /// The policy for a response that nobody is asked about. One that came in place of a confirmation, as in the
    /// background, stays where the one before was to stay.
    private var unaskedPolicy: URLCache.StoragePolicy {
        guard machine.request.cachePolicy == .reloadRevalidatingCacheData else { return .allowed }
        return (machine.cache.validating ?? machine.cache.primary)?.storagePolicy ?? .allowed
    }

    /// True if the request takes stored responses of any age: the next such request expects to find this response.
    private var takesAnyAge: Bool { machine.request.cachePolicy == .returnCacheDataElseLoad }

    private var mayBeOfUse: Bool { takesAnyAge || machine.head.map(StorageRules.mayBeOfUse) == true }

    /// Keeps a copy of content that a client reads, where the cache may want the response, or the client may want it
    /// kept: for that a response need not say anything about caches.
    func copyForCache() {
        guard client != nil, content.stream != nil, storableHead != nil,
            asksClient(.caching) || mayBeOfUse, let cache = configuration.value.storages.cache.cache,
            cache.largestContent > 0
        else { return }
        let copy = MemorySink(limit: cache.largestContent)
        copy.begin(nil, as: incoming.form)
        incoming.copy = copy
    }

    /// Bytes that were taken by the client's reader.
    func copy(_ bytes: UnsafeRawBufferPointer) {
        guard let copy = incoming.copy else { return }
        // Too much for the cache.
        guard case .accepted = copy.write(bytes) else { return incoming.copy = nil }
    }

    /// The content that a block or the client is asked about; nil: nothing is to be kept.
    var cacheableContent: CacheableContent? {
        guard let (head, url) = storableHead, let memory = content.memory ?? incoming.copy,
            StorageRules.isPermitted(head, request: machine.cacheControl)
        else { return nil }
        return CacheableContent(head: head, url: url, data: memory.snapshot())
    }

    /// The present response, if it is one to keep: a server's, whole and the same for every request.
    var storableHead: (ResponseHead, URL)? {
        guard configuration.value.storages.cache.isThere, !machine.cache.isServing, machine.offset == 0,
            machine.isCacheable,
            // What answered a challenge is not part of the request that is looked up.
            machine.challengeAnswer == nil, machine.handshakeAnswers == nil,
            let head = machine.head, let url = machine.url,
            // Where the caller decodes content itself, what came is still coded.
            decoding != .nobody || ContentDecoder.codings(of: head).isEmpty
        else { return nil }
        return (head, url)
    }

    private func store(
        _ head: ResponseHead, _ url: URL, _ data: Data, policy: URLCache.StoragePolicy,
        userInfo: StoredResponse.UserInfo = StoredResponse.UserInfo()
    ) {
        guard let key = storingKey(), let cache = configuration.value.storages.cache.cache,
            data.count < cache.largestContent,
            let names = StoredResponse.selectingNames(of: head)
        else { return }
        var stored = StoredResponse(
            unfiltered: head, content: data, requestTime: requestTime, responseTime: responseTime)
        stored.selecting = selecting(names, url)
        stored.userInfo = userInfo
        cache.store(
            stored, replacing: machine.cache.primary, for: key, url: url, policy: policy,
            since: machine.cache.moment ?? 0)
    }

    /// The values that the sent request has in the fields that a response is chosen by.
    private func selecting(_ names: [String], _ url: URL) -> [StoredResponse.SelectingField] {
        guard !names.isEmpty else { return [] }
        let selector = CacheSelector(
            request: machine.request, cookies: configuration.value.storages.cookies, url: url,
            defaults: client?.defaultHeaderFields ?? [], sentCookies: .some(sentCookies))
        return names.map { .init(name: $0, value: selector.value(of: $0)) }
    }

    /// The stored response with what a 304 says, which takes its place in the cache, if it is one to keep.
    func refresh(_ stored: StoredResponse, by head: ResponseHead) -> StoredResponse {
        var updated = StorageRules.updated(stored, by: head, requestTime: requestTime, responseTime: responseTime)
        // As in `storableHead`: after a challenge, what it says is only for requests with the same answer.
        guard machine.challengeAnswer == nil, machine.handshakeAnswers == nil, let key = storingKey(),
            let url = machine.request.url, let cache = configuration.value.storages.cache.cache
        else { return updated }
        guard StorageRules.isPermitted(updated.head, request: CacheControl()),
            let names = StoredResponse.selectingNames(of: updated.head)
        else {
            // It is the result for the last time.
            cache.remove(key)
            return updated
        }
        guard !machine.cache.request.noStore else { return updated }
        updated.selecting = selecting(names, url)
        cache.store(
            updated, replacing: machine.cache.primary, for: key, url: url, policy: updated.storagePolicy,
            isRefreshed: true, since: machine.cache.moment ?? 0)
        return updated
    }

    /// Stores the answer of a block or client that was offered a response.
    func keep(_ answer: CachedURLResponse, inPlaceOf response: HTTPURLResponse, _ content: CacheableContent) {
        let fields = [answer.response as? HTTPURLResponse, response].map {
            $0?.allHeaderFields as? [String: String] ?? [:]
        }
        let isSame = answer.response is HTTPURLResponse && fields[0].hasOctets(of: fields[1])
        let changed = isSame ? nil : (answer.response as? HTTPURLResponse).map(StoredResponse.head)
        if let changed, !StorageRules.isPermitted(changed, request: CacheControl()) { return }
        store(
            changed ?? content.head, content.url, answer.data, policy: answer.storagePolicy,
            userInfo: StoredResponse.UserInfo(values: answer.userInfo ?? [:]))
    }

    // MARK: Invalidating

    /// A request with effects was answered: what is stored of its URL, and of those that the answer names, may not be
    /// true any more, whoever asked for it and by which way (RFC 9111, section 4.4).
    func invalidateCache(by head: ResponseHead) {
        guard !StorageRules.isSafe(machine.request.httpMethod ?? "GET"), 200..<400 ~= head.statusCode,
            // Made for it: what an earlier run has stored is on the disk.
            let url = machine.url, let cache = configuration.value.storages.cache.cache
        else { return }
        var urls = [url]
        for field in [KnownField.location, .contentLocation] {
            guard let value = head.firstOctets(for: field, limit: 8192),
                let named = URL(reference: value, relativeTo: url), Origin.isSame(named, url)
            else { continue }
            urls.append(named)
        }
        for url in urls {
            guard let target = RequestTarget(ifRequestable: url), let key = CacheKey(target, trust: "") else {
                continue
            }
            // Also where nothing is stored: a response may be under way that was made before.
            cache.remove(key, and: [machine.request, nil].compactMap { cacheKey(for: url, target, of: $0) })
        }
    }
}

/// A response that the user's block may put into the cache.
struct CacheableContent: Sendable {
    let head: ResponseHead
    let url: URL
    let data: Data
}
