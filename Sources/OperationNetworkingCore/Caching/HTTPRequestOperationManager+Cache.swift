// SPDX-License-Identifier: MIT
public import FoundationNetworking
internal import NetworkingSupport

extension HTTPRequestOperationManager {
    /// The cache for responses to GET requests, used by the rules of RFC 9111 for private caches and by
    /// `URLRequest.cachePolicy`. `URLCache.shared` by default, also when that is replaced later; nil: no cache. Kept by
    /// `copy()`, which shares the cache, and not archived. An ``OperationURLCache`` shows all that is stored.
    ///
    /// Without `/proc`, and in a program whose folder was moved or removed before the first use, Foundation cannot make
    /// its shared storages: by default there is no cache then, and no storage of cookies.
    ///
    /// One cache is for one user: see <doc:Caching>. A change counts for operations made from now on.
    public var urlCache: URLCache? {
        get {
            switch withSettings({ $0[\.storages.cache] }) {
            case .shared: RunningProgram.bundle == nil ? nil : URLCache.shared
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
