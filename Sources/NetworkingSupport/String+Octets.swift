// SPDX-License-Identifier: MIT
internal import Glibc

// Strings are equal where Unicode takes them for the same, and many combining marks take long to compare and hash. What
// is sent, or names a file, differs where its octets do.

extension String {
    /// True if both are the same in UTF-8.
    package func hasOctets(of other: String) -> Bool {
        let isSame = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                guard left.count == right.count else { return false }
                guard let one = left.baseAddress, let two = right.baseAddress else { return left.isEmpty }
                return memcmp(one, two, left.count) == 0
            }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

extension String? {
    /// True if both are nil, or the same in UTF-8.
    package func hasOctets(of other: String?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let one?, let two?): one.hasOctets(of: two)
        default: false
        }
    }
}

extension [String: String] {
    /// True if both have the same keys, and values that are the same in UTF-8.
    package func hasOctets(of other: [String: String]) -> Bool {
        count == other.count && allSatisfy { key, value in other[key].hasOctets(of: value) }
    }
}

extension Hasher {
    /// What goes with `hasOctets(of:)`.
    package mutating func combine(octetsOf text: String?) {
        guard var text else { return combine(false) }
        combine(true)
        text.withUTF8 { combine(bytes: UnsafeRawBufferPointer($0)) }
        combine(0xFF as UInt8)
    }
}
