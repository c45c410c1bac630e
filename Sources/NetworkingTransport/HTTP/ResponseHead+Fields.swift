extension ResponseHead {
    /// The value of the first field called `name` (any case), without the white space around it; nil: there is none.
    ///
    /// Scans the bytes as received: cheaper than building a dictionary when a field or two are wanted.
    package func firstValue(for name: String) -> String? {
        var result: String?
        var name = name
        name.withUTF8 { wanted in
            rawFields.withUnsafeBytes { bytes in
                forEachLine(in: bytes) { nameRange, valueRange in
                    guard nameRange.count == wanted.count, Self.equalIgnoringCase(bytes, nameRange.lowerBound, wanted)
                    else { return true }
                    result = Self.value(bytes, valueRange)
                    return false
                }
            }
        }
        return result
    }

    /// Calls `body` with the value of each field called `name` (any case) as bytes, without the white space around it, but
    /// with folds as they came.
    package func forEachValue(of name: String, _ body: (Slice<UnsafeRawBufferPointer>) -> Void) {
        var name = name
        name.withUTF8 { wanted in
            rawFields.withUnsafeBytes { bytes in
                forEachLine(in: bytes) { nameRange, valueRange in
                    if nameRange.count == wanted.count, Self.equalIgnoringCase(bytes, nameRange.lowerBound, wanted) {
                        body(bytes[valueRange])
                    }
                    return true
                }
            }
        }
    }

    /// Calls `body` with each field in the order received; repeated names come repeatedly.
    package func forEachField(_ body: (_ name: String, _ value: String) -> Void) {
        rawFields.withUnsafeBytes { bytes in
            forEachLine(in: bytes) { nameRange, valueRange in
                body(String(decoding: bytes[nameRange], as: UTF8.self), Self.value(bytes, valueRange))
                return true
            }
        }
    }

    /// The announced length of the content; nil: none, or one that is not a number.
    package var contentLength: Int64? {
        var length = ContentLength()
        rawFields.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count {
                let end = Self.lineEnd(bytes, from: start)
                length.take(line: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
                start = end
            }
        }
        return length.isMalformed ? nil : length.value
    }

    /// The value of the first field called `name` (any case) as bytes, without the white space around it; nil: there is
    /// none, or it is longer than `limit`. For what is compared or taken apart: as a `String` that may take quadratic time.
    package func firstBytes(for name: String, limit: Int = 8192) -> [UInt8]? {
        var result: [UInt8]?
        var isFirst = true
        forEachValue(of: name) { value in
            if isFirst, value.count <= limit { result = Array(value) }
            isFirst = false
        }
        return result
    }

    /// Finds the fields: a line whose name is not a token is skipped, a line that begins with white space continues the
    /// value of the line before (RFC 9112, 5.2). `body` returns false to stop.
    private func forEachLine(
        in bytes: UnsafeRawBufferPointer, _ body: (_ name: Range<Int>, _ value: Range<Int>) -> Bool
    ) {
        var start = 0
        while start < bytes.count {
            var end = Self.lineEnd(bytes, from: start)
            while end < bytes.count, bytes[end] == 0x20 || bytes[end] == 0x09 { end = Self.lineEnd(bytes, from: end) }
            if let colon = bytes[start..<end].firstIndex(of: UInt8(ascii: ":")), colon > start {
                var nameEnd = colon
                while nameEnd > start, Self.isBlank(bytes[nameEnd - 1]) { nameEnd -= 1 }
                var valueStart = colon + 1
                var valueEnd = end
                while valueStart < valueEnd, Self.isBlank(bytes[valueStart]) { valueStart += 1 }
                while valueEnd > valueStart, Self.isBlank(bytes[valueEnd - 1]) { valueEnd -= 1 }
                let isName = nameEnd > start && bytes[start..<nameEnd].allSatisfy(\.isTokenCharacter)
                guard !isName || body(start..<nameEnd, valueStart..<valueEnd) else { return }
            }
            start = end
        }
    }

    /// The index after the next line feed.
    private static func lineEnd(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        (bytes[start...].firstIndex(of: 0x0A) ?? bytes.count - 1) + 1
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }

    /// The value as text: UTF-8 where it is, else Latin-1, with line folds as single spaces.
    private static func value(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> String {
        let slice = bytes[range]
        guard slice.contains(0x0A) else { return text(slice) }
        return slice.split(separator: 0x0A)
            .map { line in
                var trimmed = line
                while let byte = trimmed.first, isBlank(byte) { trimmed.removeFirst() }
                while let byte = trimmed.last, isBlank(byte) { trimmed.removeLast() }
                return text(trimmed)
            }
            .joined(separator: " ")
    }

    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    /// Whether `name` stands at `start`; the caller checked the length.
    private static func equalIgnoringCase(
        _ bytes: UnsafeRawBufferPointer, _ start: Int, _ name: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        for index in name.indices where lowercased(bytes[start + index]) != lowercased(name[index]) { return false }
        return true
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }
}
