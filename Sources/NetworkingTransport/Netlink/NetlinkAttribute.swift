// SPDX-License-Identifier: MIT

/// One attribute of a message: `struct rtattr`, and its value.
package struct NetlinkAttribute: Equatable, Sendable {
    static let headerLength = 4
    /// The two highest bits of a type are flags.
    private static let typeMask: UInt16 = 0x3FFF

    package let type: UInt16
    package let value: ArraySlice<UInt8>

    /// The attributes that fill `bytes`.
    ///
    /// - Throws: `malformed` when one says it is longer than the rest, or shorter than its own header.
    package static func attributes(in bytes: ArraySlice<UInt8>) throws(NetlinkError) -> [NetlinkAttribute] {
        var attributes: [NetlinkAttribute] = []
        var rest = bytes
        while !rest.isEmpty {
            guard let length = rest.uint16(at: 0).map(Int.init), let type = rest.uint16(at: 2),
                length >= headerLength, length <= rest.count
            else { throw .malformed }
            attributes.append(
                NetlinkAttribute(type: type & typeMask, value: rest.prefix(length).dropFirst(headerLength)))
            rest.removeAligned(length)
        }
        return attributes
    }

    /// An attribute as it is sent. Its value has a length that is a multiple of four.
    static func bytes(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(number: UInt16(truncatingIfNeeded: headerLength + value.count))
        bytes.append(number: type)
        return bytes + value
    }
}
