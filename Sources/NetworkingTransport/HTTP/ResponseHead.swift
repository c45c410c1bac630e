/// Status line and header fields of one response, kept as they came and parsed when somebody asks.
package struct ResponseHead: Sendable {
    package let statusCode: Int
    /// "1.0", "1.1", "2".
    package let httpVersion: String
    /// The field lines as received, each ended by CRLF or LF, without the status line and the empty line.
    package let rawFields: [UInt8]

    package init(statusCode: Int, httpVersion: String, rawFields: [UInt8]) {
        self.statusCode = statusCode
        self.httpVersion = httpVersion
        self.rawFields = rawFields
    }
}
