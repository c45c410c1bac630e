// SPDX-License-Identifier: MIT
public import FoundationNetworking

extension HTTPRequestOperationManager {
    /// The cache for responses to GET requests, used by the rules of RFC 9111 for private caches and by
    /// `URLRequest.cachePolicy`. `URLCache.shared` by default, also when that is replaced later; nil: no cache. Kept by
    /// `copy()`, which shares the cache, and not archived. An ``OperationURLCache`` shows all that is stored.
    ///
    /// One cache is for one user: see <doc:Caching>. A change counts for operations made from now on.
    public var urlCache: URLCache? {
        get {
            switch withSettings({ $0[\.storages.cache] }) {
            case .shared: URLCache.shared
            case .cache(let cache): cache.storage
            case .none: nil
            }
        }
        set {
            let setting = CacheSetting(newValue)
            withSettings { $0[\.storages.cache] = setting }
        }
    }
}
