// SPDX-License-Identifier: MIT
import Testing

@testable import NetworkingTransport

@Suite("Request targets")
struct RequestTargetTests {
    @Test(
        "One origin has one name, and what is not the server's leaves the URL",
        arguments: [
            ("http://h", "http://h", "http://h"),
            ("HTTP://H:80/a?b", "HTTP://H:80/a?b", "http://h"),
            ("http://h:/", "http://h:/", "http://h"),
            ("http://h:0080/", "http://h:0080/", "http://h"),
            ("https://h:443", "https://h:443", "https://h"),
            ("https://h:80", "https://h:80", "https://h:80"),
            ("http://h:443/", "http://h:443/", "http://h:443"),
            ("http://h:8080/#x", "http://h:8080/", "http://h:8080"),
            ("http://h#x", "http://h", "http://h"),
            ("http://h?a:80", "http://h?a:80", "http://h"),
            ("http://Me:Secret@H:80/@x", "http://H:80/@x", "http://h"),
            ("http://a@b@h/", "http://h/", "http://h"),
            ("http://[::1]:80/", "http://[::1]:80/", "http://[::1]"),
            ("http://[::1]/", "http://[::1]/", "http://[::1]"),
            ("http://[FE80::80]/", "http://[FE80::80]/", "http://[fe80::80]"),
            ("http://h:8o/", "http://h:8o/", "http://h:8o"),
            ("https://xn--bcher-kva.example/%20", "https://xn--bcher-kva.example/%20", "https://xn--bcher-kva.example"),
        ])
    func target(url: String, sent: String, origin: String) throws {
        let target = try RequestTarget(url)
        #expect(target.url == sent)
        #expect(target.origin == origin)
    }

    @Test(
        "A URL without a target says what it lacks",
        arguments: [
            ("", .noScheme), ("host/path", .noScheme), ("ftp://h/", .unsupportedScheme("ftp")),
            ("HTTPX://h/", .unsupportedScheme("httpx")), ("http:h", .noHost), ("http:/", .noHost), ("http://", .noHost),
            ("http:///x", .noHost), ("http://:80/", .noHost), ("http://me@/", .noHost), ("http://me@:80/", .noHost),
            ("http://#h", .noHost),
        ] as [(String, RequestTarget.Failure)])
    func noTarget(url: String, failure: RequestTarget.Failure) {
        #expect(throws: failure) { try RequestTarget(url) }
    }
}
