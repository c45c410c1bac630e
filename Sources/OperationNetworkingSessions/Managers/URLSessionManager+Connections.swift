// SPDX-License-Identifier: MIT
public import OperationNetworkingCore

extension URLSessionManager {
    /// `strictTransportSecurity` of the operations of tasks made from now on. Nil by default: none.
    public var strictTransportSecurity: StrictTransportSecurity? {
        get { taskSettings[\.transport.strictTransportSecurity] }
        set { withSettings { $0[\.transport.strictTransportSecurity] = newValue } }
    }

    /// `httpVersionPreference` of the operations of tasks made from now on. `.automatic` by default.
    public var httpVersionPreference: HTTPVersionPreference {
        get { taskSettings[\.transport.connections.settings.httpVersionPreference] }
        set { withSettings { $0[\.transport.connections.settings.httpVersionPreference] = newValue } }
    }

    /// IP addresses that are connected to for these hosts in place of those that their names resolve to, by tasks made from
    /// now on. Empty by default. As ``HTTPRequestOperationManager/hostOverrides``.
    public var hostOverrides: [String: String] {
        get { taskSettings[\.transport.connections.settings.hostOverrides] }
        set { withSettings { $0[\.transport.connections.settings.hostOverrides] = newValue } }
    }

    /// `unixSocketPath` of the operations of tasks made from now on. Nil by default: none.
    public var unixSocketPath: String? {
        get { taskSettings[\.transport.connections.settings.unixSocketPath] }
        set { withSettings { $0[\.transport.connections.settings.unixSocketPath] = newValue } }
    }

    /// `networkInterface` of the operations of tasks made from now on. Nil by default: what the system chooses.
    public var networkInterface: String? {
        get { taskSettings[\.transport.connections.settings.networkInterface] }
        set { withSettings { $0[\.transport.connections.settings.networkInterface] = newValue } }
    }
}
