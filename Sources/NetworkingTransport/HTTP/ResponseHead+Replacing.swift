// SPDX-License-Identifier: MIT
extension ResponseHead {
    /// The head with the fields that `isKept` wants and further ones after them, each on a line of its own. Lines that are
    /// no fields are dropped.
    ///
    /// - Parameters:
    ///   - others: field lines, each ended by CRLF or LF.
    ///   - isKept: is told a field's name, which is a token, as it came.
    package func replacingFields(
        adding others: [UInt8] = [], keeping isKept: (Slice<UnsafeRawBufferPointer>) -> Bool
    ) -> ResponseHead {
        var fields: [UInt8] = []
        fields.reserveCapacity(rawFields.count + others.count)
        Self.append(rawFields, to: &fields, keeping: isKept)
        Self.append(others, to: &fields) { _ in true }
        return ResponseHead(statusCode: statusCode, httpVersion: httpVersion, rawFields: fields)
    }

    private static func append(
        _ lines: [UInt8], to fields: inout [UInt8], keeping isKept: (Slice<UnsafeRawBufferPointer>) -> Bool
    ) {
        lines.withUnsafeBytes { bytes in
            FieldLines.forEach(in: bytes, from: 0) { name, value in
                guard isKept(bytes[name]) else { return true }
                fields.append(contentsOf: bytes[name])
                fields.append(contentsOf: ": ".utf8)
                fields.append(contentsOf: bytes[value])
                fields.append(contentsOf: "\r\n".utf8)
                return true
            }
        }
    }

    /// Calls `body` with each field's name, which is a token, and its value, as bytes, in the order received.
    package func forEachFieldBytes(
        _ body: (_ name: Slice<UnsafeRawBufferPointer>, _ value: Slice<UnsafeRawBufferPointer>) -> Void
    ) {
        rawFields.withUnsafeBytes { bytes in
            FieldLines.forEach(in: bytes, from: 0) { name, value in
                body(bytes[name], bytes[value])
                return true
            }
        }
    }
}
