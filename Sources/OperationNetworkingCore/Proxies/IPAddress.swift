// SPDX-License-Identifier: MIT
internal import Glibc

/// An IPv4 or IPv6 address in its usual notation.
struct IPAddress: Sendable, Equatable {
    /// 4 or 16 bytes, in network order.
    let bytes: [UInt8]

    /// Nil when `text` is no address.
    init?(_ text: String) {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = withUnsafeBytes(of: four) { Array($0) }
            return
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        bytes = withUnsafeBytes(of: six) { Array($0) }
    }

    var bitWidth: Int { bytes.count * 8 }

    /// Returns true if the first `count` bits are those of `other`.
    func shares(_ count: Int, with other: IPAddress) -> Bool {
        guard bytes.count == other.bytes.count else { return false }
        for index in bytes.indices {
            let bits = min(max(count - index * 8, 0), 8)
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
            guard bytes[index] & mask == other.bytes[index] & mask else { return false }
        }
        return true
    }
}
