// SPDX-License-Identifier: MIT
public import Foundation
internal import NetworkingTransport

extension NetworkEngine {
    /// Connections at a time to all hosts together, in use or idle. `Int.max` by default, at least 1; a change applies
    /// to what is waiting.
    ///
    /// Where one is wanting, idle ones are closed, then requests wait, and the origins take turns of some requests
    /// each. The limit is for what the engine begins: there may be one more while an address is chosen among several,
    /// and an idle one stays where a request of another kind (policy, identity, way) is about to open a connection just
    /// then.
    public static var maximumConnections: Int {
        get { TransportEngine.shared.maximumConnections }
        set { TransportEngine.shared.maximumConnections = newValue }
    }

    /// The number of seconds after which an idle connection is not used again. 60 by default; a value that is not
    /// positive counts as 0.
    ///
    /// It is closed when all connections of its kind, which is one security policy, identity and way, have been idle
    /// for as long. To keep or not to keep connections longer than the server does costs a failed attempt now and then.
    public static var idleConnectionTimeout: TimeInterval {
        get { TransportEngine.shared.idleConnectionTimeout }
        set { TransportEngine.shared.idleConnectionTimeout = newValue }
    }

    /// The capabilities of libcurl and OpenSSL, which are the system's.
    ///
    /// ```swift
    /// print(NetworkEngine.capabilities.libcurlVersion)
    /// print(NetworkEngine.capabilities.contentCodings)
    /// ```
    public static var capabilities: Capabilities { Capabilities(TransportEngine.capabilities) }

    /// The capabilities of libcurl and OpenSSL.
    public struct Capabilities: Sendable, Hashable {
        /// libcurl's version, such as "7.88.1".
        public let libcurlVersion: String
        /// The TLS library's name and version, such as "OpenSSL/3.0.17".
        public let tlsVersion: String
        /// True if HTTP/2 is supported.
        public let supportsHTTP2: Bool
        /// True if HTTP/3 is supported.
        public let supportsHTTP3: Bool
        /// True if `unixSocketPath` is supported.
        public let supportsUnixSockets: Bool
        /// The content codings that are decoded, as `Accept-Encoding` names them.
        public let contentCodings: [String]

        init(_ transport: TransportCapabilities) {
            libcurlVersion = transport.curlVersion
            tlsVersion = transport.tlsVersion
            supportsHTTP2 = transport.supportsHTTP2
            supportsHTTP3 = transport.supportsHTTP3
            supportsUnixSockets = transport.supportsUnixSockets
            contentCodings = transport.contentCodings
        }
    }
}
