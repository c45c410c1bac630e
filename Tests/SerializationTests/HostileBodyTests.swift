// SPDX-License-Identifier: MIT
import FoundationXML
import OperationNetworkingXML
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("Small bodies that would take long to parse", .timeLimit(.minutes(3)), .serialized)
struct HostileBodyTests {
    /// Marks of two combining classes in turns, which Swift sorts whenever it hashes or compares a string.
    private static func marks(_ count: Int) -> String { String(repeating: "\u{301}\u{316}", count: count / 2) }
    private static func escapes(_ count: Int) -> String { String(repeating: "\\u0301\\u0316", count: count / 2) }
    /// Tibetan vowels of class 0, which decompose into marks.
    private static func vowels(_ count: Int) -> String { String(repeating: "\u{F73}\u{F81}", count: count / 2) }
    /// Beyond the first plane: UTF-16 writes them as pairs.
    private static func musical(_ count: Int) -> String { String(repeating: "\u{1D165}\u{1D17B}", count: count / 2) }

    private func outcome(
        _ serializer: HTTPResponseSerializer, _ type: String, _ body: Data, limit: Double = 2,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Outcome {
        var outcome = Outcome()
        let seconds = processorSeconds { outcome = serializer.outcome(httpResponse(200, type), body) }
        #expect(seconds < limit * Patience.factor, sourceLocation: sourceLocation)
        return outcome
    }

    // MARK: JSON

    @Test("JSON with a key of combining marks is an error at once, however they are written")
    func jsonKeys() throws {
        for key in [
            Self.marks(100_000), "a" + Self.escapes(100_000), Self.vowels(100_000), Self.musical(100_000),
            String(repeating: "\\ud834\\udd65\\u0316", count: 20_000), "x\\n" + Self.marks(100_000),
        ] {
            for text in ["{\"\(key)\":1}", "[{\"b\":{\"\(key)\"\n\t :[]}}]"] {
                for data in [Data(text.utf8), try #require(text.data(using: .utf16))] {
                    let serializer = JSONResponseSerializer()
                    #expect(outcome(serializer, "application/json", data) == .failure(-1017, 3840))
                    let decoding = DecodableResponseSerializer<[String: Int]>()
                    #expect(outcome(decoding, "application/json", data).codes.first == -1017)
                }
            }
        }
    }

    /// Those with zeros beside ASCII, in both orders of bytes. Foundation writes no mark in them.
    private static let wideEncodings: [String.Encoding] = [
        .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian,
    ]

    @Test("JSON with such a key is an error when no byte order mark tells its encoding, or two tell different ones")
    func unmarkedJSONKeys() throws {
        let text = "{\"\(Self.marks(100_000))\":1}"
        var bodies: [Data] = []
        for encoding in Self.wideEncodings { bodies.append(try #require(text.data(using: encoding))) }
        bodies.append(Data([0xEF, 0xBB, 0xBF, 0xFF, 0xFE]) + bodies[0])
        for (index, body) in bodies.enumerated() {
            #expect(outcome(JSONResponseSerializer(), "application/json", body) == .failure(-1017, 3840), "\(index)")
            let decoding = DecodableResponseSerializer<[String: Int]>()
            #expect(outcome(decoding, "application/json", body).codes.first == -1017, "\(index)")
        }
    }

    @Test("JSON5 has more ways to write a key")
    func json5() {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        let serializer = DecodableResponseSerializer<[String: Int]>(decoder: decoder)
        for text in [
            "{a\(Self.marks(100_000)):1}", "{'\(Self.marks(100_000))':1}", "/*\"*/{'\(Self.marks(100_000))':1}",
        ] {
            #expect(outcome(serializer, "application/json", Data(text.utf8)).codes.first == -1017)
        }
        #expect(outcome(serializer, "application/json", Data("{a:1}".utf8)).codes.isEmpty)
    }

    @Test("Values may hold what they want, and keys what people write")
    func fairJSON() throws {
        let marks = Self.marks(100_000)
        let keys = ["e\u{301}\u{316}\u{323}", "日本語のキー", "ключ", "\\u00e9\\n\\\"", "नमस्ते", "🇩🇪👩‍👩‍👧", Self.marks(100)]
        for key in keys {
            let text = "{\"\(key)\": \"\(marks)\", \"b\": [\"\(marks)\"]}"
            let object = try JSONResponseSerializer().responseObject(
                for: httpResponse(200, "application/json"), data: Data(text.utf8))
            #expect((object as? [String: Any])?.count == 2)
        }
        let text = "{\"ключ\":1}"
        for encoding in Self.wideEncodings {
            let body = try #require(text.data(using: encoding))
            #expect(outcome(JSONResponseSerializer(), "application/json", body) == .object(text))
            let decoding = DecodableResponseSerializer<[String: Int]>()
            #expect(outcome(decoding, "application/json", body).codes.isEmpty)
        }
    }

    private enum Status: String, Decodable, Sendable { case on, off }

    private struct Entry: Decodable, Sendable {
        var status: Status?
        var tags: Set<String>?
    }

    @Test("Decoded values of combining marks, which are compared and hashed, are an error at once that says where")
    func decodedValues() throws {
        let pairs = String(repeating: "\\ud834\\udd65\\ud834\\udd7b", count: 25_000)
        for value in [
            Self.marks(100_000), "a" + Self.escapes(100_000), Self.vowels(100_000), Self.musical(100_000), pairs,
        ] {
            for text in ["{\"status\":\"\(value)\"}", "{\"tags\":[\"b\",\"\(value)\",\"c\(value)\"]}"] {
                let data = Data(text.utf8)
                let serializer = DecodableResponseSerializer<Entry>()
                #expect(outcome(serializer, "application/json", data) == .failure(-1017, 3840))
                let response = SerializedResponse(httpResponse(200, "application/json"))
                let error = #expect(throws: ResponseSerializationError.self) {
                    try JSONDecoder().decode(Entry.self, fromContent: data, of: response)
                }
                #expect(error?.code == .cannotParseResponse && error?.reason.contains("before byte ") == true)
            }
        }
    }

    @Test("Long values that people write are decoded, however they are written")
    func fairValues() throws {
        let texts = [
            "😀", "👩‍👩‍👧‍👦🏳️‍🌈", "日本語", "𠮷野家", "한국어", "नमस्ते", "שָׁלוֹם", "تَشْكِيل", "Việt Nam",
            "e\u{301}\u{316}\u{323}", Self.marks(100) + "a",
        ].map { String(repeating: $0, count: 1000) }
        let serializer = DecodableResponseSerializer<Set<String>>()
        for text in texts {
            let escaped = text.utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
            .joined()
            for spelling in [text, escaped] {
                let object = try serializer.responseObject(
                    for: httpResponse(200, "application/json"), data: Data("[\"\(spelling)\"]".utf8))
                #expect(object as? Set<String> == Set([text]))
            }
        }
    }

    // MARK: Property lists

    private static let plist = "application/x-plist"

    @Test("A property list may spell its text by codes")
    func codedText() throws {
        let text = String(repeating: "日本語", count: 200)
        let numbers = text.unicodeScalars.map(\.value)
        for value in [
            numbers.map { "&#\($0);" }.joined(), numbers.map { "&#x\(String($0, radix: 16));" }.joined(),
        ] {
            let list =
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?><plist><dict><key>a</key><string>\(value)</string></dict></plist>"
            let object = try PropertyListResponseSerializer().responseObject(
                for: httpResponse(200, Self.plist), data: Data(list.utf8))
            #expect(object as? [String: String] == ["a": text])
        }
        let openStep = numbers.map { "\\U" + String($0, radix: 16) }.joined()
        let object = try PropertyListResponseSerializer().responseObject(
            for: httpResponse(200, Self.plist), data: Data("{a = \"\(openStep)\";}".utf8))
        #expect(object as? [String: String] == ["a": text])
    }

    @Test("An old-style property list may spell emoji by halves")
    func codedHalves() throws {
        let list = "{a = \"\(String(repeating: "\\Ud83d\\Ude00", count: 100))\";}"
        let object = try PropertyListResponseSerializer().responseObject(
            for: httpResponse(200, Self.plist), data: Data(list.utf8))
        #expect(object as? [String: String] == ["a": String(repeating: "😀", count: 100)])
    }

    @Test("Backslashes are characters like others in property lists of XML")
    func backslashes() throws {
        let text = String(repeating: "\\x00", count: 129)
        for head in ["", "\n ", "<?xml version=\"1.0\"?>\n"] {
            let list = "\(head)<plist><dict><key>a</key><string>\(text)</string></dict></plist>"
            // With a byte order mark, too.
            let marked = [Data([0xEF, 0xBB, 0xBF]) + Data(list.utf8), try #require(list.data(using: .utf16))]
            for data in marked + [Data(list.utf8)] {
                let object = try PropertyListResponseSerializer().responseObject(
                    for: httpResponse(200, Self.plist), data: data)
                #expect(object as? [String: String] == ["a": text])
            }
        }
    }

    @Test("A property list with a key of combining marks is an error at once, in every format and spelling")
    func plistKeys() throws {
        let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
        let entities = String(repeating: "&#x301;&#790;", count: 50_000)
        let sections = String(repeating: "<![CDATA[\u{301}]]><![CDATA[\u{316}]]>", count: 20_000)
        let openStep = String(repeating: "\\U0301\\U0316", count: 50_000)
        var lists = [Self.marks(100_000), entities, sections, Self.vowels(50_000)].map {
            Data("\(head)<plist><dict><key>a\($0)</key><true/></dict></plist>".utf8)
        }
        lists.append(Data("{\"a\(openStep)\" = b;}".utf8))
        lists.append(Data("{\"a\(Self.marks(100_000))\" = b;}".utf8))
        // A backslash before each, which says nothing.
        for pair in ["\\\u{301}\\\u{316}", "\\\u{F73}\\\u{F81}", "\\\u{1D165}\u{1D17B}", "\\Ud834\\Udd65\\U0316"] {
            lists.append(Data("{\"a\(String(repeating: pair, count: 50_000))\" = b;}".utf8))
        }
        let wide =
            "<?xml version=\"1.0\" encoding=\"UTF-16\"?><plist><dict><key>\(Self.marks(100_000))</key><true/></dict></plist>"
        for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian] {
            lists.append(try #require(wide.data(using: encoding)))
        }
        // Declarations that two parsers might read otherwise, too.
        let blanks = String(repeating: " ", count: 600)
        for declaration in ["", "encoding ='UTF-8' ", "\(blanks)", "encoding='UTF-8' ", "encoding= 'UTF-8' "] {
            lists.append(
                Data("<?xml version='1.0' \(declaration)encoding='windows-1258'?><plist><dict><key>a".utf8)
                    + Data((0..<90_000).map { $0 % 2 == 0 ? 0xEC : 0xF2 })
                    + Data("</key><true/></dict></plist>".utf8))
        }
        for text in [Self.marks(100_000), Self.vowels(50_000), Self.musical(50_000)] {
            lists.append(
                try PropertyListSerialization.data(fromPropertyList: [text: 1], format: .binary, options: 0))
        }
        for (index, list) in lists.enumerated() {
            let outcome = outcome(PropertyListResponseSerializer(), Self.plist, list)
            #expect(outcome == .failure(-1017, 3840), "\(index)")
        }
    }

    @Test("Property lists that people write are read")
    func fairLists() throws {
        let list: [String: Any] = [
            "e\u{301}\u{316}": "a", "ключ": ["\u{1D165}", 1], "日本": String(repeating: "é", count: 5000),
            String(repeating: "😀", count: 100): 1, String(repeating: "𠮷", count: 100): 2,
        ]
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
            let data = try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
            #expect(outcome(PropertyListResponseSerializer(), Self.plist, data).codes.isEmpty)
        }
        let spaced = Data("<?xml version = \"1.0\" encoding = \"UTF-8\"?><plist><string>é</string></plist>".utf8)
        #expect(outcome(PropertyListResponseSerializer(), Self.plist, spaced).codes.isEmpty)
        let latin =
            Data("<?xml version='1.0' encoding='ISO-8859-1'?><plist><string>".utf8) + [0xE9]
            + Data("</string></plist>".utf8)
        #expect(outcome(PropertyListResponseSerializer(), Self.plist, latin).codes.isEmpty)
    }

    /// A binary list of one array that names one object very often.
    private static func array(references: Int, objects: Int = 2) -> Data {
        var data = Data("bplist00".utf8)
        let size = withUnsafeBytes(of: UInt32(references).bigEndian) { Array($0) }
        data.append(contentsOf: [0xAF, 0x12] + size)
        data.append(Data(repeating: 1, count: references))
        let integer = data.count
        data.append(contentsOf: [0x10, 0x05])
        let table = data.count
        func append(_ number: Int, _ size: Int) {
            data.append(contentsOf: withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0.suffix(size)) })
        }
        append(8, 4)
        Array(repeating: UInt32(integer).bigEndian, count: objects - 1).withUnsafeBytes { data.append(contentsOf: $0) }
        data.append(Data(count: 6))
        data.append(contentsOf: [4, 1])
        for number in [objects, 0, table] { append(number, 8) }
        return data
    }

    static var residentBytes: Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return fields.flatMap { $0.count > 1 ? Int($0[1]) : nil }.map { $0 * Int(getpagesize()) } ?? 0
    }

    @Test("A binary list of 32 MB does not become a gigabyte", arguments: [2, 6_000_000])
    func counts(objects: Int) {
        let data = Self.array(references: objects == 2 ? 32 << 20 : 1, objects: objects)
        let before = Self.residentBytes
        #expect(
            outcome(PropertyListResponseSerializer(), Self.plist, data, limit: 20) == .failure(-1017, 3840))
        #expect(Self.residentBytes - before < 100 << 20)
        let fair = Self.array(references: 100_000)
        #expect(outcome(PropertyListResponseSerializer(), Self.plist, fair, limit: 20).codes.isEmpty)
    }

    // MARK: XML

    private static let serializers: [HTTPResponseSerializer] = [
        XMLParserResponseSerializer(), XMLDocumentResponseSerializer(),
    ]

    /// How the parser of the first serializer ends, or the second.
    private func codes(_ serializer: HTTPResponseSerializer, _ text: String) -> [Int] {
        do {
            let object = try serializer.responseObject(for: httpResponse(200, "application/xml"), data: Data(text.utf8))
            if let parser = object as? XMLParser { _ = parser.parse() }
            return []
        } catch let error as ResponseSerializationError {
            return [error.code.rawValue]
        } catch {
            return [0]
        }
    }

    @Test("Attributes and namespaces by the thousand, and names of combining marks, are an error at once")
    func attributes() {
        let many = (0..<120_000).map { "a\($0)=''" }.joined(separator: " ")
        let close = (0..<120_000).map { "a\($0)='>'" }.joined(separator: "\n")
        let spaces = (0..<200).map { "xmlns:p\($0)='u'" }.joined(separator: " ")
        let texts = [
            "<r \(many)/>", "<r><a><b \(close)></b></a></r>", "<r a\(Self.marks(90_000))='1'/>",
            "<r\(Self.marks(90_000))></r\(Self.marks(90_000))>",
            String(repeating: "<r \(spaces)>", count: 100) + String(repeating: "</r>", count: 100),
        ]
        for serializer in Self.serializers {
            for text in texts {
                let seconds = processorSeconds { #expect(codes(serializer, text) == [-1017]) }
                #expect(seconds < 5 * Patience.factor)
            }
        }
    }

    @Test("Documents that people write are read")
    func fairXML() {
        let attributes = (0..<200).map { "a\($0) = '=>'" }.joined(separator: " ")
        let elements = String(repeating: "<b xmlns:p='http://u/' xmlns='http://v/'><p:c/></b>", count: 1000)
        let texts = [
            "<r \(attributes)/>", "<r>\(elements)</r>", "<größe é='ü'>x</größe>",
            "<r a='\(Self.marks(1000))'>\(Self.marks(1000))</r>", "<r\n\ta='1'\n\tb='2'\n/>",
        ]
        for serializer in Self.serializers {
            for text in texts { #expect(codes(serializer, text) == [], "\(text.prefix(40))") }
        }
    }
}
