// SPDX-License-Identifier: MIT

/// A `ProxyConfiguration` on the heap, so that operations without one have room for a pointer only.
package final class SharedProxyConfiguration: Sendable {
    package let value: ProxyConfiguration

    package init(_ value: ProxyConfiguration) {
        self.value = value
    }
}
