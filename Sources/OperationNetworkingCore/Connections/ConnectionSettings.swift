// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// The settings of a program for the connections of its requests.
package struct ConnectionSettings: Sendable, Equatable {
    package var httpVersionPreference = HTTPVersionPreference.automatic
    /// By host, in ASCII and lower case.
    private(set) var addresses: [String: String] = [:]
    package var unixSocketPath: String?
    package var networkInterface: String?

    /// As the program gave them.
    package var hostOverrides: [String: String] = [:] {
        didSet {
            addresses = [:]
            for (host, address) in hostOverrides { addresses[Self.key(host)] = address }
        }
    }

    /// Names of hosts are compared without regard to case (RFC 3986, section 3.2.2). Brackets belong to URLs.
    private static func key(_ host: String) -> String {
        let host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        return host.hostInASCII.lowercased()
    }

    /// Returns the route of the connection for a request; nil: the default route.
    ///
    /// - Throws: `URLError` for a setting that cannot be what it should.
    func route(for url: URL) throws(URLError) -> ConnectionRoute? {
        var route = ConnectionRoute()
        route.httpVersion = httpVersionPreference.transportVersion
        if !addresses.isEmpty, let host = url.host, host.utf8.count <= 1024, let address = addresses[Self.key(host)] {
            guard IPAddress(address) != nil else {
                throw URLError(
                    .cannotFindHost, url: url, reason: "hostOverrides has no IP address for the host, but “\(address)”")
            }
            route.address = address
        }
        if let path = unixSocketPath {
            // A path has to fit into a `sockaddr_un` with its final 0.
            guard (1...107).contains(path.utf8.count), !path.utf8.contains(0) else {
                throw URLError(
                    .cannotConnectToHost, url: url, reason: "unixSocketPath is not a path of 1 to 107 bytes")
            }
            route.unixSocketPath = path
        }
        if let name = networkInterface {
            guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw URLError(
                    .cannotConnectToHost, url: url, reason: "networkInterface names no interface and is no address")
            }
            route.networkInterface = name
        }
        return route == ConnectionRoute() ? nil : route
    }

    /// See `ConnectionRoute.countedOrigin(_:)`.
    func countedOrigin(_ origin: String) -> String {
        var route = ConnectionRoute()
        route.httpVersion = httpVersionPreference.transportVersion
        route.unixSocketPath = unixSocketPath
        return route.countedOrigin(origin)
    }
}
