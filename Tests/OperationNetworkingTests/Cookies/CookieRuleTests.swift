// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("Rules for cookies", .timeLimit(.minutes(2))) struct CookieRuleTests {
    // MARK: Dates

    @Test(
        "Dates in every form that servers use (5.1.1)",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("06 nov 1994 8:49:37", 784_111_777),
            ("1994 november 6 08:49:37", 784_111_777), ("08:49:37 06 Nov 1994", 784_111_777),
            ("Sun, 06 Nov 1994 08:49:37.123 +0200", 784_111_777), ("6,Nov/94;08:49:37", 784_111_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
            ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648), ("29 Feb 2000 00:00:00", 951_782_400),
            ("29 Feb 1900 00:00:00", nil), ("29 Feb 2100 00:00:00", nil), ("29 Feb 2024 00:00:00", 1_709_164_800),
            ("30 Feb 2000 00:00:00", nil), ("31 Apr 2000 00:00:00", nil), ("32 Jan 2000 00:00:00", nil),
            ("00 Jan 2000 00:00:00", nil), ("01 Jan 1600 00:00:00", nil), ("01 Jan 1601 00:00:00", -11_644_473_600),
            ("01 Jan 2000 24:00:00", nil), ("01 Jan 2000 00:60:00", nil), ("01 Jan 2000 00:00:60", nil),
            ("01 Jan 69 00:00:00", 3_124_224_000), ("01 Jan 70 00:00:00", 0), ("01 Jan 2000", nil),
            ("01 2000 00:00:00", nil), ("Jan 2000 00:00:00", nil), ("", nil), ("never", nil), ("0", nil),
            ("01 Jan 20000 00:00:00", nil), ("001 Jan 2000 00:00:00", nil), ("01 Jan 2000 000:00:00", nil),
            ("01 Jan 2000 0:0:0", 946_684_800), ("1st Jan 2000 00:00:00", 946_684_800),
        ])
    func dates(text: String, seconds: Int64?) {
        #expect(CookieDate.secondsSince1970(text.utf8) == seconds)
    }

    @Test("Dates are those of Foundation's calendar")
    func calendar() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "GMT"))
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        var generator = SeededRandom(seed: 11)
        for _ in 0..<2000 {
            let seconds = Int64.random(in: -11_644_473_600..<253_402_300_800, using: &generator)
            let parts = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: Double(seconds)))
            guard let year = parts.year, let month = parts.month, let day = parts.day, let hour = parts.hour,
                let minute = parts.minute, let second = parts.second
            else { continue }
            let text = "\(day) \(months[month - 1]) \(year) \(hour):\(minute):\(second)"
            #expect(CookieDate.secondsSince1970(text.utf8) == seconds, "\(text)")
        }
    }

    // MARK: Matching

    private static let alphabet = Array("ab.".utf8)

    @Test("A host matches a domain when it is equal, or ends in a dot and the domain")
    func domains() {
        var generator = SeededRandom(seed: 1)
        for _ in 0..<20000 {
            let host = Self.random(0...6, of: Self.alphabet, &generator)
            let domain = Self.random(0...4, of: Self.alphabet, &generator)
            let isEqual = host == domain
            let isBelow =
                !domain.isEmpty && host.count > domain.count && host.suffix(domain.count + 1) == [0x2E] + domain
            #expect(CookieDomain.matches(host, isAddress: false, domain) == (isEqual || isBelow))
            #expect(CookieDomain.matches(host, isAddress: true, domain) == isEqual)
        }
    }

    @Test("A path matches one that it is, or that it continues behind a slash")
    func paths() {
        var generator = SeededRandom(seed: 2)
        let alphabet = Array("a/".utf8)
        for _ in 0..<20000 {
            let path = [0x2F] + Self.random(0...6, of: alphabet, &generator)
            let cookiePath = [0x2F] + Self.random(0...4, of: alphabet, &generator)
            let text = String(decoding: path, as: UTF8.self)
            let prefix = String(decoding: cookiePath, as: UTF8.self)
            let isBelow = text.hasPrefix(prefix.hasSuffix("/") ? prefix : prefix + "/")
            #expect(CookieDomain.path(path, matches: cookiePath) == (text == prefix || isBelow))
        }
    }

    @Test("The default path of a URL matches the URL")
    func defaultPath() throws {
        var generator = SeededRandom(seed: 3)
        for _ in 0..<2000 {
            let path = String(decoding: Self.random(0...8, of: Array("a/%41".utf8), &generator), as: UTF8.self)
            guard let location = URL(string: "http://x.example/\(path)?/q").flatMap({ CookieLocation($0) }) else {
                continue
            }
            #expect(CookieDomain.path(location.path, matches: location.defaultPath))
            #expect(location.defaultPath == [0x2F] || location.defaultPath.last != 0x2F || location.path.contains(0x2F))
        }
    }

    private static func random(
        _ counts: ClosedRange<Int>, of alphabet: [UInt8], _ generator: inout SeededRandom
    ) -> [UInt8] {
        (0..<Int.random(in: counts, using: &generator)).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
    }

    // MARK: Mutations

    private static let seeds = [
        "sid=31d4d96e407aad42; Path=/; Secure; HttpOnly; SameSite=Lax; Domain=example.com; Max-Age=3600",
        "e\u{301}=\u{301}; P\u{301}ath=/; Expires=Sun, 06 Nov 2094 08:49:37 GMT", "__Host-a=b; Path=/; Secure",
        "=; Domain=.co.uk; Domain=..", "k=\u{1}v; Domain=localhost", "a=b; Max-Age=-99999999999999999999",
    ]

    @Test("Whatever bytes come, what is kept and sent obeys the rules")
    func mutations() throws {
        var generator = SeededRandom(seed: 6265)
        let locations = try [
            "http://www.example.com/a/b", "https://x.co.uk/", "https://127.0.0.1/", "http://localhost/p",
        ]
        .map { try #require(URL(string: $0)) }
        var jar = CookieJar([])
        for round in 0..<20000 {
            let bytes = Self.mutated(&generator)
            let url = locations[round % locations.count]
            let location = try #require(CookieLocation(url))
            guard let field = SetCookieField(bytes) else { continue }
            #expect(field.name.count + field.value.count <= 4096)
            guard jar.take(field, from: location) else { continue }
            if round % 500 == 0 {
                jar.enforceLimits()
                try check(jar.all)
                jar = CookieJar(jar.all)
            }
        }
        jar.enforceLimits()
        try check(jar.all)
        let storage = try HTTPCookieStorage.inMemory()
        for cookie in jar.all { storage.setCookie(cookie) }
        for url in locations {
            guard let sent = storage.cookieField(for: url) else { continue }
            let octets = sent.octets ?? Array(sent.value.utf8)
            #expect(octets.count <= 8190 && !octets.contains(where: CookieBytes.isControl))
        }
    }

    private func check(_ cookies: [HTTPCookie]) throws {
        let counts = Dictionary(grouping: cookies) { String(decoding: $0.bareDomain, as: UTF8.self) }.mapValues(\.count)
        #expect(counts.values.allSatisfy { $0 <= CookieJar.maximumPerDomain })
        let domains: Set = [
            "www.example.com", ".www.example.com", ".example.com", "x.co.uk", ".x.co.uk", "127.0.0.1", "localhost",
        ]
        for cookie in cookies {
            #expect(domains.contains(cookie.domain), "\(cookie.domain)")
            #expect(cookie.path.utf8.first == 0x2F && cookie.pair != nil)
            #expect(!cookie.isSecure || cookie.domain.hasSuffix("x.co.uk") || cookie.domain == "127.0.0.1")
            #expect(cookie.expiresDate.map { $0.timeIntervalSinceNow <= 400 * 86400 + 1 } ?? true)
        }
    }

    private static func mutated(_ generator: inout SeededRandom) -> [UInt8] {
        var bytes = Array((seeds.randomElement(using: &generator) ?? "").utf8)
        let special = Array("=;,. \t/-_\0\u{1}\u{7F}aZ9\u{301}".utf8) + [0xFF, 0xC0, 0xE2]
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
            let index = Int.random(in: 0...bytes.count, using: &generator)
            let byte = special.randomElement(using: &generator) ?? 0
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes.insert(byte, at: index)
            case 1 where index < bytes.count: bytes[index] = byte
            case 2 where index < bytes.count: bytes.remove(at: index)
            default:
                let other = Array((seeds.randomElement(using: &generator) ?? "").utf8)
                bytes.insert(contentsOf: other.prefix(Int.random(in: 0...other.count, using: &generator)), at: index)
            }
        }
        return bytes
    }
}
