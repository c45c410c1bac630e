// SPDX-License-Identifier: MIT
extension UInt8 {
    /// True if this is a character of tokens (RFC 9110, section 5.6.2): methods, names of header fields, schemes.
    package var isTokenCharacter: Bool {
        // A bit for each character of ASCII: asked of every byte of every field's name.
        let bits: UInt64 = self < 0x40 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return self < 0x80 && bits >> UInt64(self & 0x3F) & 1 == 1
    }

    /// The small letter for a capital one of ASCII; anything else as it is.
    package var lowercasedASCII: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }

    /// True if this is a digit of ASCII.
    package var isDigit: Bool { self >= 0x30 && self <= 0x39 }

    /// The value of a hexadecimal digit of ASCII; nil: this is no such digit.
    package var hexDigitValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x37
        case 0x61...0x66: self - 0x57
        default: nil
        }
    }

    /// True if this is white space within a line: a space or a tab.
    package var isBlank: Bool { self == 0x20 || self == 0x09 }
}

extension BidirectionalCollection<UInt8> {
    /// Without spaces and tabs at both ends.
    package var trimmingBlanks: SubSequence {
        let start = self[...].drop(while: \.isBlank)
        guard let last = start.lastIndex(where: { !$0.isBlank }) else { return start }
        return start[...last]
    }
}

extension Collection<UInt8> {
    /// The number that these digits of ASCII are; nil: other characters are among them, they are empty, or an `Int64`
    /// does not hold the number.
    package var decimalNumber: Int64? {
        guard !isEmpty else { return nil }
        var number: Int64 = 0
        for digit in self {
            guard digit.isDigit else { return nil }
            let (tens, overflows) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = tens.addingReportingOverflow(Int64(digit & 0x0F))
            guard !overflows, !overflowsToo else { return nil }
            number = sum
        }
        return number
    }

    /// True if these begin with `word`, without regard to the case of ASCII letters.
    package func hasPrefixIgnoringCase(_ word: StaticString) -> Bool {
        prefix(word.utf8CodeUnitCount).equalsIgnoringCase(word)
    }
}

extension Collection<UInt8> {
    /// True if these are the characters of `text`, without regard to the case of ASCII letters.
    package func equalsIgnoringCase(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        var wanted = text.utf8Start
        for byte in self {
            guard byte == wanted.pointee || byte.lowercasedASCII == wanted.pointee.lowercasedASCII else { return false }
            wanted += 1
        }
        return true
    }
}

extension UnsafeRawBufferPointer {
    /// The same, for bytes that are compared for each field of each response: in another module the generic function is
    /// not specialized.
    package func equalsIgnoringCase(_ text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count {
            let (byte, wanted) = (self[index], text.utf8Start[index])
            guard byte == wanted || byte.lowercasedASCII == wanted.lowercasedASCII else { return false }
        }
        return true
    }
}

extension String {
    /// True if this is a token (RFC 9110, section 5.6.2). Looks at bytes: a string from elsewhere is safe to compare,
    /// fold and hash once this is true.
    package var isToken: Bool { !utf8.isEmpty && utf8.allSatisfy(\.isTokenCharacter) }
}
