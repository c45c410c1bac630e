/// Bytes as the rules for cookies see them: ASCII, and never characters.
enum CookieBytes {
    /// Without spaces and tabs around.
    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
        return bytes
    }

    /// A byte with its ASCII letter in lower case.
    static func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }

    static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    /// Whether a byte must not be in a cookie: a control character other than the tab.
    static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x09 || byte == 0x7F }

    /// Whether bytes begin with a word in lower case, whatever their own case is.
    static func hasPrefix(_ bytes: some Sequence<UInt8>, _ word: StaticString) -> Bool {
        var rest = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)[...]
        for byte in bytes {
            guard let expected = rest.first else { return true }
            guard lowercased(byte) == expected else { return false }
            rest.removeFirst()
        }
        return rest.isEmpty
    }

    /// Whether bytes are a word in lower case, whatever their own case is.
    static func isWord(_ bytes: some Collection<UInt8>, _ word: StaticString) -> Bool {
        bytes.count == word.utf8CodeUnitCount && hasPrefix(bytes, word)
    }
}
