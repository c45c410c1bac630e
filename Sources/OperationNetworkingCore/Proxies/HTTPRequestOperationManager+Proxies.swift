// SPDX-License-Identifier: MIT
extension HTTPRequestOperationManager {
    /// The proxies that operations go through. Nil by default: none, whatever the environment says. For the
    /// environment's proxies use ``ProxyConfiguration/environment(_:)``. Kept by `copy()`, not archived.
    public var proxyConfiguration: ProxyConfiguration? {
        get { withSettings { $0[\.transport.proxies]?.value } }
        set { withSettings { $0[\.transport.proxies] = newValue.map(SharedProxyConfiguration.init) } }
    }
}
