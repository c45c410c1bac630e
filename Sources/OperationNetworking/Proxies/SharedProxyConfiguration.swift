// SPDX-License-Identifier: MIT

/// A `ProxyConfiguration` on the heap, so that operations without one have room for a pointer only.
final class SharedProxyConfiguration: Sendable {
    let value: ProxyConfiguration

    init(_ value: ProxyConfiguration) {
        self.value = value
    }
}
