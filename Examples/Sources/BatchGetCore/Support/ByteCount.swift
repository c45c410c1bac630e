// SPDX-License-Identifier: MIT

/// Numbers of bytes, and of bytes a second, as they are written: digits, and K, M or G for powers of 1024, as curl, wget and
/// aria2 read them.
package enum ByteCount {
    /// Nil for anything else, and for what is more than an `Int64` holds.
    package static func read(_ text: String) -> Int64? {
        var digits = text.utf8[...]
        guard digits.count <= 24, let last = digits.last else { return nil }
        let shift: Int64
        switch last | 0x20 {
        case UInt8(ascii: "k"): shift = 1 << 10
        case UInt8(ascii: "m"): shift = 1 << 20
        case UInt8(ascii: "g"): shift = 1 << 30
        default: shift = 1
        }
        if shift > 1 { digits = digits.dropLast() }
        guard let number = decimal(digits) else { return nil }
        let (bytes, overflows) = number.multipliedReportingOverflow(by: shift)
        return overflows ? nil : bytes
    }

    /// A number of digits alone; nil for anything else.
    static func decimal(_ digits: Substring.UTF8View) -> Int64? {
        guard !digits.isEmpty, digits.count <= 19, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(Substring(digits))
    }

    /// A number of seconds, with a point perhaps, from 0 to a day.
    package static func seconds(_ text: String) -> Double? {
        let bytes = text.utf8
        guard !bytes.isEmpty, bytes.count <= 16, bytes.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
            let value = Double(text), value <= 86_400
        else { return nil }
        return value
    }
}
