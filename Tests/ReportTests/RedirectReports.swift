// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

/// Redirects, as public reports about other clients have them.
@Suite("Reports: redirects", .timeLimit(.minutes(2))) struct RedirectReports {
    @Test("Methods and content (RFC 9110, 15.4)", arguments: methods)
    func method(_ exchange: Exchange) async throws { try await exchange.run() }

    @Test("Where a Location leads", arguments: locations)
    func location(_ exchange: Exchange) async throws { try await exchange.run() }

    @Test("What is no redirect, and what stands in the way of one", arguments: others)
    func other(_ exchange: Exchange) async throws { try await exchange.run() }

    private static func moved(_ status: Int = 302, to location: String = "/b") -> Exchange.Answer {
        .bytes("HTTP/1.1 \(status) Moved\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
    }

    private static let end = Exchange.Answer.bytes("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
    private static let text = ["Content-Type": "text/x-test"]

    static let methods: [Exchange] = [
        Exchange(
            reference: "curl#5237", what: "303 turns PUT into GET", answers: [moved(303), end], method: "PUT",
            fields: text, body: "body", outcome: .text("x"), requests: ["PUT /", "GET /b"],
            sent: ["Content-Type": nil, "Content-Length": nil]),
        Exchange(
            reference: "tornado#2918", what: "303 turns DELETE into GET", answers: [moved(303), end], method: "DELETE",
            outcome: .text("x"), requests: ["DELETE /", "GET /b"]),
        Exchange(
            reference: "requests#2590", what: "301 keeps PATCH and its content", answers: [moved(301), end],
            method: "PATCH", fields: text, body: "body", outcome: .text("x"), requests: ["PATCH /", "PATCH /b"],
            sent: ["Content-Type": "text/x-test", "Content-Length": "4"]),
        Exchange(
            reference: "cpython#124857", what: "302 keeps DELETE", answers: [moved(), end], method: "DELETE",
            outcome: .text("x"), requests: ["DELETE /", "DELETE /b"]),
        Exchange(
            reference: "cpython#124815", what: "302 keeps HEAD",
            answers: [moved(), .bytes("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n")], method: "HEAD",
            outcome: .status(200), requests: ["HEAD /", "HEAD /b"]),
        Exchange(
            reference: "follow-redirects#49", what: "302 turns POST into GET, without what describes the content",
            answers: [moved(), end], method: "POST", fields: text, body: "body", outcome: .text("x"),
            requests: ["POST /", "GET /b"],
            sent: ["Content-Type": nil, "Content-Length": nil, "Transfer-Encoding": nil]),
        Exchange(
            reference: "okhttp#2262", what: "301 turns POST into GET", answers: [moved(301), end], method: "POST",
            body: "body", outcome: .text("x"), requests: ["POST /", "GET /b"], sent: ["Content-Length": nil]),
        Exchange(
            reference: "okhttp#936", what: "307 sends a POST again", answers: [moved(307), end], method: "POST",
            fields: text, body: "body", outcome: .text("x"), requests: ["POST /", "POST /b"],
            sent: ["Content-Type": "text/x-test", "Content-Length": "4"]),
        Exchange(
            reference: "fasthttp#2358", what: "302 keeps QUERY and its content (RFC 10008, 2.5)",
            answers: [moved(), end], method: "QUERY", fields: text, body: "body", outcome: .text("x"),
            requests: ["QUERY /", "QUERY /b"],
            sent: ["Content-Type": "text/x-test", "Content-Length": "4"]),
    ]

    static let locations: [Exchange] = [
        Exchange(
            reference: "swift-corelibs-foundation#3267", what: "the field's name in lower case",
            answers: [.bytes("HTTP/1.1 302 Found\r\nlocation: /b\r\ncontent-length: 0\r\n\r\n"), end],
            outcome: .text("x"), requests: ["GET /", "GET /b"]),
        Exchange(
            reference: "human_curl#23", what: "white space around the Location",
            answers: [moved(to: "  \t /b \t "), end], outcome: .text("x"), requests: ["GET /", "GET /b"]),
        Exchange(
            reference: "php-src#23532", what: "a relative Location", answers: [moved(to: "xy"), end], paths: ["/a/b"],
            outcome: .text("x"), requests: ["GET /a/b", "GET /a/xy"]),
        Exchange(
            reference: "RxNetty#271", what: "a fragment is not sent", answers: [moved(to: "/b"), end],
            paths: ["/a#part"], outcome: .text("x"), requests: ["GET /a", "GET /b"]),
        Exchange(
            reference: "reqwest#2991", what: "bare brackets", answers: [moved(to: "/a[0]?b[]=1"), end],
            outcome: .text("x"), requests: ["GET /", "GET /a%5B0%5D?b%5B%5D=1"]),
        Exchange(
            reference: "httparty#478", what: "the same Location twice",
            answers: [moved(to: "/b\r\nLocation: /b"), end], outcome: .text("x"), requests: ["GET /", "GET /b"]),
        // Browsers refuse it, since nobody knows which one is meant; libcurl 7.88 follows the first.
        Exchange(
            reference: "curl#19130", what: "two Locations that differ",
            answers: [moved(to: "/b\r\nLocation: /c"), end],
            outcome: .any, requests: ["GET /"]),
        Exchange(
            reference: "curl#19130", what: "two Locations, the second one of another host",
            answers: [moved(to: "/b\r\nX: y\r\nLocation: http://other.test/b"), end],
            outcome: .any, requests: ["GET /"]),
        Exchange(
            reference: "curl#19130", what: "two Locations that differ in white space around them",
            answers: [moved(to: "/b\r\nLocation:   /b "), end], outcome: .text("x"), requests: ["GET /", "GET /b"]),
        Exchange(
            reference: "scrapy#4042", what: "an empty host is refused (RFC 9110, 4.2.1)",
            answers: [moved(to: "///relative/path"), end], outcome: .any, requests: ["GET /"]),
        Exchange(
            reference: "drakma#30", what: "an empty Location", answers: [moved(to: ""), end], outcome: .status(302),
            requests: ["GET /"]),
        Exchange(
            reference: "request#3016", what: "a blank Location", answers: [moved(to: " "), end], outcome: .status(302),
            requests: ["GET /"]),
        Exchange(
            reference: "req#330", what: "no Location",
            answers: [.bytes("HTTP/1.1 302 Found\r\nContent-Length: 4\r\n\r\nbody"), end], outcome: .status(302),
            requests: ["GET /"]),
    ]

    static let others: [Exchange] = [
        Exchange(
            reference: "swift-corelibs-foundation#2744", what: "300 is for the caller to choose",
            answers: [.bytes("HTTP/1.1 300 Choose\r\nLocation: /b\r\nContent-Length: 4\r\n\r\nlist"), end],
            outcome: .status(300), requests: ["GET /"]),
        Exchange(
            reference: "Codeception#3171", what: "the Location of 201 is what was made", answers: [moved(201), end],
            method: "POST", body: "body", outcome: .status(201), requests: ["POST /"]),
        Exchange(
            reference: "jsoup#736", what: "the Location of 200 means nothing",
            answers: [.bytes("HTTP/1.1 200 OK\r\nLocation: /b\r\nContent-Length: 1\r\n\r\ny")], outcome: .text("y"),
            requests: ["GET /"]),
        Exchange(
            reference: "swift-corelibs-foundation#2971", what: "20 redirects are followed",
            answers: Array(repeating: moved(), count: 20) + [end], outcome: .text("x"),
            requests: ["GET /"] + Array(repeating: "GET /b", count: 20)),
        Exchange(
            reference: "Kitura-net#270", what: "the 21st is not", answers: Array(repeating: moved(), count: 21) + [end],
            outcome: .failure(.httpTooManyRedirects), requests: ["GET /"] + Array(repeating: "GET /b", count: 20)),
        Exchange(
            reference: "faraday#171", what: "a redirect with a coding and no content",
            answers: [moved(301, to: "/b\r\nContent-Encoding: gzip"), end], outcome: .text("x"),
            requests: ["GET /", "GET /b"]),
        Exchange(
            reference: "jetty.project#266", what: "a redirect whose content is no gzip",
            answers: [
                .bytes(
                    "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Encoding: gzip\r\n"
                        + "Content-Length: 4\r\n\r\nabcd"), end,
            ], outcome: .text("x"), requests: ["GET /", "GET /b"]),
        Exchange(
            reference: "jetty.project#266", what: "a redirect whose chunks are none",
            answers: [
                .last("HTTP/1.1 302 Found\r\nLocation: /b\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nabcd\r\n"), end,
            ], outcome: .text("x"), requests: ["GET /", "GET /b"]),
        Exchange(
            reference: "amphp-http-client#332", what: "coded content behind a redirect is decoded",
            answers: [
                moved(),
                .bytes(
                    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 21\r\n\r\n"
                        + "\u{1F}\u{8B}\u{8}\u{0}\u{0}\u{0}\u{0}\u{0}\u{2}\u{3}\u{AB}\u{0}\u{0}"
                        + "\u{83}\u{16}\u{DC}\u{8C}\u{1}\u{0}\u{0}\u{0}"),
            ], outcome: .text("x"), requests: ["GET /", "GET /b"]),
    ]

    // MARK: Two servers

    /// What a server of another origin gets by a redirect from here.
    private func arrival(
        _ status: Int, method: String = "GET", body: String? = nil, fields: [String: String] = [:],
        location: (TestServer) -> String = { $0.url("/b").absoluteString }
    ) async throws -> RecordedRequest? {
        let (server, other) = (try TestServer(), try TestServer())
        other.respondToOthers { _ in .ok("x") }
        server.respondToOthers { [target = location(other)] _ in .redirect(status, to: target) }
        var request = URLRequest(url: server.url("/a"))
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        request.timeoutInterval = 5 * Patience.factor
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        let manager = HTTPRequestOperationManager(baseURL: nil)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.cookieStorage = nil
        manager.completionQueue = DispatchQueue(label: "reports")
        let operation = manager.httpRequestOperation(with: request)
        manager.enqueue(operation)
        _ = try? await operation.value()
        #expect(server.requests.count == 1 && other.requests.count <= 1)
        return other.requests.last
    }

    @Test("307 and 308 take the content to another origin (got#2459)", arguments: [307, 308])
    func contentElsewhere(status: Int) async throws {
        let request = try #require(try await arrival(status, method: "POST", body: "body"))
        #expect(request.method == "POST" && request.text == "body")
    }

    @Test("A field of the caller's that is a secret stays within the port (google-http-java-client#2181)")
    func secretsElsewhere() async throws {
        let fields = ["Authorization": "Bearer 1", "Cookie": "a=1", "Proxy-Authorization": "Basic eDp5", "X-Kept": "1"]
        let request = try #require(try await arrival(302, fields: fields))
        #expect(request["X-Kept"] == "1")
        for name in ["Authorization", "Cookie", "Proxy-Authorization"] { #expect(request[name] == nil, "\(name)") }
    }

    // Browsers and libcurl look for a host behind the third slash; RFC 9110, section 4.2.1, refuses a URL without one.
    @Test("A Location without a host leads nowhere (curl#791)")
    func threeSlashes() async throws {
        #expect(try await arrival(301) { "http:///127.0.0.1:\($0.port)/b" } == nil)
    }
}
