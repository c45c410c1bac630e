// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("The jar", .timeLimit(.minutes(1))) struct CookieJarTests {
    private let storage: HTTPCookieStorage

    init() throws {
        storage = try HTTPCookieStorage.inMemory()
    }

    private let page = "https://www.example.com/dir/page"
    private let insecure = "http://www.example.com/dir/page"

    // MARK: Secure cookies are left alone

    @Test(
        "What comes over http does not come in the way of a secure cookie",
        arguments: [
            ("sid=evil", false), ("sid=evil; Domain=example.com", false), ("sid=evil; Path=/", true),
            ("sid=evil; Path=/dir", false), ("sid=evil; Path=/dir/x", false), ("sid=evil; Path=/other", true),
            ("sid=; Max-Age=0", false), ("SID=evil", true), ("other=evil", true),
        ])
    func overwriting(field: String, isTaken: Bool) throws {
        try storage.take("sid=good; Secure; Path=/dir", from: page)
        try storage.take(field, from: insecure)
        #expect(storage.cookies?.count == (isTaken ? 2 : 1))
        #expect(try storage.field(for: page)?.contains("sid=good") == true)
    }

    @Test("Nor does a value without a name that looks like a cookie", arguments: ["=sid=evil", "==evil", "=sid="])
    func nameless(field: String) throws {
        try storage.take(field, from: insecure)
        try storage.take("sid=good; Secure", "=alone", from: page)
        #expect(try storage.field(for: page) == "sid=good; alone")
    }

    @Test("Over https a secure cookie can be replaced")
    func replacing() throws {
        try storage.take("sid=1; Secure", "sid=2", from: page)
        #expect(try storage.field(for: insecure) == "sid=2")
    }

    // MARK: What Foundation shows

    @Test("Programs see what was received, and can change it")
    func face() throws {
        try storage.take("a=b; Secure; HttpOnly; SameSite=lax; Max-Age=100; Domain=example.com; Path=/x", from: page)
        let cookie = try #require(storage.cookies?.first)
        #expect(cookie.name == "a" && cookie.value == "b" && cookie.domain == ".example.com" && cookie.path == "/x")
        #expect(cookie.isSecure && cookie.isHTTPOnly && cookie.sameSitePolicy == .sameSiteLax)
        #expect(abs(try #require(cookie.expiresDate).timeIntervalSinceNow - 100) < 20)
        #expect(storage.cookies(for: try #require(URL(string: "https://example.com/x")))?.count == 1)
        storage.deleteCookie(cookie)
        #expect(try storage.field(for: "https://example.com/x") == nil)
        let own = try #require(HTTPCookie(properties: [.name: "own", .value: "1", .domain: "example.com", .path: "/"]))
        storage.setCookie(own)
        #expect(own.sameSitePolicy == nil)
        #expect(try storage.field(for: "https://example.com/x") == "own=1")
        #expect(try storage.field(for: "https://www.example.com/x") == nil)
        try storage.take("own=2; Path=/", from: "https://example.com/")
        #expect(try storage.field(for: "https://example.com/x") == "own=2")
    }

    @Test("A cookie is kept for 400 days at most")
    func longestAge() throws {
        try storage.take(
            "a=1; Max-Age=99999999999", "b=1; Expires=Fri, 31 Dec 2999 00:00:00 GMT", "c=1", from: page)
        for cookie in storage.cookies ?? [] {
            let days = cookie.expiresDate.map { $0.timeIntervalSinceNow / 86400 }
            #expect(cookie.name == "c" ? days == nil : days.map { $0 > 399 && $0 <= 400 } == true)
        }
    }

    @Test(
        "What a storage holds is checked before it is sent",
        arguments: [
            (".com", "/", "www.example.com"), (".0.0.1", "/", "127.0.0.1"), ("example.com", "/", "www.example.com"),
            (".ample.com", "/", "www.example.com"), ("www.example.com", "/dir", "www.example.com"),
        ])
    func unchecked(domain: String, path: String, host: String) throws {
        storage.setCookie(
            try #require(HTTPCookie(properties: [.name: "a", .value: "b", .domain: domain, .path: path])))
        #expect(try storage.field(for: "https://\(host)/") == nil)
    }

    @Test(
        "A cookie that cannot be sent is left out, and the others go", arguments: ["\u{1}", "\n", "\0", "\u{7F}", ";"])
    func unsendable(character: String) throws {
        for (name, value) in [("bad", "x\(character)y"), ("b\(character)ad", "x"), ("good", "1")] {
            storage.setCookie(
                try #require(
                    HTTPCookie(properties: [.name: name, .value: value, .domain: "www.example.com", .path: "/"])))
        }
        #expect(try storage.field(for: page) == "good=1")
    }

    // MARK: Limits

    @Test("Fifty cookies of a domain are kept: insecure ones go first, then those that were not used for longest")
    func domainLimit() throws {
        try storage.take("secure=1; Secure; Path=/", from: page)
        try storage.take((0..<49).map { Array("n\($0)=1; Path=/".utf8) }, from: page)
        #expect(storage.cookies?.count == 50)
        // All but the first were used just now.
        storage.cookies?.first { $0.name == "n0" }.map { storage.deleteCookie($0) }
        _ = try storage.field(for: page)
        try storage.take("n0=1; Path=/unused", "late=1; Path=/", from: page)
        #expect(storage.cookies?.count == 50)
        #expect(!storage.names.contains("n1"), "made first, and used before the others were made")
        #expect(storage.names.contains("secure") && storage.names.contains("late"))
        try storage.take("x=1", from: "https://api.example.com/")
        #expect(storage.cookies?.count == 51, "another domain has its own fifty")
    }

    @Test("Setting a cookie anew is a use of it: of fifty that were sent since they were made, another one goes")
    func domainLimitAfterUpdate() throws {
        try storage.take((0..<50).map { Array("n\($0)=1; Path=/".utf8) }, from: page)
        _ = try storage.field(for: page)
        try storage.take("n0=2; Path=/", "late=1; Path=/", from: page)
        #expect(storage.cookies?.count == 50)
        #expect(storage.cookies?.first { $0.name == "n0" }?.value == "2")
        #expect(storage.names.contains("late"))
        #expect(!storage.names.contains("n1"), "of those that were sent together the one that was made first")
    }

    @Test("A cookie that is set again as it is changes nothing in the storage")
    func repeated() throws {
        let location = try #require(URL(string: page).flatMap { CookieLocation($0) })
        let now = Date()
        func changes(in jar: inout CookieJar, _ text: String) throws -> Int {
            let field = try #require(SetCookieField(Array(text.utf8)))
            jar.take(field, from: location)
            return jar.changes.stored.count
        }
        for (first, second, count) in [
            ("a=1", "a=1", 0), ("a=1", "a=2", 1), ("a=1", "a=1; Secure", 1), ("a=1", "a=1; HttpOnly", 1),
            ("a=1", "a=1; SameSite=Lax", 1), ("a=1", "a=1; Max-Age=9", 1), ("a=1; Max-Age=9", "a=1", 1),
            ("a=1; Secure; HttpOnly; SameSite=Lax", "a=1; Secure; HttpOnly; SameSite=Lax", 0),
            ("a=1; Max-Age=9000", "a=1; Max-Age=9008", 0), ("a=1; Max-Age=9000", "a=1; Max-Age=9012", 1),
            ("a=1; Max-Age=900000", "a=1; Max-Age=899950", 0), ("a=1; Max-Age=900000", "a=1; Max-Age=900070", 1),
        ] {
            var jar = CookieJar([], now: now)
            let made = try changes(in: &jar, first)
            var later = CookieJar(jar.all, now: now)
            let changed = try changes(in: &later, second)
            #expect(made == 1 && changed == count, "\(second) after \(first)")
        }
    }

    @Test("Three thousand are kept in all")
    func limit() throws {
        let now = Date()
        var jar = CookieJar([], now: now)
        for index in 0..<3100 {
            jar.put(
                ReceivedCookie.Content(
                    name: "a", value: "b", domain: "host\(index).example", path: "/",
                    creation: CookieCreation(at: now.addingTimeInterval(Double(index)))))
        }
        jar.enforceLimits()
        let domains = Set(jar.all.map(\.domain))
        #expect(domains.count == 3000 && !domains.contains("host0.example") && domains.contains("host3099.example"))
    }

    @Test("A field is no longer than servers take, and expired cookies make room first")
    func fieldLimit() throws {
        let value = String(repeating: "v", count: 4000)
        try storage.take((0..<180).map { Array("n\($0)=\(value); Path=/; Domain=example.com".utf8) }, from: page)
        try storage.take("small=1; Path=/", from: page)
        let field = try #require(try storage.field(for: page))
        #expect(field.utf8.count <= 8190 && field.contains("small=1") && field.contains(value))
        #expect(storage.cookies?.count == 51)
    }

    // MARK: Sites

    @Test(
        "Hosts of one site have a registered name in common",
        arguments: [
            ("https://a.example.com/", "http://b.example.com/", true), ("https://a.com/", "https://b.com/", false),
            ("https://a.co.uk/", "https://b.co.uk/", false), ("https://x.a.co.uk/", "https://a.co.uk/", true),
            ("https://a.github.io/", "https://b.github.io/", false), ("http://1.2.3.4/", "http://9.2.3.4/", false),
            ("http://1.2.3.4/", "http://1.2.3.4:80/", true), ("http://localhost/", "http://LOCALHOST/", true),
        ])
    func sites(left: String, right: String, isSame: Bool) throws {
        let left = try #require(URL(string: left).flatMap { CookieLocation($0) })
        let right = try #require(URL(string: right).flatMap { CookieLocation($0) })
        #expect(left.isSameSite(as: right) == isSame && right.isSameSite(as: left) == isSame)
    }

    @Test(
        "Only http and https URLs with a host have cookies",
        arguments: ["ftp://a.example/", "file:///x", "about:blank"])
    func otherURLs(url: String) throws {
        #expect(CookieLocation(try #require(URL(string: url))) == nil)
    }
}
