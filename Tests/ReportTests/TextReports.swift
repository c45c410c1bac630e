// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

/// Text and JSON, as public reports about other clients have them.
@Suite("Reports: text", .timeLimit(.minutes(2))) struct TextReports {
    /// A response with a media type and a body, as Latin-1 text.
    private static func response(_ type: String?, _ body: String) -> Exchange.Answer {
        let field = type.map { "Content-Type: \($0)\r\n" } ?? ""
        return .bytes("HTTP/1.1 200 OK\r\n\(field)Content-Length: \(body.unicodeScalars.count)\r\n\r\n\(body)")
    }

    private static func text(
        _ reference: String, _ what: String, _ type: String?, _ body: String, _ text: String
    ) -> Exchange {
        Exchange(reference: reference, what: what, answers: [response(type, body)], outcome: .text(text))
    }

    /// The byte order mark in UTF-8, as Latin-1 text.
    private static let mark = "\u{EF}\u{BB}\u{BF}"

    static let cases: [Exchange] = [
        text("okhttp#2819", "a mark is no part of the text", "text/plain; charset=utf-8", mark + "a", "a"),
        text("reqwest#1898", "a mark without a charset", "text/plain", mark + "a", "a"),
        // The mark comes before what the transport says (WHATWG Encoding, section 6.1, "decode").
        text(
            "okhttp#4456", "a mark against the charset", "text/plain; charset=iso-8859-1", mark + "\u{C3}\u{A9}", "é"),
        text("okhttp#2823", "a mark of UTF-16, little-endian", "text/plain", "\u{FF}\u{FE}h\0i\0", "hi"),
        text("okhttp#2823", "a mark of UTF-16, big-endian", "text/plain", "\u{FE}\u{FF}\0h\0i", "hi"),
        text(
            "okhttp#2823", "a mark of UTF-16 against the charset", "text/plain; charset=utf-8", "\u{FF}\u{FE}h\0i\0",
            "hi"),
        text("requests#2974", "UTF-8 without a charset", "text/html", "Esta\u{C3}\u{A7}\u{C3}\u{A3}o", "Estação"),
        text("requests#6528", "a type with text in it, without a charset", "text/vtt", "\u{E4}\u{B8}\u{AD}", "中"),
        text("clj-http#573", "a charset in quotes", "text/html; charset=\"utf-8\"", "\u{C3}\u{A9}", "é"),
        text("okhttp#2677", "a charset in single quotes", "text/html; charset='utf-8'", "\u{C3}\u{A9}", "é"),
        text("zaproxy#2597", "single quotes, no blank", "text/xml;charset='utf-8'", "\u{C3}\u{A9}", "é"),
        text("corefx#33280", "a charset in quotes that is empty", "text/plain; charset=\"\"", "\u{C3}\u{A9}", "é"),
        text("corefx#33280", "capitals", "Text/HTML;Charset=\"UTF-8\"", "\u{C3}\u{A9}", "é"),
        // The label stands for windows-1252 (WHATWG Encoding, section 4.2).
        text(
            "enmime#84", "ISO-8859-1 with what only windows-1252 has", "text/plain; charset=iso-8859-1", "\u{80}", "€"),
        text("projectdiscovery/utils#743", "windows-1251", "text/plain; charset=windows-1251", "\u{CF}\u{EE}", "По"),
        text("requests#5161", "GB 2312", "text/html; charset=gb2312", "\u{C9}\u{C2}\u{CE}\u{F7}", "陕西"),
        text("summaly#40", "ISO-2022-JP", "text/html; charset=ISO-2022-JP", "\u{1B}$BF|K\\\u{1B}(B", "日本"),
        text("zombie#691", "ISO-8859-2", "text/html; charset=iso-8859-2", "\u{B1}\u{E4}", "ąä"),
    ]

    @Test("Exchanges", arguments: cases) func exchange(_ exchange: Exchange) async throws { try await exchange.run() }

    // MARK: JSON

    /// What `JSONResponseSerializer` makes of a response.
    enum Parsed: Sendable, Equatable {
        /// An object, as JSON with sorted keys.
        case object(String)
        case nothing
        /// An error with this code.
        case failure(Int)
    }

    struct JSONCase: Sendable, CustomTestStringConvertible {
        let reference: String
        let what: String
        var status = 200
        var type: String? = "application/json"
        /// As Latin-1 text.
        let body: String
        var allowsScalars = false
        let result: Parsed

        var testDescription: String { "\(reference): \(what)" }
    }

    private static let badStatus = -1011
    private static let badType = -1016
    private static let unparsable = -1017

    static let encodings: [JSONCase] = [
        JSONCase(reference: "httpful#94", what: "a mark", body: mark + "{\"a\":1}", result: .object("{\"a\":1}")),
        JSONCase(
            reference: "newman#179", what: "a mark, and a charset", type: "application/json; charset=utf-8",
            body: mark + "[\"\u{C3}\u{A9}\"]", result: .object("[\"é\"]")),
        JSONCase(reference: "httpful#94", what: "a mark and nothing else", body: mark, result: .failure(unparsable)),
        // Foundation's parser reads UTF-16, which browsers do not.
        JSONCase(
            reference: "workerd#4977", what: "a mark of UTF-16", body: "\u{FF}\u{FE}[\0]\0", result: .object("[]")),
        JSONCase(
            reference: "jetty#1914", what: "a charset in quotes", type: "application/json; charset=\"utf-8\"",
            body: "[\"\u{C3}\u{A9}\"]", result: .object("[\"é\"]")),
        JSONCase(
            reference: "okhttp#2677", what: "a charset in single quotes", type: "application/json; charset='utf-8'",
            body: "[\"\u{C3}\u{A9}\"]", result: .object("[\"é\"]")),
    ]

    static let bodies: [JSONCase] = [
        JSONCase(reference: "Alamofire#852", what: "204", status: 204, type: nil, body: "", result: .nothing),
        JSONCase(reference: "influxdb-client-js#386", what: "204 with a type", status: 204, body: "", result: .nothing),
        // As AFNetworking does; others fail.
        JSONCase(reference: "medplum#5713", what: "201 without content", status: 201, body: "", result: .nothing),
        JSONCase(reference: "node-restify#203", what: "a blank", body: " ", result: .nothing),
        JSONCase(
            reference: "ql.io#98", what: "404 without content is about the status", status: 404, body: "",
            result: .failure(badStatus)),
        JSONCase(
            reference: "AFNetworking#3331", what: "502 with a page is about the status", status: 502, type: "text/html",
            body: "<html>", result: .failure(badStatus)),
        JSONCase(reference: "AFNetworking#3331", what: "a scalar", body: "null", result: .failure(unparsable)),
        JSONCase(
            reference: "AFNetworking#3331", what: "a scalar that is allowed", body: "null", allowsScalars: true,
            result: .object("null")),
        // RFC 8259, section 7.
        JSONCase(reference: "AFNetworking#3938", what: "a line end", body: "[\"a\nb\"]", result: .failure(unparsable)),
        JSONCase(reference: "AFNetworking#3666", what: "a tab", body: "[\"a\tb\"]", result: .failure(unparsable)),
        JSONCase(
            reference: "serde-rs/json#827", what: "half a surrogate pair", body: "[\"\\ud800\"]",
            result: .failure(unparsable)),
        JSONCase(
            reference: "oxigraph/json-event-parser#1", what: "a surrogate pair", body: "[\"\\ud83d\\udd25\"]",
            result: .object("[\"🔥\"]")),
        // The last one, as in ECMA-262, JSON.parse.
        JSONCase(
            reference: "cJSON#696", what: "a name that comes twice", body: "{\"a\":1,\"a\":2}",
            result: .object("{\"a\":2}")),
        JSONCase(
            reference: "JASONETTE-iOS#234", what: "application/vnd.api+json", type: "application/vnd.api+json",
            body: "[]", result: .failure(badType)),
        JSONCase(
            reference: "AFNetworking#148", what: "text/javascript", type: "text/javascript", body: "[]",
            result: .object("[]")),
    ]

    @Test("JSON", arguments: encodings + bodies) func json(_ test: JSONCase) throws {
        let serializer = JSONResponseSerializer(readingOptions: test.allowsScalars ? .fragmentsAllowed : [])
        #expect(Self.result(of: serializer, test) == test.result)
    }

    /// A whole number.
    struct Number: Sendable, CustomTestStringConvertible {
        let reference: String
        let text: String

        var testDescription: String { "\(reference): \(text)" }
    }

    static let numbers: [Number] = [
        // More than a double holds.
        Number(reference: "restish#397", text: "9007199254740993"),
        Number(reference: "postman-app-support#9065", text: "9223372036854775807"),
        Number(reference: "swift-corelibs-foundation#1654", text: "-9223372036854775808"),
        Number(reference: "swift-corelibs-foundation#1654", text: "18446744073709551615"),
    ]

    @Test("Whole numbers keep every digit", arguments: numbers) func number(_ test: Number) throws {
        let array = JSONCase(reference: "", what: "", body: "[\(test.text)]", result: .nothing)
        let object = try JSONResponseSerializer(readingOptions: []).responseObject(
            for: Self.response(array), data: Self.octets(array.body))
        let number = try #require((object as? [Any])?.first as? NSNumber)
        #expect((test.text.hasPrefix("-") ? "\(number.int64Value)" : "\(number.uint64Value)") == test.text)
    }

    @Test("A number of 166 digits is one (swift-corelibs-foundation#1483)") func longNumber() throws {
        let test = JSONCase(
            reference: "", what: "", body: "[" + String(repeating: "9", count: 166) + "]", result: .nothing)
        let object = try JSONResponseSerializer(readingOptions: []).responseObject(
            for: Self.response(test), data: Self.octets(test.body))
        let number = try #require((object as? [Any])?.first as? NSNumber)
        #expect(abs(number.doubleValue / 1e166 - 1) < 1e-9)
    }

    private static func octets(_ text: String) -> Data {
        Data(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
    }

    private static func response(_ test: JSONCase) -> HTTPURLResponse? {
        URL(string: "http://127.0.0.1/").flatMap {
            HTTPURLResponse(
                url: $0, statusCode: test.status, httpVersion: "HTTP/1.1",
                headerFields: test.type.map { ["Content-Type": $0] } ?? [:])
        }
    }

    private static func result(of serializer: JSONResponseSerializer, _ test: JSONCase) -> Parsed {
        do {
            guard let object = try serializer.responseObject(for: response(test), data: octets(test.body)) else {
                return .nothing
            }
            let text = try JSONSerialization.data(
                withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed])
            return .object(String(decoding: text, as: UTF8.self))
        } catch {
            return .failure((error as NSError).code)
        }
    }
}
