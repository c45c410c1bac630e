// SPDX-License-Identifier: MIT
import Foundation
import Testing

@testable import TestServer

@Suite(.timeLimit(.minutes(1))) struct RequestParserTests {
    private struct Parsed: Equatable {
        var line: String
        var headers: [String]
        var body = ""
        var trailers: [String] = []
        var isComplete = false
    }

    private func parse(_ text: String, piece: Int) throws -> [Parsed] {
        var parser = RequestParser()
        var requests: [Parsed] = []
        let bytes = Data(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: piece) {
            parser.append(bytes[start..<min(start + piece, bytes.count)])
            while let event = try parser.next() {
                switch event {
                case .head(let method, let target, let version, let headers):
                    let fields = headers.map { "\($0.name)=\($0.value)" }
                    requests.append(Parsed(line: "\(method) \(target) \(version)", headers: fields))
                case .body(let data):
                    requests[requests.count - 1].body += String(decoding: data, as: UTF8.self)
                case .end(let trailers):
                    requests[requests.count - 1].trailers = trailers.map { "\($0.name)=\($0.value)" }
                    requests[requests.count - 1].isComplete = true
                }
            }
        }
        return requests
    }

    @Test("Requests are the same whatever the pieces they come in", arguments: [1, 2, 3, 7, 64, 1000])
    func pieces(piece: Int) throws {
        let text = """
            GET /a?b=c HTTP/1.1\r\nHost: x\r\nX-Two:  2 \r\nx-two: 3\r\n\r\n\
            POST /b HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello\
            PUT /c HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;e=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: v\r\n\r\n\
            PUT /d HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n\
            GET /e HTTP/1.1\r\n\r\nGET /unfinished
            """
        let expected = [
            Parsed(line: "GET /a?b=c HTTP/1.1", headers: ["Host=x", "X-Two=2", "x-two=3"], isComplete: true),
            Parsed(line: "POST /b HTTP/1.1", headers: ["Content-Length=5"], body: "hello", isComplete: true),
            Parsed(
                line: "PUT /c HTTP/1.1", headers: ["Transfer-Encoding=chunked"], body: "abc0123456789",
                trailers: ["T=v"], isComplete: true),
            Parsed(line: "PUT /d HTTP/1.1", headers: ["Transfer-Encoding=chunked"], isComplete: true),
            Parsed(line: "GET /e HTTP/1.1", headers: [], isComplete: true),
        ]
        #expect(try parse(text, piece: piece) == expected)
    }

    @Test(
        "What is not HTTP is an error",
        arguments: [
            "nonsense\r\n\r\n", "GET / HTTP/2.0\r\n\r\n", "GET /a b HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nno colon\r\n\r\n",
            "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            "GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nXY\r\n",
            "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
        ])
    func malformed(text: String) {
        #expect(throws: RequestParser.Malformed.self) { try parse(text, piece: 1000) }
    }

    @Test(
        "Ranges of ten bytes",
        arguments: [
            ("bytes=0-0", .satisfiable(0..<1)), ("bytes=2-4", .satisfiable(2..<5)), ("bytes=8-", .satisfiable(8..<10)),
            ("bytes=8-99", .satisfiable(8..<10)), ("bytes=-3", .satisfiable(7..<10)),
            ("bytes=-99", .satisfiable(0..<10)),
            ("bytes=10-", .unsatisfiable), ("bytes=-0", .unsatisfiable), ("bytes=4-2", .ignored), ("bytes=x", .ignored),
            ("items=0-1", .ignored), ("bytes=0-1,3-4", .ignored),
        ] as [(String, ByteRange)])
    func ranges(field: String, expected: ByteRange) {
        #expect(ByteRange.parse(field, length: 10) == expected)
    }
}
