// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

/// Cookies, as public reports about other clients, and the suites of browsers, have them.
@Suite("Reports: cookies", .timeLimit(.minutes(2))) struct CookieReports {
    @Test("Names, values and what is around them", arguments: pairs)
    func pair(_ exchange: Exchange) async throws { try await exchange.run() }

    @Test("Lifetimes", arguments: lifetimes)
    func lifetime(_ exchange: Exchange) async throws { try await exchange.run() }

    @Test("Domains and paths", arguments: places)
    func place(_ exchange: Exchange) async throws { try await exchange.run() }

    @Test("Redirects, and fields of the caller's", arguments: requests)
    func request(_ exchange: Exchange) async throws { try await exchange.run() }

    /// A response that sets cookies, and the `Cookie` field of the next request.
    private static func cookies(
        _ reference: String, _ what: String, _ fields: String..., from first: String = "/", to second: String = "/",
        send sent: String?
    ) -> Exchange {
        Exchange(
            reference: reference, what: what, answers: [setting(fields), .bytes(ok)], paths: [first, second],
            outcome: .text("x"), sent: ["Cookie": sent])
    }

    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx"

    private static func setting(_ fields: [String], status: String = "200 OK", more: String = "") -> Exchange.Answer {
        let lines = fields.map { "Set-Cookie: \($0)\r\n" }.joined()
        return .bytes("HTTP/1.1 \(status)\r\n\(lines)\(more)Content-Length: 0\r\n\r\n")
    }

    static let pairs: [Exchange] = [
        cookies("nmap#1170", "quotes are part of the value", "aaa=\"b\\\"bb\"", send: "aaa=\"b\\\"bb\""),
        cookies("isahc#288", "a value of two quotes", "a=\"\"", send: "a=\"\""),
        cookies("okhttp#6729", "a value of one quote", "a=\"", send: "a=\""),
        cookies("okhttp#4636", "a comma in a value", "a=b,c", "d=e", send: "a=b,c; d=e"),
        cookies(
            "set-cookie-parser#73", "two cookies in one line are one", "a=1; Path=/; SameSite=Strict, b=2; Path=/",
            send: "a=1"),
        cookies("superagent#174", "a semicolon at the end", "a=b; Path=/;", send: "a=b"),
        cookies("httparty#218", "equals signs in a value", "a=b=c==", send: "a=b=c=="),
        cookies("brpc#2575", "several lines", "a=b;", "c=d;", send: "a=b; c=d"),
        cookies("http-extensions#2963", "an empty name", "=hej", send: "hej"),
        cookies("http-extensions#1018", "no equals sign", "token", send: "token"),
        cookies("http-extensions#1018", "neither name nor value", "a=1", "=", "", " ", "; x", send: "a=1"),
        cookies("http-extensions#1144", "a name without a value", "a=", send: "a="),
        cookies("http-extensions#1136", "a semicolon in quotes ends the pair", "\"foo;bar\"=baz", send: "\"foo"),
        // RFC 6265bis takes it, the Cookie Store API refuses it; so does this library.
        cookies("http-extensions#1210", "a value alone that looks like a cookie", "a=1", "=b=2", send: "a=1"),
        cookies("ladybird#7836", "UTF-8 in a value goes back as it came", "a=\u{C3}\u{A9}", send: "a=\u{E9}"),
        // A draft's prefix, against scripts, of which there are none here.
        cookies("http-extensions#3110", "__Http- is a name", "a=1", "__Http-b=2; Path=/", send: "a=1; __Http-b=2"),
        cookies(
            "curl#3554", "__Secure- and __Host- over http", "a=1", "__Secure-b=2", "__Host-c=3; Path=/", send: "a=1"),
        // Browsers and libcurl take this machine for secure; this library does not, as its documentation says.
        cookies("curl#6733", "Secure over http from this machine", "a=1", "b=2; Secure", send: "a=1"),
        cookies(
            "wpt/cookies/attributes/invalid.html", "what only looks like Secure", "a=1; \"Secure\"", "b=2; Secure x",
            send: "a=1; b=2"),
    ]

    static let lifetimes: [Exchange] = [
        cookies("curl#9930", "a negative Max-Age removes", "a=1", "b=2", "a=; Max-Age=-1", send: "b=2"),
        cookies("JuliaWeb-HTTP.jl#1357", "Max-Age 0 removes", "a=1", "b=2", "a=; Max-Age=0", send: "b=2"),
        cookies("fasthttp#2405", "Max-Age 0 counts before Expires", "a=1; Max-Age=0; Expires=\(future)", send: nil),
        cookies(
            "yada#325", "Max-Age counts before an Expires that is over", "a=1; Expires=\(past); Max-Age=60",
            send: "a=1"),
        cookies("tough-cookie#455", "the beginning of 1970 is over", "a=1", "a=2; Expires=\(past)", send: nil),
        cookies("jdk#30341", "an Expires that is no date", "a=1; Expires=soon", "b=2; Expires=0", send: "a=1; b=2"),
        cookies("curl#697", "a month of digits is no date", "a=1; Expires=Tue, 03-05-2013 00:00:00 GMT", send: "a=1"),
        cookies("CGI.pm#268", "attributes after Expires", "a=1; Expires=\(future); Max-Age=0; Path=/", send: nil),
        cookies(
            "wpt/cookies/attributes/expires.html", "the month before the day, and a zone", "a=1",
            "a=2; Expires=Thu Apr 10 1980 16:33:12 GMT-0700 (Pacific Daylight Time)", send: nil),
        cookies(
            "wpt/cookies/attributes/max-age.html", "a Max-Age that is no number", "a=1; Max-Age=50,399",
            "b=2; Max-Age=2.63,", send: "a=1; b=2"),
        cookies(
            "mojo#969", "removed and set in one response", "s=deleted; Max-Age=0", "s=new; Max-Age=60", send: "s=new"),
    ]

    private static let past = "Thu, 01-Jan-1970 00:00:00 GMT"
    private static let future = "Fri, 31 Dec 2100 23:59:59 GMT"

    static let places: [Exchange] = [
        cookies("golang-go#12610", "Domain is the address", "a=1; Domain=127.0.0.1", send: "a=1"),
        cookies("fatfree#31", "Domain is the address with a dot before it", "a=1; Domain=.127.0.0.1", send: "a=1"),
        cookies("obscura#1053", "Domain is the end of the address", "a=1", "b=2; Domain=0.0.1", send: "a=1"),
        cookies("http-extensions#1707", "Domain is not ASCII", "a=1", "b=2; Domain=127.0.0.1\u{E9}", send: "a=1"),
        cookies(
            "tough-cookie#111", "a path with a slash", "a=1; Path=/cas/", from: "/cas/", to: "/cas/", send: "a=1"),
        cookies(
            "okhttp#2737", "a path in quotes is none", "a=1; Path=\"/foo\"", from: "/foo/b/c", to: "/foo/b/d",
            send: "a=1"),
        cookies(
            "http-extensions#1351", "a path with an escape is not decoded", "a=1; Path=/f%6Fo", "b=2; Path=/",
            to: "/foo", send: "b=2"),
        cookies("mule#766", "an escape in the path", "a=1", from: "/a%20b/c", to: "/a%20b/d", send: "a=1"),
        cookies("wpt#62165", "an own path with an escape", "a=1; Path=/a%20b", to: "/a%20b/c", send: "a=1"),
        cookies("wpt#62165", "a space in the path", "a=1; Path=/a b", "b=2; Path=/", to: "/a%20b", send: "b=2"),
        cookies(
            "wpt#62165", "a path that is not ASCII, overridden", "a=1; Path=/\u{E9}; Path=/b", to: "/b", send: "a=1"),
        cookies("wpt#62165", "a path that is not ASCII", "a=1; Path=/b; Path=/\u{E9}", "c=2", to: "/b", send: "c=2"),
        cookies("wpt#62165", "the request's path with a slash", "a=1; Path=/b/", "c=2; Path=/", to: "/b", send: "c=2"),
        cookies("wpt#62165", "a part of a segment", "a=1; Path=/ec", "c=2; Path=/", to: "/echo", send: "c=2"),
    ]

    static let requests: [Exchange] = [
        Exchange(
            reference: "got#58", what: "the cookie of a redirect goes with the request that follows it",
            answers: [setting(["a=1"], status: "302 Found", more: "Location: /b\r\n"), .bytes(ok)], outcome: .text("x"),
            requests: ["GET /", "GET /b"], sent: ["Cookie": "a=1"]),
        Exchange(
            reference: "request#1502", what: "the cookies of several redirects",
            answers: [
                setting(["a=1"], status: "302 Found", more: "Location: /b\r\n"),
                setting(["c=2", "a=; Max-Age=0"], status: "303 See Other", more: "Location: /c\r\n"), .bytes(ok),
            ], outcome: .text("x"), requests: ["GET /", "GET /b", "GET /c"], sent: ["Cookie": "c=2"]),
        Exchange(
            reference: "mojo#969", what: "a redirect that removes and sets a cookie for its target",
            answers: [
                setting(
                    ["s=deleted; Expires=\(past); Max-Age=0; Path=/", "s=new; Path=/admin; HttpOnly"],
                    status: "302 Found", more: "Location: /admin/\r\n"), .bytes(ok),
            ], outcome: .text("x"), requests: ["GET /", "GET /admin/"], sent: ["Cookie": "s=new"]),
        Exchange(
            reference: "okhttp#4282", what: "the caller's field goes as it is, without the storage's cookies",
            answers: [.bytes(ok)], fields: ["Cookie": "own=1"],
            configure: { manager in
                let cookie = HTTPCookie(properties: [.name: "a", .value: "1", .domain: "127.0.0.1", .path: "/"])
                if let cookie { manager.cookieStorage?.setCookie(cookie) }
            },
            outcome: .text("x"), sent: ["Cookie": "own=1"]),
        Exchange(
            reference: "amphp-http-client#166", what: "the caller's field, with an empty storage",
            answers: [.bytes(ok)],
            fields: ["Cookie": "own=1"], outcome: .text("x"), sent: ["Cookie": "own=1"]),
        Exchange(
            reference: "requests#2416", what: "the caller's field goes along within the origin",
            answers: [
                .bytes("HTTP/1.1 301 Moved\r\nLocation: /b/\r\nContent-Length: 0\r\n\r\n"), .bytes(ok),
            ], fields: ["Cookie": "own=1"], outcome: .text("x"), requests: ["GET /", "GET /b/"],
            sent: ["Cookie": "own=1"]),
        Exchange(
            reference: "aria2#1481", what: "the caller's field stays when the redirect sets a cookie",
            answers: [setting(["a=1"], status: "302 Found", more: "Location: /b\r\n"), .bytes(ok)],
            fields: ["Cookie": "own=1"], outcome: .text("x"), requests: ["GET /", "GET /b"], sent: ["Cookie": "own=1"]),
        Exchange(
            reference: "swift-corelibs-foundation#1676", what: "httpShouldHandleCookies is false: none are taken",
            answers: [setting(["a=1"]), .bytes(ok)], paths: ["/", "/"], change: { $0.httpShouldHandleCookies = false },
            outcome: .text("x"), sent: ["Cookie": nil]),
    ]
}
