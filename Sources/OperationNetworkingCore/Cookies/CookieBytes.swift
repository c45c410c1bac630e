// SPDX-License-Identifier: MIT

/// Bytes as the rules for cookies see them.
enum CookieBytes {
    /// Returns true if a byte must not be in a cookie: a control character other than the tab.
    static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x09 || byte == 0x7F }
}
