// SPDX-License-Identifier: MIT

/// The length of a message's content (RFC 9112, section 6.3), taken from the message's field lines one by one.
package struct ContentLength: Equatable {
    /// The length announced; nil: none was.
    package private(set) var value: Int64?
    /// A length was no number, too large for any content, or different from one before. Or libcurl may read the lines
    /// of a length or a transfer coding otherwise than a server or proxy before it.
    package private(set) var isMalformed = false
    /// The line before was a length or a transfer coding, which a line that begins with white space would continue.
    private var mayContinue = false

    package init() {}

    /// Takes a field line, with its line end.
    package mutating func take(line: UnsafeRawBufferPointer) {
        guard let first = line.first else { return }
        if mayContinue, first.isBlank {
            // A fold of blanks adds nothing.
            if !line.allSatisfy(FieldLines.isBlank) { isMalformed = true }
            return
        }
        mayContinue = false
        // Looked at for every line of every response: most differ in the first byte.
        let isLength = first.lowercasedASCII == UInt8(ascii: "c")
        guard isLength || first.lowercasedASCII == UInt8(ascii: "t") else { return }
        let name = isLength ? Self.length : Self.coding
        guard line.hasPrefixIgnoringCase(name) else { return }
        let rest = line.dropFirst(name.utf8CodeUnitCount)
        guard let colon = rest.first(where: { !$0.isBlank }), colon == UInt8(ascii: ":") else { return }
        mayContinue = true
        // libcurl does not see a field whose name has white space behind it, nor the rest of one that is folded.
        guard rest.first == colon else { return isMalformed = true }
        if isLength { take(values: rest.dropFirst()) }
    }

    private static let (length, coding): (StaticString, StaticString) = ("Content-Length", "Transfer-Encoding")
    /// The number of digits of the largest length.
    private static let maximumDigits = 19

    /// Takes a list of lengths, in which equal values are one (RFC 9110, section 8.6).
    private mutating func take(values: Slice<UnsafeRawBufferPointer>) {
        if value == nil, let number = Self.number(values) { return value = number }
        for part in values.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard let number = Self.number(part), value == nil || value == number else { return isMalformed = true }
            value = number
        }
    }

    private static func number(_ text: Slice<UnsafeRawBufferPointer>) -> Int64? {
        var text = text
        // The end of the line, and of one that is folded.
        while let last = text.last, FieldLines.isBlank(last) { text.removeLast() }
        let digits = text.drop(while: \.isBlank)
        // More digits than any length has are none, whatever they come to.
        return digits.count <= maximumDigits ? digits.decimalNumber : nil
    }
}
