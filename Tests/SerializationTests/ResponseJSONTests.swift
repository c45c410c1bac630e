// SPDX-License-Identifier: MIT
@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
import Testing

@Suite("JSON response serializer", .timeLimit(.minutes(1)))
struct ResponseJSONTests {
    static let json = "application/json"

    @Test(
        "Types, statuses and bodies",
        arguments: [
            ResponseCase("object", 200, json, #"{"a":1}"#, .object(#"{"a":1}"#)),
            ResponseCase("array", 200, "text/json", "[1]", .object("[1]")),
            ResponseCase("javascript", 200, "text/javascript", "[1]", .object("[1]")),
            ResponseCase("other type", 200, "text/html", "[1]", .failure(-1016)),
            ResponseCase("no type, body", 200, nil, "[1]", .failure(-1016)),
            ResponseCase("no type, empty body", 200, nil, "", .object(nil)),
            ResponseCase("other type, empty body", 200, "text/html", "", .failure(-1016)),
            ResponseCase("other type, no body", 200, "text/html", nil, .object(nil)),
            ResponseCase("empty body", 200, json, "", .object(nil)),
            ResponseCase("no body", 200, json, nil, .object(nil)),
            ResponseCase("one space", 200, json, " ", .object(nil)),
            ResponseCase("two spaces", 200, json, "  ", .failure(-1017, 3840)),
            ResponseCase("a newline", 200, json, "\n", .failure(-1017, 3840)),
            ResponseCase("204, type, empty", 204, json, "", .object(nil)),
            ResponseCase("204, other type, empty", 204, "text/plain", "", .object(nil)),
            ResponseCase("205, no type, empty", 205, nil, "", .object(nil)),
            ResponseCase("304, empty", 304, nil, "", .failure(-1011)),
            ResponseCase("bad status, good body", 422, json, #"{"e":"x"}"#, .failure(-1011, object: #"{"e":"x"}"#)),
            ResponseCase("bad status, bad body", 500, json, "<html>", .failure(-1011, -1017, 3840)),
            ResponseCase("bad status, other type", 500, "text/html", "[1]", .failure(-1011, -1016)),
            ResponseCase("bad status, empty body", 500, json, "", .failure(-1011)),
            ResponseCase("bad status, one space", 500, json, " ", .failure(-1011)),
            ResponseCase("bad status, no body", 500, "text/html", nil, .failure(-1011)),
            ResponseCase("bad body", 200, json, "{", .failure(-1017, 3840)),
            ResponseCase("fragment", 200, json, "1", .failure(-1017, 3840)),
        ])
    func table(_ test: ResponseCase) {
        #expect(test.outcome(JSONResponseSerializer()) == test.expected)
    }

    @Test(
        "Top-level fragments need the option",
        arguments: [
            ResponseCase("number", 200, json, "1", .object("1")),
            ResponseCase("string", 200, json, #""é""#, .object("é")),
            ResponseCase("null", 200, json, "null", .object("<null>")),
            ResponseCase("word", 200, json, "word", .failure(-1017, 3840)),
        ])
    func fragments(_ test: ResponseCase) {
        #expect(test.outcome(JSONResponseSerializer(readingOptions: [.fragmentsAllowed])) == test.expected)
    }

    static let accented = #"["é日"]"#

    @Test(
        "Charsets: the byte order mark first, then the response, then the serializer",
        arguments: [
            ResponseCase("UTF-8", 200, json, accented, .object(accented)),
            ResponseCase(
                "UTF-8, mark", 200, json, bytes: Data([0xEF, 0xBB, 0xBF]) + Data(accented.utf8), .object(accented)),
            ResponseCase(
                "UTF-8, mark, wrong charset", 200, json + "; charset=iso-8859-1",
                bytes: Data([0xEF, 0xBB, 0xBF]) + Data(accented.utf8), .object(accented)),
            ResponseCase(
                "UTF-16 LE, mark", 200, json, bytes: Data([0xFF, 0xFE]) + bytes(.utf16LittleEndian), .object(accented)),
            ResponseCase(
                "UTF-16 BE, mark", 200, json, bytes: Data([0xFE, 0xFF]) + bytes(.utf16BigEndian), .object(accented)),
            ResponseCase(
                "UTF-16 BE, mark, charset", 200, json + "; charset=utf-16",
                bytes: Data([0xFE, 0xFF]) + bytes(.utf16BigEndian), .object(accented)),
            ResponseCase("UTF-16 LE", 200, json, bytes: bytes(.utf16LittleEndian), .object(accented)),
            ResponseCase("UTF-16 BE", 200, json, bytes: bytes(.utf16BigEndian), .object(accented)),
            ResponseCase(
                "UTF-16 LE, charset utf-16", 200, json + "; charset=UTF-16", bytes: bytes(.utf16LittleEndian),
                .object(accented)),
            ResponseCase(
                "UTF-16 BE, charset utf-16", 200, json + "; charset=utf-16", bytes: bytes(.utf16BigEndian),
                .object(accented)),
            ResponseCase(
                "UTF-16 LE, charset utf-16le", 200, json + "; charset=utf-16le", bytes: bytes(.utf16LittleEndian),
                .object(accented)),
            ResponseCase(
                "UTF-32 LE, mark", 200, json, bytes: Data([0xFF, 0xFE, 0, 0]) + bytes(.utf32LittleEndian),
                .object(accented)),
            ResponseCase(
                "UTF-32 BE, charset", 200, json + "; charset=utf-32", bytes: bytes(.utf32BigEndian), .object(accented)),
            ResponseCase("Latin 1", 200, json + "; charset=ISO-8859-1", bytes: latin, .object(#"["é"]"#)),
            ResponseCase(
                "Windows 1252, quoted", 200, json + "; charset=\"windows-1252\"", bytes: latin, .object(#"["é"]"#)),
            ResponseCase(
                "Shift JIS", 200, json + "; charset=Shift_JIS", bytes: Data([0x5B, 0x22, 0x93, 0xFA, 0x22, 0x5D]),
                .object(#"["日"]"#)),
            ResponseCase(
                "Big5", 200, json + "; charset=big5", bytes: Data([0x5B, 0x22, 0xA4, 0xE9, 0x22, 0x5D]),
                .object(#"["日"]"#)),
            ResponseCase(
                "GB 18030", 200, json + "; charset=GB18030", bytes: Data([0x5B, 0x22, 0xC8, 0xD5, 0x22, 0x5D]),
                .object(#"["日"]"#)),
            ResponseCase(
                "KOI8-R", 200, json + "; charset=koi8-r", bytes: Data([0x5B, 0x22, 0xE9, 0x22, 0x5D]),
                .object(#"["И"]"#)),
            ResponseCase("Latin 1 undeclared", 200, json, bytes: latin, .failure(-1017, 3840)),
            ResponseCase(
                "not of the declared charset", 200, json + "; charset=euc-jp", bytes: latin, .failure(-1017, 3840)),
            ResponseCase("unknown charset", 200, json + "; charset=x-nonsense", accented, .object(accented)),
            ResponseCase("binary", 200, json + "; charset=binary", accented, .object(accented)),
            ResponseCase("an empty charset", 200, json + "; charset=", accented, .object(accented)),
            ResponseCase("an empty quoted charset", 200, json + "; charset=\"\"", accented, .object(accented)),
            ResponseCase("a charset of blanks", 200, json + "; charset=\"  \"", accented, .object(accented)),
            ResponseCase("no value", 200, json + "; charset", accented, .object(accented)),
            ResponseCase(
                "an encoding nobody should read", 200, json + "; charset=iso-2022-kr", accented, .object(accented)),
            ResponseCase(
                "UTF-16 beside binary", 200, json + "; charset=binary", bytes: bytes(.utf16LittleEndian),
                .object(accented)),
            ResponseCase("US-ASCII that is UTF-8", 200, json + "; charset=us-ascii", accented, .object(accented)),
            ResponseCase("a name in capitals", 200, json + "; Charset=iso-8859-1", bytes: latin, .object(#"["é"]"#)),
            ResponseCase(
                "blanks around the sign", 200, json + " ; CHARSET = \"ISO-8859-1\" ", bytes: latin, .object(#"["é"]"#)),
            ResponseCase(
                "EUC-JP", 200, json + "; charset=euc-jp", bytes: Data([0x5B, 0x22, 0xC6, 0xFC, 0x22, 0x5D]),
                .object(#"["日"]"#)),
            ResponseCase("the same type twice", 200, json + ", " + json, "[1]", .object("[1]")),
            ResponseCase("the last of two types", 200, "text/html, " + json, "[1]", .object("[1]")),
            ResponseCase("the last of two types, which is another", 200, json + ", text/html", "[1]", .failure(-1016)),
            ResponseCase("types that are none beside one", 200, json + ", , */*, a/b/c", "[1]", .object("[1]")),
            ResponseCase(
                "the charset of the same type before", 200, json + "; charset=iso-8859-1, " + json, bytes: latin,
                .object(#"["é"]"#)),
            ResponseCase(
                "a charset of another type before", 200, "text/html; charset=iso-8859-1, " + json, bytes: latin,
                .failure(-1017, 3840)),
            ResponseCase("empty body, unknown charset", 200, json + "; charset=x-nonsense", "", .object(nil)),
            ResponseCase("a mark and nothing else", 200, json, bytes: Data([0xEF, 0xBB, 0xBF]), .failure(-1017, 3840)),
            ResponseCase(
                "half a UTF-16 unit", 200, json + "; charset=utf-16", bytes: Data([0x5B]), .failure(-1017, 3840)),
        ])
    func charsets(_ test: ResponseCase) {
        #expect(test.outcome(JSONResponseSerializer()) == test.expected)
    }

    static let latin = Data([0x5B, 0x22, 0xE9, 0x22, 0x5D])
    static func bytes(_ encoding: String.Encoding) -> Data { accented.data(using: encoding) ?? Data() }

    @Test("Without a charset the serializer's own encoding counts")
    func fallbackEncoding() {
        let serializer = JSONResponseSerializer()
        serializer.stringEncoding = .isoLatin1
        #expect(serializer.outcome(httpResponse(200, Self.json), Self.latin) == .object(#"["é"]"#))
        #expect(
            serializer.outcome(httpResponse(200, Self.json + "; charset=utf-8"), Data(Self.accented.utf8))
                == .object(Self.accented))
    }

    @Test(
        "Hostile bytes are an error",
        arguments: [
            ResponseCase(
                "invalid UTF-8", 200, json, bytes: Data([0x5B, 0x22, 0xFF, 0xC3, 0x28, 0x22, 0x5D]),
                .failure(-1017, 3840)),
            ResponseCase("lone high surrogate", 200, json, #"["\ud800"]"#, .failure(-1017, 3840)),
            ResponseCase(
                "surrogate bytes in UTF-8", 200, json, bytes: Data([0x5B, 0x22, 0xED, 0xA0, 0x80, 0x22, 0x5D]),
                .failure(-1017, 3840)),
            ResponseCase("NUL in a string", 200, json, "[\"\0\"]", .failure(-1017, 3840)),
            ResponseCase("NUL behind", 200, json, "[1]\0", .failure(-1017, 3840)),
            ResponseCase("NULs only", 200, json, bytes: Data(count: 64), .failure(-1017, 3840)),
            ResponseCase("escaped NUL", 200, json, #"["\u0000"]"#, .object(#"["\u0000"]"#)),
            ResponseCase("number beyond Double", 200, json, "[1e999]", .failure(-1017, 3840)),
            ResponseCase("exponent beyond Int", 200, json, "[1e99999999999999999999]", .failure(-1017, 3840)),
            ResponseCase(
                "a long number", 200, json, "[" + String(repeating: "9", count: 400) + "]", .failure(-1017, 3840)),
            ResponseCase("lone minus", 200, json, "[-]", .failure(-1017, 3840)),
            ResponseCase("largest UInt64", 200, json, "[18446744073709551615]", .object("[18446744073709551615]")),
            ResponseCase("open string", 200, json, "[\"", .failure(-1017, 3840)),
            ResponseCase("backslash at the end", 200, json, "[\"\\", .failure(-1017, 3840)),
            ResponseCase("binary", 200, json, bytes: Data((0...255).map { UInt8($0) }), .failure(-1017, 3840)),
        ])
    func hostileBytes(_ test: ResponseCase) {
        #expect(test.outcome(JSONResponseSerializer()) == test.expected)
    }

    static func nested(_ depth: Int, _ open: String = "[", _ close: String = "]") -> Data {
        Data((String(repeating: open, count: depth) + String(repeating: close, count: depth)).utf8)
    }

    @Test("512 levels are parsed, more is an error, 100,000 too")
    func depth() {
        let serializer = JSONResponseSerializer()
        let response = httpResponse(200, Self.json)
        #expect(serializer.outcome(response, Self.nested(512)).codes == [])
        for depth in [513, 100_000] {
            #expect(serializer.outcome(response, Self.nested(depth)) == .failure(-1017, 3840))
            #expect(serializer.outcome(response, Self.nested(depth, #"{"a":["#, "]}")) == .failure(-1017, 3840))
            #expect(
                serializer.outcome(response, Data(String(repeating: "[", count: depth).utf8)) == .failure(-1017, 3840))
        }
        let wide = String(decoding: Self.nested(100_000), as: UTF8.self).data(using: .utf16)
        #expect(serializer.outcome(response, wide) == .failure(-1017, 3840))
    }

    @Test(
        "A lower nesting limit holds, and brackets in strings do not count",
        arguments: [
            ("[[[1]]]", true), ("[[[[1]]]]", false), (#"{"a":{"b":[{}]}}"#, false), (#"["[[[[","\"[[[[{{"]"#, true),
            ("[[[1]],[[1]],[[1]]]", true), (#"["\\",[[[]]]]"#, false),
        ])
    func depthLimit(_ text: String, _ accepted: Bool) {
        let serializer = JSONResponseSerializer()
        serializer.maximumNestingDepth = 3
        let outcome = serializer.outcome(httpResponse(200, Self.json), Data(text.utf8))
        #expect(outcome.codes == (accepted ? [] : [-1017, 3840]))
    }

    @Test(
        "Nulls go out of dictionaries and arrays at every depth",
        arguments: [
            (#"{"a":null,"b":1}"#, #"{"b":1}"#), ("[null,1,null]", "[1]"), (#"[{"a":null}]"#, "[{}]"),
            (#"{"a":{"b":[null,{"c":null,"d":[null]}]}}"#, #"{"a":{"b":[{"d":[]}]}}"#), ("[null]", "[]"),
        ])
    func nulls(_ text: String, _ expected: String) throws {
        let response = httpResponse(200, Self.json)
        let serializer = JSONResponseSerializer()
        #expect(serializer.outcome(response, Data(text.utf8)) == .object(text))
        serializer.removesKeysWithNullValues = true
        #expect(serializer.outcome(response, Data(text.utf8)) == .object(expected))
        serializer.readingOptions = [.mutableContainers]
        #expect(serializer.outcome(response, Data(text.utf8)) == .object(expected))
        let object = try #require(try serializer.responseObject(for: response, data: Data(text.utf8)))
        #expect(type(of: object) is NSMutableDictionary.Type || type(of: object) is NSMutableArray.Type)
    }

    @Test("A null at the top stays")
    func topLevelNull() {
        let serializer = JSONResponseSerializer(readingOptions: [.fragmentsAllowed])
        serializer.removesKeysWithNullValues = true
        #expect(serializer.outcome(httpResponse(200, Self.json), Data("null".utf8)) == .object("<null>"))
    }
}
