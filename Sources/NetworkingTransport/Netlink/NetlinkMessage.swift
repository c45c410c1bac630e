// SPDX-License-Identifier: MIT

/// One message of a datagram from the kernel's routing socket (rtnetlink(7)): `struct nlmsghdr`, and what follows it.
package struct NetlinkMessage: Equatable, Sendable {
    /// The kinds that are of interest, as numbered in `<linux/netlink.h>` and `<linux/rtnetlink.h>`.
    package enum Kind {
        package static let error: UInt16 = 2
        package static let newLink: UInt16 = 16
        package static let deleteLink: UInt16 = 17
        package static let getLink: UInt16 = 18
        package static let newAddress: UInt16 = 20
        package static let deleteAddress: UInt16 = 21
        package static let newRoute: UInt16 = 24
        package static let deleteRoute: UInt16 = 25
        package static let getRoute: UInt16 = 26
        package static let newRule: UInt16 = 32
        package static let deleteRule: UInt16 = 33
        package static let newNextHop: UInt16 = 104
        package static let deleteNextHop: UInt16 = 105
    }

    static let headerLength = 16

    package let kind: UInt16
    /// The sequence number of the request that it answers; 0 for a change that no request asked about.
    package let sequence: UInt32
    /// Without what fills it up to a multiple of four bytes.
    package let payload: ArraySlice<UInt8>

    /// The messages of a datagram.
    ///
    /// - Throws: `malformed` when one says it is longer than the rest, or shorter than its own header.
    package static func messages(in datagram: ArraySlice<UInt8>) throws(NetlinkError) -> [NetlinkMessage] {
        var messages: [NetlinkMessage] = []
        var rest = datagram
        while !rest.isEmpty {
            guard let length = rest.uint32(at: 0).flatMap({ Int(exactly: $0) }), let kind = rest.uint16(at: 4),
                let sequence = rest.uint32(at: 8), length >= headerLength, length <= rest.count
            else { throw .malformed }
            messages.append(
                NetlinkMessage(
                    kind: kind, sequence: sequence, payload: rest.prefix(length).dropFirst(headerLength)))
            rest.removeAligned(length)
        }
        return messages
    }

    /// The errno that the kernel answers a request with, positive; 0 acknowledges it. Nil: this is no such message.
    package var errorCode: Int32? {
        guard kind == Kind.error, let code = payload.int32(at: 0) else { return nil }
        // `Int32.min` has no positive counterpart, and is no errno.
        return code == .min ? .max : abs(code)
    }

    /// True if it tells of something that routes may depend on.
    package var tellsOfChange: Bool {
        switch kind {
        case Kind.newLink, Kind.deleteLink, Kind.newAddress, Kind.deleteAddress, Kind.newRule, Kind.deleteRule,
            Kind.newNextHop, Kind.deleteNextHop:
            return true
        case Kind.newRoute, Kind.deleteRoute:
            // Not what the kernel remembers of a destination, as its path's MTU.
            return (try? RouteMessage(self))?.isRemembered != true
        default:
            return false
        }
    }

    /// Returns true if a datagram tells of a change; also when it cannot be read, because then it may.
    package static func tellsOfChange(_ datagram: ArraySlice<UInt8>) -> Bool {
        do {
            return try messages(in: datagram).contains { $0.tellsOfChange }
        } catch {
            return true
        }
    }

    /// A request as it is sent.
    static func request(_ kind: UInt16, sequence: UInt32, payload: [UInt8]) -> [UInt8] {
        let isRequest: UInt16 = 1
        var bytes: [UInt8] = []
        bytes.append(number: UInt32(truncatingIfNeeded: headerLength + payload.count))
        bytes.append(number: kind)
        bytes.append(number: isRequest)
        bytes.append(number: sequence)
        bytes.append(number: UInt32(0))
        return bytes + payload
    }
}
