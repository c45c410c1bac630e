// SPDX-License-Identifier: MIT
import NetworkingTransport
import Testing

@testable import OperationNetworkingCore

@Suite("Content-Range") struct ContentRangeTests {
    @Test(
        "Ranges of bytes",
        arguments: [
            ("bytes 0-4/10", 0, 4, 10), ("BYTES 5-9/*", 5, 9, nil), ("bytes */10", nil, nil, 10),
            ("bytes  0 - 4 / 10 ", 0, 4, 10), ("bytes 0-9223372036854775806/9223372036854775807", 0, .max - 1, .max),
        ] as [(String, Int64?, Int64?, Int64?)])
    func good(value: String, first: Int64?, last: Int64?, total: Int64?) {
        let range = ContentRange(Array(value.utf8))
        #expect(range != nil && range?.first == first && range?.last == last && range?.total == total)
    }

    @Test(
        "What is none",
        arguments: [
            "", "bytes", "bytes ", "bytes/", "items 0-4/10", "bytes 0-4", "bytes 4-0/10", "bytes 0-10/10",
            "bytes -4/10",
            "bytes 0-/10", "bytes +0-4/10", "bytes 0-4/-10", "bytes 0--4/10", "bytes 0-4/9223372036854775808",
            "bytes 0-9223372036854775808/*", "bytes 0-4/10/10", "bytes \u{661}-4/10", "b\u{301}ytes 0-4/10",
            "/bytes 0-4",
        ])
    func bad(value: String) {
        #expect(ContentRange(Array(value.utf8)) == nil)
    }

    @Test("Two that differ are none, two of the same are one")
    func repeated() {
        func range(_ values: [String]) -> ContentRange? {
            let fields = values.map { "Content-Range: \($0)\r\n" }.joined()
            return ContentRange(head: ResponseHead(statusCode: 206, httpVersion: "1.1", rawFields: Array(fields.utf8)))
        }
        #expect(range(["bytes 5-9/10", "bytes 5-9/10"]) == range(["bytes 5-9/10"]))
        #expect(range(["bytes 5-9/10", "bytes 5-9/11"]) == nil && range(["bytes 5-9/10", "x"]) == nil)
        #expect(range([]) == nil)
    }
}
