// SPDX-License-Identifier: MIT
internal import Glibc

/// The kernel's description of an interface: `struct ifinfomsg`, and its attributes.
package struct LinkMessage: Equatable, Sendable {
    private static let headerLength = 16
    /// IFLA_IFNAME, IFLA_LINKINFO with IFLA_INFO_KIND inside, and IFLA_EXT_MASK.
    private enum Attribute {
        static let name: UInt16 = 3
        static let information: UInt16 = 18
        static let kind: UInt16 = 1
        static let extent: UInt16 = 29
    }
    /// IFF_UP and IFF_RUNNING: it is switched on, and its other end is there.
    private static let isUsable: UInt32 = 0x1 | 0x40
    /// ARPHRD_PPP, and ARPHRD_RAWIP of mobile modems.
    private static let mobileHardware: Set<UInt16> = [512, 519]
    private static let mobileKinds = ["wwan", "ppp", "rmnet"].map { Array($0.utf8) }

    package let index: Int32
    /// ARPHRD_ETHER and so on.
    package let hardware: UInt16
    package let flags: UInt32
    /// Without a final zero.
    package let name: [UInt8]
    /// "veth", "vlan" and so on; empty for a device without a kind.
    package let kind: [UInt8]

    /// - Throws: `malformed` when the message is no interface, or cut off.
    package init(_ message: NetlinkMessage) throws(NetlinkError) {
        let payload = message.payload
        guard message.kind == NetlinkMessage.Kind.newLink || message.kind == NetlinkMessage.Kind.deleteLink,
            let hardware = payload.uint16(at: 2), let index = payload.int32(at: 4), let flags = payload.uint32(at: 8),
            payload.count >= Self.headerLength
        else { throw .malformed }
        self.index = index
        self.hardware = hardware
        self.flags = flags
        let attributes = try NetlinkAttribute.attributes(in: payload.dropFirst(Self.headerLength))
        let name = attributes.first { $0.type == Attribute.name }?.value ?? []
        self.name = Self.text(name)
        let information = attributes.first { $0.type == Attribute.information }?.value ?? []
        let kind = try NetlinkAttribute.attributes(in: information).first { $0.type == Attribute.kind }?.value
        self.kind = Self.text(kind ?? [])
    }

    private static func text(_ value: ArraySlice<UInt8>) -> [UInt8] { Array(value.prefix { $0 != 0 }) }

    /// True if something can be sent over it.
    package var isUsable: Bool { flags & Self.isUsable == Self.isUsable }

    /// True if the kernel says that it is a mobile network's; some drivers say it in sysfs only: see `InterfaceEvent`.
    package var isMobile: Bool { Self.mobileHardware.contains(hardware) || Self.mobileKinds.contains(kind) }

    /// Asks for an interface, without its statistics.
    static func lookup(_ index: Int32, sequence: UInt32) -> [UInt8] {
        let withoutStatistics: UInt32 = 8
        var payload = [UInt8](repeating: 0, count: 4)
        payload.append(number: index)
        payload += [UInt8](repeating: 0, count: headerLength - payload.count)
        var extent: [UInt8] = []
        extent.append(number: withoutStatistics)
        payload += NetlinkAttribute.bytes(Attribute.extent, extent)
        return NetlinkMessage.request(NetlinkMessage.Kind.getLink, sequence: sequence, payload: payload)
    }
}
