// SPDX-License-Identifier: MIT
internal import NetworkingSupport

extension URLConnectionOperation {
    /// The version of HTTP that requests are sent with. `.automatic` by default.
    ///
    /// Read when a request is sent. Kept by `copy()`, not archived, like all settings of connections.
    public var httpVersionPreference: HTTPVersionPreference {
        get { connectionSetting(\.httpVersionPreference) }
        set { setConnection(\.httpVersionPreference, newValue) }
    }

    /// The path of a Unix-domain socket that is connected to in place of the URL's host, also after redirects. Nil by
    /// default: none.
    ///
    /// The request, and the names that a TLS server's certificate must have, stay those of the URL. Proxies are not
    /// used. A path that is empty or longer than 107 bytes ends the operation with `URLError.cannotConnectToHost`
    /// (−1004).
    public var unixSocketPath: String? {
        get { connectionSetting(\.unixSocketPath) }
        set { setConnection(\.unixSocketPath, newValue) }
    }

    /// The network interface, by its name, or the local IP address that connections are made from. Nil by default: what
    /// the system chooses.
    public var networkInterface: String? {
        get { connectionSetting(\.networkInterface) }
        set { setConnection(\.networkInterface, newValue) }
    }

    private func connectionSetting<Value>(_ setting: KeyPath<ConnectionSettings, Value>) -> Value {
        lock.withLock { _configuration.value.transport.connections.settings[keyPath: setting] }
    }

    private func setConnection<Value>(_ setting: WritableKeyPath<ConnectionSettings, Value>, _ value: Value) {
        lock.withLock { _mutableConfiguration.transport.connections.settings[keyPath: setting] = value }
    }
}

extension URLConnectionOperation.Transport {
    /// Settings of connections on the heap, so that operations without any have room for a pointer only.
    package struct Connections {
        private final class Storage: Sendable {
            let settings: ConnectionSettings
            init(_ settings: ConnectionSettings) { self.settings = settings }
        }
        /// Nil: nothing was set.
        private var storage: Storage?

        var isEmpty: Bool { storage == nil }

        package var settings: ConnectionSettings {
            get { storage?.settings ?? ConnectionSettings() }
            set { storage = newValue == ConnectionSettings() ? nil : Storage(newValue) }
        }
    }
}
