// SPDX-License-Identifier: MIT
import Foundation
import Testing

@testable import OperationNetworkingTestServer

/// What comes of bytes, however they are cut.
@Suite("HTTP/1.1 request parser")
struct HTTP1RequestParserTests {
    /// Each event as text.
    private func events(_ text: String, pieces size: Int) -> [String] {
        var parser = HTTP1RequestParser()
        var found: [String] = []
        var content: [UInt8] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { parser.append($0) }
            do {
                while let event = try parser.next() {
                    switch event {
                    case .head(let head):
                        let fields = head.fields.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
                        found.append("\(head.method) \(head.target) \(fields)")
                    case .content(let part): content += part
                    case .end:
                        found.append("[\(String(decoding: content, as: UTF8.self))]")
                        content = []
                    }
                }
            } catch {
                found.append("\(error.status)")
                return found
            }
        }
        return found
    }

    @Test(
        "Requests that are whole, in pieces of every size",
        arguments: [
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", ["GET / Host=a", "[]"]),
            ("GET / HTTP/1.1\nHost: a\n\n", ["GET / Host=a", "[]"]),
            ("\r\n\r\nGET / HTTP/1.0\r\n\r\n", ["GET / ", "[]"]),
            ("POST /x HTTP/1.1\r\nContent-Length:  4 \r\n\r\nfour", ["POST /x Content-Length=4", "[four]"]),
            (
                "GET / HTTP/1.1\r\nA: 1\r\nA:2\r\nB:\t3 \r\nC:\r\n\r\nPUT /2 HTTP/1.1\r\nContent-Length: 1\r\n\r\n2",
                ["GET / A=1,A=2,B=3,C=", "[]", "PUT /2 Content-Length=1", "[2]"]
            ),
            (
                "POST / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n4;x=y\r\nfour\r\n00a\r\n0123456789\r\n0\r\nT: 1\r\n\r\n"
                    + "GET / HTTP/1.1\r\n\r\n",
                ["POST / Transfer-Encoding=Chunked", "[four0123456789]", "GET / ", "[]"]
            ),
        ])
    func whole(_ text: String, _ expected: [String]) {
        for size in 1...text.utf8.count { #expect(events(text, pieces: size) == expected, "pieces of \(size)") }
    }

    @Test(
        "Requests that are refused",
        arguments: [
            ("GET /\r\n\r\n", "400"), (" GET / HTTP/1.1\r\n\r\n", "400"), ("GET /a b HTTP/1.1\r\n\r\n", "400"),
            ("GET / HTTP/2.0\r\n\r\n", "505"), ("GET / HTTP/11\r\n\r\n", "505"), ("G@T / HTTP/1.1\r\n\r\n", "400"),
            ("GET / FTP/1.1\r\n\r\n", "400"), ("GET /\u{1} HTTP/1.1\r\n\r\n", "400"), ("GET  HTTP/1.1\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "400"), ("GET / HTTP/1.1\r\nA : 1\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nA: 1\r\n 2\r\n\r\n", "400"), ("GET / HTTP/1.1\r\n A: 1\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nA\r\n\r\n", "400"), ("GET / HTTP/1.1\r\n: 1\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", "400"),
            ("GET / HTTP/1.1\r\nX: \(String(repeating: "x", count: 300_000))\r\n\r\n", "431"),
            ("GET /\(String(repeating: "x", count: 300_000))", "431"),
        ])
    func refused(_ text: String, _ status: String) {
        #expect(events(text, pieces: 7) == [status])
        #expect(events(text, pieces: 64 * 1024) == [status])
    }

    @Test(
        "Chunks that are refused",
        arguments: ["x\r\n", "-1\r\n", "\r\n", "ffffffffffffffffffff\r\n", "1\r\nab\r\n", "0x1\r\na\r\n"])
    func badChunks(_ chunk: String) {
        let text = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk
        #expect(events(text, pieces: 3).last == "400")
    }
}
