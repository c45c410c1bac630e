// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc
internal import NetworkingSupport
internal import NetworkingTransport

/// The target of a reachability manager.
enum ReachabilityTarget: Sendable {
    /// Addresses that do not change: it is enough that there is a way to one of them.
    case fixed([RouteDestination])
    /// An address of one interface, which may come and go.
    case address(IPAddress, zone: String)
    /// In the form that is looked up.
    case domain(String)
    /// Nothing that could be reached: text that is no name, or an address of another family.
    static let nowhere = ReachabilityTarget.fixed([])

    /// Addresses that have been in the Internet for long and will stay: those of a root name server
    /// (a.root-servers.net). The kernel is asked for its route to them, and nothing is sent. An entry of its tables for
    /// "the Internet" would be no good: there may be two halves in place of a default route, or rules.
    static let internetDestinations = ["198.41.0.4", "2001:503:ba3e::2:30"].compactMap { IPAddress($0) }
        .map { RouteDestination(address: $0.bytes) }

    /// A name as it is looked up. Nothing that the system's functions would cut off or take for something else gets in.
    init(domain: String) {
        let name = domain.utf8.allSatisfy { $0 < 0x80 } ? domain : Self.asciiForm(of: domain) ?? ""
        let isName =
            1...253 ~= name.utf8.count
            && name.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: ":"):
                    true
                default: false
                }
            }
        guard isName else {
            self = .nowhere
            return
        }
        self = Self(address: name) ?? .domain(name)
    }

    /// An IPv4 or IPv6 address, the latter perhaps with a zone (RFC 4007, section 11); the zero address of a family
    /// stands for the Internet in it, as it does on Apple's systems. Nil: the text is no address.
    init?(address text: String) {
        guard text.utf8.count <= 64, text.utf8.allSatisfy({ 1..<0x80 ~= $0 }) else { return nil }
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(String(first)) else { return nil }
        let zone = parts.count > 1 ? String(parts[1]) : nil
        guard zone == nil || (zone != "" && address.bytes.count == 16) else { return nil }
        self.init(address, zone: zone)
    }

    private init(_ address: IPAddress, zone: String?) {
        if let zone {
            self = .address(address, zone: zone)
        } else {
            self.init(RouteDestination(address: address.bytes))
        }
    }

    /// The target of a `sockaddr_in` or `sockaddr_in6`.
    init(socketAddress pointer: UnsafeRawPointer) {
        let isSix = Int32(pointer.loadUnaligned(as: sa_family_t.self)) == AF_INET6
        let length = isSix ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
        guard let destination = RouteDestination(pointer, length: socklen_t(length)) else {
            self = .nowhere
            return
        }
        self.init(destination)
    }

    private init(_ destination: RouteDestination) {
        let isZero = destination.address.allSatisfy { $0 == 0 }
        self = .fixed(
            isZero ? Self.internetDestinations.filter { $0.address.count == destination.address.count } : [destination])
    }

    private static func asciiForm(of domain: String) -> String? {
        guard domain.utf8.count <= 1024 else { return nil }
        var components = URLComponents()
        components.host = domain
        return components.encodedHost
    }

    /// True if a look at it may take long.
    var isLookedUp: Bool {
        if case .domain = self { true } else { false }
    }

    /// The destinations, at this moment. A name is looked up, which may take many seconds.
    func destinations() -> HostLookup {
        switch self {
        case .fixed(let destinations):
            return .found(destinations)
        case .address(let address, let zone):
            let index = if_nametoindex(zone)
            let interface = index != 0 ? index : UInt32(zone) ?? 0
            return .found(interface != 0 ? [RouteDestination(address: address.bytes, interface: interface)] : [])
        case .domain(let name):
            return HostLookup(name)
        }
    }
}

extension NetworkReachabilityManager.Status {
    /// That of the first destination that can be reached; nil: the kernel cannot be asked.
    init?(_ destinations: [RouteDestination]) {
        self = .notReachable
        var wasAnswered = destinations.isEmpty
        for destination in destinations {
            guard let path = try? NetworkPath(to: destination.address, interface: destination.interface) else {
                continue
            }
            wasAnswered = true
            switch path {
            case .none: continue
            case .mobile: self = .reachableViaWWAN
            case .other: self = .reachableViaWiFi
            }
            return
        }
        guard wasAnswered else { return nil }
    }
}
