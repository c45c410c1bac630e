// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("What an operation shows of its response", .timeLimit(.minutes(2))) struct ResponseContentTests {
    let server: TestServer

    init() throws {
        server = try TestServer()
    }

    private func response(_ type: String?, _ bytes: [UInt8]) -> ScriptedResponse {
        ScriptedResponse(headers: type.map { [("Content-Type", $0)] } ?? [], body: .data(Data(bytes)))
    }

    @Test(
        "responseString follows the charset of the response; UTF-8 where it names none that is known",
        arguments: [
            ("text/plain; charset=utf-8", Array("grün €".utf8), String.Encoding.utf8, "grün €"),
            ("text/plain; charset=\"UTF-8\"", Array("grün".utf8), .utf8, "grün"),
            ("text/plain; charset=ISO-8859-1", [0x67, 0x72, 0xFC, 0x6E], .isoLatin1, "grün"),
            ("text/plain; charset=windows-1252", [0x80], .windowsCP1252, "€"),
            ("text/plain; charset=us-ascii", Array("abc".utf8), .ascii, "abc"),
            ("text/plain; charset=utf-16le", [0x61, 0x00], .utf16LittleEndian, "a"),
            ("text/plain; charset=shift_jis", [0x93, 0xFA], .shiftJIS, "日"),
            ("text/plain; Charset=KOI8-R", [0xF0], String.Encoding(rawValue: 0x8000_0A02), "П"),
            ("text/plain; CHARSET = \"x-sjis\"", [0x93, 0xFA], .shiftJIS, "日"),
            ("text/plain; charset=euc-jp", [0xC6, 0xFC], .japaneseEUC, "日"),
            ("text/plain; charset=gb18030", [0xD6, 0xD0], String.Encoding(rawValue: 0x8000_0632), "中"),
            ("text/plain; charset=cp1251", [0xCF], .windowsCP1251, "П"),
            ("text/plain; charset=x-user-defined", [0x80], .utf8, "\u{F780}"),
            ("text/plain; charset=iso-2022-kr", [0x61], .utf8, nil),
            ("text/plain; charset=latin1", [0x80], .isoLatin1, "€"),
            ("text/plain; charset=euc-jp", [0x61, 0xFF], .japaneseEUC, nil),
            ("text/plain; charset=", Array("grün".utf8), .utf8, "grün"),
            ("text/html; charset=koi8-r, text/html", [0xF0], String.Encoding(rawValue: 0x8000_0A02), "П"),
            ("text/plain; charset=no-such-charset", Array("grün".utf8), .utf8, "grün"),
            ("text/plain", Array("grün".utf8), .utf8, "grün"),
            (nil, Array("grün".utf8), .utf8, "grün"),
            ("text/plain; charset=utf-8", [0xFF, 0xFE, 0xFD], .utf8, nil),
        ] as [(String?, [UInt8], String.Encoding, String?)])
    func encodings(type: String?, bytes: [UInt8], encoding: String.Encoding, text: String?) async {
        server.respond(to: "/text", response(type, bytes))
        let operation = HTTPRequestOperation(server.url("/text"))
        #expect(operation.responseStringEncoding == nil && operation.responseString == nil)
        _ = await operation.outcome()
        #expect(operation.responseData == Data(bytes))
        #expect(operation.responseStringEncoding == encoding)
        #expect(operation.responseString == text)
        #expect(operation.responseString == text)
    }

    @Test("An empty content is empty data, whatever says that there is none", arguments: [200, 204, 304, 404])
    func empty(status: Int) async {
        server.respond(to: "/", .status(status))
        let operation = HTTPRequestOperation(server.url("/"))
        let outcome = await operation.outcome()
        #expect(outcome.status == status)
        #expect((outcome.error == nil) == (200..<300).contains(status))
        #expect(operation.responseData == Data())
        #expect(operation.responseString == "")
    }

    @Test("An empty chunked content, and one that ends with the connection, are empty data too")
    func emptyOtherwise() async {
        server.respond(to: "/chunked", ScriptedResponse(body: .chunked([])))
        server.respond(to: "/close", ScriptedResponse(body: .untilClose(Data())))
        for path in ["/chunked", "/close"] {
            let outcome = await HTTPRequestOperation(server.url(path)).outcome()
            #expect(outcome.error == nil && outcome.data == Data())
        }
    }

    @Test("HEAD gets the head with the length that GET would have, and no content")
    func head() async {
        server.respond(to: "/", .ok("twelve bytes"))
        let outcome = await HTTPRequestOperation(server.url("/"), method: "HEAD").outcome()
        #expect(outcome.error == nil && outcome.data == Data())
        #expect(outcome.operation?.response?.expectedContentLength == 12)
        #expect(server.requests.first?.method == "HEAD")
    }

    @Test("Interim responses are not the response")
    func interim() async {
        server.respond(
            to: "/", ScriptedResponse.ok("final").preceded(by: 103, headers: [("Link", "</x>")]).preceded(by: 102))
        let outcome = await HTTPRequestOperation(server.url("/")).outcome()
        #expect(outcome.status == 200 && outcome.text == "final")
        #expect(outcome.operation?.response?.value(forHTTPHeaderField: "Link") == nil)
    }

    @Test("Header fields are found whatever their case, and repeated ones are joined")
    func headerFields() async {
        server.respond(
            to: "/",
            ScriptedResponse(headers: [("x-multi", "a"), ("X-Multi", "b"), ("X-Empty", ""), ("x-latin", "gr\u{FC}n")]))
        let response = await HTTPRequestOperation(server.url("/")).outcome().operation?.response
        #expect(response?.value(forHTTPHeaderField: "X-MULTI") == "a, b")
        #expect(response?.value(forHTTPHeaderField: "X-Empty") == "")
        #expect(response?.value(forHTTPHeaderField: "X-Latin") == "grün")
    }

    @Test("A head of as many fields as there may be costs no more than a moment")
    func manyFields() async {
        let fields = (0..<1990).map { (name: "a\($0)", value: "") }
        server.respond(to: "/", ScriptedResponse(headers: fields, body: .text("x")))
        let operation = HTTPRequestOperation(server.url("/"))
        operation.responseSerializer = JSONResponseSerializer()
        let begin = ContinuousClock.now
        let outcome = await operation.outcome()
        #expect(outcome.status == 200)
        #expect(ContinuousClock.now - begin < .seconds(20 * Patience.factor))
    }

    @Test("More than a thousand cookies in one response cost no more than a moment, and do not fill the store")
    func manyCookies() async {
        let cookies = (0..<1900).map { (name: "Set-Cookie", value: "many\($0)=v; Path=/many") }
        server.respond(to: "/many", ScriptedResponse(headers: cookies, body: .text("x")))
        let begin = ContinuousClock.now
        #expect(await HTTPRequestOperation(server.url("/many")).outcome().text == "x")
        #expect(ContinuousClock.now - begin < .seconds(10 * Patience.factor))
        let stored = (HTTPCookieStorage.shared.cookies ?? []).filter { $0.path == "/many" }
        #expect(!stored.isEmpty && stored.count < 1000)
        for cookie in stored { HTTPCookieStorage.shared.deleteCookie(cookie) }
    }

    @Test("Content goes to a file through an output stream, byte for byte, and is not kept in memory")
    func outputToFile() async throws {
        let directory = try TemporaryDirectory()
        let size = 3 << 20
        server.respond(to: "/", ScriptedResponse(body: .pattern(count: size)))
        let operation = HTTPRequestOperation(server.url("/"))
        operation.outputStream = OutputStream(url: directory.file("content"), append: false)
        let outcome = await operation.outcome()
        #expect(outcome.error == nil)
        #expect(operation.responseData == nil && operation.responseString == nil)
        #expect(try Data(contentsOf: directory.file("content")) == ScriptedResponse.longPattern(count: size))
        #expect(operation.outputStream?.streamStatus == .closed)
    }

    @Test("Content goes to a stream in memory")
    func outputToMemory() async {
        server.respond(to: "/", .ok("into memory"))
        let operation = HTTPRequestOperation(server.url("/"))
        operation.outputStream = OutputStream.toMemory()
        let outcome = await operation.outcome()
        #expect(outcome.error == nil && operation.responseData == nil)
        let written = operation.outputStream?.property(forKey: .dataWrittenToMemoryStreamKey) as? Data
        #expect(written == Data("into memory".utf8))
    }

    @Test("An empty content makes an empty file")
    func emptyOutput() async throws {
        let directory = try TemporaryDirectory()
        server.respond(to: "/", .status(204))
        let operation = HTTPRequestOperation(server.url("/"))
        operation.outputStream = OutputStream(url: directory.file("content"), append: false)
        #expect(await operation.outcome().error == nil)
        #expect(try Data(contentsOf: directory.file("content")).isEmpty)
    }

    @Test("Another serializer on a finished operation parses the same content again")
    func reparsing() async {
        server.respond(to: "/", .json(#"{"a":1}"#))
        let operation = HTTPRequestOperation(server.url("/"))
        _ = await operation.outcome()
        #expect(operation.responseObject is Data)
        operation.responseSerializer = JSONResponseSerializer()
        #expect((operation.responseObject as? [String: Any])?["a"] as? Int == 1)
        let strict = HTTPResponseSerializer()
        strict.acceptableStatusCodes = IndexSet(integer: 201)
        operation.responseSerializer = strict
        #expect((operation.error as? ResponseSerializationError)?.code == .badServerResponse)
    }
}
