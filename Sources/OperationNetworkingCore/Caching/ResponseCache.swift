// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport

/// The responses of a `URLCache`, whether the cache or the library keeps them. One for each `URLCache`, however many
/// managers have it.
package final class ResponseCache: Sendable {
    private enum Keeper {
        /// Of the library's class: it is a face of the store.
        case own(ResponseStore)
        /// Of Foundation's class: the library keeps the responses, and shows some.
        case plain(PlainCacheFace)
        /// Of the program's class, which keeps them.
        case subclass(SubclassedCache)
    }

    typealias Moment = CacheRemovals.Moment

    let storage: URLCache
    private let keeper: Keeper
    private let revalidating = Locked<Set<CacheKey>>([])

    private init(_ storage: URLCache) {
        self.storage = storage
        if let own = storage as? OperationURLCache {
            keeper = .own(own.store)
        } else if type(of: storage) == URLCache.self {
            keeper = .plain(PlainCacheFace.of(storage))
        } else {
            keeper = .subclass(SubclassedCache(storage))
        }
    }

    // MARK: One for each

    private struct Reference {
        weak var cache: ResponseCache?
    }
    private static let all = Locked<[ObjectIdentifier: Reference]>([:])

    static func of(_ storage: URLCache) -> ResponseCache {
        if let known = all.withLock({ $0[ObjectIdentifier(storage)]?.cache }) { return known }
        // Not under the lock: it calls Foundation.
        let new = ResponseCache(storage)
        return all.withLock { all in
            if let known = all[ObjectIdentifier(storage)]?.cache { return known }
            all[ObjectIdentifier(storage)] = Reference(cache: new)
            return new
        }
    }

    deinit {
        let id = ObjectIdentifier(storage)
        Self.all.withLock { all in
            if all[id]?.cache == nil { all[id] = nil }
        }
    }

    private static let sharedCache = Locked<ResponseCache?>(nil)

    /// The cache of `URLCache.shared`, which may be replaced at any time.
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

    /// The same cache; nil: it has not been asked for yet.
    static var sharedIfMade: ResponseCache? { sharedCache.withLock { $0 } == nil ? nil : shared }

    // MARK: Looking

    /// True if it is known that nothing at all is stored. In most programs most caches stay empty.
    var isKnownToBeEmpty: Bool {
        switch keeper {
        case .own(let store): return store.isKnownToBeEmpty
        case .plain(let face):
            face.follow()
            return face.store.isKnownToBeEmpty && !face.mayHaveOthers
        case .subclass: return false
        }
    }

    /// Returns true if a response may be stored under a key, in a cache that is not `isKnownToBeEmpty`. Does not read
    /// the disk, and calls no code but Foundation's.
    func mayHold(_ key: CacheKey) -> Bool {
        switch keeper {
        case .own(let store): store.mayHold(key)
        case .plain(let face): face.store.mayHold(key) || face.mayHaveOthers
        case .subclass(let cache): cache.mayHold(key)
        }
    }

    /// Returns the response under a key, if it is known without a look at the disk; nil: it is not.
    func recentResponse(for key: CacheKey) -> StoredResponse? {
        switch keeper {
        case .own(let store): return store.recentResponse(for: key)
        case .plain(let face):
            face.follow()
            guard let response = face.store.recentResponse(for: key) else { return nil }
            guard face.wasRemoved(key) else { return response }
            face.store.remove(key)
            return nil
        case .subclass: return nil
        }
    }

    /// Returns the response under a key. May read the disk: not on the network thread.
    func response(for key: CacheKey, url: String) -> StoredResponse? {
        switch keeper {
        case .own(let store): return store.response(for: key)
        case .plain(let face):
            face.followOnDisk()
            if let recent = recentResponse(for: key) { return recent }
            if let response = face.store.response(for: key) { return response }
            return face.others(for: key, url: url)
        case .subclass(let cache): return cache.response(for: key, url: url)
        }
    }

    /// Runs work that asks for responses, on a thread that it may block.
    func look(on runtime: any OperationRuntime, _ work: @escaping @Sendable () -> Void) {
        // The program's class may wait for anything.
        if case .subclass = keeper { runtime.onBlockThread(work) } else { runtime.onCachingThread(work) }
    }

    // MARK: Changing

    /// The largest content worth its place: a twentieth of the cache, as Foundation's documentation has it.
    var largestContent: Int { max(storage.memoryCapacity, storage.diskCapacity) / 20 }

    /// The present moment, for `store`. It is read when a response is asked for or looked up: one that is removed later
    /// is not stored again.
    var moment: Moment {
        switch keeper {
        case .own(let store): return store.moment
        case .plain(let face):
            // First, since the program may have emptied the cache.
            face.follow()
            return face.store.moment
        case .subclass(let cache): return cache.moment
        }
    }

    private func wasRemoved(_ key: CacheKey, since moment: Moment) -> Bool {
        switch keeper {
        case .own(let store): store.wasRemoved(key, since: moment)
        case .plain(let face): face.store.wasRemoved(key, since: moment)
        case .subclass(let cache): cache.wasRemoved(key, since: moment)
        }
    }

    /// - Parameters:
    ///   - url: the URL that the program's cache receives, without a user's name and password.
    ///   - policy: where it may be kept.
    ///   - isRefreshed: true if the content is there already.
    ///   - moment: when the response was asked for.
    func store(
        _ response: StoredResponse, for key: CacheKey, url: URL, policy: URLCache.StoragePolicy = .allowed,
        isRefreshed: Bool = false, since moment: Moment = .max
    ) {
        guard policy != .notAllowed else { return }
        var response = response
        response.isInMemoryOnly = policy != .allowed
        switch keeper {
        case .own(let store):
            store.store(response, for: key, isRefreshed: isRefreshed, since: moment)
        case .plain(let face):
            face.follow()
            let isStored = face.store.store(response, for: key, isRefreshed: isRefreshed, since: moment)
            guard isStored, face.wantsToShow(key) else { return }
            Runtime.current.onCachingThread {
                // Something else may be there by now, which is shown in its turn.
                guard let present = face.store.recentResponse(for: key) else { return }
                face.show(present, for: key, url: url.withoutUserInfo)
            }
        case .subclass(let cache):
            cache.store(response.filtered, for: key, url: url.withoutUserInfo, policy: policy, since: moment)
        }
    }

    /// Stores a response that may be one of several for its URL. The one that came last is kept under the URL itself,
    /// and moves to another key when one with other fields comes.
    ///
    /// - Parameters:
    ///   - primary: the response under the URL itself; nil: there is no such response, or it was not looked up.
    ///   - moment: when `primary` was looked up, and the response was asked for.
    func store(
        _ response: StoredResponse, replacing primary: StoredResponse?, for key: CacheKey, url: URL,
        policy: URLCache.StoragePolicy, isRefreshed: Bool = false, since moment: Moment
    ) {
        var response = response
        guard !response.selecting.isEmpty else {
            return store(response, for: key, url: url, policy: policy, isRefreshed: isRefreshed, since: moment)
        }
        guard !wasRemoved(key, since: moment) else { return }
        response.generation = String(UInt64.random(in: .min ... .max), radix: 36)
        var isSame = false
        if let primary, primary.selecting.map(\.name) == response.selecting.map(\.name) {
            response.generation = primary.generation
            isSame = primary.selecting == response.selecting
            if !isSame, let variant = key.variant(primary.generation, primary.selecting) {
                store(primary, for: variant, url: url, policy: primary.storagePolicy, since: moment)
            }
        }
        store(response, for: key, url: url, policy: policy, isRefreshed: isRefreshed && isSame, since: moment)
    }

    /// Removes all responses of a key's URL, whoever asked for them and by which way, and drops those that are under way
    /// to it.
    ///
    /// - Parameter others: more keys of the URL, for a cache of the program's class, which cannot be searched.
    func remove(_ key: CacheKey, and others: @autoclosure () -> [CacheKey] = []) {
        switch keeper {
        case .own(let store): store.remove(key)
        case .plain(let face):
            face.store.remove(key)
            Runtime.current.onCachingThread {
                guard let plain = key.plain else { return }
                face.hide(plain)
                face.removeOthers(for: plain)
            }
        case .subclass(let cache): cache.remove([key] + others())
        }
    }

    /// Removes all responses, drops those that are under way, and calls `whenDone` after that.
    package func removeAll(_ whenDone: @escaping @Sendable () -> Void) {
        switch keeper {
        case .own(let store): store.removeAll(whenDone)
        case .plain(let face):
            let storage = storage
            face.store.removeAll {
                storage.removeAllCachedResponses()
                face.followOnDisk()
                // After the work that this has queued.
                Runtime.current.onCachingThread(whenDone)
            }
        case .subclass(let cache): cache.removeAll(whenDone)
        }
    }

    // MARK: Revalidation in the background

    /// Claims the revalidation of a key. False: it is under way already.
    func beginRevalidation(_ key: CacheKey) -> Bool { revalidating.withLock { $0.insert(key).inserted } }

    func endRevalidation(_ key: CacheKey) { _ = revalidating.withLock { $0.remove(key) } }

    var isRevalidating: Bool { revalidating.withLock { !$0.isEmpty } }

    /// Calls `work` when the program, too, finds the responses that were stored so far.
    func whenSettled(_ work: @escaping @Sendable () -> Void) {
        if case .own = keeper { work() } else { Runtime.current.onCachingThread(work) }
    }

    /// Waits until all changes so far are made, to files, too; for tests.
    func settle() async {
        while true {
            await withCheckedContinuation { continuation in
                Runtime.current.onCachingThread { continuation.resume() }
            }
            let store: ResponseStore? =
                switch keeper {
                case .own(let store): store
                case .plain(let face): face.store
                case .subclass: nil
                }
            if store?.state.withLock({ $0.isWriting }) != true { return }
        }
    }
}
