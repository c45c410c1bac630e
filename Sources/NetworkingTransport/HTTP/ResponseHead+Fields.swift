// SPDX-License-Identifier: MIT
extension ResponseHead {
    package func contains(_ field: KnownField) -> Bool { index[field] != nil }

    /// The value of the first such field as text, without the white space around it; nil: no such field, or it is
    /// longer than `limit` bytes.
    package func firstValue(for field: KnownField, limit: Int = .max) -> String? {
        var result: String?
        scan(field) { bytes, value in
            if value.count <= limit { result = Self.value(bytes, value) }
            return false
        }
        return result
    }

    /// The value of the first such field as bytes, without the white space around it; nil: no such field, or it is
    /// longer than `limit`. For what is compared or taken apart: as a `String` that may take quadratic time.
    package func firstBytes(for field: KnownField, limit: Int = 8192) -> [UInt8]? {
        var result: [UInt8]?
        scan(field) { bytes, value in
            if value.count <= limit { result = Array(bytes[value]) }
            return false
        }
        return result
    }

    /// The same with line folds as single spaces: the octets that `firstValue(for:limit:)` makes text of. For what goes
    /// back to the server.
    package func firstOctets(for field: KnownField, limit: Int = 8192) -> [UInt8]? {
        firstBytes(for: field, limit: limit).map { bytes in
            guard bytes.contains(0x0A) else { return bytes }
            return Array(bytes.split(separator: 0x0A).map(Self.trimmed).joined(separator: [0x20]))
        }
    }

    /// The same for any field: looks through all of them, so for those that are seldom asked for.
    package func firstBytes(named wanted: StaticString, limit: Int = 8192) -> [UInt8]? {
        rawFields.withUnsafeBytes { bytes in
            var result: [UInt8]?
            FieldLines.forEach(in: bytes, from: 0) { name, value in
                guard bytes[name].equalsIgnoringCase(wanted) else { return true }
                if value.count <= limit { result = Array(bytes[value]) }
                return false
            }
            return result
        }
    }

    /// Calls `body` with the value of each such field as bytes, without the white space around it, but with folds as
    /// they came.
    package func forEachValue(of field: KnownField, _ body: (Slice<UnsafeRawBufferPointer>) -> Void) {
        scan(field) { bytes, value in
            body(bytes[value])
            return true
        }
    }

    /// True if a field comes once at most, or with the same value each time.
    package func saysOneThing(of field: KnownField) -> Bool {
        var first: [UInt8]?
        var isOne = true
        forEachValue(of: field) { value in
            if first == nil { first = Array(value) }
            isOne = isOne && first?.elementsEqual(value) == true
        }
        return isOne
    }

    /// Calls `body` with each field in the order received; repeated names come repeatedly.
    package func forEachField(_ body: (_ name: String, _ value: String) -> Void) {
        rawFields.withUnsafeBytes { bytes in
            FieldLines.forEach(in: bytes, from: 0) { nameRange, valueRange in
                let name = UnsafeRawBufferPointer(rebasing: bytes[nameRange])
                body(String(decoding: name, as: UTF8.self), Self.value(bytes, valueRange))
                return true
            }
        }
    }

    /// Calls `body` with the place of each value of `field`, until it returns false.
    private func scan(_ field: KnownField, _ body: (UnsafeRawBufferPointer, Range<Int>) -> Bool) {
        guard let first = index[field] else { return }
        rawFields.withUnsafeBytes { bytes in
            FieldLines.forEach(in: bytes, from: first) { name, value in
                guard name.lowerBound == first || KnownField(bytes[name]) == field else { return true }
                return body(bytes, value)
            }
        }
    }

    /// The value as text: UTF-8 where it is, else Latin-1, with line folds as single spaces.
    package static func value(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> String {
        let value = UnsafeRawBufferPointer(rebasing: bytes[range])
        var (isFolded, isASCII) = (false, true)
        for byte in value {
            if byte == 0x0A { isFolded = true }
            if byte >= 0x80 { isASCII = false }
        }
        guard isFolded else { return text(value, isASCII: isASCII) }
        return value.split(separator: 0x0A)
            .map { text(UnsafeRawBufferPointer(rebasing: trimmed($0)), isASCII: isASCII) }
            .joined(separator: " ")
    }

    /// A line of a folded value without the white space around it.
    private static func trimmed<Line: BidirectionalCollection<UInt8>>(_ line: Line) -> Line
    where Line.SubSequence == Line {
        let start = line.drop(while: FieldLines.isBlank)
        guard let last = start.lastIndex(where: { !FieldLines.isBlank($0) }) else { return start }
        return start[...last]
    }

    private static func text(_ bytes: UnsafeRawBufferPointer, isASCII: Bool) -> String {
        // ASCII, as nearly all is: to validate it as UTF-8 takes three times as long.
        if isASCII { return String(decoding: bytes, as: UTF8.self) }
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(latin1: Array(bytes))
    }
}
