// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingTransport
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("Rules of the cache", .timeLimit(.minutes(1))) struct CacheRuleTests {
    static func head(_ fields: String..., status: Int = 200) -> ResponseHead {
        ResponseHead(
            statusCode: status, httpVersion: "1.1", rawFields: Array(fields.map { $0 + "\r\n" }.joined().utf8))
    }

    private static func control(_ value: String) -> CacheControl { CacheControl(head("Cache-Control: " + value)) }

    private static func stored(_ head: ResponseHead, at time: Double = 1000) -> StoredResponse {
        StoredResponse(head: head, content: Data("x".utf8), requestTime: time, responseTime: time)
    }

    // MARK: Dates

    @Test(
        "A leap second is the second after it, in all three formats, and in no cookie",
        arguments: [
            ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800), ("Saturday, 31-Dec-16 23:59:60 GMT", 1_483_228_800),
            ("Sat Dec 31 23:59:60 2016", 1_483_228_800), ("Sun, 06 Nov 1994 08:49:60 GMT", 784_111_800),
        ] as [(String, Double)])
    func leapSecond(text: String, seconds: Double) {
        #expect(HTTPDate.seconds(Array(text.utf8)) == seconds)
        #expect(CookieDate.secondsSince1970(text.utf8) == nil)
        let fields = "Date: Sat, 31 Dec 2016 23:59:60 GMT\r\nRetry-After: \(text)\r\n"
        let head = ResponseHead(statusCode: 503, httpVersion: "1.1", rawFields: Array(fields.utf8))
        #expect(RetryAfter.seconds(of: head, now: Date()) == max(0, seconds - 1_483_228_800))
        let present = "Date: Sat, 31 Dec 2016 23:59:30 GMT\r\nRetry-After: \(text)\r\n"
        let later = ResponseHead(statusCode: 503, httpVersion: "1.1", rawFields: Array(present.utf8))
        #expect(RetryAfter.seconds(of: later, now: Date()) == max(0, seconds - 1_483_228_770))
    }

    @Test("Expires, Date and Last-Modified may have a leap second")
    func leapSecondFields() {
        func freshness(_ fields: String) -> Freshness {
            let response = StoredResponse(
                head: ResponseHead(statusCode: 200, httpVersion: "1.1", rawFields: Array(fields.utf8)), content: Data(),
                requestTime: 1_483_228_800, responseTime: 1_483_228_800)
            return Freshness(response, CacheControl(response.head), at: 1_483_228_800)
        }
        let leap = "Sat, 31 Dec 2016 23:59:60 GMT"
        #expect(freshness("Date: Sat, 31 Dec 2016 23:59:00 GMT\r\nExpires: \(leap)\r\n").lifetime == 60)
        #expect(freshness("Date: \(leap)\r\nExpires: Sun, 01 Jan 2017 00:01:40 GMT\r\n").lifetime == 100)
        #expect(freshness("Date: Sun, 01 Jan 2017 00:16:40 GMT\r\nLast-Modified: \(leap)\r\n").lifetime == 100)
    }

    @Test("Dates in all three formats, and what is none")
    func dates() {
        let days = [0, 1, 58, 59, 60, 364, 365, 11_016, 11_017, 19_782, 47_541]
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        for day in days {
            let seconds = Double(day * 86_400 + 3_723)
            for format in ["EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEE MMM d HH:mm:ss yyyy"] {
                formatter.dateFormat = format
                let text = formatter.string(from: Date(timeIntervalSince1970: seconds))
                #expect(HTTPDate.seconds(Array(text.utf8)) == seconds, "\(text)")
            }
        }
        #expect(HTTPDate.seconds(Array("Sunday, 06-Nov-94 08:49:37 GMT".utf8)) == 784_111_777)
        #expect(HTTPDate.seconds(Array("sun, 06 nov 1994 08:49:37 gmt".utf8)) == 784_111_777)
        for text in [
            "", "0", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
            "Sun, 06 Xov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 EST", "Sun, 0x Nov 1994 08:49:37 GMT",
        ] {
            #expect(HTTPDate.seconds(Array(text.utf8)) == nil, "\(text)")
        }
    }

    // MARK: Cache-Control

    @Test("Directives are read, whatever their case, order and neighbours")
    func directives() {
        let control = Self.control(
            "Max-Age=\"60\", NO-CACHE=\"Set-Cookie, a b,X\" ,private=\"y\",must-revalidate, stale-if-error=5,"
                + " stale-while-revalidate=6, immutable, public, x=\"no-store\", ,;, must-understand")
        #expect(control.maxAge == 60)
        #expect(control.noCacheFields == [Array("set-cookie".utf8), Array("x".utf8)])
        #expect(!control.noCache && !control.noStore)
        #expect(control.isPrivate && control.mustRevalidate && control.isImmutable && control.isPublic)
        #expect(control.mustUnderstand)
        #expect(control.staleIfError == 5 && control.staleWhileRevalidate == 6)
        #expect(Self.control("no-cache=\"\"").noCache)
        #expect(CacheControl(Self.head("Cache-Control: max-age=1", "Cache-Control: no-store")).noStore)
        var request = URLRequest(url: URL(fileURLWithPath: "/"))
        request.setValue("max-stale, min-fresh=3, only-if-cached", forHTTPHeaderField: "Cache-Control")
        #expect(CacheControl(request).maxStale == .max)
        #expect(CacheControl(request).minFresh == 3)
        #expect(CacheControl(request).onlyIfCached)
    }

    @Test("Where a comma is missing, what restricts counts, and nothing else")
    func missingComma() {
        let one = Self.control("max-age=100, no-store private")
        #expect(one.maxAge == 100 && one.noStore && one.isPrivate)
        let another = Self.control("max-age=100 must-revalidate public immutable, stale-if-error=5")
        #expect(another.maxAge == 0 && another.mustRevalidate && another.staleIfError == 5)
        #expect(!another.isPublic && !another.isImmutable)
        #expect(Self.control("no-cache;max-age=100").noCache)
        #expect(Self.control("@ no-store").noStore)
        #expect(!Self.control("x = \"no-store\", max-age=1").noStore)
    }

    @Test(
        "A number that is none, or too large for one, does not make a response fresh for long, or stops the program",
        arguments: [
            ("max-age=", 0), ("max-age=-1", 0), ("max-age=1.5", 0), ("max-age=0x10", 0), ("max-age=1e3", 0),
            ("max-age=\u{661}", 0), ("max-age=9223372036854775808", 1 << 31), ("max-age=4294967297", 1 << 31),
            ("max-age=\"12", 12), ("max-age", 0),
        ] as [(String, Int64)])
    func numbers(value: String, expected: Int64) {
        #expect(Self.control(value).maxAge == expected)
        #expect(
            Self.control(value.replacingOccurrences(of: "max-age", with: "stale-if-error")).staleIfError == expected)
    }

    @Test("Fields of absurd length say that nothing is stored, in linear time")
    func long() {
        #expect(Self.control(String(repeating: "a,", count: 100_000)).noStore)
        #expect(Self.control(String(repeating: "a,", count: 1000)).noStore)
        #expect(Self.control("max-age=5, x=\"" + String(repeating: "\\\"", count: 50_000)).noStore)
        let combining = "max-age=5, e" + String(repeating: "\u{301}", count: 3000)
        #expect(Self.control(combining).maxAge == 5)
        #expect(StoredResponse.selectingNames(of: Self.head("Vary: " + String(repeating: "a,", count: 5000))) == nil)
        #expect(StoredResponse.selectingNames(of: Self.head("Vary: e\u{301}")) == nil)
        #expect(StoredResponse.selectingNames(of: Self.head("Vary: B, a, b", "Vary: C")) == ["a", "b", "c"])
    }

    // MARK: Freshness

    @Test("Age is what the field says, or the clocks, and goes on")
    func age() {
        func age(_ fields: String..., now: Double, delay: Double = 0) -> Double {
            var stored = Self.stored(
                ResponseHead(
                    statusCode: 200, httpVersion: "1.1",
                    rawFields: Array(fields.map { $0 + "\r\n" }.joined().utf8)))
            stored.requestTime -= delay
            return Freshness(stored, CacheControl(stored.head), at: now).age
        }
        #expect(age(now: 1000) == 0)
        #expect(age(now: 1007, delay: 2) == 9)
        #expect(age("Age: 30", now: 1007, delay: 2) == 39)
        #expect(age("Date: Thu, 01 Jan 1970 00:15:00 GMT", now: 1001) == 101)
        #expect(age("Date: Thu, 01 Jan 2099 00:15:00 GMT", now: 1001) == 1)
        #expect(age("Age: 99999999999999999999", now: 1000) == Double(1 << 31))
        #expect(age("Age: -5", now: 1000) == 0)
        #expect(age(now: 0) == .infinity)
    }

    @Test("A response without a lifetime is fresh for a tenth of its age, a day at most")
    func heuristic() {
        func lifetime(_ head: ResponseHead) -> Double {
            Freshness(Self.stored(head, at: 1_000_000_000), CacheControl(head), at: 1_000_000_000).lifetime
        }
        let date = "Date: Sun, 09 Sep 2001 01:46:40 GMT"
        #expect(lifetime(Self.head(date, "Last-Modified: Sun, 09 Sep 2001 00:46:40 GMT")) == 360)
        #expect(lifetime(Self.head(date, "Last-Modified: Sun Sep  9 00:46:40 2001")) == 360)
        #expect(lifetime(Self.head(date, "Last-Modified: Sunday, 09-Sep-01 00:46:40 GMT")) == 360)
        #expect(lifetime(Self.head(date, "Last-Modified: Sun, 09 Sep 1990 00:46:40 GMT")) == 86400)
        #expect(lifetime(Self.head(date, "Last-Modified: Sun, 09 Sep 2012 00:46:40 GMT")) == 0)
        #expect(lifetime(Self.head(date, "Last-Modified: Sun, 09 Sep 2001 00:46:40 AEST")) == 0)
        #expect(lifetime(Self.head(date, "Last-Modified: Sun, 09 Sep 2001 00:46:40 GMT", status: 302)) == 0)
        #expect(lifetime(Self.head("Expires: " + String(repeating: "9", count: 100_000))) == 0)
    }

    // MARK: Storing and updating

    @Test("What is stored, and what is not")
    func storing() {
        func stores(_ fields: String, status: Int = 200, request: CacheControl = CacheControl()) -> Bool {
            StorageRules.allows(Self.head(fields, status: status), request: request)
        }
        #expect(stores("Cache-Control: max-age=1"))
        #expect(stores("ETag: \"a\""))
        #expect(stores("Last-Modified: Sun, 09 Sep 2001 00:46:40 GMT"))
        #expect(!stores("X: y"))
        #expect(!stores("ETag: \"a\"", status: 302))
        #expect(stores("Cache-Control: max-age=1", status: 302))
        for status in [206, 304, 401, 407, 101, 600] { #expect(!stores("Cache-Control: max-age=1", status: status)) }
        #expect(!stores("Cache-Control: max-age=1, no-store"))
        #expect(stores("Cache-Control: max-age=1, no-store, must-understand"))
        #expect(!stores("Cache-Control: max-age=1, no-store, must-understand", status: 599))
        #expect(!stores("Cache-Control: max-age=1\r\nVary: *"))
        var request = CacheControl()
        request.noStore = true
        #expect(!stores("Cache-Control: max-age=1", request: request))
    }

    @Test("A 304 changes the fields it has, except those about the content's coding and length")
    func updating() {
        let old = Self.head(
            "Content-Length: 5", "Content-Encoding: gzip", "X: old", "Y: stays", "Age: 100",
            "Date: Thu, 01 Jan 1970 00:15:00 GMT", "Cache-Control: max-age=1")
        let update = Self.head(
            "Content-Length: 0", "Content-Encoding: br", "x: new", "x: newer", "Cache-Control: max-age=9",
            "Connection: Z", "Z: no", status: 304)
        let result = StorageRules.updated(Self.stored(old), by: update, requestTime: 2000, responseTime: 2001)
        let text = String(decoding: result.head.rawFields, as: UTF8.self)
        #expect(
            text == "Content-Length: 5\r\nContent-Encoding: gzip\r\nY: stays\r\nx: new\r\nx: newer\r\n"
                + "Cache-Control: max-age=9\r\n")
        #expect(result.head.statusCode == 200)
        #expect(result.responseTime == 2001)
        #expect(StorageRules.confirms(Self.head("ETag: W/\"a\""), Self.stored(Self.head("ETag: \"a\""))))
        #expect(!StorageRules.confirms(Self.head("ETag: \"b\""), Self.stored(Self.head("ETag: \"a\""))))
    }

    @Test("What is sent back of a response has no control characters, and is in its octets")
    func validators() {
        #expect(Self.stored(Self.head("ETag: \"a\u{1}\"")).entityTag == nil)
        #expect(Self.stored(Self.head("ETag: \"\u{e9}\"")).entityTag == Array("\"\u{e9}\"".utf8))
        #expect(Self.stored(Self.head("ETag: " + String(repeating: "a", count: 2000))).entityTag == nil)
        #expect(Self.stored(Self.head("ETag: W/\"a\"")).entityTag == Array("W/\"a\"".utf8))
    }

    // MARK: Decisions

    @Test("Policies and directives decide as their table says")
    func decisions() {
        let fresh = Self.stored(Self.head("Cache-Control: max-age=100"))
        let stale = Self.stored(Self.head("Cache-Control: max-age=1, stale-while-revalidate=20"))
        let strict = Self.stored(Self.head("Cache-Control: max-age=1, stale-while-revalidate=20, must-revalidate"))
        func decide(
            _ stored: StoredResponse?, _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy,
            _ request: (inout CacheControl) -> Void = { _ in }, at now: Double = 1010
        ) -> CacheDecision {
            var control = CacheControl()
            request(&control)
            return CacheDecision(stored, policy: policy, request: control, at: now)
        }
        #expect(decide(nil) == .load)
        #expect(decide(fresh) == .serve(.asIs))
        #expect(decide(stale) == .serve(.whileRevalidating))
        #expect(decide(stale, at: 1100) == .validate)
        // Who says how old it may be wants none that is stale, unless he says that, too.
        #expect(decide(stale, .useProtocolCachePolicy, { $0.maxAge = 1000 }) == .validate)
        #expect(
            decide(
                stale, .useProtocolCachePolicy,
                {
                    $0.maxAge = 1000
                    $0.maxStale = 100
                }) == .serve(.asIs))
        #expect(decide(strict) == .validate)
        #expect(decide(strict, .useProtocolCachePolicy, { $0.maxStale = .max }) == .validate)
        #expect(decide(nil, .useProtocolCachePolicy, { $0.onlyIfCached = true }) == .unavailable)
        #expect(decide(strict, .useProtocolCachePolicy, { $0.onlyIfCached = true }) == .unavailable)
        for policy in [URLRequest.CachePolicy.returnCacheDataElseLoad, .returnCacheDataDontLoad] {
            #expect(decide(strict, policy) == .serve(.asIs))
        }
        #expect(decide(nil, .returnCacheDataElseLoad) == .load)
        #expect(decide(nil, .returnCacheDataDontLoad) == .unavailable)
        #expect(decide(fresh, .reloadRevalidatingCacheData) == .validate)
        for policy in [URLRequest.CachePolicy.reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData] {
            #expect(decide(fresh, policy) == .load)
        }
        let sie = Self.stored(Self.head("Cache-Control: max-age=1, stale-if-error=20"))
        #expect(CacheDecision.allowsStaleIfError(sie, request: CacheControl(), at: 1010))
        #expect(!CacheDecision.allowsStaleIfError(sie, request: CacheControl(), at: 1100))
        #expect(!CacheDecision.allowsStaleIfError(strict, request: CacheControl(), at: 1010))
    }
}
