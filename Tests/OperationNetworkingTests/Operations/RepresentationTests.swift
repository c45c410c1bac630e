// SPDX-License-Identifier: MIT
import NetworkingTransport
import Testing

@testable import OperationNetworkingCore

/// RFC 9110, sections 8.8.2.2 and 13.1.5.
@Suite("What a part can be continued by") struct RepresentationTests {
    private static let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
    /// Of `modified`.
    private static let time = 784_111_777.0

    private static func validator(_ lines: String..., at time: Double = time + 1000) -> String? {
        let fields = lines.map { $0 + "\r\n" }.joined()
        let head = ResponseHead(statusCode: 200, httpVersion: "1.1", rawFields: Array(fields.utf8))
        return Representation(head: head, from: nil, method: "GET", receivedAt: time)?.validator
    }

    @Test("A strong entity tag; never a date beside a tag that is of no use")
    func tags() {
        let date = "Last-Modified: \(Self.modified)"
        #expect(Self.validator("ETag: \"a\"", date) == "\"a\"")
        #expect(Self.validator("ETag: W/\"a\"", date) == nil)
        #expect(Self.validator("ETag: \"\"", date) == nil)
        #expect(Self.validator("ETag: \"\(String(repeating: "a", count: 1024))\"", date) == nil)
        // Each octet as a character.
        #expect(Self.validator("ETag: \"\u{E9}\"", date) == "\"\u{C3}\u{A9}\"")
        #expect(Self.validator("ETag: \"\u{1}\"", date) == nil)
        // That is no entity tag.
        #expect(Self.validator("ETag: abc", date) == Self.modified)
    }

    @Test("A date, if the answer was made at least a second after it")
    func dates() {
        let date = "Last-Modified: \(Self.modified)"
        #expect(Self.validator(date, "Date: Sun, 06 Nov 1994 08:49:38 GMT") == Self.modified)
        #expect(Self.validator(date, "Date: \(Self.modified)") == nil)
        #expect(Self.validator(date, "Date: Sun, 06 Nov 1994 08:49:36 GMT") == nil)
        #expect(Self.validator("Last-Modified: Sun Nov  6 08:49:37 1994", "Date: Sun, 06 Nov 1994 08:49:38 GMT") != nil)
        #expect(Self.validator("Last-Modified: yesterday", "Date: Sun, 06 Nov 1994 08:49:38 GMT") == nil)
    }

    @Test("Without a date of the answer's, ours counts, which may differ by a minute")
    func ownDate() {
        let date = "Last-Modified: \(Self.modified)"
        #expect(Self.validator(date, at: Self.time + 60) == Self.modified)
        #expect(Self.validator(date, at: Self.time + 59) == nil)
        #expect(Self.validator(date, "Date: today", at: Self.time + 59) == nil)
        #expect(Self.validator(date, at: 0) == nil)
    }
}
