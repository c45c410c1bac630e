// SPDX-License-Identifier: MIT
internal import Glibc

/// The way that the kernel would send something to an address.
package enum NetworkPath: Equatable, Sendable {
    /// Not at all.
    case none
    /// Over a mobile network.
    case mobile
    /// Over any other interface, the loopback among them.
    case other

    /// Asks the kernel; nothing is sent. Blocks for as long as the kernel takes.
    ///
    /// - Parameters:
    ///   - address: 4 or 16 bytes, in network order.
    ///   - interface: the index of the one interface to consider; 0: any.
    /// - Throws: when the kernel could not be asked: no descriptors, or a sandbox.
    package init(to address: [UInt8], interface: UInt32 = 0) throws(NetlinkError) {
        let socket = try NetlinkSocket(hearsChanges: false)
        do {
            let request = RouteMessage.lookup(address, interface: interface, sequence: 1)
            let route = try RouteMessage(socket.answer(to: request, sequence: 1))
            guard route.leadsSomewhere, let index = route.outInterface.flatMap({ Int32(exactly: $0) }) else {
                self = .none
                return
            }
            let link = try LinkMessage(socket.answer(to: LinkMessage.lookup(index, sequence: 2), sequence: 2))
            guard link.isUsable else {
                self = .none
                return
            }
            self = link.isMobile || InterfaceEvent(of: link)?.isMobile(link) == true ? .mobile : .other
        } catch .refused(let code) where !Self.isInability(code) {
            self = .none
        }
    }

    /// Returns true if the error means that the kernel cannot answer, not that there is no way to the address.
    private static func isInability(_ code: Int32) -> Bool {
        // EOPNOTSUPP is a kernel's without IPv6.
        code == ENOMEM || code == ENOBUFS || code == EPERM
    }
}
