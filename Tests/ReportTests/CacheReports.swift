// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

/// The cache, as public reports about other clients have it.
@Suite("Reports: cache", .timeLimit(.minutes(2))) struct CacheReports {
    /// A response with one field more and one byte of content.
    private static func ok(_ fields: String, _ content: Character = "a") -> Exchange.Answer {
        .bytes("HTTP/1.1 200 OK\r\n\(fields)\r\nContent-Length: 1\r\n\r\n\(content)")
    }

    private static func unchanged(_ fields: String...) -> Exchange.Answer {
        .bytes("HTTP/1.1 304 Not Modified\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n")
    }

    /// What is no longer asked for when the first response is used.
    private static let other = ok("Cache-Control: no-store", "b")

    // A URL's fragment is not sent, and no part of what is looked up: it says which of the requests this is.

    /// Sets a field to the fragment.
    private static func fragment(to name: String) -> @Sendable (inout URLRequest) -> Void {
        return { $0.setValue($0.url?.fragment, forHTTPHeaderField: name) }
    }

    /// Sets a field of the requests that have a fragment.
    private static func marked(_ name: String, _ value: String) -> @Sendable (inout URLRequest) -> Void {
        return { if $0.url?.fragment != nil { $0.setValue(value, forHTTPHeaderField: name) } }
    }

    private static let posting: @Sendable (inout URLRequest) -> Void = {
        if $0.url?.fragment != nil { $0.httpMethod = "POST" }
    }

    private static let once = ["GET /"]
    private static let twice = ["GET /", "GET /"]

    // MARK: How long a response is fresh

    /// RFC 9111, sections 4.2.1, 5.2 and 5.3.
    static let freshness: [Exchange] = [
        Exchange(
            reference: "hishel#400", what: "s-maxage says nothing to a private cache",
            answers: [ok("Cache-Control: s-maxage=0, max-age=60"), other], paths: ["/", "/"], outcome: .text("a"),
            requests: once),
        Exchange(
            reference: "http-core#128", what: "a number in quotes is that number",
            answers: [ok("Cache-Control: max-age=\"3600\""), other], paths: ["/", "/"], outcome: .text("a"),
            requests: once),
        Exchange(
            reference: "zaproxy#4924", what: "no blank behind the comma",
            answers: [ok("Cache-Control: max-age=7776000,private"), other], paths: ["/", "/"], outcome: .text("a"),
            requests: once),
        Exchange(
            reference: "ballerina-library#6765", what: "a number with a fraction is none: stale",
            answers: [ok("Cache-Control: max-age=23.45"), other], paths: ["/", "/"], outcome: .text("b"),
            requests: twice),
        Exchange(
            reference: "trafficserver#7260", what: "a negative number is none: stale, whatever Last-Modified says",
            answers: [
                ok("Cache-Control: max-age=-1\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT"), unchanged(),
            ], paths: ["/", "/"], outcome: .text("a"), requests: twice,
            sent: ["If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"]),
        Exchange(
            reference: "cache-tests#92", what: "of two numbers the first counts, or neither",
            answers: [ok("Cache-Control: max-age=0, max-age=3600\r\nETag: \"x\""), unchanged()], paths: ["/", "/"],
            outcome: .text("a"), requests: twice, sent: ["If-None-Match": "\"x\""]),
        Exchange(
            reference: "methanol#68", what: "Expires: 0 is in the past, whatever Last-Modified says",
            answers: [ok("Expires: 0\r\nLast-Modified: Sun, 06 Nov 1994 08:49:37 GMT"), unchanged()],
            paths: ["/", "/"], outcome: .text("a"), requests: twice,
            sent: ["If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"]),
        Exchange(
            reference: "axios-cache-interceptor#253", what: "max-age=0 is a lifetime, of no length",
            answers: [ok("Cache-Control: max-age=0, public\r\nETag: \"x\""), unchanged()], paths: ["/", "/"],
            outcome: .text("a"), requests: twice, sent: ["If-None-Match": "\"x\""]),
    ]

    // MARK: What the request says

    /// RFC 9111, sections 5.2.1 and 5.2.2.2; RFC 5861.
    static let directives: [Exchange] = [
        Exchange(
            reference: "undici#5504", what: "a request with max-age=0 asks whether a fresh response is still right",
            answers: [ok("Cache-Control: max-age=60\r\nETag: \"x\""), unchanged()], paths: ["/", "/#again"],
            change: marked("Cache-Control", "max-age=0"), outcome: .text("a"), requests: twice,
            sent: ["If-None-Match": "\"x\""]),
        Exchange(
            reference: "undici#5508", what: "must-revalidate counts more than the request's max-stale",
            answers: [ok("Cache-Control: max-age=1, must-revalidate\r\nAge: 10\r\nETag: \"x\""), unchanged()],
            paths: ["/", "/#again"], change: marked("Cache-Control", "max-stale=600"), outcome: .text("a"),
            requests: twice, sent: ["If-None-Match": "\"x\""]),
        Exchange(
            reference: "cache-tests#183", what: "max-stale without a number takes what is stale for ever so long",
            answers: [ok("Cache-Control: max-age=1\r\nAge: 5000"), other], paths: ["/", "/#again"],
            change: marked("Cache-Control", "max-stale"), outcome: .text("a"), requests: once),
        Exchange(
            reference: "cache-tests#183", what: "max-stale with a number takes nothing that is staler",
            answers: [ok("Cache-Control: max-age=1\r\nAge: 5000"), other], paths: ["/", "/#again"],
            change: marked("Cache-Control", "max-stale=10"), outcome: .text("b"), requests: twice),
        Exchange(
            reference: "okhttp#6866", what: "only-if-cached with max-stale takes what would have to be validated",
            answers: [ok("Cache-Control: max-age=0\r\nETag: \"x\""), other], paths: ["/", "/#again"],
            change: marked("Cache-Control", "only-if-cached, max-stale=7776000"), outcome: .text("a"),
            requests: once),
        Exchange(
            reference: "okhttp#2897", what: "only-if-cached takes a fresh response, be it with an entity tag",
            answers: [ok("Cache-Control: max-age=300\r\nETag: \"x\""), other], paths: ["/", "/#again"],
            change: marked("Cache-Control", "only-if-cached"), outcome: .text("a"), requests: once),
        // RFC 9111 has a cache answer 504, as a server does; here nobody answers.
        Exchange(
            reference: "okhttp#3750", what: "only-if-cached where nothing is stored is an error, and no request",
            answers: [other], fields: ["Cache-Control": "only-if-cached"], outcome: .failure(.resourceUnavailable),
            requests: []),
        Exchange(
            reference: "undici#5507", what: "stale-if-error counts where the server does not answer, too",
            answers: [
                ok("Cache-Control: max-age=1, stale-if-error=60\r\nAge: 10"), .scripted(.script([.close])),
            ], paths: ["/", "/"], outcome: .text("a")),
        Exchange(
            reference: "undici#5511", what: "must-revalidate counts more than stale-if-error",
            answers: [
                ok("Cache-Control: max-age=1, stale-if-error=60, must-revalidate\r\nAge: 10"),
                .bytes("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"),
            ], paths: ["/", "/"], outcome: .status(503), requests: twice),
        Exchange(
            reference: "undici#4471", what: "stale-while-revalidate: the stale response is the result, at once",
            answers: [ok("Cache-Control: max-age=1, stale-while-revalidate=600\r\nAge: 10"), .scripted(.stalled())],
            paths: ["/", "/"], outcome: .text("a")),
    ]

    // MARK: Validation

    /// RFC 9111, sections 3.2 and 4.3.
    static let validation: [Exchange] = [
        Exchange(
            reference: "requests-cache#464", what: "a 304 makes the stored response fresh again",
            answers: [
                ok("Cache-Control: max-age=60\r\nAge: 100\r\nETag: \"x\""), unchanged("Cache-Control: max-age=60"),
                other,
            ], paths: ["/", "/", "/"], outcome: .text("a"), requests: twice),
        Exchange(
            reference: "nab#427", what: "a 304 without Cache-Control leaves the stored one, and its lifetime",
            answers: [ok("Cache-Control: max-age=60\r\nAge: 100\r\nETag: \"x\""), unchanged(), other],
            paths: ["/", "/", "/"], outcome: .text("a"), requests: twice,
            received: ["Cache-Control": "max-age=60"]),
        Exchange(
            reference: "faraday-http-cache#82", what: "a 304 with no-cache has the next request validate, too",
            answers: [
                ok("Cache-Control: max-age=60\r\nAge: 100\r\nETag: \"x\""), unchanged("Cache-Control: no-cache"),
            ], paths: ["/", "/", "/"], outcome: .text("a"), requests: ["GET /", "GET /", "GET /"],
            sent: ["If-None-Match": "\"x\""]),
        Exchange(
            reference: "hishel#239", what: "a new response to a validation takes the old one's place",
            answers: [
                ok("Cache-Control: max-age=60\r\nAge: 100\r\nETag: \"x\""), ok("Cache-Control: max-age=60", "c"),
                other,
            ], paths: ["/", "/", "/"], outcome: .text("c"), requests: twice),
        Exchange(
            reference: "okhttp#3700", what: "a 304 with Content-Encoding does not make stored content coded",
            answers: [
                ok("Cache-Control: max-age=60\r\nAge: 100\r\nETag: \"x\""), unchanged("Content-Encoding: gzip"),
                other,
            ], paths: ["/", "/", "/"], outcome: .text("a"), requests: twice),
        Exchange(
            reference: "httpcomponents-client#250", what: "a 304 with Content-Length: 0 does not empty the content",
            answers: [
                .bytes(
                    "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nAge: 100\r\nETag: \"x\"\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
                unchanged("Content-Length: 0"), other,
            ], paths: ["/", "/", "/"], outcome: .text("abc"), requests: twice),
        // Section 3.2: whatever field the 304 has, but for those that say how the content was coded.
        Exchange(
            reference: "okhttp#3265", what: "a 304 with another Content-Type changes it",
            answers: [
                ok("Cache-Control: max-age=0\r\nETag: \"x\"\r\nContent-Type: application/json"),
                unchanged("Content-Type: text/plain"),
            ], paths: ["/", "/"], outcome: .text("a"), requests: twice, received: ["Content-Type": "text/plain"]),
        Exchange(
            reference: "okhttp#2310", what: "content behind a 304 is not the beginning of the next response",
            answers: [
                ok("Cache-Control: max-age=0\r\nETag: \"x\""),
                .bytes("HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\nContent-Length: 9\r\n\r\nunchanged"),
            ], paths: ["/", "/", "/"], outcome: .text("a"), requests: ["GET /", "GET /", "GET /"]),
    ]

    // MARK: Whose a response is

    /// RFC 9111, sections 3.5, 4.1 and 4.4.
    static let choice: [Exchange] = [
        Exchange(
            reference: "httpcache#4", what: "Vary names fields of the request; both responses stay",
            answers: [
                ok("Cache-Control: max-age=60\r\nVary: X-Kind"), ok("Cache-Control: max-age=60\r\nVary: X-Kind", "c"),
                other,
            ], paths: ["/#1", "/#2", "/#1"], change: fragment(to: "X-Kind"), outcome: .text("a"), requests: twice),
        Exchange(
            reference: "undici-cache-redis#53", what: "a field that neither request has is the same in both",
            answers: [ok("Cache-Control: max-age=60\r\nVary: X-Kind"), other], paths: ["/", "/"],
            outcome: .text("a"), requests: once),
        Exchange(
            reference: "undici-cache-redis#53", what: "a field that only one request has is not",
            answers: [ok("Cache-Control: max-age=60\r\nVary: X-Kind"), other], paths: ["/", "/#1"],
            change: fragment(to: "X-Kind"), outcome: .text("b"), requests: twice),
        Exchange(
            reference: "cache-tests#59", what: "a star among names is a star",
            answers: [ok("Cache-Control: max-age=60\r\nVary: X-Kind, *"), other], paths: ["/", "/"],
            outcome: .text("b"), requests: twice),
        Exchange(
            reference: "okhttp#947", what: "Vary: Accept-Encoding, which the library sets itself",
            answers: [ok("Cache-Control: max-age=60\r\nVary: Accept-Encoding"), other], paths: ["/", "/"],
            outcome: .text("a"), requests: once),
        Exchange(
            reference: "Meziantou.Framework#2843", what: "a private cache keeps what a request with a token brought",
            answers: [ok("Cache-Control: max-age=3600"), other], paths: ["/", "/"],
            fields: ["Authorization": "Bearer 1"], outcome: .text("a"), requests: once),
        Exchange(
            reference: "jonbaldie/varnish#38", what: "and gives it to nobody with another token",
            answers: [ok("Cache-Control: max-age=3600"), other], paths: ["/#1", "/#2"],
            change: fragment(to: "Authorization"), outcome: .text("b"), requests: twice),
        Exchange(
            reference: "squid#528", what: "content without its last chunk is not kept",
            answers: [
                .last("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n"),
                other,
            ], paths: ["/", "/"], outcome: .text("b")),
        Exchange(
            reference: "artifact-keeper#1913", what: "content that is shorter than its length is not kept",
            answers: [.last("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 9\r\n\r\na"), other],
            paths: ["/", "/"], outcome: .text("b")),
        Exchange(
            reference: "cachecontrol#461", what: "a POST ends what is stored of its URL",
            answers: [ok("Cache-Control: max-age=60"), ok("X-Kind: 1", "p"), ok("Cache-Control: max-age=60", "c")],
            paths: ["/", "/#post", "/"], change: posting, outcome: .text("c"), requests: ["GET /", "POST /", "GET /"]),
        Exchange(
            reference: "trafficserver#7839", what: "a POST that fails does not (section 4.4: no error status)",
            answers: [
                ok("Cache-Control: max-age=60"), .bytes("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"), other,
            ], paths: ["/", "/#post", "/"], change: posting, outcome: .text("a"), requests: ["GET /", "POST /"]),
        Exchange(
            reference: "undici#5509", what: "a POST ends what is stored of the URL in Location",
            answers: [
                ok("Cache-Control: max-age=60"),
                .bytes("HTTP/1.1 201 Created\r\nLocation: /target\r\nContent-Length: 0\r\n\r\n"),
                ok("Cache-Control: max-age=60", "c"),
            ], paths: ["/target", "/#post", "/target"], change: posting, outcome: .text("c"),
            requests: ["GET /target", "POST /", "GET /target"]),
    ]

    @Test("Exchanges", arguments: freshness + directives + validation + choice)
    func exchange(_ exchange: Exchange) async throws { try await exchange.run() }
}
