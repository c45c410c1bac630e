// SPDX-License-Identifier: MIT
extension HTTPRequestOperationManager {
    /// `httpVersionPreference` of the operations made from now on. `.automatic` by default.
    public var httpVersionPreference: HTTPVersionPreference {
        get { withSettings { $0[\.transport.connections.settings.httpVersionPreference] } }
        set { withSettings { $0[\.transport.connections.settings.httpVersionPreference] = newValue } }
    }

    /// IP addresses, IPv4 or IPv6, that are connected to for these hosts in place of those that their names resolve to,
    /// by the operations made from now on. Empty by default.
    ///
    /// The request, and the names that a server's certificate must have, stay those of the URL. There is no effect
    /// behind a proxy, which resolves names itself. A value that is no IP address ends an operation with
    /// `URLError.cannotFindHost` (−1003).
    ///
    /// ```swift
    /// manager.hostOverrides = ["api.example.com": "127.0.0.1"]
    /// ```
    public var hostOverrides: [String: String] {
        get { withSettings { $0[\.transport.connections.settings.hostOverrides] } }
        set { withSettings { $0[\.transport.connections.settings.hostOverrides] = newValue } }
    }

    /// `unixSocketPath` of the operations made from now on. Nil by default: none.
    public var unixSocketPath: String? {
        get { withSettings { $0[\.transport.connections.settings.unixSocketPath] } }
        set { withSettings { $0[\.transport.connections.settings.unixSocketPath] = newValue } }
    }

    /// `networkInterface` of the operations made from now on. Nil by default: what the system chooses.
    public var networkInterface: String? {
        get { withSettings { $0[\.transport.connections.settings.networkInterface] } }
        set { withSettings { $0[\.transport.connections.settings.networkInterface] = newValue } }
    }
}
