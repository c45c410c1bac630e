// SPDX-License-Identifier: MIT

/// Escapes `string` for use as a name or a value in a query string. AF: `AFPercentEscapedStringFromString`.
///
/// Left as they are: `A–Z a–z 0–9 - . _ ~ / ?`. Every other byte of the UTF-8 form becomes `%` and two upper-case
/// hexadecimal digits; a space is `%20`. A lone surrogate (possible in an `NSString`) is written as U+FFFD.
public func percentEscapedString(from string: String) -> String {
    var escaped: [UInt8] = []
    PercentEscaping.append(string, to: &escaped)
    return String(decoding: escaped, as: UTF8.self)
}

/// RFC 3986 percent-encoding into a byte buffer.
enum PercentEscaping {
    /// For each byte, whether it may stand for itself in a query name or value.
    private static let isUnescaped: [Bool] = {
        var table = [Bool](repeating: false, count: 256)
        for byte in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/?".utf8 {
            table[Int(byte)] = true
        }
        return table
    }()

    private static let hexDigits = Array("0123456789ABCDEF".utf8)

    static func append(_ string: String, to output: inout [UInt8]) {
        var string = string
        string.withUTF8 { bytes in
            isUnescaped.withUnsafeBufferPointer { isUnescaped in
                var start = 0
                for index in bytes.indices where !isUnescaped[Int(bytes[index])] {
                    output.append(contentsOf: bytes[start..<index])
                    output.append(UInt8(ascii: "%"))
                    output.append(hexDigits[Int(bytes[index] >> 4)])
                    output.append(hexDigits[Int(bytes[index] & 15)])
                    start = index + 1
                }
                output.append(contentsOf: bytes[start...])
            }
        }
    }
}
