// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc

/// An address that a route may lead to.
struct RouteDestination: Equatable, Sendable {
    /// 4 or 16 bytes, in network order.
    var address: [UInt8]
    /// The index of the one interface to consider; 0: any.
    var interface: UInt32 = 0
}

/// The result of looking up a name.
enum HostLookup: Equatable {
    /// In the order in which they are tried.
    case found([RouteDestination])
    /// There was no answer; that may change at any time.
    case failed

    /// Addresses of one name that are looked at.
    private static let limit = 32

    /// Looks the name up, which blocks.
    init(_ name: String) {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, &hints, &list)
        guard code == 0 else {
            // EAI_NODATA, which Glibc keeps to itself: the name exists, without addresses.
            self = code == EAI_NONAME || code == -5 ? .found([]) : .failed
            return
        }
        defer { freeaddrinfo(list) }
        var destinations: [RouteDestination] = []
        var next = list
        while let entry = next?.pointee, destinations.count < Self.limit {
            if let address = entry.ai_addr,
                let destination = RouteDestination(UnsafeRawPointer(address), length: entry.ai_addrlen)
            {
                destinations.append(destination)
            }
            next = entry.ai_next
        }
        self = .found(destinations)
    }
}

extension RouteDestination {
    /// That of a socket address; nil: it is of another family than IPv4 and IPv6, or cut off.
    init?(_ pointer: UnsafeRawPointer, length: socklen_t) {
        guard Int(length) >= MemoryLayout<sa_family_t>.size else { return nil }
        switch Int32(pointer.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET where Int(length) >= MemoryLayout<sockaddr_in>.size:
            let address = pointer.loadUnaligned(as: sockaddr_in.self)
            self.init(address: withUnsafeBytes(of: address.sin_addr) { Array($0) })
        case AF_INET6 where Int(length) >= MemoryLayout<sockaddr_in6>.size:
            let address = pointer.loadUnaligned(as: sockaddr_in6.self)
            self.init(
                address: withUnsafeBytes(of: address.sin6_addr) { Array($0) }, interface: address.sin6_scope_id)
        default:
            return nil
        }
    }
}
