// SPDX-License-Identifier: MIT
internal import Glibc

/// Puts a response head together from the lines that libcurl hands over one by one.
///
/// A head that is complete stays until the next status line arrives, because libcurl may answer a challenge itself and
/// present another head for the same transfer.
struct ResponseHeadCollector {
    /// The result of a line.
    enum Event: Equatable {
        /// The beginning of a head.
        case statusLine
        /// More lines will come.
        case incomplete
        /// A whole head, not an interim one: see `head`.
        case complete
        /// A whole interim head (1xx): see `head`.
        case interim
        /// A line after the content.
        case trailer
        /// Not a status line of HTTP where one belongs.
        case malformed
        /// More than `limit` bytes, or than `maximumFields` field lines, in one transfer.
        case tooLarge
        /// A head whose `Content-Length` or `Transfer-Encoding` does not give one length: it is not known where the
        /// next response begins.
        case contradictoryLength
    }

    private enum Phase { case statusLine, fields, complete }

    /// Field lines of one transfer, beyond which it ends.
    static let maximumFields = 2000

    private let limit: Int
    private var phase = Phase.statusLine
    private var statusCode = 0
    private var version = ""
    private var fields: [UInt8] = []
    /// Field lines that came after the content.
    private(set) var trailers: [UInt8] = []
    /// All lines of the transfer, whatever head they belong to.
    private(set) var totalBytes = 0
    private var fieldCount = 0
    private var contentLength = ContentLength()
    /// Content of the head in hand has come: no other head follows.
    private var hasContent = false

    init(limit: Int) {
        self.limit = limit
        fields.reserveCapacity(1024)
    }

    /// True if a final head is complete.
    var isComplete: Bool { phase == .complete }

    /// Status code of the head in hand.
    var status: Int { statusCode }

    /// Version of the head in hand.
    var httpVersion: String { version }

    var isHTTP2: Bool { version == "2" }

    /// The length of the content that the head in hand announces; nil: none, or no number.
    var announcedLength: Int64? { contentLength.isMalformed ? nil : contentLength.value }

    /// The head in hand.
    var head: ResponseHead {
        ResponseHead(statusCode: statusCode, httpVersion: version, rawFields: Array(fields), length: contentLength)
    }

    /// Forgets everything, for another transfer.
    mutating func reset() {
        phase = .statusLine
        totalBytes = 0
        fieldCount = 0
        contentLength = ContentLength()
        version = ""
        statusCode = 0
        fields.removeAll(keepingCapacity: true)
        trailers = []
        hasContent = false
    }

    /// Takes note that content has come: lines that follow are trailers, whatever they look like.
    mutating func noteContent() { hasContent = true }

    /// Takes one line, with its line end.
    mutating func append(_ line: UnsafeRawBufferPointer) -> Event {
        totalBytes += line.count
        guard totalBytes <= limit else { return .tooLarge }
        switch phase {
        case .complete where hasContent || !Self.isStatusLine(line):
            guard !Self.isLineEnd(line) else { return .trailer }
            fieldCount += 1
            guard fieldCount <= Self.maximumFields else { return .tooLarge }
            trailers.append(contentsOf: line)
            return .trailer
        case .complete, .statusLine:
            fields.removeAll(keepingCapacity: true)
            trailers = []
            contentLength = ContentLength()
            guard parseStatusLine(line) else { return .malformed }
            phase = .fields
            return .statusLine
        case .fields:
            guard Self.isLineEnd(line) else {
                fieldCount += 1
                guard fieldCount <= Self.maximumFields else { return .tooLarge }
                contentLength.take(line: line)
                append(field: line)
                return .incomplete
            }
            // 101 is final: no request asked to switch protocols, so nothing better will follow.
            let isInterim = statusCode < 200 && statusCode != 101
            phase = isInterim ? .statusLine : .complete
            if isInterim { return .interim }
            return contentLength.isMalformed ? .contradictoryLength : .complete
        }
    }

    /// Appends a field line. A carriage return within a line is white space (RFC 9112, section 2.2).
    private mutating func append(field line: UnsafeRawBufferPointer) {
        let start = fields.count
        fields.append(contentsOf: line)
        guard let base = line.baseAddress, memchr(base, 0x0D, max(0, line.count - 2)) != nil else { return }
        for index in start..<max(start, fields.count - 2) where fields[index] == 0x0D { fields[index] = 0x20 }
    }

    private static func isStatusLine(_ line: UnsafeRawBufferPointer) -> Bool {
        line.count >= 5 && line.prefix(5).elementsEqual("HTTP/".utf8)
    }

    private static func isLineEnd(_ line: UnsafeRawBufferPointer) -> Bool {
        line.count == 1 ? line[0] == 0x0A : line.count == 2 && line[0] == 0x0D && line[1] == 0x0A
    }

    /// "HTTP/" digit [ "." digit ] SP 3digit, then the end or a space and a reason (RFC 9112, 4).
    private mutating func parseStatusLine(_ line: UnsafeRawBufferPointer) -> Bool {
        guard Self.isStatusLine(line) else { return false }
        var index = 5
        func byte() -> UInt8 { index < line.count ? line[index] : 0 }
        func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
        guard isDigit(byte()) else { return false }
        let major = byte() - 0x30
        index += 1
        var minor: UInt8 = 0
        if byte() == UInt8(ascii: ".") {
            index += 1
            guard isDigit(byte()) else { return false }
            minor = byte() - 0x30
            index += 1
        }
        guard byte() == 0x20 else { return false }
        while byte() == 0x20 { index += 1 }
        var code = 0
        for _ in 0..<3 {
            guard isDigit(byte()) else { return false }
            code = code * 10 + Int(byte() - 0x30)
            index += 1
        }
        guard code >= 100, !isDigit(byte()) else { return false }
        statusCode = code
        version =
            switch (major, minor) {
            case (1, 1): "1.1"
            case (1, 0): "1.0"
            case (2..., _): "\(major)"
            default: "\(major).\(minor)"
            }
        return true
    }
}
