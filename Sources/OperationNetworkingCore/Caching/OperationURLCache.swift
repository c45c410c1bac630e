// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

// Sendable because the store and the capacities are behind locks, and nothing else is kept.
/// A `URLCache` that keeps responses itself, for managers, session configurations and `URLCache.shared`.
///
/// The responses that were used last are in memory, and all are in files of a folder, where the next process, and
/// others at the same time, find them. Each has a digest that is compared before the response is used: a damaged one is
/// ignored. If something fails with the files (no permission, no space), the response is not stored; that is no error.
///
/// Unlike Foundation's class this one tells URLs with different queries and schemes apart, and requests with different
/// `Authorization` fields and fields that `Vary` names. What the library stored is found by ``cachedResponse(for:)``,
/// if it came under the default ``SecurityPolicy`` and not by a proxy for `http`; it may be stale. A response that a
/// program stores is used by the same rules as one that a server sent, and is not stored if it says `no-store`.
///
/// It can be used from any thread. Methods that need the files read and write them before they return.
///
/// ```swift
/// URLCache.shared = OperationURLCache(
///     memoryCapacity: 8 << 20, diskCapacity: 64 << 20, diskPath: nil)
/// ```
public final class OperationURLCache: URLCache, @unchecked Sendable {
    private struct Capacities: Sendable {
        var memory: Int
        var disk: Int
    }

    let store: ResponseStore
    private let capacities: Locked<Capacities>

    /// The folder for the files of all caches that were given no folder, and of those of Foundation's class.
    ///
    /// With `nil`, the default, it is `OperationNetworking` in the user's folder for caches (`~/.cache`). It counts for
    /// caches that have not been used yet.
    public static var defaultDirectory: URL? {
        get { CacheFolders.chosen.map { URL(fileURLWithPath: $0, isDirectory: true) } }
        set { CacheFolders.chosen = newValue?.path }
    }

    /// Makes a cache. The folder is made when something is stored.
    ///
    /// - Parameters:
    ///   - memoryCapacity: bytes in memory; 0: none.
    ///   - diskCapacity: bytes of all files; 0: none, and no file is looked at.
    ///   - path: a folder of the user's, for this cache alone; nil: one below ``defaultDirectory``, the same for all
    ///     caches of the program that are given none.
    public override init(memoryCapacity: Int, diskCapacity: Int, diskPath path: String?) {
        let path = path.map { URL(fileURLWithPath: $0).path }
        store = ResponseStore(
            memoryCapacity: memoryCapacity,
            disk: DiskStore(capacity: diskCapacity) { path ?? CacheFolders.unnamed })
        capacities = Locked(Capacities(memory: memoryCapacity, disk: diskCapacity))
        // No folder of Foundation's: one cannot be made there.
        super.init(memoryCapacity: 0, diskCapacity: 0, diskPath: "/dev/null/none")
    }

    // MARK: Responses

    /// The response that is stored for a request, whether it is fresh or not.
    public override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
        guard let url = request.url, let key = Self.key(for: request), let primary = store.response(for: key) else {
            return nil
        }
        let value = Self.selector(request)
        var found = primary
        if !primary.isChosen(by: value) {
            let fields = Self.selecting(primary.selecting.map(\.name), value)
            guard let variant = key.variant(primary.generation, fields), let stored = store.response(for: variant),
                stored.isChosen(by: value)
            else { return nil }
            found = stored
        }
        return ShownResponse(found, url: url.withoutUserInfo, policy: found.storagePolicy)
    }

    /// Stores a response of HTTP under the request's URL, unless its `storagePolicy` or its fields forbid it.
    public override func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {
        let value = Self.selector(request)
        guard cachedResponse.storagePolicy != .notAllowed, let url = request.url, let key = Self.key(for: request),
            let response = StoredResponse(cachedResponse, selecting: { Self.selecting($0, value) })
        else { return }
        ResponseCache.of(self).store(
            response, replacing: store.response(for: key), for: key, url: url, policy: cachedResponse.storagePolicy,
            since: store.moment)
    }

    /// Removes all responses that are stored for the request's URL.
    ///
    /// Those to requests of all users are removed, under all policies and by all proxies. Responses under way are not
    /// stored afterwards.
    public override func removeCachedResponse(for request: URLRequest) {
        guard let target = request.url.flatMap({ RequestTarget(ifRequestable: $0) }),
            let key = CacheKey(target, trust: "")
        else { return }
        store.removeNow(key)
    }

    /// Removes all responses. Those under way are not stored afterwards.
    public override func removeAllCachedResponses() { store.removeAllNow() }

    /// Removes the responses that were stored, or confirmed by the server, after a date.
    public override func removeCachedResponses(since date: Date) {
        store.removeAll(since: date.timeIntervalSince1970)
    }

    private static func key(for request: URLRequest) -> CacheKey? {
        guard let url = request.url, let target = RequestTarget(ifRequestable: url),
            let user = CacheKey.user(of: request)
        else { return nil }
        return CacheKey(target, trust: user)
    }

    private static func selector(_ request: URLRequest) -> (String) -> String? {
        { name in
            request.value(forHTTPHeaderField: name).map { StoredResponse.kept(StoredResponse.normalized($0), of: name) }
        }
    }

    private static func selecting(
        _ names: [String], _ value: (String) -> String?
    ) -> [StoredResponse.SelectingField] {
        names.map { StoredResponse.SelectingField(name: $0, value: value($0)) }
    }

    // MARK: Capacities

    /// Bytes of the responses in memory, at most. The excess is removed at once.
    public override var memoryCapacity: Int {
        get { capacities.withLock { $0.memory } }
        set { setCapacities { $0.memory = newValue } }
    }

    /// Bytes of all files, at most. The excess is removed soon; with 0 nothing in the files is found any more.
    public override var diskCapacity: Int {
        get { capacities.withLock { $0.disk } }
        set { setCapacities { $0.disk = newValue } }
    }

    /// Bytes of the responses in memory.
    public override var currentMemoryUsage: Int { store.memoryUsage }

    /// Bytes of all files.
    public override var currentDiskUsage: Int { store.disk.size }

    private func setCapacities(_ change: (inout Capacities) -> Void) {
        let new = capacities.withLock { capacities in
            change(&capacities)
            return capacities
        }
        store.setCapacities(memory: new.memory, disk: new.disk)
    }
}
