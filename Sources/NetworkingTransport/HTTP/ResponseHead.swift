// SPDX-License-Identifier: MIT

/// Status line and header fields of one response, kept as they came and parsed on demand.
package struct ResponseHead: Sendable {
    package let statusCode: Int
    /// "1.0", "1.1", "2".
    package let httpVersion: String
    /// The field lines as received, each ended by CRLF or LF, without the status line and the empty line.
    package let rawFields: [UInt8]
    /// The announced length of the content; nil: none, or one that is not a number.
    package let contentLength: Int64?
    /// The places of the fields that every response is asked for.
    let index: FieldIndex

    package init(statusCode: Int, httpVersion: String, rawFields: [UInt8]) {
        var length = ContentLength()
        rawFields.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count {
                let end = FieldLines.end(bytes, from: start)
                length.take(line: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
                start = end
            }
        }
        self.init(statusCode: statusCode, httpVersion: httpVersion, rawFields: rawFields, length: length)
    }

    /// - Parameter length: The content length that the fields announce.
    init(statusCode: Int, httpVersion: String, rawFields: [UInt8], length: ContentLength) {
        self.statusCode = statusCode
        self.httpVersion = httpVersion
        self.rawFields = rawFields
        contentLength = length.isMalformed ? nil : length.value
        index = rawFields.withUnsafeBytes { FieldIndex($0) }
    }

    /// A copy of another head with other field lines, of which the index is known.
    init(_ other: ResponseHead, rawFields: [UInt8], index: FieldIndex) {
        (statusCode, httpVersion, contentLength) = (other.statusCode, other.httpVersion, other.contentLength)
        self.rawFields = rawFields
        self.index = index
    }
}
