// SPDX-License-Identifier: MIT

/// One header field line.
package struct HeaderField: Sendable, Hashable {
    package var name: String
    package var value: String
    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension String {
    /// Whether this is the name of a header field, which is ASCII and compared without regard to case (RFC 9110, 5.1).
    package func isFieldName(_ name: String) -> Bool {
        guard utf8.count == name.utf8.count else { return false }
        var (left, right) = (self, name)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                for (byte, other) in zip(left, right) where byte != other {
                    guard byte | 0x20 == other | 0x20 && 0x61...0x7A ~= byte | 0x20 else { return false }
                }
                return true
            }
        }
    }
}
