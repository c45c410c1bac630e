// SPDX-License-Identifier: MIT
import Testing

@testable import NetworkingTransport

@Suite("Response head", .timeLimit(.minutes(1)))
struct ResponseHeadTests {
    private func append(_ line: String, to collector: inout ResponseHeadCollector) -> ResponseHeadCollector.Event {
        Array(line.utf8).withUnsafeBytes { collector.append($0) }
    }

    @Test(
        "Status lines",
        arguments: [
            ("HTTP/1.1 200 OK\r\n", 200, "1.1"), ("HTTP/1.0 404 Not Found\r\n", 404, "1.0"),
            ("HTTP/2 204 \r\n", 204, "2"),
            ("HTTP/1.1 599\r\n", 599, "1.1"), ("HTTP/1.1 200 \n", 200, "1.1"), ("HTTP/3 301\r\n", 301, "3"),
            ("HTTP/1.1 20 OK\r\n", nil, ""), ("HTTP/1.1 2000 OK\r\n", nil, ""), ("HTTP/1.1 099 OK\r\n", nil, ""),
            ("HTTP/1.1 abc\r\n", nil, ""), ("HTTP/1.1\r\n", nil, ""), ("HTTP/x 200\r\n", nil, ""),
            ("HTTP/1. 200\r\n", nil, ""),
            ("http/1.1 200 OK\r\n", nil, ""), ("", nil, ""), ("X: y\r\n", nil, ""), ("HTTP/", nil, ""),
        ] as [(String, Int?, String)])
    func statusLine(line: String, status: Int?, version: String) {
        var collector = ResponseHeadCollector(limit: 1000)
        let event = append(line, to: &collector)
        guard let status else {
            #expect(event == .malformed)
            return
        }
        #expect(event == .statusLine)
        #expect(append("A: b\r\n", to: &collector) == .incomplete)
        #expect(append("\r\n", to: &collector) == .complete)
        #expect(collector.head.statusCode == status)
        #expect(collector.head.httpVersion == version)
        #expect(collector.head.rawFields == Array("A: b\r\n".utf8))
    }

    @Test("100 is an interim head, a later head replaces a complete one, other lines after it are trailers")
    func sequence() {
        var collector = ResponseHeadCollector(limit: 1000)
        let lines: [(String, ResponseHeadCollector.Event)] = [
            ("HTTP/1.1 100 Continue\r\n", .statusLine), ("A: 1\r\n", .incomplete), ("\r\n", .interim),
            ("HTTP/1.1 401 No\r\n", .statusLine), ("B: 2\r\n", .incomplete), ("\r\n", .complete),
            ("Trailer: x\r\n", .trailer), ("\r\n", .trailer), ("HTTP/1.1 200 OK\r\n", .statusLine), ("\n", .complete),
        ]
        for (line, event) in lines { #expect(append(line, to: &collector) == event) }
        #expect(collector.head.statusCode == 200)
        #expect(collector.head.rawFields.isEmpty)
        collector.reset()
        #expect(!collector.isComplete)
        #expect(append("HTTP/1.1 101 Switching\r\n", to: &collector) == .statusLine)
        #expect(append("\r\n", to: &collector) == .complete)
    }

    @Test("Once content has come, a line that looks like a status line is a trailer")
    func trailerLikeStatusLine() {
        var collector = ResponseHeadCollector(limit: 1000)
        for line in ["HTTP/1.1 200 OK\r\n", "A: 1\r\n", "\r\n"] { _ = append(line, to: &collector) }
        collector.noteContent()
        #expect(append("HTTP/1.1 404 No: x\r\n", to: &collector) == .trailer)
        #expect(collector.head.statusCode == 200 && collector.head.rawFields == Array("A: 1\r\n".utf8))
    }

    @Test("A carriage return within a line is white space", arguments: ["\n", "\r\n"])
    func bareCarriageReturn(end: String) {
        var collector = ResponseHeadCollector(limit: 1000)
        _ = append("HTTP/1.1 200 OK\r\n", to: &collector)
        #expect(append("A: 1\rContent-Length: 3\(end)", to: &collector) == .incomplete)
        #expect(append("\r\n", to: &collector) == .complete)
        #expect(collector.head.rawFields == Array("A: 1 Content-Length: 3\(end)".utf8))
    }

    @Test("The limit counts every line of the transfer")
    func limit() {
        var collector = ResponseHeadCollector(limit: 60)
        #expect(append("HTTP/1.1 100 Continue\r\n", to: &collector) == .statusLine)
        #expect(append("\r\n", to: &collector) == .interim)
        #expect(append("HTTP/1.1 200 OK\r\n", to: &collector) == .statusLine)
        #expect(append("A: 0123456789012345678901234567890\r\n", to: &collector) == .tooLarge)
    }

    private func head(_ fields: String) -> ResponseHead {
        ResponseHead(statusCode: 200, httpVersion: "1.1", rawFields: Array(fields.utf8))
    }

    @Test("Fields are found by name in any case, trimmed, unfolded, and malformed lines skipped")
    func fields() {
        let head = head(
            "Content-Type:  text/plain ; a=b \t\r\nX-Empty:\r\nno colon here\r\n: no name\r\nset-cookie: a\nSet-Cookie: b\r\n"
                + "X-Folded: one\r\n  two\r\n\tthree\r\nX-Last: z")
        #expect(head.firstValue(for: "CONTENT-TYPE") == "text/plain ; a=b")
        #expect(head.firstValue(for: "x-empty") == "")
        #expect(head.firstValue(for: "Set-Cookie") == "a")
        #expect(head.firstValue(for: "X-Folded") == "one two three")
        #expect(head.firstValue(for: "X-Last") == "z")
        #expect(head.firstValue(for: "X") == nil)
        #expect(head.firstValue(for: "") == nil)
        var names: [String] = []
        head.forEachField { name, _ in names.append(name) }
        #expect(names == ["Content-Type", "X-Empty", "set-cookie", "Set-Cookie", "X-Folded", "X-Last"])
    }

    @Test("A value that is not UTF-8 is read as Latin-1")
    func latin1() {
        let head = ResponseHead(
            statusCode: 200, httpVersion: "1.1", rawFields: Array("X: caf".utf8) + [0xE9, 0x0D, 0x0A])
        #expect(head.firstValue(for: "X") == "café")
    }

    @Test(
        "Content lengths",
        arguments: [
            ("5", 5), ("0", 0), (" 12 ", 12), ("", nil), ("-1", nil), ("+1", nil), ("1,1", 1), ("0x1", nil),
            ("9223372036854775807", .max), ("9223372036854775808", nil), ("1, 2", nil), ("1,", nil), ("1 1", nil),
            ("00000000000000000001", nil), ("01", 1), ("5\r\n 6", nil), ("5\r\nContent-Length: 5", 5),
            ("5\r\ncontent-length: 6", nil), ("5\r\nContent-Length : 5", nil), ("5\r\nContent-Lengthy: 6", 5),
        ] as [(String, Int64?)])
    func contentLength(value: String, expected: Int64?) {
        #expect(head("Content-Length: \(value)\r\n").contentLength == expected)
        #expect(head("X: y\r\n").contentLength == nil)
    }

    @Test("A head that is no one length long is not complete, an interim one may say what it wants")
    func contradictoryLength() {
        for fields in [
            ["Content-Length: 5\r\n", "Content-Length: 6\r\n"], ["Content-Length: x\r\n"],
            ["transfer-encoding : chunked\r\n"], ["Transfer-Encoding:\r\n", "\tchunked\r\n"],
        ] {
            var collector = ResponseHeadCollector(limit: 1000)
            for status in ["HTTP/1.1 103 Early\r\n", "HTTP/1.1 200 OK\r\n"] {
                #expect(append(status, to: &collector) == .statusLine)
                for field in fields { #expect(append(field, to: &collector) == .incomplete) }
                let isInterim = status.contains("103")
                #expect(append("\r\n", to: &collector) == (isInterim ? .interim : .contradictoryLength))
            }
        }
    }

    @Test("A transfer coding is looked at as it is written, and anything that follows its name is another field")
    func transferCoding() {
        for fields in [
            "Transfer-Encoding: chunked\r\nX:\r\n y\r\n", "Transfer-Encodings : x\r\n", "TE : x\r\n", "t\r\n",
        ] {
            #expect(head(fields + "Content-Length: 5\r\n").contentLength == 5)
        }
        for fields in ["Transfer-Encoding : x\r\n", "TRANSFER-ENCODING\t:\r\n", "Transfer-Encoding: a,\r\n b\r\n"] {
            #expect(head(fields + "Content-Length: 5\r\n").contentLength == nil)
        }
    }

    @Test("Field lines are counted over all heads and trailers of a transfer")
    func fieldCount() {
        var collector = ResponseHeadCollector(limit: 1 << 20)
        #expect(append("HTTP/1.1 200 OK\r\n", to: &collector) == .statusLine)
        for _ in 0..<ResponseHeadCollector.maximumFields - 1 { _ = append("X: 1\r\n", to: &collector) }
        #expect(append("\r\n", to: &collector) == .complete)
        #expect(append("X: 1\r\n", to: &collector) == .trailer)
        #expect(append("X: 1\r\n", to: &collector) == .tooLarge)
    }

    @Test("Known fields are found by their first line, whatever the case; repeated ones in order")
    func known() {
        let head = head(
            "Etag : \"a\"\r\nX: 1\r\nset-cookie: a=1\r\nSet-Cookies: b=2\r\nSET-COOKIE:  b=3 \r\nLast-Modifies: x\r\n"
                + "Content-Range: bytes\r\n 0-1/2\r\nETag: \"b\"\r\n")
        #expect(head.contains(.setCookie) && !head.contains(.location) && !head.contains(.lastModified))
        var values: [String] = []
        head.forEachValue(of: .setCookie) { values.append(String(decoding: $0, as: UTF8.self)) }
        #expect(values == ["a=1", "b=3"])
        #expect(head.firstValue(for: .entityTag) == "\"a\"" && head.firstValue(for: .contentRange) == "bytes 0-1/2")
        #expect(head.firstBytes(for: .entityTag, limit: 2) == nil && head.firstBytes(for: .location) == nil)
        for field in KnownField.allCases { #expect(self.head("\(field.name): v\r\n").firstValue(for: field) == "v") }
    }

    @Test("Names that are no tokens are skipped")
    func tokens() {
        let head = head("X\u{301}: 1\r\nX Y: 2\r\nX\u{0}: 3\r\n(X): 4\r\nX-Y: 5\r\n\"X\": 6\r\nX-Z : 7\r\n")
        var names: [String] = []
        head.forEachField { name, _ in names.append(name) }
        #expect(names == ["X-Y", "X-Z"])
        #expect(head.firstValue(for: "x-y") == "5")
    }

    @Test("Any bytes at all are parsed without a trap")
    func fuzz() {
        var generator = SystemRandomNumberGenerator()
        let alphabet: [UInt8] = Array("HTTP/1.1 200:\r\n\t aZ\u{0}".utf8) + [0xFF, 0xC3, 0x80]
        for _ in 0..<3000 {
            let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in alphabet.randomElement() ?? 0 }
            let head = ResponseHead(statusCode: 200, httpVersion: "1.1", rawFields: bytes)
            head.forEachField { name, _ in #expect(!name.contains(":")) }
            _ = head.firstValue(for: "a")
            _ = head.contentLength
            var collector = ResponseHeadCollector(limit: 100)
            for line in bytes.split(separator: 0x0A) { _ = line.withUnsafeBytes { collector.append($0) } }
        }
    }
}
