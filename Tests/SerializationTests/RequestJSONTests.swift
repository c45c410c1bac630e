// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import OperationNetworking
internal import Testing

@Suite("JSON request serializer", .timeLimit(.minutes(1)))
struct RequestJSONTests {
    func body(_ parameters: Any?, options: JSONSerialization.WritingOptions = [.sortedKeys]) throws -> String {
        let request = try JSONRequestSerializer(writingOptions: options).request(
            withMethod: "POST", urlString: "http://h/", parameters: parameters)
        return String(decoding: request.httpBody ?? Data(), as: UTF8.self)
    }

    @Test("Content-Type is application/json unless the request has one")
    func contentType() throws {
        let serializer = JSONRequestSerializer()
        var request = try serializer.request(withMethod: "POST", urlString: "http://h/", parameters: ["a": 1])
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
        #expect(request.httpBody == Data(#"{"a":1}"#.utf8))
        #expect(request.value(forHTTPHeaderField: "User-Agent") != nil)
        serializer.setValue("application/vnd.api+json", forHTTPHeaderField: "Content-type")
        request = try serializer.request(withMethod: "POST", urlString: "http://h/", parameters: ["a": 1])
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/vnd.api+json")
    }

    @Test("Without parameters there is neither body nor Content-Type")
    func noParameters() throws {
        let request = try JSONRequestSerializer().request(withMethod: "POST", urlString: "http://h/", parameters: nil)
        #expect(request.httpBody == nil)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == nil)
        #expect(request.value(forHTTPHeaderField: "User-Agent") != nil)
    }

    @Test("URI methods have the parameters in the query")
    func query() throws {
        for method in ["GET", "HEAD", "DELETE"] {
            let request = try JSONRequestSerializer().request(
                withMethod: method, urlString: "http://h/", parameters: ["a": [1]])
            #expect(request.url?.query == "a%5B%5D=1")
            #expect(request.httpBody == nil)
        }
    }

    struct Item: Encodable {
        var id = 1
        var url = URL(string: "http://h/")
    }

    struct Case: @unchecked Sendable {
        let value: Any
        let json: String
    }

    static let cases: [Case] = [
        Case(value: [String: Any](), json: "{}"),
        Case(value: [Any](), json: "[]"),
        Case(
            value: ["b": [1, "x", NSNull()] as [Any], "a": ["c": true]] as [String: Any],
            json: #"{"a":{"c":true},"b":[1,"x",null]}"#),
        Case(
            value: [true, NSNumber(value: false), NSNumber(value: 1), NSNumber(value: 0)] as [Any],
            json: "[true,false,1,0]"),
        Case(value: [1.0, 1.5, -0.25, 1e20, 1e-7, 0.1 + 0.2], json: "[1,1.5,-0.25,1e+20,1e-07,0.30000000000000004]"),
        Case(value: [UInt64.max, Int64.min, Int8(3)] as [Any], json: "[18446744073709551615,-9223372036854775808,3]"),
        Case(
            value: [Float(0.1), NSNumber(value: Float(2.5)), NSDecimalNumber(string: "12.3")] as [Any],
            json: "[0.1,2.5,12.3]"),
        Case(value: ["é😃\"\\/\u{8}\t\n\u{C}\r\u{1}\u{7F}"], json: "[\"é😃\\\"\\\\\\/\\b\\t\\n\\f\\r\\u0001\u{7F}\"]"),
        Case(value: ["a": nil, "b": 2] as [String: Int?], json: #"{"a":null,"b":2}"#),
        Case(value: [Item()], json: #"[{"id":1,"url":"http:\/\/h\/"}]"#),
        Case(value: ["item": Item(id: 2, url: nil)], json: #"{"item":{"id":2}}"#),
        Case(value: Item(id: 3, url: nil), json: #"{"id":3}"#),
        Case(value: NSDictionary(dictionary: ["k": NSArray(array: ["v"])]), json: #"{"k":["v"]}"#),
    ]

    @Test("Each value has its JSON", arguments: cases)
    func values(_ rule: Case) throws {
        let serializer = JSONRequestSerializer(writingOptions: .sortedKeys)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        serializer.parameterEncoder = encoder
        let request = try serializer.request(withMethod: "PUT", urlString: "http://h/", parameters: rule.value)
        #expect(String(decoding: request.httpBody ?? Data(), as: UTF8.self) == rule.json)
    }

    @Test("A lone surrogate becomes U+FFFD")
    func loneSurrogate() throws {
        #expect(try body(["a": QueryStringTests.loneSurrogate]) == #"{"a":"A\#u{FFFD}B"}"#)
    }

    static let invalidCases: [(Case, String)] = [
        (Case(value: "text", json: ""), "fragmentsAllowed"),
        (Case(value: 1, json: ""), "fragmentsAllowed"),
        (Case(value: NSNull(), json: ""), "fragmentsAllowed"),
        (Case(value: ["a": ["b": [1, Date()] as [Any]]], json: ""), "parameters.a.b[1]"),
        (Case(value: ["a": Data()], json: ""), "parameters.a"),
        (Case(value: ["a": Double.nan], json: ""), "nan"),
        (Case(value: ["a": Double.infinity], json: ""), "inf"),
        (Case(value: ["a": NSNumber(value: Double.nan)], json: ""), "nan"),
        (Case(value: ["a": Decimal.nan], json: ""), "NaN"),
        (Case(value: [1: "a"], json: ""), "keys"),
        (Case(value: ["a": Set([1])], json: ""), "Set"),
        (Case(value: ["a": NSObject()], json: ""), "NSObject"),
        (Case(value: ["a": URL(fileURLWithPath: "/")], json: ""), "URL"),
    ]

    @Test("What JSON has no form for throws −1016 and says where it is", arguments: invalidCases)
    func invalid(_ rule: Case, _ text: String) {
        do {
            _ = try body(rule.value)
            Issue.record("no error for \(rule.value)")
        } catch {
            let error = error as NSError
            #expect(error.domain == "com.alamofire.error.serialization.request")
            #expect(error.code == -1016)
            #expect(error.localizedFailureReason == "The `parameters` argument is not valid JSON.")
            #expect(error.localizedDescription.contains(text), "\(error.localizedDescription)")
        }
    }

    @Test("Deep nesting throws instead of exhausting the stack")
    func nesting() throws {
        func nested(_ depth: Int) -> Any {
            var tree: Any = [Any]()
            for _ in 1..<depth { tree = [tree] }
            return tree
        }
        #expect(try body(nested(512)).utf8.count == 1024)
        #expect(throws: RequestSerializationError.self) { try body(nested(513)) }
        #expect(throws: RequestSerializationError.self) { try body(nested(20_000)) }
    }

    @Test("The writing options are Foundation's")
    func writingOptions() throws {
        let tree: [String: Any] = ["b": [1, ["c": "/"]] as [Any], "a": [String: Any](), "e": [Any](), "z": 1]
        for options: JSONSerialization.WritingOptions in [
            .sortedKeys, [.sortedKeys, .prettyPrinted], [.sortedKeys, .withoutEscapingSlashes],
        ] {
            let expected = try JSONSerialization.data(withJSONObject: tree, options: options)
            #expect(try body(tree, options: options) == String(decoding: expected, as: UTF8.self))
        }
        #expect(try body("x", options: .fragmentsAllowed) == #""x""#)
        #expect(try body(true, options: .fragmentsAllowed) == "true")
        #expect(try body(NSNull(), options: .fragmentsAllowed) == "null")
    }

    @Test("Random trees read back equal to what Foundation makes of them", arguments: 0..<10)
    func randomTrees(_ round: Int) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededRandom(seed: seed)
        for _ in 0..<30 {
            let tree = withoutSets(RandomParameters.dictionary(depth: 4, using: &generator))
            let ours = try JSONSerialization.jsonObject(with: Data(body(tree, options: []).utf8)) as? NSDictionary
            let theirs =
                try JSONSerialization.jsonObject(
                    with: JSONSerialization.data(withJSONObject: tree)) as? NSDictionary
            #expect(ours != nil && ours == theirs, "seed \(seed)")
        }
    }

    private func withoutSets(_ value: Any) -> Any {
        switch value {
        case let dictionary as [String: Any]: dictionary.mapValues(withoutSets)
        case let array as [Any]: array.map(withoutSets)
        case let set as Set<Int>: set.sorted()
        default: value
        }
    }
}
