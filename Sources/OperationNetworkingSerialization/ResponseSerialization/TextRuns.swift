// SPDX-License-Identifier: MIT
internal import Foundation

/// A look at names before they become keys of dictionaries, and at values before they are decoded.
///
/// Swift hashes and compares strings in their canonical form, for which combining marks that follow one another are
/// sorted, in quadratic time: one key of some hundred kilobytes would take minutes. Natural text has a few marks in a
/// row, and text that is safe to stream 30 at most (Unicode Standard Annex #15, section 13).
package enum TextRuns {
    /// Combining marks that may follow one another.
    static let longest = 128

    /// The number of combining marks in a row.
    struct Counter {
        private(set) var isTooLong = false
        private var run = 0

        /// A character came that is not a mark.
        @inline(__always)
        mutating func reset() { run = 0 }

        mutating func takeMark() {
            run += 1
            if run > TextRuns.longest { isTooLong = true }
        }

        mutating func take(_ scalar: UInt32) {
            if TextRuns.isMark(scalar) { takeMark() } else { run = 0 }
        }

        /// Takes the character at `index` of UTF-8, and answers how many bytes it has. What is no UTF-8 is no mark.
        mutating func take(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
            let first = bytes[index]
            guard first >= 0xC2, first < 0xF5 else {
                run = 0
                return 1
            }
            let count = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            guard bytes.count - index >= count else {
                run = 0
                return 1
            }
            var scalar = UInt32(first) & (count == 2 ? 0x1F : count == 3 ? 0x0F : 0x07)
            for byte in bytes[(index + 1)..<(index + count)] {
                guard byte & 0xC0 == 0x80 else {
                    run = 0
                    return 1
                }
                scalar = scalar << 6 | UInt32(byte & 0x3F)
            }
            take(scalar)
            return count
        }
    }

    /// Returns true if a character is sorted among its neighbours, or decomposes into some that are.
    static func isMark(_ scalar: UInt32) -> Bool {
        // There are no marks below, and in the blocks of CJK ideographs and Hangul syllables.
        guard scalar >= 0x300, !(0x3400...0xA66E ~= scalar || 0xAC00...0xD7A3 ~= scalar) else { return false }
        // These decompose into marks and are not marks themselves.
        if scalar == 0x0F73 || scalar == 0x0F75 || scalar == 0x0F81 { return true }
        guard let scalar = Unicode.Scalar(scalar) else { return false }
        return scalar.properties.canonicalCombiningClass != .notReordered
    }

    /// Returns the character of two halves in UTF-16; nil: they are not a pair.
    static func scalar(high: UInt32, low: UInt32) -> UInt32? {
        guard 0xD800...0xDBFF ~= high, 0xDC00...0xDFFF ~= low else { return nil }
        return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
    }

    /// Returns true if UTF-8 holds more marks in a row than a name may have.
    package static func isTooLong(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var counter = Counter()
        var index = 0
        while index < bytes.count {
            if bytes[index] < 0x80 {
                counter.reset()
                index += 1
            } else {
                index += counter.take(bytes, at: index)
            }
        }
        return counter.isTooLong
    }

    // MARK: JSON

    /// Refuses JSON, in UTF-8, with a key that cannot be hashed in linear time. For text that is not valid JSON the
    /// answer does not matter: it will not parse.
    ///
    /// - Parameter includingValues: True if nothing in the text may have more marks in a row. Needed for JSON5, too, where
    ///   keys need no quotes and comments may hold some.
    /// - Throws: `CocoaError` 3840.
    static func checkJSON(_ text: Data, includingValues: Bool) throws {
        let place = text.withUnsafeBytes { bytes -> Int? in
            // Without either there are no marks.
            guard bytes.contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "\\") }) else { return nil }
            return endOfLongRun(bytes, includingValues: includingValues)
        }
        guard let place else { return }
        let what = includingValues ? "key or value" : "key"
        throw CocoaError.unreadable(
            "The JSON text has a \(what) with more than \(longest) combining marks in a row, before byte \(place) of its "
                + "UTF-8: no text that people write has so many")
    }

    private static func endOfLongRun(_ bytes: UnsafeRawBufferPointer, includingValues: Bool) -> Int? {
        var counter = Counter()
        var isInString = false
        var index = 0
        while index < bytes.count {
            if includingValues, counter.isTooLong { return index }
            let byte = bytes[index]
            if byte >= 0x80 {
                index += counter.take(bytes, at: index)
                continue
            }
            index += 1
            if byte == UInt8(ascii: "\\"), index < bytes.count {
                index += counter.takeEscape(bytes, at: index)
                continue
            }
            counter.reset()
            guard byte == UInt8(ascii: "\"") else { continue }
            isInString.toggle()
            if includingValues { continue }
            if !isInString, counter.isTooLong, isFollowedByColon(bytes, from: index) { return index }
            counter = Counter()
        }
        return includingValues && counter.isTooLong ? index : nil
    }

    private static func isFollowedByColon(_ bytes: UnsafeRawBufferPointer, from index: Int) -> Bool {
        bytes[index...].first { $0 > 0x20 } == UInt8(ascii: ":")
    }

    // MARK: Property lists

    /// A property list in one of the text formats as UTF-8 that says nothing else of itself, unless it might have such
    /// a key. A value that has one is refused, too: the formats have too many ways of writing a character.
    ///
    /// - Parameter charset: what the response says of it.
    /// - Throws: `CocoaError` 3840, also for an encoding that is not known.
    static func parsablePropertyList(_ data: Data, charset: String? = nil) throws -> Data {
        let charset = try BodyText.meaning(ofCharset: charset) ?? declaredEncoding(of: data)?.name
        var text = try BodyText.unicode(data, charset: charset, fallback: .utf8)
        if let declared = try declaredEncoding(of: text), declared.name != "utf-8" {
            text = Data(text)
            text.replaceSubrange(declared.place, with: repeatElement(UInt8(ascii: " "), count: declared.place.count))
        }
        let isTooLong = text.withUnsafeBytes { bytes in
            // In XML a backslash is a character like others. What begins so is never read as an old-style list with
            // text in it: there it begins data.
            let isXML = bytes.first { $0 > 0x20 } == UInt8(ascii: "<")
            var counter = Counter()
            var index = 0
            while index < bytes.count {
                let byte = bytes[index]
                if byte >= 0x80 {
                    index += counter.take(bytes, at: index)
                } else if let length = markupLength(bytes, at: index) {
                    index += length
                } else if byte == UInt8(ascii: "&"), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "#") {
                    index += counter.takeReference(bytes, at: index)
                } else if !isXML, byte == UInt8(ascii: "\\"), index + 1 < bytes.count {
                    index += counter.takeCode(bytes, at: index)
                } else {
                    counter.reset()
                    index += 1
                }
            }
            return counter.isTooLong
        }
        guard isTooLong else { return text }
        throw CocoaError.unreadable(
            "The property list has more than \(longest) combining marks, or codes that are no characters, in a row")
    }

    /// Returns the length of markup that stands between characters of XML; nil: it is not such markup.
    private static func markupLength(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int? {
        for markup in ["<![CDATA[", "]]>"] as [StaticString] {
            let token = UnsafeRawBufferPointer(start: markup.utf8Start, count: markup.utf8CodeUnitCount)
            if bytes[index] == token[0], bytes[index...].starts(with: token) { return token.count }
        }
        return nil
    }

    /// Returns the encoding that an XML declaration names (XML 1.0, section 4.3.3), as Foundation reads it: without a
    /// blank before or after "=".
    ///
    /// - Returns: the name in lower case, and the bytes of `encoding="name"`, counted from the start.
    /// - Throws: `CocoaError` 3840 for a declaration that is overlong, or that two readers might read differently.
    private static func declaredEncoding(of data: Data) throws -> (name: String, place: Range<Int>)? {
        guard data.starts(with: "<?xml".utf8) else { return nil }
        let broken = CocoaError.unreadable("The XML declaration of the property list is broken or overlong")
        let start = data.prefix(512)
        guard let end = start.dropFirst(5).firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: ">") })
        else { throw broken }
        var rest = start[..<end]
        let word = Data("encoding=".utf8)
        guard let name = rest.firstRange(of: word) else { return nil }
        rest = rest[name.upperBound...]
        guard let quote = rest.popFirst(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
            let last = rest.firstIndex(of: quote),
            rest.firstRange(of: word) == nil
        else { throw broken }
        let place = name.lowerBound - data.startIndex..<last + 1 - data.startIndex
        return (String(decoding: rest[..<last], as: UTF8.self).lowercased(), place)  // checked: at most 512 bytes
    }

    fileprivate static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }
}

extension TextRuns.Counter {
    /// Takes what stands behind a backslash of JSON, and answers how many bytes it has.
    fileprivate mutating func takeEscape(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
        if let count = takeUnits(bytes, at: index, letter: UInt8(ascii: "u")) { return count }
        reset()
        return 1
    }

    /// Takes `&#x301;` or `&#769;`, and answers how many bytes it has. What is none of these may be a mark.
    fileprivate mutating func takeReference(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
        guard let end = bytes[index...].prefix(16).firstIndex(of: UInt8(ascii: ";")) else {
            takeMark()
            return 2
        }
        let digits = bytes[(index + 2)..<end]
        let isHex = digits.first.map { $0 | 0x20 == UInt8(ascii: "x") } == true
        take(number: isHex ? digits.dropFirst() : digits, radix: isHex ? 16 : 10)
        return end - index + 1
    }

    /// Takes what begins with a backslash in an old-style property list, such as `\U0301`, and answers how many bytes
    /// it has.
    fileprivate mutating func takeCode(_ bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
        // Foundation takes such a character as it is, and leaves the backslash out: the character counts next, and
        // follows the one before.
        guard bytes[index + 1] < 0x80 else { return 1 }
        if let count = takeUnits(bytes, at: index + 1, letter: UInt8(ascii: "U")) { return 1 + count }
        let digits = bytes[(index + 2)...].prefix(4).prefix(while: TextRuns.isHexDigit)
        take(number: bytes[index + 1] | 0x20 == UInt8(ascii: "u") ? digits : digits[..<digits.startIndex], radix: 16)
        return 2 + digits.count
    }

    /// Takes the character of a number; what is the number of none may be a mark.
    private mutating func take(number digits: Slice<UnsafeRawBufferPointer>, radix: Int) {
        if let scalar = UInt32(String(decoding: digits, as: UTF8.self), radix: radix), Unicode.Scalar(scalar) != nil {
            take(scalar)
        } else {
            takeMark()
        }
    }

    /// Takes `u0301` of JSON, or `U0301` of an old-style property list, or two such halves of a character with a
    /// backslash between them, and answers how many bytes they have. Nil: there is no such thing.
    private mutating func takeUnits(_ bytes: UnsafeRawBufferPointer, at index: Int, letter: UInt8) -> Int? {
        guard let unit = Self.escapedUnit(bytes, at: index, letter: letter) else { return nil }
        guard 0xD800...0xDFFF ~= unit else {
            take(unit)
            return 5
        }
        // Beyond the first plane there are marks, and much that is none, such as emoji.
        guard index + 5 < bytes.count, bytes[index + 5] == UInt8(ascii: "\\"),
            let low = Self.escapedUnit(bytes, at: index + 6, letter: letter),
            let scalar = TextRuns.scalar(high: unit, low: low)
        else {
            // A half alone, which is no character.
            takeMark()
            return 5
        }
        take(scalar)
        return 11
    }

    /// The number in `u0301`, or with another letter before it.
    private static func escapedUnit(_ bytes: UnsafeRawBufferPointer, at index: Int, letter: UInt8) -> UInt32? {
        guard index < bytes.count, bytes[index] == letter else { return nil }
        let digits = bytes[index...].dropFirst().prefix(4)
        guard digits.count == 4, digits.allSatisfy(TextRuns.isHexDigit) else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
