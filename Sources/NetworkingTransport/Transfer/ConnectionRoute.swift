// SPDX-License-Identifier: MIT
internal import NetworkingSupport

/// The way in which the connection for a request is made, whatever the host. Connections are kept apart by it.
package struct ConnectionRoute: Sendable, Hashable {
    package enum HTTPVersion: Sendable {
        /// HTTP/2 where a TLS server agrees to it, else HTTP/1.1.
        case automatic
        case http1
        /// HTTP/2 from the first byte, without being agreed to.
        case http2PriorKnowledge
        /// HTTP/3, or an older version where it cannot be had.
        case http3
    }

    package var httpVersion = HTTPVersion.automatic
    /// The IP address that is connected to in place of the host's; nil: the host's name is looked up. Of no effect
    /// behind a proxy, which looks the name up.
    package var address: String?
    /// The socket that is connected to in place of the host, whatever proxy there is; nil: none.
    package var unixSocketPath: String?
    /// The interface, or local address, that connections are made from; nil: what the system chooses.
    package var networkInterface: String?

    package init() {}

    package static func == (left: ConnectionRoute, right: ConnectionRoute) -> Bool {
        left.httpVersion == right.httpVersion && left.address.hasOctets(of: right.address)
            && left.unixSocketPath.hasOctets(of: right.unixSocketPath)
            && left.networkInterface.hasOctets(of: right.networkInterface)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(httpVersion)
        hasher.combine(octetsOf: address)
        hasher.combine(octetsOf: unixSocketPath)
        hasher.combine(octetsOf: networkInterface)
    }

    /// The name by which requests to `origin` (see `RequestTarget.origin`) are counted when they go this way. They have
    /// a separate name if they share no connections with others, or share none among themselves.
    package func countedOrigin(_ origin: String) -> String {
        var name = origin
        switch httpVersion {
        case .automatic, .http3: break
        case .http1: name += origin.hasPrefix("https:") ? " h1" : ""
        case .http2PriorKnowledge: name += " h2"
        }
        // As octets: names are compared as text.
        if let unixSocketPath { name += " " + unixSocketPath.utf8.map { String($0, radix: 16) }.joined(separator: ":") }
        return name
    }
}
