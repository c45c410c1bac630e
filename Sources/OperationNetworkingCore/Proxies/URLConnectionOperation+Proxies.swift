// SPDX-License-Identifier: MIT
internal import NetworkingSupport

extension URLConnectionOperation {
    /// The proxies that the operation's requests go through. Nil by default: none, whatever the environment says.
    ///
    /// Read when a request is sent. Kept by `copy()`, not archived. The system's proxies stand here for AF.
    public var proxyConfiguration: ProxyConfiguration? {
        get { lock.withLock { _configuration.value.transport.proxies?.value } }
        set { lock.withLock { _mutableConfiguration.transport.proxies = newValue.map(SharedProxyConfiguration.init) } }
    }
}
