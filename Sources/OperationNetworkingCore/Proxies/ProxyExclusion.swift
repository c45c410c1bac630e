// SPDX-License-Identifier: MIT
internal import Foundation

/// One entry of a list of hosts that are reached without a proxy.
struct ProxyExclusion: Sendable {
    /// The host and port that a request goes to.
    struct Target {
        let name: String
        let address: IPAddress?
        let port: Int

        /// - Parameter host: As connections are made to it.
        init(host: String, port: Int) {
            // No list names a longer one. A redirect may, in marks that take long to compare.
            name = host.utf8.count <= 1024 ? host.lowercased() : ""
            address = IPAddress(name)
            self.port = port
        }
    }

    private enum Pattern {
        case everything
        case domain(String)
        case network(IPAddress, prefix: Int)
    }

    let text: String
    private let pattern: Pattern
    private let port: Int?

    init(_ text: String) {
        self.text = text
        let entry = text.trimmingCharacters(in: .whitespaces)
        let (host, port) = Self.split(entry)
        self.port = port
        if host == "*" {
            pattern = .everything
        } else if let network = Self.network(host) {
            pattern = network
        } else {
            var name = Substring(host)
            if name.hasPrefix("*.") { name.removeFirst() }
            if name.hasPrefix(".") { name.removeFirst() }
            pattern = .domain(String(name).hostInASCII.lowercased())
        }
    }

    func covers(_ target: Target) -> Bool {
        if let port, port != target.port { return false }
        switch pattern {
        case .everything:
            return true
        case .domain(let name):
            guard !name.isEmpty, target.address == nil else { return false }
            return target.name == name || target.name.hasSuffix("." + name)
        case .network(let network, let prefix):
            return target.address?.shares(prefix, with: network) ?? false
        }
    }

    /// Returns the host, and the port if the entry has one. An IPv6 address without brackets has no port.
    private static func split(_ entry: String) -> (host: String, port: Int?) {
        guard let colon = entry.lastIndex(of: ":"), let port = Int(entry[entry.index(after: colon)...]) else {
            return (entry, nil)
        }
        let host = String(entry[..<colon])
        guard host.hasPrefix("[") || !host.contains(":") else { return (entry, nil) }
        return (host, port)
    }

    private static func network(_ host: String) -> Pattern? {
        // [address], [address/count] and [address]/count alike.
        let bare = host.filter { $0 != "[" && $0 != "]" }
        let parts = bare.split(separator: "/", omittingEmptySubsequences: false)
        guard let first = parts.first, parts.count <= 2, let address = IPAddress(String(first)) else { return nil }
        guard parts.count == 2 else { return .network(address, prefix: address.bitWidth) }
        guard let prefix = Int(parts[1]), (0...address.bitWidth).contains(prefix) else { return nil }
        return .network(address, prefix: prefix)
    }
}
