// SPDX-License-Identifier: MIT
extension CacheCase {
    private static func varying(
        _ id: String, _ names: String, _ first: [(String, String)], _ second: [(String, String)], from source: Source,
        passes: Bool = true
    ) -> CacheCase {
        pair(
            "vary-" + id,
            [("Expires", "@5000"), ("Last-Modified", "@-3000"), ("Date", "@0"), ("Vary", names)], from: source,
            first: first, second: second, passes: passes)
    }

    static let vary: [CacheCase] = [
        varying("match", "Foo", [("Foo", "1")], [("Foo", "1")], from: .cache),
        varying("no-match", "Foo", [("Foo", "1")], [("Foo", "2")], from: .server),
        varying("omit", "Foo", [("Foo", "1")], [], from: .server),
        varying("cache-key", "Foo", [("Foo", "1"), ("Other", "2")], [("Foo", "1"), ("Other", "3")], from: .cache),
        varying("2-match", "Foo, Bar", [("Foo", "1"), ("Bar", "abc")], [("Foo", "1"), ("Bar", "abc")], from: .cache),
        varying(
            "2-no-match", "Foo, Bar", [("Foo", "1"), ("Bar", "abc")], [("Foo", "2"), ("Bar", "abc")], from: .server),
        varying("2-match-omit", "Foo, Bar", [("Foo", "1")], [], from: .server),
        varying(
            "3-match", "Foo, Bar, Baz", [("Foo", "1"), ("Bar", "abc"), ("Baz", "789")],
            [("Foo", "1"), ("Bar", "abc"), ("Baz", "789")], from: .cache),
        varying(
            "3-no-match", "Foo, Bar, Baz", [("Foo", "1"), ("Bar", "abc"), ("Baz", "789")],
            [("Foo", "2"), ("Bar", "abc"), ("Baz", "789")], from: .server),
        varying(
            "3-order", "Foo, Bar, Baz", [("Foo", "1"), ("Bar", "abc4"), ("Baz", "789")],
            [("Foo", "1"), ("Bar", "abc"), ("Baz", "789")], from: .server),
        varying(
            "3-omit", "Foo, Bar, Baz", [("Foo", "1"), ("Baz", "789")], [("Foo", "1"), ("Baz", "789")], from: .cache),
        varying("star", "*", [("Foo", "1"), ("Baz", "789")], [("Foo", "1"), ("Baz", "789")], from: .server),
        varying("normalise-space", "Foo", [("Foo", "1,2")], [("Foo", " 1, 2 ")], from: .cache),
        varying(
            "normalise-lang-order", "Accept-Language", [("Accept-Language", "en, de")],
            [("Accept-Language", "de, en")], from: .cache, passes: false),
        varying("syntax-star-star", "*, *", [("Foo", "1")], [("Foo", "1")], from: .server),
        varying("syntax-empty-star", ", *", [("Foo", "1")], [("Foo", "1")], from: .server),
        varying("syntax-star-foo", "*, Foo", [("Foo", "1")], [("Foo", "1")], from: .server),
        varying("syntax-foo-star", "Foo, *", [("Foo", "1")], [("Foo", "1")], from: .server),
        CacheCase(
            id: "vary-invalidate",
            steps: ["1", "2", "1"].enumerated().map { number, foo in
                Step(
                    fields: [("Foo", foo)],
                    response: [("Expires", "@5000"), ("Last-Modified", "@-3000"), ("Date", "@0"), ("Vary", "Foo")],
                    source: number == 2 ? .cache : .server)
            }),
    ]

    static let invalidation: [CacheCase] = ["POST", "PUT", "DELETE", "M-SEARCH"].flatMap { method in
        let stored = Step(response: [("Cache-Control", "max-age=100000")])
        func then(_ id: String, _ step: Step, _ source: Source, query: String = "") -> CacheCase {
            var first = stored
            first.query = query
            return CacheCase(id: id, steps: [first, step, Step(query: query, source: source)])
        }
        let id = "invalidate-" + method
        return [
            then(id, Step(method: method), .server),
            then(id + "-failed", Step(method: method, status: 500), .cache),
            then(
                id + "-location", Step(method: method, status: 201, response: [("Location", "\(id)-location?l")]),
                .server, query: "?l"),
            then(
                id + "-cl", Step(method: method, response: [("Content-Location", "\(id)-cl?c")]), .server, query: "?c"),
        ]
    }

    static let pragma: [CacheCase] = [
        pair(
            "pragma-request-no-cache", [("Cache-Control", "max-age=3600")], from: .cache,
            second: [("Pragma", "no-cache")], passes: false),
        pair(
            "pragma-request-extension", [("Cache-Control", "max-age=3600")], from: .cache,
            second: [("Pragma", "unrecognised-extension")]),
        pair("pragma-response-no-cache", [("Cache-Control", "max-age=3600"), ("Pragma", "no-cache")], from: .cache),
        pair(
            "pragma-response-no-cache-heuristic",
            [("Last-Modified", "@-10000"), ("Date", "@0"), ("Pragma", "no-cache")], from: .cache, passes: false),
        pair(
            "pragma-response-extension", [("Cache-Control", "max-age=3600"), ("Pragma", "unrecognised-extension")],
            from: .cache),
    ]

    private static func broken(_ id: String, _ directives: String, status: Int? = nil, from source: Source) -> CacheCase
    {
        CacheCase(
            id: id,
            steps: [
                Step(response: [("Cache-Control", directives)], pause: 3),
                Step(status: status ?? 200, disconnects: status == nil, source: source),
            ])
    }

    static let stale: [CacheCase] = [
        broken("stale-sie-close", "max-age=2, stale-if-error=60", from: .cache),
        broken("stale-close-must-revalidate", "max-age=2, must-revalidate, stale-if-error=60", from: .server),
        broken("stale-close-no-cache", "max-age=2, no-cache, stale-if-error=60", from: .server),
        pair(
            "stale-while-revalidate-window",
            [("Cache-Control", "max-age=1, stale-while-revalidate=1"), ("ETag", "\"a\"")], from: .entityTag, pause: 5),
    ]

    private static let keptFields = [
        "Test-Header", "X-Test-Header", "Content-Type", "X-Frame-Options", "X-XSS-Protection", "Clear-Site-Data",
        "Public-Key-Pins", "Set-Cookie", "Set-Cookie2", "Strict-Transport-Security", "WWW-Authenticate",
    ]

    static let headers: [CacheCase] =
        keptFields.map { name in
            pair(
                "headers-store-" + name, [(name, "a=b"), ("Cache-Control", "max-age=3600")], from: .cache,
                shows: [(name, "a=b")])
        }
        + ["Proxy-Authenticate", "Proxy-Connection", "Upgrade"].map { name in
            pair(
                "headers-store-" + name, [(name, "ab"), ("Cache-Control", "max-age=3600")], from: .cache,
                shows: [(name, "ab")], passes: false)
        }
        + [
            pair(
                "headers-omit-headers-listed-in-Connection",
                [("Connection", "a, b"), ("a", "1"), ("b", "2"), ("c", "3"), ("Cache-Control", "max-age=3600")],
                from: .cache, shows: [("Connection", nil), ("a", nil), ("b", nil), ("c", "3")])
        ]

    static let other: [CacheCase] = [
        pair(
            "other-age-gen", [("Expires", "@2592000"), ("Date", "@0")], from: .cache, pause: 3, shows: [("Age", "3")]),
        pair(
            "other-age-update-expires", [("Expires", "@2592000"), ("Date", "@0"), ("Age", "30")], from: .cache,
            pause: 3, shows: [("Age", "33")]),
        pair(
            "other-age-update-max-age", [("Cache-Control", "max-age=600"), ("Age", "30")], from: .cache, pause: 3,
            shows: [("Age", "33")]),
        pair(
            "other-date-update", [("Expires", "@2592000"), ("Date", "Sun, 22 Nov 2026 08:00:00 GMT")], from: .cache,
            shows: [("Date", "Sun, 22 Nov 2026 08:00:00 GMT")]),
        pair("other-set-cookie", [("Cache-Control", "max-age=3600"), ("Set-Cookie", "a=b")], from: .cache),
        pair("other-cookie", [("Cache-Control", "max-age=3600")], from: .cache, second: [("Cookie", "a=b")]),
        pair(
            "other-fresh-content-disposition-attachment",
            [("Cache-Control", "max-age=3600"), ("Content-Disposition", "attachment; filename=example.txt")],
            from: .cache),
        pair(
            "other-heuristic-content-disposition-attachment",
            [("Last-Modified", "@-100000"), ("Date", "@0"), ("Content-Disposition", "attachment; filename=a.txt")],
            from: .cache),
        CacheCase(
            id: "query-args-different",
            steps: [
                Step(query: "?test=1", response: [("Cache-Control", "max-age=3600")]),
                Step(query: "?test=2", source: .server),
            ]),
        CacheCase(
            id: "query-args-same",
            steps: [
                Step(query: "?test=1", response: [("Cache-Control", "max-age=3600")]),
                Step(query: "?test=1", source: .cache),
            ]),
        pair(
            "partial-store-partial-reuse-partial",
            [("Cache-Control", "max-age=3600"), ("Content-Range", "bytes 0-8/9")], from: .cache, status: 206,
            first: [("Range", "bytes=0-8")], second: [("Range", "bytes=0-8")], passes: false),
    ]
}
