// SPDX-License-Identifier: MIT
import Testing

@testable import OperationNetworking

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
}
