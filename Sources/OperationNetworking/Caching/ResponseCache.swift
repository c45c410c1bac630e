// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport

/// A `URLCache` with what Foundation's lacks: changes are seen at once and carried out in the background, one after the
/// other, and what is not there is known without a look at the disk.
///
/// One for each `URLCache`, however many managers have it.
// Sendable because all mutable state is behind locks; Foundation's cache has its own.
final class ResponseCache: @unchecked Sendable {
    private struct State {
        /// Nil before the first look; what is inside is nil where only Foundation can tell.
        var directory: CacheDirectory??
        /// When the disk was looked at; in seconds of the runtime's uptime.
        var lastLook = -Double.infinity
        /// What was stored by this process, and may be in memory only.
        var kept: Set<String> = []
        /// Changes that Foundation has not made yet.
        var changes: [CacheKey: Change] = [:]
        /// How often the cache is about to be emptied: changes that wait are not made then.
        var emptying = 0
        /// Of the last change.
        var number: Moment = 0
        /// When keys were removed, and when all there is: what was asked for before does not come into the cache after.
        var removals: [CacheKey: Moment] = [:]
        var lastRemovalOfAll: Moment = 0
        var revalidating: Set<CacheKey> = []
        var recent: [CacheKey: Recent] = [:]

        mutating func noteRemoval(of key: CacheKey) {
            number &+= 1
            // Too many to tell apart: as if all had been removed.
            if removals.count >= maximumRemovals {
                removals = [:]
                lastRemovalOfAll = number
            }
            removals[key] = number
        }

        func wasRemoved(_ key: CacheKey, since moment: Moment) -> Bool {
            lastRemovalOfAll > moment || removals[key].map { $0 > moment } == true
        }
    }

    /// A place in the order of changes.
    typealias Moment = UInt

    /// What was found in an entry of Foundation's memory, good as long as that has it.
    // Sendable because the reference is only read and replaced under the lock.
    private struct Recent: @unchecked Sendable {
        weak var entry: CachedURLResponse?
        /// Without its content, which is the entry's.
        let response: StoredResponse
        /// What Foundation finds the entry by: made once.
        let request: URLRequest
    }

    private struct Change {
        let number: Moment
        /// Nil: the entry is removed.
        let response: StoredResponse?
    }

    /// Seconds for which nobody looks whether another process changed the files.
    private static let patience = 1.0
    /// Files of others that are worth a look-up by Foundation each time.
    private static let fewFiles = 32
    /// Changes that may wait for the disk; what comes when there are more is kept in memory only.
    private static let maximumWaiting = 16
    /// Changes beyond which nothing is stored: a disk that is slow must not fill the memory.
    private static let maximumChanges = 512
    private static let maximumKept = 16384
    private static let maximumRecent = 1024
    private static let maximumRemovals = 1024

    let storage: URLCache
    private let state = Locked(State())

    private init(_ storage: URLCache) { self.storage = storage }

    // MARK: One for each

    private struct Reference {
        weak var cache: ResponseCache?
    }
    private static let all = Locked<[ObjectIdentifier: Reference]>([:])

    static func of(_ storage: URLCache) -> ResponseCache {
        all.withLock { all in
            if let known = all[ObjectIdentifier(storage)]?.cache { return known }
            let cache = ResponseCache(storage)
            all[ObjectIdentifier(storage)] = Reference(cache: cache)
            return cache
        }
    }

    deinit {
        let id = ObjectIdentifier(storage)
        Self.all.withLock { all in
            if all[id]?.cache == nil { all[id] = nil }
        }
    }

    private static let sharedCache = Locked<ResponseCache?>(nil)

    /// That of `URLCache.shared`, which may be replaced at any time.
    static var shared: ResponseCache {
        let storage = URLCache.shared
        if let known = sharedCache.withLock({ $0 }), known.storage === storage { return known }
        let cache = of(storage)
        let old = sharedCache.withLock { shared in
            defer { shared = cache }
            return shared
        }
        // Not under the lock: its end takes that of the list.
        withExtendedLifetime(old) {}
        return cache
    }

    /// Nil: nobody has asked for it.
    static var sharedIfMade: ResponseCache? { sharedCache.withLock { $0 } == nil ? nil : shared }

    // MARK: Looking

    /// Whether nothing at all is stored, which most caches of most programs never change.
    var isKnownToBeEmpty: Bool {
        let now = Self.now
        let isEmpty = state.withLock { state in
            guard case .some(.some(let directory)) = state.directory, now - state.lastLook < Self.patience else {
                return false
            }
            return directory.identifiers.isEmpty && state.kept.isEmpty && state.changes.isEmpty
        }
        return isEmpty && type(of: storage) == URLCache.self && storage.currentMemoryUsage == 0
    }

    /// Whether it takes a look to know. Does not read the disk, and calls nobody but Foundation.
    func mayHold(_ key: CacheKey) -> Bool {
        enum Answer { case known(Bool), askMemory }
        let now = Self.now
        let answer: Answer = state.withLock { state in
            if let change = state.changes[key] { return .known(change.response != nil) }
            guard case .some(.some(let directory)) = state.directory, now - state.lastLook < Self.patience else {
                return .known(true)
            }
            let identifiers = directory.identifiers
            if state.kept.contains(key.identifier) || identifiers.contains(key.identifier) { return .known(true) }
            if let url = key.foundationURL, identifiers.contains(CacheKey.identifier(url)) { return .known(true) }
            return identifiers.count <= Self.fewFiles ? .askMemory : .known(false)
        }
        switch answer {
        case .known(let mayHold): return mayHold
        case .askMemory: return type(of: storage) != URLCache.self || storage.currentMemoryUsage > 0
        }
    }

    /// What is stored under a key. May read the disk.
    func response(for key: CacheKey, url: String) -> StoredResponse? {
        if let change = state.withLock({ $0.changes[key] }) { return change.response }
        guard isWorthALook(key) else { return nil }
        if let cached = storage.cachedResponse(for: URLRequest(url: key.url)) {
            if let own = StoredResponse(cached, key: key) {
                remember(own, of: cached, for: key)
                return own
            }
            if let foreign = StoredResponse(foreign: cached, url: url), key.text.utf8.first == UInt8(ascii: "\n") {
                return foreign
            }
        }
        guard let url = key.foundationURL, let cached = storage.cachedResponse(for: URLRequest(url: url)) else {
            return nil
        }
        return StoredResponse(foreign: cached, url: url.absoluteString)
    }

    /// What is stored under a key, as far as that is known without a look at the disk; nil: it is not.
    func recentResponse(for key: CacheKey) -> StoredResponse? {
        let (waiting, recent, entry) = state.withLock { state in
            let recent = state.recent[key]
            return (state.changes[key], recent, recent?.entry)
        }
        if let waiting { return waiting.response }
        guard let recent, let entry else { return nil }
        // Foundation does not tell when a program removes the entry, which may be held by that program still. Its memory
        // answers; only where the entry is not there any more a file is looked for, once.
        guard storage.cachedResponse(for: recent.request) === entry else {
            state.withLock { state in
                if state.recent[key]?.entry === entry { state.recent[key] = nil }
            }
            return nil
        }
        var response = recent.response
        response.content = entry.data
        return response
    }

    private func remember(_ response: StoredResponse, of entry: CachedURLResponse, for key: CacheKey) {
        // A subclass is the program's: it is not called by `recentResponse`, on the network thread.
        guard type(of: storage) == URLCache.self else { return }
        var response = response
        response.content = Data()
        let request = URLRequest(url: key.url)
        state.withLock { state in
            if state.recent.count >= Self.maximumRecent {
                state.recent = state.recent.filter { $0.value.entry != nil }
                if state.recent.count >= Self.maximumRecent { state.recent = [:] }
            }
            state.recent[key] = Recent(entry: entry, response: response, request: request)
        }
    }

    private func isWorthALook(_ key: CacheKey) -> Bool {
        update()
        return mayHold(key)
    }

    /// Looks at the directory, if it has changed.
    private func update() {
        var directory = state.withLock { $0.directory } ?? CacheDirectory(of: storage)
        directory?.update()
        let now = Self.now
        state.withLock { state in
            state.directory = .some(directory)
            state.lastLook = now
        }
    }

    private static var now: Double { Runtime.current.uptime }

    // MARK: Changing

    /// The largest content worth its place: a twentieth of the cache, as Foundation's documentation has it.
    var largestContent: Int { max(storage.memoryCapacity, storage.diskCapacity) / 20 }

    /// For `store`, when a response is asked for or looked up: what is removed later is not stored by it again.
    var moment: Moment { state.withLock { $0.number } }

    /// - Parameters:
    ///   - policy: where Foundation may keep it.
    ///   - moment: when the response was asked for.
    func store(
        _ response: StoredResponse, for key: CacheKey, url: URL, policy: URLCache.StoragePolicy = .allowed,
        since moment: Moment = .max
    ) {
        guard policy != .notAllowed, let (number, isLate) = change(key, to: response, since: moment) else { return }
        Runtime.current.onCachingThread { [self] in
            perform(number, key) {
                let policy = isLate ? .allowedInMemoryOnly : policy
                guard let cached = response.cached(under: key, url: url, policy: policy) else { return }
                storage.storeCachedResponse(cached, for: URLRequest(url: key.url))
            }
        }
    }

    /// Stores a response that may be one of several for its URL. The one that came last is kept under the URL itself, and
    /// moves to a place of its own for the next with other fields.
    ///
    /// - Parameters:
    ///   - primary: what is there; nil: nothing, or nobody looked.
    ///   - moment: when somebody looked, and the response was asked for.
    func store(
        _ response: StoredResponse, replacing primary: StoredResponse?, for key: CacheKey, url: URL,
        policy: URLCache.StoragePolicy, since moment: Moment
    ) {
        var response = response
        guard !response.selecting.isEmpty else {
            return store(response, for: key, url: url, policy: policy, since: moment)
        }
        guard !state.withLock({ $0.wasRemoved(key, since: moment) }) else { return }
        response.generation = String(UInt64.random(in: .min ... .max), radix: 36)
        if let primary, primary.selecting.map(\.name) == response.selecting.map(\.name) {
            response.generation = primary.generation
            if primary.selecting != response.selecting, let variant = key.variant(primary.generation, primary.selecting)
            {
                store(primary, for: variant, url: url, policy: policy, since: moment)
            }
        }
        store(response, for: key, url: url, policy: policy, since: moment)
    }

    /// Removes what is stored under a key, and what is under way to it.
    func remove(_ key: CacheKey) {
        // First: what is stored from now on was asked for later.
        state.withLock { $0.noteRemoval(of: key) }
        guard mayHold(key), let (number, _) = change(key, to: nil) else { return }
        Runtime.current.onCachingThread { [self] in
            perform(number, key) {
                // What somebody else has stored for the URL lies where Foundation looks for it.
                guard let url = key.foundationURL, let cached = storage.cachedResponse(for: URLRequest(url: url)),
                    StoredResponse(foreign: cached, url: url.absoluteString) != nil
                else { return }
                storage.removeCachedResponse(for: URLRequest(url: url))
            }
        }
    }

    /// Removes all there is, and what is under way, and calls when Foundation has done so.
    func removeAll(_ whenDone: @escaping @Sendable () -> Void) {
        state.withLock { $0.emptying += 1 }
        Runtime.current.onCachingThread { [self] in
            storage.removeAllCachedResponses()
            // After it: what somebody has found until now is not stored again either.
            let dropped = state.withLock { state in
                state.emptying -= 1
                state.number &+= 1
                state.lastRemovalOfAll = state.number
                state.removals = [:]
                state.recent = [:]
                state.kept = []
                state.lastLook = -.infinity
                defer { state.changes = [:] }
                return state.changes
            }
            // With what the program wants to be kept: not under the lock.
            withExtendedLifetime(dropped) {}
            whenDone()
        }
    }

    /// Nil: too much is waiting to keep a response, or its key was removed since it was asked for.
    private func change(
        _ key: CacheKey, to response: StoredResponse?, since moment: Moment = .max
    ) -> (number: Moment, isLate: Bool)? {
        state.withLock { state in
            guard
                response == nil
                    || (state.changes.count < Self.maximumChanges && !state.wasRemoved(key, since: moment))
            else { return nil }
            state.number &+= 1
            state.changes[key] = Change(number: state.number, response: response)
            if response != nil {
                // Too many to remember: what is in memory only is forgotten, the files are not.
                if state.kept.count >= Self.maximumKept { state.kept = [] }
                state.kept.insert(key.identifier)
            }
            return (state.number, state.changes.count > Self.maximumWaiting)
        }
    }

    /// Makes a change, unless a later one has taken its place. An entry is removed before it is stored anew: Foundation's
    /// memory counts what is stored twice under one key as two, and stops the program when it makes room.
    private func perform(_ number: Moment, _ key: CacheKey, _ store: () -> Void) {
        guard state.withLock({ $0.emptying == 0 && $0.changes[key]?.number == number }) else { return }
        storage.removeCachedResponse(for: URLRequest(url: key.url))
        store()
        state.withLock { state in
            if state.changes[key]?.number == number { state.changes[key] = nil }
            state.lastLook = -.infinity
        }
    }

    // MARK: Revalidation in the background

    /// Claims the revalidation of a key. False: somebody is at it.
    func beginRevalidation(_ key: CacheKey) -> Bool { state.withLock { $0.revalidating.insert(key).inserted } }

    func endRevalidation(_ key: CacheKey) { _ = state.withLock { $0.revalidating.remove(key) } }

    var isRevalidating: Bool { state.withLock { !$0.revalidating.isEmpty } }

    /// Calls when Foundation has made all changes so far.
    func whenSettled(_ work: @escaping @Sendable () -> Void) { Runtime.current.onCachingThread(work) }

    /// Waits until Foundation has made all changes so far; for tests.
    func settle() async {
        await withCheckedContinuation { continuation in whenSettled { continuation.resume() } }
    }
}
