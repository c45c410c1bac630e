public import FoundationNetworking

extension HTTPRequestOperationManager {
    /// Where responses to GET requests are kept, and looked for, by the rules of a private cache (RFC 9111) and by
    /// `URLRequest.cachePolicy`. `URLCache.shared` by default, also when that is replaced later; nil: no cache. Kept by
    /// `copy()`, which shares the cache, and not archived.
    ///
    /// One cache is for one user: see <doc:Caching>. A change counts for operations made from now on.
    public var urlCache: URLCache? {
        get {
            switch withSettings({ $0[\.cache] }) {
            case .shared: URLCache.shared
            case .cache(let cache): cache.storage
            case .none: nil
            }
        }
        set {
            let setting = CacheSetting(newValue)
            withSettings { $0[\.cache] = setting }
        }
    }
}
