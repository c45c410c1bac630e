// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

/// Queries, forms and multipart bodies, as public reports about other clients have them.
@Suite("Reports: forms", .timeLimit(.minutes(2))) struct FormReports {
    // MARK: Queries

    /// Parameters, and the query that a server gets.
    // Sendable because nobody changes the parameters.
    struct Query: CustomTestStringConvertible, @unchecked Sendable {
        let reference: String
        let what: String
        let parameters: Any
        var arrays = HTTPRequestSerializer.ArrayEncoding.brackets
        var booleans = HTTPRequestSerializer.BoolEncoding.numeric
        /// Nil: there is none, and no "?".
        let query: String?

        var testDescription: String { "\(reference): \(what)" }
    }

    private static var friends: [String: Any] {
        ["name": "jack", "list": [["name": "tom", "age": 13], ["name": "bob", "age": 14]] as [[String: Any]]]
    }

    private static var halfOfPair: NSString { NSString(characters: [0xD83D], length: 1) }

    static let characters: [Query] = [
        Query(reference: "Alamofire#181", what: "plus", parameters: ["s": "a+b/c=="], query: "s=a%2Bb/c%3D%3D"),
        Query(
            reference: "Alamofire#908", what: "slash and colon", parameters: ["url": "http://google.com"],
            query: "url=http%3A//google.com"),
        Query(reference: "Alamofire#497", what: "blank", parameters: ["q": "foo bar"], query: "q=foo%20bar"),
        Query(reference: "AFNetworking#814", what: "comma", parameters: ["a": "1,2"], query: "a=1%2C2"),
        Query(
            reference: "AFNetworking#2933", what: "colon and plus", parameters: ["q": "windows+label:bug"],
            query: "q=windows%2Blabel%3Abug"),
        Query(
            reference: "AFNetworking#3614", what: "half a surrogate pair", parameters: ["a": halfOfPair],
            query: "a=%EF%BF%BD"),
        Query(
            reference: "AFNetworking#4593", what: "the character for what is none", parameters: ["a": "\u{FFFD}"],
            query: "a=%EF%BF%BD"),
        Query(
            reference: "AFNetworking#3028", what: "one picture of two characters, across the 50th place",
            parameters: ["a": String(repeating: "x", count: 49) + "👴🏿"],
            query: "a=" + String(repeating: "x", count: 49) + "%F0%9F%91%B4%F0%9F%8F%BF"),
        Query(
            reference: "AFNetworking#2958", what: "long text",
            parameters: ["a": String(repeating: "一", count: 1300)],
            query: "a=" + String(repeating: "%E4%B8%80", count: 1300)),
    ]

    static let trees: [Query] = [
        Query(
            reference: "AFNetworking#4161", what: "dictionaries in an array, as AFNetworking writes them",
            parameters: friends,
            query: "list%5B%5D%5Bage%5D=13&list%5B%5D%5Bname%5D=tom&list%5B%5D%5Bage%5D=14&list%5B%5D%5Bname%5D=bob"
                + "&name=jack"),
        Query(
            reference: "AFNetworking#4161", what: "dictionaries in an array, with indices", parameters: friends,
            arrays: .indexed,
            query: "list%5B0%5D%5Bage%5D=13&list%5B0%5D%5Bname%5D=tom&list%5B1%5D%5Bage%5D=14"
                + "&list%5B1%5D%5Bname%5D=bob&name=jack"),
        Query(
            reference: "AFNetworking#555", what: "an array", parameters: ["comments": ["123", "456"]],
            query: "comments%5B%5D=123&comments%5B%5D=456"),
        Query(
            reference: "AFNetworking#555", what: "an array without brackets", parameters: ["comments": ["123", "456"]],
            arrays: .repeatedKey, query: "comments=123&comments=456"),
        Query(
            reference: "AFNetworking#4241", what: "a dollar in a key",
            parameters: ["query": ["$or": [["name": "yes"], ["status": "Open"]]]],
            query: "query%5B%24or%5D%5B%5D%5Bname%5D=yes&query%5B%24or%5D%5B%5D%5Bstatus%5D=Open"),
        Query(
            reference: "Alamofire#1056", what: "Booleans", parameters: ["t": true, "f": false], query: "f=0&t=1"),
        Query(
            reference: "Alamofire#1056", what: "Booleans as words", parameters: ["t": true, "f": false],
            booleans: .literal, query: "f=false&t=true"),
        Query(
            reference: "Alamofire#1125", what: "a Boolean in an optional",
            parameters: ["t": Bool?.some(true) as Any], booleans: .literal, query: "t=true"),
        Query(
            reference: "Alamofire#1622", what: "text in an optional", parameters: ["a": String?.some("x") as Any],
            query: "a=x"),
        Query(
            reference: "Alamofire#92", what: "nil", parameters: ["a": nil, "b": 1] as [String: Int?], query: "a&b=1"),
        Query(reference: "AFNetworking#3376", what: "nothing", parameters: [String: Any](), query: nil),
    ]

    @Test("Queries", arguments: characters + trees) func query(_ test: Query) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok() }
        let manager = Self.makeManager(server)
        manager.requestSerializer.arrayEncoding = test.arrays
        manager.requestSerializer.boolEncoding = test.booleans
        let operation = try manager.makeOperation(method: "GET", "/", parameters: test.parameters)
        manager.enqueue(operation)
        _ = try await operation.value()
        #expect(server.requests.first?.target == "/" + (test.query.map { "?" + $0 } ?? ""))
    }

    // MARK: Bodies

    /// Parameters, and the body that a server gets.
    // Sendable because nobody changes the parameters.
    struct Body: CustomTestStringConvertible, @unchecked Sendable {
        let reference: String
        let what: String
        let parameters: Any?
        /// Nil: the body is a form.
        var json: JSONSerialization.WritingOptions?
        let body: String
        /// `Content-Type`.
        let type: String?

        var testDescription: String { "\(reference): \(what)" }
    }

    private static let form = "application/x-www-form-urlencoded"
    private static let json = "application/json"

    static let bodies: [Body] = [
        // The type has no parameters (WHATWG URL, section 5).
        Body(
            reference: "node-fetch#327", what: "a form has no charset", parameters: ["a": "é"], body: "a=%C3%A9",
            type: form),
        Body(reference: "AFNetworking#2864", what: "a form of nothing", parameters: nil, body: "", type: form),
        Body(
            reference: "AFNetworking#4109", what: "text is a body already", parameters: "ABCD", body: "ABCD",
            type: form),
        Body(reference: "AFNetworking#4370", what: "JSON of nothing", parameters: nil, json: [], body: "", type: nil),
        Body(
            reference: "Alamofire#1049", what: "JSON of an empty dictionary", parameters: [String: Any](), json: [],
            body: "{}", type: json),
        Body(
            reference: "AFNetworking#4751", what: "a slash in JSON, as Foundation writes it",
            parameters: ["p": "ab/cd"], json: [], body: "{\"p\":\"ab\\/cd\"}", type: json),
        Body(
            reference: "AFNetworking#4751", what: "a slash in JSON, as it is", parameters: ["p": "ab/cd"],
            json: .withoutEscapingSlashes, body: "{\"p\":\"ab/cd\"}", type: json),
        Body(
            reference: "Alamofire#910", what: "a Boolean in JSON", parameters: ["use_credit": true], json: [],
            body: "{\"use_credit\":true}", type: json),
        Body(
            reference: "Alamofire#1693", what: "optionals in JSON",
            parameters: ["a": String?.some("x") as Any, "b": String?.none as Any], json: .sortedKeys,
            body: "{\"a\":\"x\",\"b\":null}", type: json),
        Body(
            reference: "catena#46", what: "the largest UInt64 in JSON", parameters: [UInt64.max], json: [],
            body: "[18446744073709551615]", type: json),
        Body(
            reference: "swift-corelibs-foundation#3727", what: "doubles in JSON", parameters: [0.1, 1.1, 3], json: [],
            body: "[0.1,1.1,3]", type: json),
    ]

    @Test("Bodies", arguments: bodies) func body(_ test: Body) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok() }
        let manager = Self.makeManager(server)
        if let options = test.json { manager.requestSerializer = JSONRequestSerializer(writingOptions: options) }
        let operation = try manager.makeOperation(method: "POST", "/", parameters: test.parameters)
        manager.enqueue(operation)
        _ = try await operation.value()
        let request = try #require(server.requests.first)
        #expect(request.text == test.body)
        #expect(request["Content-Type"] == test.type)
        #expect(request["Content-Length"] == "\(test.body.utf8.count)" && request["Transfer-Encoding"] == nil)
    }

    @Test("What JSON has no form for is an error (analytics-ios#231)", arguments: [Double.nan, .infinity])
    func noNumber(_ number: Double) {
        #expect(throws: RequestSerializationError.self) {
            _ = try JSONRequestSerializer(writingOptions: []).request(
                withMethod: "POST", urlString: "http://127.0.0.1/", parameters: ["a": number])
        }
    }

    // MARK: Multipart

    /// A part of a multipart body.
    struct Part: Sendable, CustomTestStringConvertible {
        let reference: String
        let what: String
        var name = "f"
        /// Nil: a field.
        var file: String?
        /// What follows `Content-Disposition: `.
        let disposition: String

        var testDescription: String { "\(reference): \(what)" }
    }

    // Names are written as browsers write them (WHATWG HTML, "multipart/form-data encoding algorithm").
    static let parts: [Part] = [
        Part(
            reference: "Alamofire#2647", what: "quotes", file: "a \"quote\".pdf",
            disposition: "form-data; name=\"f\"; filename=\"a %22quote%22.pdf\""),
        Part(
            reference: "whatwg/html#7575", what: "what looks like an escape", file: "100%0Apple%22.pdf",
            disposition: "form-data; name=\"f\"; filename=\"100%0Apple%22.pdf\""),
        Part(
            reference: "httpx#164", what: "letters of other alphabets", file: "файл.txt",
            disposition: "form-data; name=\"f\"; filename=\"файл.txt\""),
        Part(
            reference: "undici#1786", what: "a field's name in another alphabet", name: "fiŝo",
            disposition: "form-data; name=\"fiŝo\""),
        Part(
            reference: "rstudio#18726", what: "backslashes", file: "C:\\Users\\me\\f.txt",
            disposition: "form-data; name=\"f\"; filename=\"C:\\Users\\me\\f.txt\""),
        Part(
            reference: "sanic#1497", what: "a file without a name", file: "",
            disposition: "form-data; name=\"f\"; filename=\"\""),
        Part(
            reference: "adobe/fetch#605", what: "a line end in a file's name", file: "a\r\nX-Evil: 1",
            disposition: "form-data; name=\"f\"; filename=\"a%0D%0AX-Evil: 1\""),
        Part(
            reference: "bun#32975", what: "a line end of two bytes in a field's name", name: "a\r\nb",
            disposition: "form-data; name=\"a%0D%0Ab\""),
        // In a field's name each line end becomes one of two bytes first; in a file's it stays.
        Part(
            reference: "bun#32975", what: "a line end of one byte in a field's name", name: "a\nb",
            disposition: "form-data; name=\"a%0D%0Ab\""),
        Part(
            reference: "bun#32975", what: "a line end of one byte in a file's name", file: "a\nb",
            disposition: "form-data; name=\"f\"; filename=\"a%0Ab\""),
    ]

    @Test("Parts, to the byte", arguments: parts) func part(_ test: Part) async throws {
        let request = try await Self.sent { form in
            if let file = test.file {
                form.appendPart(withFileData: Data("x".utf8), name: test.name, fileName: file, mimeType: "text/plain")
            } else {
                form.appendPart(withForm: Data("x".utf8), name: test.name)
            }
        }
        let type = test.file == nil ? "" : "Content-Type: text/plain\r\n"
        let boundary = try Self.boundary(request)
        #expect(
            request.text
                == "--\(boundary)\r\nContent-Disposition: \(test.disposition)\r\n\(type)\r\nx\r\n--\(boundary)--\r\n")
    }

    @Test("The boundary needs no quotes (nginx-upload-module#130)") func boundary() async throws {
        let request = try await Self.sent { $0.appendPart(withForm: Data("x".utf8), name: "f") }
        let boundary = try Self.boundary(request)
        // At most 70 characters (RFC 2046, section 5.1.1), all of a token (RFC 9110, section 5.6.2).
        #expect((1...70).contains(boundary.utf8.count))
        #expect(
            boundary.unicodeScalars.allSatisfy { scalar in
                scalar.isASCII
                    && (scalar.properties.isAlphabetic || "-_.+0123456789".unicodeScalars.contains(scalar))
            })
    }

    @Test("The length of the whole is there, and no coding (restler#64)") func length() async throws {
        let request = try await Self.sent { $0.appendPart(withForm: Data(count: 100_000), name: "f") }
        #expect(request["Content-Length"] == "\(request.bodyLength)" && request["Transfer-Encoding"] == nil)
    }

    @Test("No parameters are no part (AFNetworking#381)") func noParameters() async throws {
        let request = try await Self.sent(parameters: nil) { $0.appendPart(withForm: Data("x".utf8), name: "f") }
        #expect(request.text.components(separatedBy: "Content-Disposition").count == 2)
    }

    /// The request of a multipart form as a server has seen it.
    private static func sent(
        parameters: [String: Any]? = nil, _ block: (any MultipartFormData) throws -> Void
    ) async throws -> RecordedRequest {
        let server = try TestServer()
        server.respondToOthers { _ in .ok() }
        let manager = makeManager(server)
        let operation = try manager.makeOperation(
            method: "POST", "/", parameters: parameters, constructingBodyWith: block)
        manager.enqueue(operation)
        _ = try await operation.value()
        return try #require(server.requests.first)
    }

    private static func boundary(_ request: RecordedRequest) throws -> String {
        let type = try #require(request["Content-Type"])
        let start = "multipart/form-data; boundary="
        try #require(type.hasPrefix(start))
        return String(type.dropFirst(start.count))
    }

    private static func makeManager(_ server: TestServer) -> HTTPRequestOperationManager {
        let manager = HTTPRequestOperationManager(baseURL: server.url("/"))
        manager.responseSerializer = HTTPResponseSerializer()
        manager.completionQueue = DispatchQueue(label: "reports")
        return manager
    }
}
