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
        var (left, right) = (utf8.makeIterator(), name.utf8.makeIterator())
        while let byte = left.next(), let other = right.next() {
            guard byte == other || (byte | 0x20 == other | 0x20 && 0x61...0x7A ~= byte | 0x20) else { return false }
        }
        return true
    }
}
