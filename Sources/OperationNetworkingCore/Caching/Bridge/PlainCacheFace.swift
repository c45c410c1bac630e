// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport

/// The program's side of a `URLCache` of Foundation's class, while the library keeps the responses: what the program
/// sees there, and what it does to the cache.
///
/// The responses stored last are shown in Foundation's memory, where `cachedResponse(for:)` finds them: those that
/// Foundation can tell apart, not more than a part of the cache's capacity, and not more in a second than cost next to
/// nothing. A response that the program removes there is removed from the store, too. An entry under a random URL shows
/// by its end that all were removed.
///
/// Foundation's files are not read: where it has any, no response is looked up that its memory may not hold.
final class PlainCacheFace: Sendable {
    fileprivate struct Shown {
        weak var entry: ShownResponse?
        let request: URLRequest
        let identity: [UInt8]
        let cost: Int
        let number: UInt
    }

    fileprivate struct State: Sendable {
        /// Not retained: the cache may be released before this state.
        weak var storage: URLCache?
        weak var sentinel: Sentinel?
        /// False: there is no room for one.
        var hasSentinel = false
        var shown: [CacheKey.Digest: Shown] = [:]
        /// The key of the response that Foundation has under one of its own keys.
        var keys: [[UInt8]: CacheKey.Digest] = [:]
        var number: UInt = 0
        var cost = 0
        /// The mark that the library has left in the cache, if any.
        var mark: CacheFolders.Mark?
        /// True if Foundation had files that are not the library's, at `lastLook`.
        var hasFiles = false
        var lastLook = -Double.infinity
        /// The number of responses that may still be shown now.
        var budget = PlainCacheFace.largestBudget
        var lastShow = 0.0
    }

    /// An entry that is released with the cache that it is in, or when the cache is emptied.
    fileprivate final class Sentinel: CachedURLResponse, @unchecked Sendable {
        deinit { Runtime.current.onCachingThread { PlainCacheFace.letGo() } }
    }

    private static let maximumShown = 64
    fileprivate static let largestBudget = 256.0
    /// Responses a second.
    fileprivate static let budgetGrowth = 100.0
    /// Seconds for which Foundation's files are taken to be still there: each look reads all their names.
    private static let patience = 10.0

    let store: ResponseStore
    private let state = Locked(State())

    // MARK: One for each, as long as the cache lives

    private static let all = Locked<[ObjectIdentifier: PlainCacheFace]>([:])

    static func of(_ storage: URLCache) -> PlainCacheFace {
        letGo()
        if let known = all.withLock({ $0[ObjectIdentifier(storage)] }) { return known }
        // Not under the lock: it calls Foundation.
        let new = PlainCacheFace(storage)
        let face = all.withLock { all in
            let face = all[ObjectIdentifier(storage)] ?? new
            all[ObjectIdentifier(storage)] = face
            return face
        }
        if face === new { new.watch() }
        return face
    }

    /// Forgets the responses of caches that are gone.
    fileprivate static func letGo() {
        let known = all.withLock { $0 }
        let gone = known.filter { $0.value.storage == nil }
        guard !gone.isEmpty else { return }
        all.withLock { all in
            for (id, face) in gone where all[id] === face { all[id] = nil }
        }
    }

    private init(_ storage: URLCache) {
        let state = state
        let disk = DiskStore(capacity: storage.diskCapacity) {
            guard let storage = state.withLock({ $0.storage }), let mark = CacheFolders.mark(of: storage) else {
                return nil
            }
            state.withLock { $0.mark = mark }
            return mark.folder
        }
        store = ResponseStore(memoryCapacity: storage.memoryCapacity, disk: disk)
        state.withLock { $0.storage = storage }
    }

    private var storage: URLCache? { state.withLock { $0.storage } }

    // MARK: What the program does

    /// Puts a sentinel into the cache. Does not touch the disk.
    private func watch() {
        guard let storage, storage.memoryCapacity > 0, let url = URL(string: "http://\(UUID().uuidString).invalid/")
        else {
            return
        }
        let response = URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
        let sentinel = Sentinel(
            response: response, data: Data(), userInfo: nil, storagePolicy: .allowedInMemoryOnly)
        storage.storeCachedResponse(sentinel, for: URLRequest(url: url))
        state.withLock { state in
            state.sentinel = sentinel
            state.hasSentinel = true
        }
    }

    /// Applies to the responses what the program has done to the cache.
    func follow() {
        guard let storage else { return }
        store.setCapacities(memory: storage.memoryCapacity, disk: storage.diskCapacity)
        if state.withLock({ $0.hasSentinel && $0.sentinel == nil }) { wasEmptied() }
    }

    /// The same, also where there is no memory for a sentinel. Reads a folder; on the thread for caches.
    func followOnDisk() {
        follow()
        guard let storage, state.withLock({ !$0.hasSentinel && $0.mark != nil }), storage.currentDiskUsage == 0 else {
            return
        }
        wasEmptied()
    }

    private func wasEmptied() {
        let mark = state.withLock { state in
            defer {
                state.hasSentinel = false
                state.shown = [:]
                state.keys = [:]
                state.cost = 0
                state.mark = nil
            }
            return state.mark
        }
        watch()
        store.removeAll { [self] in
            // With the mark by which the folder is known.
            guard let mark, let storage else { return }
            let new = CacheFolders.mark(storage, folder: mark.folder)
            state.withLock { $0.mark = new }
        }
    }

    /// Returns true if the program has removed the response that was shown under a key.
    func wasRemoved(_ key: CacheKey) -> Bool {
        let (shown, entry, hasFiles, storage) = state.withLock { state in
            let shown = state.shown[key.digest]
            return (shown, shown?.entry, state.hasFiles, state.storage)
        }
        guard let shown else { return false }
        // The program may hold what it has removed.
        if let entry, hasFiles || storage?.cachedResponse(for: shown.request) === entry { return false }
        return state.withLock { state in
            // Another one may be shown by now.
            guard state.shown[key.digest]?.number == shown.number else { return false }
            state.forget(key.digest)
            return true
        }
    }

    // MARK: What the program sees

    /// Returns true if a response stored under a key is to be shown, or one is shown under it.
    func wantsToShow(_ key: CacheKey) -> Bool {
        guard key.isPlain else { return false }
        let now = Runtime.current.uptime
        return state.withLock { state in
            state.earn(at: now)
            return state.budget >= 1 || state.shown[key.digest] != nil
        }
    }

    /// Shows a response. Changes the cache; on the thread for caches.
    func show(_ response: StoredResponse, for key: CacheKey, url: URL) {
        hide(key)
        let cost = ShownResponse.cost(response)
        guard let storage, cost < storage.memoryCapacity / 2, let plain = key.plainURL,
            let identity = key.plainIdentity,
            // With files, each removal reads all their names.
            pay(), !hasFiles
        else { return }
        let room = storage.memoryCapacity / 2
        let request = URLRequest(url: plain)
        while let oldest = state.withLock({ $0.oneTooMany(cost, room, Self.maximumShown, identity) }) {
            storage.removeCachedResponse(for: oldest)
        }
        let entry = ShownResponse(response, url: url, policy: .allowedInMemoryOnly)
        // Foundation's memory counts what is stored twice under one key as two, and stops the program when it makes
        // room.
        storage.removeCachedResponse(for: request)
        storage.storeCachedResponse(entry, for: request)
        state.withLock { state in
            state.number &+= 1
            state.shown[key.digest] = Shown(
                entry: entry, request: request, identity: identity, cost: cost, number: state.number)
            state.keys[identity] = key.digest
            state.cost += cost
        }
    }

    private func pay() -> Bool {
        let now = Runtime.current.uptime
        return state.withLock { state in
            state.earn(at: now)
            guard state.budget >= 1 else { return false }
            state.budget -= 1
            return true
        }
    }

    /// Shows nothing any more under a key. Changes the cache; on the thread for caches.
    func hide(_ key: CacheKey) {
        guard let request = state.withLock({ $0.forget(key.digest) }) else { return }
        storage?.removeCachedResponse(for: request)
    }

    // MARK: What the program has stored itself

    /// True if the program may have stored responses itself. Does not read the disk.
    var mayHaveOthers: Bool {
        let (own, storage) = state.withLock { ($0.cost + ($0.mark?.inMemory ?? 0), $0.storage) }
        return (storage?.currentMemoryUsage ?? 0) > own
    }

    /// True if Foundation has files that are not the library's. Reads a folder.
    private var hasFiles: Bool {
        let now = Runtime.current.uptime
        let (own, isKnown) = state.withLock { state in
            (state.mark?.onDisk ?? 0, state.hasFiles && now - state.lastLook < Self.patience)
        }
        if isKnown { return true }
        let hasFiles = (storage?.currentDiskUsage ?? 0) > own
        state.withLock { state in
            state.hasFiles = hasFiles
            state.lastLook = now
        }
        return hasFiles
    }

    /// Returns the response that the program has stored for a URL. Reads a folder; on the thread for caches.
    func others(for key: CacheKey, url: String) -> StoredResponse? {
        guard mayHaveOthers, let foreign = key.foreignURL, !hasFiles,
            let cached = storage?.cachedResponse(for: URLRequest(url: foreign))
        else { return nil }
        return StoredResponse(foreign: cached, url: url)
    }

    /// Removes the response that the program has stored for a URL. Changes the cache; on the thread for caches.
    func removeOthers(for key: CacheKey) {
        guard mayHaveOthers, let foreign = key.foreignURL else { return }
        storage?.removeCachedResponse(for: URLRequest(url: foreign))
    }
}

extension PlainCacheFace.State {
    /// - Returns: the request under which it was shown; nil: it was not.
    @discardableResult
    fileprivate mutating func forget(_ key: CacheKey.Digest) -> URLRequest? {
        guard let shown = self.shown.removeValue(forKey: key) else { return nil }
        if keys[shown.identity] == key { keys[shown.identity] = nil }
        cost -= shown.cost
        return shown.request
    }

    fileprivate mutating func earn(at now: Double) {
        budget = min(PlainCacheFace.largestBudget, budget + max(0, now - lastShow) * PlainCacheFace.budgetGrowth)
        lastShow = now
    }

    /// Forgets a response that must make room for another one, and returns its request; nil: none must.
    fileprivate mutating func oneTooMany(
        _ cost: Int, _ room: Int, _ maximum: Int, _ identity: [UInt8]
    ) -> URLRequest? {
        if let same = keys[identity] { return forget(same) }
        guard shown.count >= maximum || self.cost + cost > room else { return nil }
        return shown.min { $0.value.number < $1.value.number }.flatMap { forget($0.key) }
    }
}
