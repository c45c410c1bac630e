/// What a message says of its content's length (RFC 9112, section 6.3), taken from its field lines one by one.
struct ContentLength: Equatable {
    /// The length announced; nil: none was.
    private(set) var value: Int64?
    /// A value was no number, too large for any content, or not the same as one before.
    private(set) var isMalformed = false
    /// The line before was a `Content-Length`, which a line that begins with white space would continue.
    private var mayContinue = false

    /// Takes a field line, with its line end.
    mutating func take(line: UnsafeRawBufferPointer) {
        guard let first = line.first else { return }
        if mayContinue, first.isBlank { isMalformed = true }
        mayContinue = false
        // Looked at for every line of every response: most differ in the first byte.
        guard first.lowercasedASCII == UInt8(ascii: "c"), line.count >= Self.name.utf8CodeUnitCount,
            line.prefix(Self.name.utf8CodeUnitCount).equalsIgnoringCase(Self.name)
        else { return }
        let rest = line.dropFirst(Self.name.utf8CodeUnitCount)
        guard let colon = rest.first(where: { !$0.isBlank }), colon == UInt8(ascii: ":") else { return }
        mayContinue = true
        // libcurl does not see a field whose name has white space behind it.
        guard rest.first == colon else { return isMalformed = true }
        take(values: rest.dropFirst())
    }

    private static let name: StaticString = "Content-Length"
    /// As many as the largest length has.
    private static let maximumDigits = 19

    /// Equal values in a list are one (RFC 9110, section 8.6).
    private mutating func take(values: Slice<UnsafeRawBufferPointer>) {
        for part in values.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard let number = Self.number(part), value == nil || value == number else { return isMalformed = true }
            value = number
        }
    }

    private static func number(_ text: Slice<UnsafeRawBufferPointer>) -> Int64? {
        let start = text.drop(while: \.isBlank)
        let digits = start.prefix(while: \.isDigit)
        guard 1...maximumDigits ~= digits.count,
            start[digits.endIndex...].allSatisfy({ $0.isBlank || $0 == 0x0D || $0 == 0x0A })
        else { return nil }
        var number: Int64 = 0
        for digit in digits {
            let (tens, overflows) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = tens.addingReportingOverflow(Int64(digit & 0x0F))
            guard !overflows, !overflowsToo else { return nil }
            number = sum
        }
        return number
    }
}
