// SPDX-License-Identifier: MIT
extension ResponseHead {
    /// The head with the fields that `isKept` accepts and further ones after them, one on each line. Lines that are no
    /// fields are dropped.
    ///
    /// - Parameters:
    ///   - others: Field lines, each ended by CRLF or LF.
    ///   - isKept: Receives a field's name, which is a token, as it came.
    package func replacingFields(
        adding others: [UInt8] = [], keeping isKept: (UnsafeRawBufferPointer) -> Bool
    ) -> ResponseHead {
        var fields: [UInt8] = []
        fields.reserveCapacity(rawFields.count + others.count)
        Self.append(rawFields, to: &fields, keeping: isKept)
        Self.append(others, to: &fields) { _ in true }
        return ResponseHead(statusCode: statusCode, httpVersion: httpVersion, rawFields: fields)
    }

    private static func append(
        _ lines: [UInt8], to fields: inout [UInt8], keeping isKept: (UnsafeRawBufferPointer) -> Bool
    ) {
        lines.withUnsafeBytes { bytes in
            FieldLines.forEach(in: bytes, from: 0) { name, value in
                let nameBytes = UnsafeRawBufferPointer(rebasing: bytes[name])
                guard isKept(nameBytes) else { return true }
                fields.append(contentsOf: nameBytes)
                fields.append(UInt8(ascii: ":"))
                fields.append(0x20)
                fields.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[value]))
                fields.append(0x0D)
                fields.append(0x0A)
                return true
            }
        }
    }

    /// The head without some fields; the others stay as they came. Lines that are no fields go with the one before.
    ///
    /// - Parameter isDropped: Receives a field's name, which is a token, and its value, as they came.
    package func removingFields(
        where isDropped: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool
    ) -> ResponseHead {
        var (gaps, gap, changesLength): ([Range<Int>], Int?, Bool) = ([], nil, false)
        return rawFields.withUnsafeBytes { bytes in
            FieldLines.forEach(in: bytes, from: 0) { name, value in
                let nameBytes = UnsafeRawBufferPointer(rebasing: bytes[name])
                let drops = isDropped(nameBytes, UnsafeRawBufferPointer(rebasing: bytes[value]))
                if drops, nameBytes.equalsIgnoringCase("Content-Length") { changesLength = true }
                if drops, gap == nil { gap = name.lowerBound }
                if !drops, let start = gap {
                    gaps.append(start..<name.lowerBound)
                    gap = nil
                }
                return true
            }
            if let gap { gaps.append(gap..<bytes.count) }
            if gaps.isEmpty { return self }
            let fields = Self.bytes(bytes, without: gaps)
            guard !changesLength, let index = index.removing(gaps) else {
                return ResponseHead(statusCode: statusCode, httpVersion: httpVersion, rawFields: fields)
            }
            return ResponseHead(self, rawFields: fields, index: index)
        }
    }

    private static func bytes(_ bytes: UnsafeRawBufferPointer, without gaps: [Range<Int>]) -> [UInt8] {
        let length = gaps.reduce(bytes.count) { $0 - $1.count }
        return [UInt8](unsafeUninitializedCapacity: length) { result, count in
            func copy(_ range: Range<Int>) {
                let kept = UnsafeRawBufferPointer(rebasing: bytes[range])
                UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(result)[count...])
                    .copyMemory(from: kept)
                count += kept.count
            }
            var start = 0
            for gap in gaps {
                copy(start..<gap.lowerBound)
                start = gap.upperBound
            }
            copy(start..<bytes.count)
        }
    }

    /// Calls `body` with each field's name, which is a token, and its value, as bytes, in the order received.
    package func forEachFieldBytes(
        _ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void
    ) {
        rawFields.withUnsafeBytes { bytes in
            FieldLines.forEach(in: bytes, from: 0) { name, value in
                body(UnsafeRawBufferPointer(rebasing: bytes[name]), UnsafeRawBufferPointer(rebasing: bytes[value]))
                return true
            }
        }
    }
}
