// SPDX-License-Identifier: MIT
import NetworkingSupport
@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
import Testing

@Suite("Property list response serializer", .timeLimit(.minutes(1)))
struct ResponsePropertyListTests {
    static let plist = "application/x-plist"
    static let xml = #"<?xml version="1.0"?><plist version="1.0"><dict><key>a</key><integer>1</integer></dict></plist>"#

    @Test(
        "Types, statuses and bodies",
        arguments: [
            ResponseCase("XML", 200, plist, xml, .object(#"{"a":1}"#)),
            ResponseCase("OpenStep", 200, plist, #"{a=("1");}"#, .object(#"{"a":["1"]}"#)),
            ResponseCase("binary", 200, plist, bytes: binary(["a": [1, 2]]), .object(#"{"a":[1,2]}"#)),
            ResponseCase("other type", 200, "application/xml", xml, .failure(-1016)),
            ResponseCase("no body", 200, plist, nil, .object(nil)),
            ResponseCase("empty body", 200, plist, "", .failure(-1017, 3840)),
            ResponseCase("204, empty body", 204, plist, "", .object(nil)),
            ResponseCase("204, other type, empty body", 204, "text/html", "", .object(nil)),
            ResponseCase("bad body", 200, plist, "<plist><dict>", .failure(-1017, 3840)),
            ResponseCase("bad status, good body", 422, plist, xml, .failure(-1011, object: #"{"a":1}"#)),
            ResponseCase("bad status, bad body", 500, plist, "<plist>", .failure(-1011, -1017, 3840)),
            ResponseCase("bad status, other type", 500, "text/html", xml, .failure(-1011, -1016)),
            ResponseCase(
                "EUC-JP, declared", 200, plist,
                bytes: Data(#"<?xml version="1.0" encoding="EUC-JP"?><plist version="1.0"><string>"#.utf8)
                    + Data([0xC6, 0xFC]) + Data("</string></plist>".utf8), .object("日")),
            ResponseCase(
                "KOI8-R by the response, Latin 1 by itself", 200, plist + "; Charset=KOI8-R",
                bytes: Data(#"<?xml version="1.0" encoding="ISO-8859-1"?><plist version="1.0"><string>"#.utf8)
                    + Data([0xE9]) + Data("</string></plist>".utf8), .object("И")),
            ResponseCase(
                "a charset that says nothing", 200, plist + "; charset=binary",
                #"<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><string>é</string></plist>"#,
                .object("é")),
            ResponseCase(
                "entities of its own", 200, plist,
                #"<!DOCTYPE plist [<!ENTITY a "b">]><plist><string>&a;</string></plist>"#, .failure(-1017, 3840)),
        ])
    func table(_ test: ResponseCase) {
        #expect(test.outcome(PropertyListResponseSerializer()) == test.expected)
    }

    @Test("Read options reach the parser")
    func readOptions() throws {
        let serializer = PropertyListResponseSerializer(format: .binary, readOptions: .mutableContainersAndLeaves)
        #expect(serializer.format == .binary && serializer.readOptions == .mutableContainersAndLeaves)
        let object = try serializer.responseObject(for: httpResponse(200, Self.plist), data: Data(Self.xml.utf8))
        #expect((object as? [String: Int]) == ["a": 1])
    }

    @Test(
        "Nested too deep is an error in every format",
        arguments: [("<array>", "</array>"), ("<array>", ""), ("(", ")"), ("(", ""), ("{a=", "}"), ("{a=", "")])
    func depth(_ open: String, _ close: String) {
        let text = String(repeating: open, count: 100_000) + String(repeating: close, count: 100_000)
        for text in [text, "<plist>" + text + "</plist>"] {
            let outcome = PropertyListResponseSerializer().outcome(httpResponse(200, Self.plist), Data(text.utf8))
            #expect(outcome == .failure(-1017, 3840))
        }
    }

    private static let hostileLists: [(String, Data)] = [
        // Every object is what follows it.
        ("chain of 100,000", chain(100_000)), ("chain of 600", chain(600)),
        ("itself", list([[0xA1, 0]])), ("two in a ring", list([[0xA1, 1], [0xA1, 0]])),
        ("doubling", list((0..<60).map { [0xA2, UInt8($0 + 1), UInt8($0 + 1)] } + [[0x08]])),
        ("a set", list([[0xC1, 1], [0x08]])), ("an empty set in an array", list([[0xA1, 1], [0xC0]])),
        ("an archiver's UID", list([[0x80, 0]])), ("null", list([[0x00]])),
        ("key that is a number", list([[0xD1, 1, 1], [0x10, 5]])),
        ("a date that is none", list([[0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0]])),
        ("reference out of range", list([[0xA1, 9]])),
        ("string longer than the list", list([[0x5F, 0x11, 0x7F, 0xFF]])),
        ("count beyond Int", list([[0xAF, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]])),
        ("count times size beyond Int", list([[0xAF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]])),
        ("marker only", Data("bplist00".utf8)),
        ("32 bytes after the marker", Data("bplist00".utf8) + Data(count: 32)),
        ("all ones", Data("bplist00".utf8) + Data(repeating: 0xFF, count: 64)),
    ]

    @Test(
        "Binary lists: deep, cyclic, exploding, with sets or broken, are an error",
        arguments: hostileLists)
    func hostileBinary(_ name: String, _ data: Data) {
        let outcome = PropertyListResponseSerializer().outcome(httpResponse(200, Self.plist), data)
        #expect(outcome == .failure(-1017, 3840))
    }

    @Test("Fair binary lists pass: every kind of value, equal ones shared, 512 levels")
    func fairBinary() throws {
        let value: [String: Any] = [
            "text": "x", "wide": "日本", "number": 1, "big": UInt64.max, "real": 2.5, "yes": true,
            "date": Date(timeIntervalSinceReferenceDate: 1), "data": Data([1, 2]), "empty": [String](),
            "rows": Array(repeating: ["name": "the same", "value": 7] as [String: Any], count: 20_000),
        ]
        let data = try PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)
        let object = try PropertyListResponseSerializer().responseObject(
            for: httpResponse(200, Self.plist), data: data)
        #expect((object as? NSDictionary) == value as NSDictionary)
        #expect(PropertyListResponseSerializer().outcome(httpResponse(200, Self.plist), Self.chain(511)).codes == [])
    }

    @Test("Damaged binary lists never stop the program")
    func mutations() throws {
        let value: [String: Any] = [
            "a": [1, 2.5, "x", Data([1, 2]), Date(), true, ["q": ["r"]]] as [Any], "éé": "日本", "n": UInt64.max,
        ]
        let data = try PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)
        var random = SeededRandom(seed: 1)
        let serializer = PropertyListResponseSerializer()
        let response = httpResponse(200, Self.plist)
        var parsed = 0
        for round in 0..<5000 {
            var damaged = data
            for _ in 0...(random.next() % 3) {
                damaged[Int(random.next() % UInt64(data.count))] = UInt8(random.next() & 0xFF)
            }
            if round % 5 == 0 { damaged = damaged.prefix(Int(random.next() % UInt64(data.count))) }
            if serializer.outcome(response, damaged).codes == [] { parsed += 1 }
        }
        #expect(0 < parsed && parsed < 5000)
    }

    static func binary(_ value: Any) -> Data {
        (try? PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)) ?? Data()
    }

    /// A binary list of the given objects with one-byte offsets and references; the first is the top.
    static func list(_ objects: [[UInt8]]) -> Data {
        list(objects, size: 1)
    }

    /// Arrays in arrays, then `true`.
    static func chain(_ count: Int) -> Data {
        list((0..<count).map { [0xA1] + bigEndian($0 + 1, 4) } + [[0x08]], size: 4)
    }

    private static func list(_ objects: [[UInt8]], size: Int) -> Data {
        var data = Data("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += bigEndian(data.count, size)
            data += object
        }
        let table = data.count
        data += offsets
        data += [0, 0, 0, 0, 0, 0, UInt8(size), UInt8(size)]
        data += bigEndian(objects.count, 8) + bigEndian(0, 8) + bigEndian(table, 8)
        return data
    }

    private static func bigEndian(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * (size - 1 - $0))) }
    }
}
