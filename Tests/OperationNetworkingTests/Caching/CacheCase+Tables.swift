// SPDX-License-Identifier: MIT

/// The suite's cases for a private cache of a client, as far as a client that follows redirects and is no browser can run
/// them.
extension CacheCase {
    static let all: [CacheCase] =
        freshness + directives + expires + age + response + request + conditional + updates + heuristics + statuses
        + vary + invalidation + pragma + stale + headers + other

    private static let freshness: [CacheCase] = [
        pair("freshness-none", [], from: .server, pause: 3),
        pair("freshness-max-age", [("Cache-Control", "max-age=3600")], from: .cache, pause: 3),
        pair("freshness-max-age-0", [("Cache-Control", "max-age=0")], from: .server, pause: 3),
        pair("freshness-max-age-stale", [("Cache-Control", "max-age=2")], from: .server, pause: 3),
        pair("freshness-max-age-max", [("Cache-Control", "max-age=2147483648")], from: .cache, pause: 3),
        pair("freshness-max-age-max-minus-1", [("Cache-Control", "max-age=2147483647")], from: .cache, pause: 3),
        pair("freshness-max-age-max-plus", [("Cache-Control", "max-age=99999999999")], from: .cache, pause: 3),
        pair(
            "freshness-max-age-age", [("Date", "@0"), ("Cache-Control", "max-age=10"), ("Age", "15")], from: .server,
            pause: 3),
        pair(
            "freshness-max-age-expires", [("Cache-Control", "max-age=3600"), ("Expires", "@-10000"), ("Date", "@0")],
            from: .cache, pause: 3),
        pair(
            "freshness-max-age-expires-invalid", [("Cache-Control", "max-age=3600"), ("Expires", "0"), ("Date", "@0")],
            from: .cache, pause: 3),
        pair(
            "freshness-max-age-0-expires", [("Expires", "@10000"), ("Cache-Control", "max-age=0"), ("Date", "@0")],
            from: .server, pause: 3),
        pair("freshness-max-age-extension", [("Cache-Control", "foobar, max-age=3600")], from: .cache, pause: 3),
        pair("freshness-max-age-case-insenstive", [("Cache-Control", "MaX-aGe=3600")], from: .cache, pause: 3),
        pair("freshness-max-age-negative", [("Cache-Control", "max-age=-3600")], from: .server, pause: 3),
        pair(
            "freshness-max-age-s-maxage-private", [("Cache-Control", "s-maxage=3600, max-age=1")], from: .server,
            pause: 3),
        pair(
            "freshness-max-age-s-maxage-private-multiple",
            [("Cache-Control", "s-maxage=3600"), ("Cache-Control", "max-age=1")], from: .server, pause: 3),
    ]

    private static func control(
        _ id: String, _ value: String, from source: Source, passes: Bool = true
    ) -> CacheCase {
        pair("freshness-max-age-" + id, [("Cache-Control", value)], from: source, pause: 3, passes: passes)
    }

    private static let directives: [CacheCase] = [
        control("two-fresh-stale-sameline", "max-age=1800, max-age=1", from: .cache),
        control("two-stale-fresh-sameline", "max-age=1, max-age=1800", from: .cache, passes: false),
        control("ignore-quoted", "extension=\"max-age=3600\", max-age=1", from: .server),
        control("ignore-quoted-rev", "max-age=1, extension=\"max-age=3600\"", from: .server),
        control("quoted", "max-age=\"3600\"", from: .cache),
        control("space-before-equals", "max-age =3600", from: .server),
        control("space-after-equals", "max-age= 3600", from: .server),
        control("leading-zero", "max-age=003600", from: .cache),
        control("single-quoted", "max-age='3600'", from: .server),
        control("decimal-zero", "max-age=3600.0", from: .cache, passes: false),
        control("decimal-five", "max-age=3600.5", from: .cache, passes: false),
        control("a100", "max-age=a3600", from: .cache, passes: false),
        control("100a", "max-age=3600a", from: .cache, passes: false),
    ]

    private static func expires(_ id: String, _ value: String, from source: Source = .cache, passes: Bool = true)
        -> CacheCase
    {
        pair("freshness-expires-" + id, [("Expires", value), ("Date", "@0")], from: source, pause: 3, passes: passes)
    }

    private static let expires: [CacheCase] = [
        expires("future", "@1000"),
        expires("past", "@-30000", from: .server),
        expires("present", "@0", from: .server),
        expires("invalid", "0", from: .server),
        expires("wrong-case-weekday", "THU, 18 Aug 2050 02:01:18 GMT"),
        expires("wrong-case-month", "Thu, 18 AUG 2050 02:01:18 GMT"),
        expires("wrong-case-tz", "Thu, 18 Aug 2050 02:01:18 gMT"),
        expires("invalid-utc", "Thu, 18 Aug 2050 02:01:18 UTC"),
        expires("invalid-2-digit-year", "Thu, 18 Aug 50 02:01:18 GMT"),
        expires("invalid-no-comma", "Thu 18 Aug 2050 02:01:18 GMT"),
        expires("invalid-multiple-spaces", "Thu, 18  Aug  2050 02:01:18 GMT"),
        expires("invalid-date-dashes", "Thu, 18-Aug-2050 02:01:18 GMT"),
        expires("invalid-time-periods", "Thu, 18 Aug 2050 02.01.18 GMT", passes: false),
        expires("invalid-1-digit-hour", "Thu, 18 Aug 2050 2:01:18 GMT"),
    ]

    private static func age(_ id: String, _ values: [String], passes: Bool = true) -> CacheCase {
        pair(
            "age-parse-" + id, [("Date", "@0"), ("Cache-Control", "max-age=3600")] + values.map { ("Age", $0) },
            from: .cache, pause: 3, passes: passes)
    }

    private static let age: [CacheCase] = [
        age("nonnumeric", ["abc"]), age("negative", ["-7200"]), age("float", ["7200.0"]),
        age("suffix", ["7200,0"], passes: false), age("suffix-twoline", ["7200", "0"], passes: false),
        age("prefix", ["0,7200"]), age("prefix-twoline", ["0", "7200"]), age("dup-0", ["0, 0"]),
        age("dup-0-twoline", ["0", "0"]), age("dup-old", ["7200, 7200"], passes: false),
        age("dup-old-twoline", ["7200", "7200"], passes: false),
    ]

    private static let response: [CacheCase] = [
        pair("cc-resp-private-private", [("Cache-Control", "private, max-age=3600")], from: .cache),
        pair("cc-resp-no-store", [("Cache-Control", "no-store")], from: .server),
        pair("cc-resp-no-store-case-insensitive", [("Cache-Control", "No-StOrE")], from: .server),
        pair(
            "cc-resp-no-store-fresh",
            [("Cache-Control", "max-age=10000, no-store"), ("Expires", "@10000"), ("Date", "@0")], from: .server),
        pair(
            "cc-resp-no-cache", [("Cache-Control", "max-age=10000, no-cache"), ("Expires", "@10000"), ("Date", "@0")],
            from: .server),
        pair(
            "cc-resp-no-cache-case-insensitive", [("Cache-Control", "max-age=10000, No-CaChE"), ("Date", "@0")],
            from: .server),
        pair(
            "cc-resp-no-cache-revalidate", [("Cache-Control", "no-cache"), ("ETag", "\"abcd\"")], from: .entityTag),
        pair(
            "cc-resp-no-cache-revalidate-fresh",
            [("Cache-Control", "max-age=10000, no-cache"), ("Expires", "@10000"), ("ETag", "\"abcd\"")],
            from: .entityTag),
        pair(
            "cc-resp-must-revalidate-fresh",
            [("Cache-Control", "max-age=10000, must-revalidate"), ("ETag", "\"abcd\"")], from: .cache),
        pair(
            "cc-resp-must-revalidate-stale", [("Cache-Control", "max-age=2, must-revalidate"), ("ETag", "\"abcd\"")],
            from: .entityTag, pause: 3),
        pair(
            "cc-resp-immutable-stale", [("Cache-Control", "max-age=2, immutable"), ("ETag", "\"abcd\"")],
            from: .entityTag, pause: 3),
        pair(
            "headers-omit-headers-listed-in-Cache-Control-no-cache-single",
            [("Cache-Control", "no-cache=\"a\""), ("a", "1"), ("b", "2"), ("Cache-Control", "max-age=3600")],
            from: .cache, pause: 3, shows: [("a", nil), ("b", "2")]),
        pair(
            "headers-omit-headers-listed-in-Cache-Control-no-cache",
            [
                ("Cache-Control", "no-cache=\"a, b\""), ("a", "1"), ("b", "2"), ("c", "3"),
                ("Cache-Control", "max-age=3600"),
            ], from: .cache, pause: 3, shows: [("a", nil), ("b", nil), ("c", "3")]),
    ]

    private static func request(
        _ id: String, _ stored: [(String, String)], _ directive: String, from source: Source, pause: Double = 0
    ) -> CacheCase {
        pair(
            "ccreq-" + id, stored, from: source, pause: pause, second: [("Cache-Control", directive)], answer: stored)
    }

    private static let request: [CacheCase] = [
        request("ma0", [("Cache-Control", "max-age=10000")], "max-age=0", from: .server, pause: 3),
        request("ma1", [("Cache-Control", "max-age=10000")], "max-age=1", from: .server, pause: 3),
        request("magreaterage", [("Cache-Control", "max-age=3600"), ("Age", "1800")], "max-age=600", from: .server),
        request(
            "max-stale", [("Cache-Control", "max-age=1"), ("ETag", "\"a\"")], "max-stale=1000", from: .cache, pause: 3),
        request("max-stale-age", [("Cache-Control", "max-age=1500"), ("Age", "2000")], "max-stale=1000", from: .cache),
        request("min-fresh", [("Cache-Control", "max-age=1500")], "min-fresh=2000", from: .server),
        request(
            "min-fresh-age", [("Cache-Control", "max-age=1500"), ("Age", "1000")], "min-fresh=1000", from: .server),
        request("no-cache", [("Cache-Control", "max-age=3600")], "no-cache", from: .server),
        request(
            "no-cache-lm", [("Cache-Control", "max-age=3600"), ("Last-Modified", "@-10000"), ("Date", "@0")],
            "no-cache", from: .date),
        request(
            "no-cache-etag", [("Cache-Control", "max-age=3600"), ("ETag", "\"abc\"")], "no-cache", from: .entityTag),
        request("no-store", [("Cache-Control", "max-age=3600")], "no-store", from: .server),
    ]

    private static func generate(_ id: String, _ tag: String, passes: Bool = true) -> CacheCase {
        pair(
            "conditional-etag-" + id, [("Cache-Control", "max-age=2"), ("ETag", tag)], from: .entityTag, pause: 3,
            passes: passes)
    }

    private static let conditional: [CacheCase] = [
        generate("strong-generate", "\"abcdef\""), generate("weak-generate-weak", "W/\"abcdef\""),
        pair(
            "conditional-lm-generate", [("Cache-Control", "max-age=2"), ("Last-Modified", "@-3000"), ("Date", "@0")],
            from: .date, pause: 3),
        pair(
            "conditional-etag-vary-headers",
            [("Expires", "@1"), ("ETag", "\"abcdef\""), ("Date", "@0"), ("Vary", "Abc")], from: .entityTag, pause: 3,
            first: [("Abc", "123")], second: [("Abc", "123")]),
        pair(
            "conditional-etag-vary-headers-mismatch",
            [("Expires", "@10000"), ("ETag", "\"abcdef\""), ("Date", "@0"), ("Vary", "Abc")], from: .server, pause: 3,
            first: [("Abc", "123")], second: [("Abc", "456")]),
    ]

    private static let updatedFields: [(String, String, String)] = [
        ("Test-Header", "A", "B"), ("X-Test-Header", "A", "B"), ("Content-Foo", "A", "B"), ("X-Content-Foo", "A", "B"),
        ("Content-Type", "text/plain", "text/plain;charset=utf-8"), ("Content-MD5", "rL0Y2A==", "N7UdGU=="),
        ("Content-Location", "/foo", "/bar"),
        ("Content-Security-Policy", "default-src 'self'", "default-src 'self' cdn.example.com"),
        ("X-Frame-Options", "deny", "sameorigin"), ("X-XSS-Protection", "1", "1; mode=block"),
        ("Cache-Control", "max-age=1", "max-age=3600"), ("Expires", "@1", "@3600"),
        ("Clear-Site-Data", "cache", "cookies"), ("Public-Key-Pins", "A", "B"), ("Set-Cookie", "a=b", "a=c"),
        ("Set-Cookie2", "a=b", "a=c"),
    ]

    private static let updates: [CacheCase] =
        updatedFields.flatMap { field in
            [("etag", "ETag", "\"e\"", Source.entityTag), ("lm", "Last-Modified", "@-86400", .date)].flatMap {
                validator in
                let (name, old, new) = field
                func answer(_ value: String, _ age: Int) -> [(String, String)] {
                    [
                        (name == "Cache-Control" ? "A" : "Cache-Control", "max-age=\(age)"), ("Date", "@0"),
                        (validator.1, validator.2), (name, value),
                    ]
                }
                let first = Step(response: answer(old, 1), pause: 3)
                let second = Step(response: answer(new, 3600), source: validator.3, shows: [(name, new)])
                let third = Step(source: .cache, shows: [(name, new)])
                return [
                    CacheCase(id: "304-\(validator.0)-update-response-\(name)", steps: [first, second]),
                    CacheCase(id: "304-\(validator.0)-update-stored-\(name)", steps: [first, second, third]),
                ]
            }
        } + [
            CacheCase(
                id: "304-lm-use-stored-Test-Header",
                steps: [
                    Step(
                        response: [
                            ("Cache-Control", "max-age=1"), ("Last-Modified", "@-86400"), ("Date", "@0"),
                            ("Test-Header", "A"),
                        ], pause: 3),
                    Step(
                        response: [("Cache-Control", "max-age=3600"), ("Last-Modified", "@-86400"), ("Date", "@0")],
                        source: .date, shows: [("Test-Header", "A")]),
                ])
        ]

    private static let heuristics: [CacheCase] =
        [200, 203, 204, 404, 405, 410, 414, 501].map { heuristic($0, from: .cache) }
        + [201, 202, 403, 502, 503, 504, 599].map { heuristic($0, from: .server) }
        + [
            pair(
                "heuristic-599-cached", [("Last-Modified", "@-86400"), ("Date", "@0"), ("Cache-Control", "public")],
                from: .cache, status: 599)
        ]
        + [60, 300, 600, 1200, 1800, 3600, 43200, 86400].map { delta in
            pair(
                "heuristic-delta-\(delta)", [("Last-Modified", "@-\(delta)"), ("Date", "@0")], from: .cache, pause: 3)
        }

    private static func heuristic(_ status: Int, from source: Source) -> CacheCase {
        pair(
            "heuristic-\(status)-\(source == .cache ? "cached" : "not_cached")",
            [("Last-Modified", "@-86400"), ("Date", "@0")], from: source, status: status)
    }

    private static let statuses: [CacheCase] = [200, 203, 204, 299, 400, 404, 410, 499, 500, 502, 503, 504, 599]
        .flatMap { status in
            [
                pair(
                    "status-\(status)-fresh", [("Cache-Control", "max-age=100000"), ("Date", "@0")], from: .cache,
                    status: status),
                pair(
                    "status-\(status)-stale", [("Expires", "@-5000"), ("Date", "@0")], from: .server, status: status),
            ]
        }
}
