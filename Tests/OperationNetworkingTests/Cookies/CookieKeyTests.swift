// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// RFC 6265bis, section 5.7: name, domain and path are three things. Foundation's storage joins them.
@Suite("Cookies whose joined keys are the same", .timeLimit(.minutes(2))) struct CookieKeyTests {
    private let storage: HTTPCookieStorage
    private let site = "https://www.example.com"

    init() throws { storage = try HTTPCookieStorage.inMemory() }

    private func field(_ path: String) throws -> String? { try storage.field(for: site + path) }

    @Test(
        "Both live, in any order, and each is sent where it belongs",
        arguments: [
            ("c=1; Path=/ab", "bc=2; Path=/a", "/ab", "/a"), ("session=1; Path=/", "ession=2; Path=/s", "/", "/s"),
            ("x/y=1; Path=/", "y=2; Path=/x/", "/", "/x/"), ("=1; Path=/ab", "b=2; Path=/a", "/ab", "/a"),
            // Equal as text, and not in bytes.
            ("caf\u{E9}=1; Path=/a", "cafe\u{301}=2; Path=/a/b", "/a", "/a/b"),
        ])
    func both(first: String, second: String, firstPath: String, secondPath: String) throws {
        for pair in [[first, second], [second, first]] {
            let storage = try HTTPCookieStorage.inMemory()
            try storage.take(pair.map { Array($0.utf8) }, from: site + "/")
            let fields = try (storage.field(for: site + firstPath), storage.field(for: site + secondPath))
            #expect(fields.0?.contains("1") == true && fields.1?.contains("2") == true, "\(fields)")
            #expect(storage.allCookies.count == 2 && storage.cookies?.isEmpty == false)
            // Set again, one with another value: nothing is there twice.
            try storage.take(pair.map { Array($0.utf8) }, from: site + "/")
            try storage.take([Array(first.replacing("=1", with: "=3").utf8)], from: site + "/")
            #expect(try storage.field(for: site + firstPath)?.contains("3") == true)
            #expect(try storage.field(for: site + secondPath)?.contains("2") == true)
            #expect(storage.allCookies.count == 2)
        }
    }

    @Test("Names that are equal as text are two cookies")
    func equivalentNames() throws {
        try storage.take("caf\u{E9}=1; Path=/", "cafe\u{301}=2; Path=/", from: site)
        #expect(try field("/").map { Array($0.utf8) } == Array("caf\u{E9}=1; cafe\u{301}=2".utf8))
    }

    @Test("A server removes one, and the other stays; both from the program's own storage", arguments: [true, false])
    func removal(shownFirst: Bool) throws {
        try storage.take("c=1; Path=/ab", "bc=2; Path=/a", from: site)
        let shown = try #require(storage.cookies?.first?.name)
        let removesC = (shown == "c") == shownFirst
        try storage.take(removesC ? "c=; Path=/ab; Max-Age=0" : "bc=; Path=/a; Max-Age=0", from: site)
        #expect(try field("/ab") == (removesC ? nil : "c=1") && field("/a") == (removesC ? "bc=2" : nil))
        #expect(storage.cookies?.map(\.name) == [removesC ? "bc" : "c"] && storage.allCookies.count == 1)
    }

    @Test("What the program removes or replaces in its storage is not sent any more", arguments: ["all", "one", "own"])
    func program(what: String) throws {
        try storage.take("c=1; Path=/ab", "bc=2; Path=/a", from: site)
        let shown = try #require(storage.cookies?.first)
        switch what {
        case "all": storage.removeCookies(since: .distantPast)
        case "one": storage.deleteCookie(shown)
        default:
            storage.setCookie(
                try #require(
                    HTTPCookie(properties: [
                        .name: shown.name, .value: "own", .domain: shown.domain, .path: shown.path,
                    ])))
        }
        let fields = try [field("/ab"), field("/a")].compactMap { $0 }
        #expect(fields == (what == "own" ? ["\(shown.name)=own"] : []))
        // Nor does it come back with the next.
        try storage.take(what == "own" ? "x=1; Path=/" : "c=3; Path=/ab", from: site)
        #expect(storage.allCookies.count == (what == "own" ? 2 : 1))
        #expect(try what == "own" || field("/a") == nil)
    }

    @Test("The program's own cookie and a server's of the same joined key are both sent")
    func ownAndReceived() throws {
        storage.setCookie(
            try #require(
                HTTPCookie(properties: [.name: "c", .value: "own", .domain: "www.example.com", .path: "/ab"])))
        try storage.take("bc=2; Path=/a", from: site)
        #expect(try field("/ab") == "c=own" && field("/a") == "bc=2")
    }

    @Test("What comes over http does not get a secure one out, and the secure one is shown")
    func secure() throws {
        try storage.take("ession=evil; Path=/s", from: "http://www.example.com/s/")
        try storage.take("session=good; Secure; Path=/", from: site + "/")
        #expect(try field("/s/") == "ession=evil; session=good")
        #expect(storage.cookies?.map(\.name) == ["session"])
        try storage.take("ession=worse; Path=/s", from: "http://www.example.com/s/")
        #expect(try field("/") == "session=good" && storage.cookies?.map(\.name) == ["session"])
        try storage.take("ession=; Path=/s; Max-Age=0", from: "http://www.example.com/s/")
        #expect(try field("/s/") == "session=good")
    }

    @Test("Those that nobody sees count for the limits, and are in the file of cookies")
    func limitsAndFile() throws {
        let names = (1...60).map { String(repeating: "x", count: $0) }
        // All are "…/xxx…x" of the same length.
        try storage.take(
            names.map { Array("\($0)=1; Max-Age=1000; Path=/\(String(repeating: "x", count: 61 - $0.count))".utf8) },
            from: site)
        #expect(storage.cookies?.count == 1 && storage.allCookies.count == CookieJar.maximumPerDomain)
        let directory = try TemporaryDirectory()
        let file = CookieFile(url: directory.file("cookies.json"))
        try file.save(storage)
        let other = try HTTPCookieStorage.inMemory()
        try file.load(into: other)
        #expect(Set(other.allCookies.map(\.name)) == Set(storage.allCookies.map(\.name)))
        #expect(other.allCookies.count == CookieJar.maximumPerDomain)
    }

    @Test("A site with many domains has its own cookies to lose only")
    func siteLimit() throws {
        var jar = CookieJar([])
        func take(_ text: String, from url: String) throws {
            let location = try #require(URL(string: url).flatMap { CookieLocation($0) })
            jar.take(try #require(SetCookieField(Array(text.utf8))), from: location)
        }
        try take("session=good", from: "https://victim.example/")
        for host in 0..<80 {
            for name in 0..<50 { try take("n\(name)=1", from: "https://h\(host).evil.example/") }
        }
        jar.enforceLimits()
        #expect(jar.all.count == CookieJar.maximumCount)
        #expect(jar.all.contains { $0.name == "session" })
    }

    @Test("Many threads set, remove and send: what nobody removes is always sent")
    func threads() throws {
        let site = site
        try storage.take("c=1; Path=/ab", "stays=1; Path=/", from: site)
        let storage = storage
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<150 {
                switch thread {
                case 0: try? storage.take("bc=\(round); Path=/a", from: site)
                case 1: try? storage.take("bc=; Path=/a; Max-Age=0", from: site)
                case 2: try? storage.take("c=\(round); Path=/ab", from: site)
                case 3: try? storage.take("s=\(round); Path=/tays", from: site)
                default:
                    let field = (try? storage.field(for: site + "/ab")) ?? nil
                    #expect(field?.contains("c=") == true && field?.contains("stays=1") == true, "\(field ?? "none")")
                }
            }
        }
        #expect(Set(storage.allCookies.map(\.name)).isSuperset(of: ["c", "stays", "s"]))
    }
}
