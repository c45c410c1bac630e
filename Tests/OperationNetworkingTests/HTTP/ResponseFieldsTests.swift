// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingTransport
import Testing

@testable import OperationNetworking

/// A response is made faster than Foundation makes it, and is the same.
@Suite("Fields of a response", .timeLimit(.minutes(1))) struct ResponseFieldsTests {
    private let url = URL(string: "http://example.com/folder/file.txt")

    private func head(_ fields: [(String, String)]) -> ResponseHead {
        let text = fields.map { "\($0): \($1)\r\n" }.joined()
        return ResponseHead(statusCode: 203, httpVersion: "1.1", rawFields: Array(text.utf8))
    }

    private func expectSame(_ fields: [(String, String)], _ place: SourceLocation = #_sourceLocation) throws {
        let url = try #require(url)
        let ours = try #require(HTTPURLResponse(head: head(fields), url: url), sourceLocation: place)
        let whole = Dictionary(fields, uniquingKeysWith: { $0 + ", " + $1 })
        let foundations = try #require(
            HTTPURLResponse(url: url, statusCode: 203, httpVersion: "HTTP/1.1", headerFields: whole))
        #expect(type(of: ours) == HTTPURLResponse.self && ours.statusCode == 203, sourceLocation: place)
        #expect(ours.url == url && ours == foundations, sourceLocation: place)
        #expect(
            ours.allHeaderFields as? [String: String] == foundations.allHeaderFields as? [String: String],
            "\(fields)", sourceLocation: place)
        #expect(ours.expectedContentLength == foundations.expectedContentLength, "\(fields)", sourceLocation: place)
        #expect(ours.mimeType == foundations.mimeType, "\(fields)", sourceLocation: place)
        #expect(ours.textEncodingName == foundations.textEncodingName, "\(fields)", sourceLocation: place)
        #expect(ours.suggestedFilename == foundations.suggestedFilename, "\(fields)", sourceLocation: place)
        for (name, _) in fields {
            for spelling in [name, name.uppercased()] {
                #expect(
                    ours.value(forHTTPHeaderField: spelling) == foundations.value(forHTTPHeaderField: spelling),
                    sourceLocation: place)
            }
        }
    }

    @Test("This Foundation is one whose responses are known")
    func known() {
        #expect(FoundationResponse.places != nil)
        #expect(FoundationResponse.spellings["etag"] == FoundationResponse.spellings["ETag"])
        #expect(FoundationResponse.spellings["www-authenticate"] == "WWW-Authenticate")
    }

    @Test("Every known name, as it is and in lower case, by itself and beside others")
    func names() throws {
        for name in FoundationResponse.spellings.keys.sorted() {
            try expectSame([(name, "12")])
            try expectSame([("X-other", "a"), (name, "text/plain; charset=latin1"), ("odd-NAME", "b")])
        }
        try expectSame([])
    }

    @Test(
        "Values that Foundation takes apart, twice, so that the second time it is not asked",
        arguments: [
            "text/html", "Text/HTML; Charset=UTF-8", "text/html; charset=\"utf-8\"", "text/html;charset=a;charset=b",
            "",
            ";", "multipart/mixed; boundary=\"a;b\"", "text/plain; charset", "application/é",
        ])
    func mediaTypes(_ value: String) throws {
        for name in ["Content-Type", "content-type", "CONTENT-TYPE", "Content-type"] {
            for _ in 0..<2 { try expectSame([(name, value), ("Server", "s")]) }
        }
        let disposition = ("Content-Disposition", "attachment; filename=\"a/b.txt\"")
        try expectSame([("Content-Type", value), disposition, ("Content-Length", "5")])
    }

    @Test(
        "Lengths, and what is none",
        arguments: ["0", "1024", "-1", "+7", "5, 5", " 8", "9223372036854775808", "1e3", "abc", ""])
    func lengths(_ value: String) throws {
        for name in ["Content-Length", "content-length", "Content-length"] {
            let value = value.trimmingCharacters(in: .whitespaces)
            try expectSame([(name, value)])
            try expectSame([(name, value), ("X-A", "b"), ("Foo", "c")])
        }
    }

    @Test("Media types that differ from response to response are all taken apart right")
    func manyMediaTypes() throws {
        for index in 0..<200 { try expectSame([("Content-Type", "multipart/mixed; charset=c\(index % 150)")]) }
        try expectSame([("Content-Type", "text/" + String(repeating: "x", count: 300))])
    }

    @Test(
        "Repeated fields are one under the first spelling, in a short head and in a long one", arguments: [1, 31, 40])
    func repeated(others: Int) throws {
        var fields = (0..<others).map { ("X-\($0)", "v") }
        fields.insert(("set-cookie", "a=b"), at: others / 2)
        fields += [("Set-Cookie", "c=d"), ("SET-COOKIE", "e=f"), ("x-0", "w")]
        let joined = head(fields).joinedFields
        #expect(joined.count == others + 1)
        #expect(joined.first { $0.name.isFieldName("Set-Cookie") }?.value == "a=b, c=d, e=f")
        #expect(joined.contains { $0.name == "set-cookie" } && joined.first { $0.name == "X-0" }?.value == "v, w")
        let response = try HTTPURLResponse(head: head(fields), url: #require(url))
        #expect(response?.value(forHTTPHeaderField: "Set-Cookie") == "a=b, c=d, e=f")
        #expect(response?.value(forHTTPHeaderField: "X-0") == "v, w")
    }

    private static let pool = [
        "Content-Type", "content-type", "Content-Length", "Content-Disposition", "Date", "date", "DATE", "ETag",
        "Server", "X-One", "x-one", "X-Two", "odd-NAME", "Set-Cookie", "set-cookie", "WWW-Authenticate", "Vary",
    ]
    private static let values = [
        "text/html", "text/html; charset=utf-8", "5", "12", "", "abc", "attachment; filename=a.txt", "\"tag\"", "é",
        String(repeating: "long", count: 2000),
    ]

    @Test("Responses with the same names one after the other, in other orders and spellings, with other values")
    func layouts() throws {
        for _ in 0..<300 {
            let count = Int.random(in: 0...6)
            let names = (0..<count).compactMap { _ in Self.pool.randomElement() }
            // Foundation is given each name once: what repeated ones are joined to is the test below.
            guard Set(names.map { $0.lowercased() }).count == names.count else { continue }
            for _ in 0..<3 {
                let fields = names.compactMap { name in
                    Self.values.randomElement().map { value in
                        let isTakenApart = name.isFieldName("Content-Type") || name.isFieldName("Content-Disposition")
                        return (name, isTakenApart && value.utf8.count > 4096 ? "text/plain" : value)
                    }
                }
                try expectSame(fields)
            }
        }
    }

    @Test("What was seen once is known, unless a value has to be taken apart or fields were joined")
    func knownLayouts() throws {
        func isKnown(_ fields: [(String, String)]) throws -> Bool {
            _ = try HTTPURLResponse(head: head(fields), url: #require(url))
            return ResponseLayout.fields(of: head(fields)) != nil
        }
        #expect(try isKnown([("Server", "a"), ("X-Layout", "b"), ("Content-Type", "text/known")]))
        let unknownType = head([("Server", "a"), ("X-Layout", "b"), ("Content-Type", "text/unknown")])
        #expect(ResponseLayout.fields(of: unknownType) == nil)
        #expect(try !isKnown([("X-Layout", "a"), ("x-layout", "b")]))
        #expect(try !isKnown([("X-Layout", "a"), ("Content-Disposition", "inline")]))
        #expect(try !isKnown((0..<100).map { ("X-\($0)", "v") }))
        for index in 0..<200 { #expect(try isKnown([("X-Layout-\(index)", "v")])) }
    }
}
