// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingTransport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// A response is one of Foundation's for all who look at it, but for values that Foundation takes apart less well.
@Suite("Fields of a response", .timeLimit(.minutes(1))) struct ResponseFieldsTests {
    private let url = URL(string: "http://example.com/folder/file.txt")

    private func head(_ fields: [(String, String)]) -> ResponseHead {
        let text = fields.map { "\($0): \($1)\r\n" }.joined()
        return ResponseHead(statusCode: 203, httpVersion: "1.1", rawFields: Array(text.utf8))
    }

    private func face(_ fields: [(String, String)]) throws -> HTTPURLResponse {
        let url = try #require(url)
        return try #require(ResponseFace(head: head(fields), url: url))
    }

    private func expectSame(_ fields: [(String, String)], _ place: SourceLocation = #_sourceLocation) throws {
        let url = try #require(url)
        let ours = try face(fields)
        let whole = Dictionary(fields, uniquingKeysWith: { $0 + ", " + $1 })
        let foundations = try #require(
            HTTPURLResponse(url: url, statusCode: 203, httpVersion: "HTTP/1.1", headerFields: whole))
        #expect(ours.statusCode == 203 && ours.url == url, sourceLocation: place)
        #expect(ours == foundations && foundations == ours && ours.hash == foundations.hash, sourceLocation: place)
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

    private static let names = [
        "Accept-Ranges", "Age", "Cache-Control", "Connection", "Content-Encoding", "Date", "ETag", "etag", "Expires",
        "last-modified", "SERVER", "Set-Cookie", "WWW-Authenticate", "www-authenticate", "X-Request-Id", "x-cache",
        "NEL",
        "odd-NAME",
    ]

    @Test("Every name, by itself and beside others")
    func names() throws {
        for name in Self.names {
            try expectSame([(name, "12")])
            try expectSame([("X-other", "a"), (name, "text/plain; charset=latin1"), ("odd-NAMES", "b")])
        }
        try expectSame([])
    }

    @Test(
        "Values that Foundation takes apart as it should",
        arguments: [
            "text/html", "Text/HTML; charset=UTF-8", "text/html; charset=\"utf-8\"", "text/html;charset=a;charset=b",
            "multipart/mixed; boundary=\"a;b\"", "text/plain; charset", "json",
        ])
    func mediaTypes(_ value: String) throws {
        for name in ["Content-Type", "content-type", "CONTENT-TYPE", "Content-type"] {
            try expectSame([(name, value), ("Server", "s")])
        }
        let disposition = ("Content-Disposition", "attachment; filename=\"b.txt\"")
        try expectSame([("Content-Type", value), disposition, ("Content-Length", "5")])
    }

    @Test(
        "Values that Foundation does not",
        arguments: [
            ("text/html; Charset=UTF-8", "text/html", "utf-8"), ("text/html ; CHARSET = UTF-8", "text/html", "utf-8"),
            ("text/html; charset=utf-8, text/html", "text/html", "utf-8"), ("text/html, a/b", "a/b", nil),
            ("", nil, nil), ("a/b/c", nil, nil),
        ] as [(String, String?, String?)])
    func betterMediaTypes(_ value: String, _ type: String?, _ charset: String?) throws {
        let response = try face([("Content-Type", value)])
        #expect(response.mimeType == type && response.textEncodingName == charset)
        #expect(response.value(forHTTPHeaderField: "content-type") == value)
    }

    @Test("Two lines of one type are that type; of two types the last one counts")
    func severalLines() throws {
        let same = try face([("Content-Type", "text/html; charset=koi8-r"), ("content-type", "text/html")])
        #expect(same.mimeType == "text/html" && same.textEncodingName == "koi8-r")
        let other = try face([("Content-Type", "text/html; charset=koi8-r"), ("Content-Type", "text/plain")])
        #expect(other.mimeType == "text/plain" && other.textEncodingName == nil)
    }

    @Test("The name of a file, in whatever way the server writes it; as Foundation has it where there is none")
    func fileNames() throws {
        let names = [
            ("attachment; FILENAME=a.txt", "a.txt"), ("attachment; filename*=UTF-8''%E2%82%AC.txt", "€.txt"),
            ("attachment; filename=\"../../a.txt\"", "a.txt"), ("attachment", "Unknown"),
        ]
        for (value, name) in names {
            #expect(try face([("Content-Disposition", value)]).suggestedFilename == name)
        }
    }

    @Test("Lengths, and what is none", arguments: ["0", "1024", "9223372036854775808", "1e3", "abc", ""])
    func lengths(_ value: String) throws {
        for name in ["Content-Length", "content-length", "Content-length"] {
            try expectSame([(name, value)])
            try expectSame([(name, value), ("X-A", "b"), ("Foo", "c")])
        }
    }

    @Test("It is archived, and read, as a plain response of Foundation's")
    func archives() throws {
        let fields = [
            ("Content-Type", "Text/HTML; charset=UTF-8"), ("Content-Length", "12"),
            ("Content-Disposition", "attachment; filename=\"a b.txt\""), ("X-A", "b"),
        ]
        let response = try face(fields)
        let archive = try NSKeyedArchiver.archivedData(withRootObject: response, requiringSecureCoding: true)
        #expect(archive.range(of: Data("ResponseFace".utf8)) == nil)
        let read = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: HTTPURLResponse.self, from: archive))
        #expect(type(of: read) == HTTPURLResponse.self && read == response && response == read)
        #expect(read.allHeaderFields as? [String: String] == response.allHeaderFields as? [String: String])
        #expect(read.textEncodingName == "utf-8" && read.suggestedFilename == "a b.txt" && read.statusCode == 203)
        #expect((response.copy() as? HTTPURLResponse) == response)
        #expect(response.description.hasPrefix("<HTTPURLResponse 0x"))
        #expect(!"\(response)".contains("ResponseFace"))
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
        let response = try face(fields)
        #expect(response.value(forHTTPHeaderField: "Set-Cookie") == "a=b, c=d, e=f")
        #expect(response.value(forHTTPHeaderField: "X-0") == "v, w")
    }

    private static let pool = [
        "Content-Type", "content-type", "Content-Length", "Content-Disposition", "Date", "date", "DATE", "ETag",
        "Server", "X-One", "x-one", "X-Two", "odd-NAME", "Set-Cookie", "set-cookie", "WWW-Authenticate", "Vary",
    ]
    private static let values = [
        "text/html", "text/html; charset=utf-8", "5", "12", "abc", "attachment; filename=a.txt", "é",
        String(repeating: "long", count: 2000),
    ]

    @Test("Any names, in any order and spelling")
    func anyNames() throws {
        for _ in 0..<300 {
            let count = Int.random(in: 0...6)
            let names = (0..<count).compactMap { _ in Self.pool.randomElement() }
            // Foundation is given each name once: what repeated ones are joined to is the test above.
            guard Set(names.map { $0.lowercased() }).count == names.count else { continue }
            let fields = names.compactMap { name in
                Self.values.randomElement().map { value in
                    let isType = name.isFieldName("Content-Type")
                    return (name, isType ? "text/plain" : name.isFieldName("Content-Disposition") ? "inline" : value)
                }
            }
            try expectSame(fields)
        }
    }

    @Test("End to end: a server with two lines, and a name in capitals")
    func requests() async throws {
        let server = try TestServer()
        let type = ("Content-Type", "application/json; Charset=ISO-8859-1")
        server.respond(
            to: "/", ScriptedResponse(headers: [type, type], body: .data(Data([0x5B, 0x22, 0xE9, 0x22, 0x5D]))))
        let operation = HTTPRequestOperation(server.url("/"))
        operation.responseSerializer = JSONResponseSerializer()
        let outcome = await operation.outcome()
        #expect(outcome.error == nil && outcome.object as? [String] == ["é"])
        #expect(operation.response?.mimeType == "application/json" && operation.responseString == "[\"é\"]")
        #expect(operation.response === operation.response)
    }
}
