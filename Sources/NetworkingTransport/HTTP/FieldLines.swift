// SPDX-License-Identifier: MIT
internal import Glibc

/// The field lines of a head, as bytes.
package enum FieldLines {
    /// Finds the fields: a line whose name is not a token is skipped, a line that begins with white space continues the
    /// value of the line before (RFC 9112, 5.2). `body` returns false to stop.
    package static func forEach(
        in bytes: UnsafeRawBufferPointer, from first: Int, _ body: (_ name: Range<Int>, _ value: Range<Int>) -> Bool
    ) {
        var start = first
        while start < bytes.count {
            var end = end(bytes, from: start)
            while end < bytes.count, bytes[end] == 0x20 || bytes[end] == 0x09 { end = self.end(bytes, from: end) }
            // The name ends where its token does, but for white space that does not belong there.
            var nameEnd = start
            while nameEnd < end, bytes[nameEnd].isTokenCharacter { nameEnd += 1 }
            var colon = nameEnd
            while colon < end, isBlank(bytes[colon]) { colon += 1 }
            if nameEnd > start, colon < end, bytes[colon] == UInt8(ascii: ":") {
                var valueStart = colon + 1
                var valueEnd = end
                while valueStart < valueEnd, isBlank(bytes[valueStart]) { valueStart += 1 }
                while valueEnd > valueStart, isBlank(bytes[valueEnd - 1]) { valueEnd -= 1 }
                guard body(start..<nameEnd, valueStart..<valueEnd) else { return }
            }
            start = end
        }
    }

    /// The index after the next line feed.
    package static func end(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        guard let base = bytes.baseAddress, start < bytes.count,
            let found = memchr(base + start, 0x0A, bytes.count - start)
        else { return bytes.count }
        return UnsafeRawPointer(found) - base + 1
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }
}
