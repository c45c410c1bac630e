// SPDX-License-Identifier: MIT
internal import Glibc

/// The kernel's description of a route: `struct rtmsg`, and its attributes.
package struct RouteMessage: Equatable, Sendable {
    private static let headerLength = 12
    /// RTA_DST and RTA_OIF.
    private enum Attribute {
        static let destination: UInt16 = 1
        static let outInterface: UInt16 = 4
    }

    /// RTN_UNICAST, RTN_LOCAL and so on.
    package let type: UInt8
    /// Something that the kernel has worked out for a destination (RTM_F_CLONED), not an entry of a table.
    package let isRemembered: Bool
    /// The index of the interface that leads out; nil: none does.
    package let outInterface: UInt32?

    /// - Throws: `malformed` when the message is no route, or cut off.
    package init(_ message: NetlinkMessage) throws(NetlinkError) {
        let payload = message.payload
        guard message.kind == NetlinkMessage.Kind.newRoute || message.kind == NetlinkMessage.Kind.deleteRoute,
            let type = payload.byte(at: 7), let flags = payload.uint32(at: 8)
        else { throw .malformed }
        self.type = type
        isRemembered = flags & 0x200 != 0
        outInterface = try NetlinkAttribute.attributes(in: payload.dropFirst(Self.headerLength))
            .first { $0.type == Attribute.outInterface }?.value.uint32(at: 0)
    }

    /// True if packets get somewhere: false for a blackhole, unreachable or prohibit route (RTN_UNICAST to
    /// RTN_MULTICAST do).
    package var leadsSomewhere: Bool { 1...5 ~= type }

    /// Asks for the route to an address.
    ///
    /// - Parameters:
    ///   - address: 4 or 16 bytes, in network order.
    ///   - interface: the index of the one interface to consider; 0: any.
    static func lookup(_ address: [UInt8], interface: UInt32, sequence: UInt32) -> [UInt8] {
        var payload: [UInt8] = [
            UInt8(truncatingIfNeeded: address.count == 4 ? AF_INET : AF_INET6),
            UInt8(truncatingIfNeeded: address.count * 8),
        ]
        payload += [UInt8](repeating: 0, count: headerLength - payload.count)
        payload += NetlinkAttribute.bytes(Attribute.destination, address)
        if interface != 0 {
            var index: [UInt8] = []
            index.append(number: interface)
            payload += NetlinkAttribute.bytes(Attribute.outInterface, index)
        }
        return NetlinkMessage.request(NetlinkMessage.Kind.getRoute, sequence: sequence, payload: payload)
    }
}
