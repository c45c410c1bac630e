// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport

/// A `URLCache` of a class of the program's, which keeps the responses itself: it is called by its public methods, on
/// threads that it may block. Changes are seen at once and carried out in the background, one after the other.
final class SubclassedCache: Sendable {
    private struct State: Sendable {
        /// Changes that have not been made yet.
        var changes: [CacheKey.Digest: Change] = [:]
        /// The number of times that the cache is about to be emptied: changes that wait are not made then.
        var emptying = 0
        var number: UInt = 0
        var removals = CacheRemovals()
        /// The keys of what was stored, since the cache cannot be searched.
        var keys = KeysByResource<CacheKey>()
    }

    private struct Change: Sendable {
        let number: UInt
        /// Nil: the entry is removed.
        let response: StoredResponse?
    }

    /// Changes beyond which nothing is stored: a cache that is slow must not fill the memory.
    private static let maximumChanges = 512
    /// Keys that are remembered; when there are more, those so far are forgotten.
    private static let maximumKeys = 4096

    private let storage: URLCache
    private let state = Locked(State())

    init(_ storage: URLCache) { self.storage = storage }

    var moment: CacheRemovals.Moment { state.withLock { $0.removals.now } }

    func wasRemoved(_ key: CacheKey, since moment: CacheRemovals.Moment) -> Bool {
        state.withLock { $0.removals.contains(key.digest, since: moment) }
    }

    /// Returns true if a response may be stored under a key.
    func mayHold(_ key: CacheKey) -> Bool {
        state.withLock { $0.changes[key.digest] }.map { $0.response != nil } ?? true
    }

    /// Not on the network thread.
    func response(for key: CacheKey, url: String) -> StoredResponse? {
        if let change = state.withLock({ $0.changes[key.digest] }) { return change.response }
        guard mayAsk else { return nil }
        if let own = key.url, let cached = storage.cachedResponse(for: URLRequest(url: own)) {
            if let response = StoredResponse(cached, key: key) { return response }
            if key.foreignURL != nil, let foreign = StoredResponse(foreign: cached, url: url) { return foreign }
        }
        guard key.plainURL == nil, let foreign = key.foreignURL,
            let cached = storage.cachedResponse(for: URLRequest(url: foreign))
        else { return nil }
        return StoredResponse(foreign: cached, url: url)
    }

    /// True if a look-up that the class hands to Foundation ends in memory: Foundation's files must not be read.
    private var mayAsk: Bool { storage.diskCapacity == 0 || storage.currentDiskUsage == 0 }

    func store(
        _ response: StoredResponse, for key: CacheKey, url: URL, policy: URLCache.StoragePolicy,
        since moment: CacheRemovals.Moment
    ) {
        guard let number = change(key, to: response, since: moment) else { return }
        Runtime.current.onCachingThread { [self] in
            perform(number, key) {
                // Foundation would write a file that is not to be read.
                let policy = storage.diskCapacity > 0 ? .allowedInMemoryOnly : policy
                guard let own = key.url, let cached = response.cached(under: key, url: url, policy: policy) else {
                    return
                }
                storage.storeCachedResponse(cached, for: URLRequest(url: own))
            }
        }
    }

    /// Removes what is stored under keys, and what this process has stored for their URLs under others.
    func remove(_ keys: [CacheKey]) {
        // First: what is stored from now on was asked for later.
        let known = state.withLock { state in
            var known: [CacheKey] = []
            for resource in Set(keys.map(\.resource)) {
                state.removals.note(resource)
                known += state.keys.take(resource)
            }
            return known
        }
        for key in Set(keys + known) { remove(key) }
    }

    private func remove(_ key: CacheKey) {
        guard let number = change(key, to: nil) else { return }
        Runtime.current.onCachingThread { [self] in
            perform(number, key) {
                // A response that other code has stored for the URL is where Foundation looks for it.
                guard key.plainURL == nil, let foreign = key.foreignURL else { return }
                storage.removeCachedResponse(for: URLRequest(url: foreign))
            }
        }
    }

    func removeAll(_ whenDone: @escaping @Sendable () -> Void) {
        state.withLock { $0.emptying += 1 }
        Runtime.current.onCachingThread { [self] in
            storage.removeAllCachedResponses()
            // Afterwards: a response that was found until now is not stored again either.
            let dropped = state.withLock { state in
                state.emptying -= 1
                state.removals.noteAll()
                state.keys = KeysByResource()
                defer { state.changes = [:] }
                return state.changes
            }
            // Outside the lock, since they hold values of the program.
            withExtendedLifetime(dropped) {}
            whenDone()
        }
    }

    /// Nil: too much is waiting to keep a response, or its key was removed since it was asked for.
    private func change(
        _ key: CacheKey, to response: StoredResponse?, since moment: CacheRemovals.Moment = .max
    ) -> UInt? {
        let (number, old) = state.withLock { state -> (UInt?, Change?) in
            guard
                response == nil
                    || state.changes.count < Self.maximumChanges && !state.removals.contains(key.digest, since: moment)
            else { return (nil, nil) }
            state.number &+= 1
            if response != nil {
                if state.keys.count >= Self.maximumKeys { state.keys = KeysByResource() }
                state.keys.insert(key)
            }
            return (
                state.number,
                state.changes.updateValue(Change(number: state.number, response: response), forKey: key.digest)
            )
        }
        withExtendedLifetime(old) {}
        return number
    }

    /// Makes a change, unless a later one has taken its place. An entry is removed before it is stored anew:
    /// Foundation's memory counts what is stored twice under one key as two, and stops the program when it makes room.
    private func perform(_ number: UInt, _ key: CacheKey, _ store: () -> Void) {
        guard state.withLock({ $0.emptying == 0 && $0.changes[key.digest]?.number == number }) else { return }
        if let own = key.url { storage.removeCachedResponse(for: URLRequest(url: own)) }
        store()
        let done = state.withLock { state in
            state.changes[key.digest]?.number == number ? state.changes.removeValue(forKey: key.digest) : nil
        }
        withExtendedLifetime(done) {}
    }
}
