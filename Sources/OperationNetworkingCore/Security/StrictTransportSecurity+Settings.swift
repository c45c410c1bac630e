// SPDX-License-Identifier: MIT
internal import NetworkingSupport

extension URLConnectionOperation {
    /// The hosts that are asked over TLS only, which responses add to. Nil by default: none, whatever servers say.
    ///
    /// Kept by `copy()`, not archived.
    public var strictTransportSecurity: StrictTransportSecurity? {
        get { lock.withLock { _configuration.value.transport.strictTransportSecurity } }
        set { lock.withLock { _mutableConfiguration.transport.strictTransportSecurity = newValue } }
    }
}

extension HTTPRequestOperationManager {
    /// `strictTransportSecurity` of the operations made from now on. Nil by default: none.
    public var strictTransportSecurity: StrictTransportSecurity? {
        get { withSettings { $0[\.transport.strictTransportSecurity] } }
        set { withSettings { $0[\.transport.strictTransportSecurity] = newValue } }
    }
}
