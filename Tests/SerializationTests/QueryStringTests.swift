// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport
internal import OperationNetworking
internal import Testing

/// Parameters and their query string.
struct QueryCase: CustomTestStringConvertible, @unchecked Sendable {
    let testDescription: String
    let parameters: Any
    let expected: String

    init(_ testDescription: String, _ parameters: Any, _ expected: String) {
        self.testDescription = testDescription
        self.parameters = parameters
        self.expected = expected
    }
}

@Suite("Query strings", .timeLimit(.minutes(1)))
struct QueryStringTests {
    struct Person: Encodable {
        var name = "Ann Lee"
        var tags = ["x", "y"]
        var active = true
        var score = 2.0
        var nickname: String?
    }

    enum Kind: String { case big }

    static var loneSurrogate: NSString {
        NSString(characters: [0x41, 0xD800, 0x42], length: 3)
    }

    static let containers: [QueryCase] = [
        QueryCase("pair", ["key": "value"], "key=value"),
        QueryCase("two pairs, sorted", ["b": "2", "a": "1"], "a=1&b=2"),
        QueryCase("sorting is case-sensitive", ["a": 1, "B": 2, "A": 3], "A=3&B=2&a=1"),
        QueryCase("sorting is by Unicode scalars", ["é": 1, "z": 2], "z=2&%C3%A9=1"),
        QueryCase("nested dictionary", ["key": ["b": 2, "a": 1]], "key%5Ba%5D=1&key%5Bb%5D=2"),
        QueryCase("array", ["key": ["b", "a"]], "key%5B%5D=b&key%5B%5D=a"),
        QueryCase("dictionary with array, three levels", ["key2": ["key": [1]]], "key2%5Bkey%5D%5B%5D=1"),
        QueryCase("array of arrays", ["a": [[1, 2], [3]]], "a%5B%5D%5B%5D=1&a%5B%5D%5B%5D=2&a%5B%5D%5B%5D=3"),
        QueryCase(
            "array of dictionaries", ["a": [["b": 1], ["b": 2, "c": 3]]],
            "a%5B%5D%5Bb%5D=1&a%5B%5D%5Bb%5D=2&a%5B%5D%5Bc%5D=3"),
        QueryCase("set, sorted, key unchanged", ["k": Set([3, 1, 2])], "k=1&k=2&k=3"),
        QueryCase("NSSet", ["k": NSSet(array: ["b", "a"])], "k=a&k=b"),
        QueryCase("NSOrderedSet keeps its order", ["k": NSOrderedSet(array: ["b", "a"])], "k%5B%5D=b&k%5B%5D=a"),
        QueryCase("empty array", ["a": [Int](), "b": 1] as [String: Any], "b=1"),
        QueryCase("empty dictionary inside", ["a": [String: Int](), "b": 1] as [String: Any], "b=1"),
        QueryCase("empty set", ["a": Set<Int>(), "b": 1] as [String: Any], "b=1"),
        QueryCase("empty dictionary", [String: Any](), ""),
        QueryCase("number keys", [1: "a", 2: "b"], "1=a&2=b"),
        QueryCase("NSDictionary", NSDictionary(dictionary: ["b": NSArray(array: [1]), "a": NSNull()]), "a&b%5B%5D=1"),
        QueryCase("lone surrogate in a key", NSDictionary(object: 1, forKey: loneSurrogate), "A%EF%BF%BDB=1"),
        QueryCase("reserved characters in a key", ["a&b=c": "d"], "a%26b%3Dc=d"),
        QueryCase("string at top level is a finished query", "a=1&b=2", "a=1&b=2"),
        QueryCase("number at top level", 3, "3"),
        QueryCase("null at top level", NSNull(), ""),
        QueryCase("array of pairs at top level keeps its order", [["b": 1], ["a": 2]], "b=1&a=2"),
        QueryCase("scalars in an array at top level", ["x y", "z"], "x%20y&z"),
        QueryCase("Encodable", Person(), "active=1&name=Ann%20Lee&score=2&tags%5B%5D=x&tags%5B%5D=y"),
        QueryCase(
            "Encodable inside", ["p": Person()],
            "p%5Bactive%5D=1&p%5Bname%5D=Ann%20Lee&p%5Bscore%5D=2&p%5Btags%5D%5B%5D=x&p%5Btags%5D%5B%5D=y"),
    ]

    static let scalars: [QueryCase] = [
        QueryCase("null gives the key alone", ["a": NSNull(), "b": 1], "a&b=1"),
        QueryCase("nil gives the key alone", ["a": nil, "b": 1] as [String: Int?], "a&b=1"),
        QueryCase("nested optional", ["a": Int??.some(.some(3)) as Any], "a=3"),
        QueryCase("empty string", ["a": ""], "a="),
        QueryCase("Bool", ["t": true, "f": false], "f=0&t=1"),
        QueryCase("NSNumber Bool", ["t": NSNumber(value: true), "f": NSNumber(value: false)], "f=0&t=1"),
        QueryCase("NSNumber 1 is no Bool", ["n": NSNumber(value: 1)], "n=1"),
        QueryCase("whole doubles", ["a": 1.0, "b": -3.0, "c": 1e16], "a=1&b=-3&c=10000000000000000"),
        QueryCase("doubles", ["a": 1.5, "b": 0.1], "a=1.5&b=0.1"),
        QueryCase("whole NSNumber doubles", ["a": NSNumber(value: 1.0), "b": NSNumber(value: 2.5)], "a=1&b=2.5"),
        QueryCase("floats", ["a": Float(0.1), "b": NSNumber(value: Float(2))] as [String: Any], "a=0.1&b=2"),
        QueryCase("CGFloat", ["a": CGFloat(4)], "a=4"),
        QueryCase("large double", ["a": 1e300], "a=1e%2B300"),
        QueryCase("not a number", ["a": Double.nan, "b": -Double.infinity], "a=nan&b=-inf"),
        QueryCase(
            "integers", ["a": Int8(-1), "b": UInt64.max, "c": Int.min] as [String: Any],
            "a=-1&b=18446744073709551615&c=-9223372036854775808"),
        QueryCase(
            "decimals",
            ["a": Decimal(sign: .plus, exponent: -2, significand: 1234), "b": NSDecimalNumber(value: 7)]
                as [String: Any],
            "a=12.34&b=7"),
        QueryCase("date", ["d": Date(timeIntervalSince1970: 0)], "d=1970-01-01%2000%3A00%3A00%20%2B0000"),
        QueryCase("data", ["d": Data([1, 2, 3, 4, 0xAB])], "d=%3C01020304%20ab%3E"),
        QueryCase("URL", ["u": URL(string: "http://h/a%20b")], "u=http%3A//h/a%2520b"),
        QueryCase("NSURL", ["u": NSURL(string: "http://h/")], "u=http%3A//h/"),
        QueryCase(
            "UUID", ["u": UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))],
            "u=00000000-0000-0000-0000-000000000001"),
        QueryCase("raw value", ["k": Kind.big], "k=big"),
        QueryCase("substring", ["k": "abc".dropFirst()], "k=bc"),
        QueryCase("lone surrogate in a value", ["a": loneSurrogate], "a=A%EF%BF%BDB"),
    ]

    @Test("Each rule of the tables gives its exact string", arguments: Self.containers + Self.scalars)
    func rule(_ rule: QueryCase) {
        #expect(queryString(from: rule.parameters) == rule.expected)
    }

    @Test(
        "Escaping leaves exactly the query-safe characters",
        arguments: [
            ("ABCXYZabcxyz0189-._~/?", "ABCXYZabcxyz0189-._~/?"),
            (":#[]@", "%3A%23%5B%5D%40"),
            ("!$&'()*+,;=", "%21%24%26%27%28%29%2A%2B%2C%3B%3D"),
            (" ", "%20"),
            ("%", "%25"),
            ("\"<>\\^`{|}", "%22%3C%3E%5C%5E%60%7B%7C%7D"),
            ("\u{0}\u{7F}\n", "%00%7F%0A"),
            ("漢字", "%E6%BC%A2%E5%AD%97"),
            ("😃", "%F0%9F%98%83"),
            ("👨‍👩‍👧", "%F0%9F%91%A8%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7"),
            ("", ""),
        ])
    func escaping(_ string: String, _ expected: String) {
        #expect(percentEscapedString(from: string) == expected)
    }

    @Test("A long string of emoji is escaped as a whole")
    func longEmoji() {
        let string = String(repeating: "x😃", count: 200)
        #expect(percentEscapedString(from: string) == String(repeating: "x%F0%9F%98%83", count: 200))
    }

    typealias Arrays = HTTPRequestSerializer.ArrayEncoding
    typealias Bools = HTTPRequestSerializer.BoolEncoding

    static let optionCases: [(Arrays, Bools, QueryCase)] = [
        (.brackets, .numeric, QueryCase("brackets", ["a": [1, 2]], "a%5B%5D=1&a%5B%5D=2")),
        (.indexed, .numeric, QueryCase("indexed", ["a": [1, 2]], "a%5B0%5D=1&a%5B1%5D=2")),
        (
            .indexed, .numeric,
            QueryCase("indexed dictionaries", ["a": [["b": 1], ["b": 2]]], "a%5B0%5D%5Bb%5D=1&a%5B1%5D%5Bb%5D=2")
        ),
        (.repeatedKey, .numeric, QueryCase("repeated", ["a": [1, 2], "b": [[3]]] as [String: Any], "a=1&a=2&b=3")),
        (.comma, .numeric, QueryCase("comma", ["a": ["1,5", "2"]], "a=1%2C5,2")),
        (
            .comma, .numeric,
            QueryCase("comma, null and empty", ["a": [1, NSNull()], "b": []] as [String: [Any]], "a=1,")
        ),
        (
            .comma, .numeric,
            QueryCase("comma, nested", ["a": [["b": 1], ["b": 2]]], "a%5B0%5D%5Bb%5D=1&a%5B1%5D%5Bb%5D=2")
        ),
        (.comma, .literal, QueryCase("comma, literal", ["a": [true, false]], "a=true,false")),
        (
            .brackets, .literal,
            QueryCase(
                "literal", ["a": true, "b": NSNumber(value: false), "c": 1] as [String: Any], "a=true&b=false&c=1")
        ),
    ]

    @Test("Arrays and Booleans take the form asked for", arguments: optionCases)
    func options(_ arrays: Arrays, _ bools: Bools, _ rule: QueryCase) {
        #expect(queryString(from: rule.parameters, arrayEncoding: arrays, boolEncoding: bools) == rule.expected)
    }

    @Test("A deep tree does not exhaust the stack")
    func deepTree() {
        var tree: Any = 1
        for _ in 0..<2000 { tree = ["k": tree] }
        #expect(queryString(from: tree) == "k" + String(repeating: "%5Bk%5D", count: 1999) + "=1")
    }

    @Test("Random trees give what a plain recursion over the same rules gives", arguments: 0..<20)
    func randomTrees(_ round: Int) {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededRandom(seed: seed)
        for _ in 0..<50 {
            let tree = RandomParameters.dictionary(depth: 4, using: &generator)
            let expected = RandomParameters.pairs(nil, tree)
                .map { key, value in
                    percentEscapedString(from: key) + (value.map { "=" + percentEscapedString(from: $0) } ?? "")
                }
                .joined(separator: "&")
            #expect(queryString(from: tree) == expected, "seed \(seed)")
        }
    }
}
