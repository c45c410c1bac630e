// SPDX-License-Identifier: MIT
import FoundationXML
import NetworkingSupport
import OperationNetworking
import OperationNetworkingXML
import Testing

@Suite("XML response serializers", .timeLimit(.minutes(1)))
struct XMLResponseTests {
    static let xml = "application/xml"
    static let sample = #"<?xml version="1.0" encoding="UTF-8"?><r a="é"><b>日</b></r>"#

    /// Every element's name and text as the parser reports them, or nil if it found an error.
    final class Recorder: NSObject, XMLParserDelegate {
        var seen: [String] = []
        func parser(
            _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) { seen.append(elementName) }
        func parser(_ parser: XMLParser, foundCharacters string: String) { seen.append(string) }
        func parser(_ parser: XMLParser, foundCDATA block: Data) { seen.append(String(decoding: block, as: UTF8.self)) }
        func parser(_ parser: XMLParser, foundProcessingInstructionWithTarget target: String, data: String?) {
            seen.append("?\(target) \(data ?? "")")
        }
    }

    /// The outcome of one serializer, with the object turned to text: the parser's by running it.
    static func outcome(_ serializer: HTTPResponseSerializer, _ test: ResponseCase) -> Outcome {
        func text(_ object: Any?) -> String? {
            switch object {
            case let document as XMLDocument: return document.rootElement()?.xmlString
            case let parser as XMLParser:
                let recorder = Recorder()
                parser.delegate = recorder
                return parser.parse() && parser.parserError == nil ? recorder.seen.joined(separator: "|") : "broken"
            default: return object.map { "\($0)" }
            }
        }
        do {
            return .object(
                text(try serializer.responseObject(for: httpResponse(test.status, test.type), data: test.body)))
        } catch {
            let codes = serializer.outcome(httpResponse(test.status, test.type), test.body).codes
            return Outcome(codes: codes, object: text((error as? ResponseSerializationError)?.responseObject))
        }
    }

    @Test(
        "XMLParser: types, statuses and bodies; it comes unstarted",
        arguments: [
            ResponseCase("document", 200, xml, sample, .object("r|b|日")),
            ResponseCase("text/xml", 200, "text/xml", sample, .object("r|b|日")),
            ResponseCase("other type", 200, "text/html", sample, .failure(-1016)),
            ResponseCase("no body", 200, xml, nil, .object(nil)),
            ResponseCase("204, empty body", 204, xml, "", .object(nil)),
            ResponseCase("empty body", 200, xml, "", .failure(-1017, 3840)),
            ResponseCase("bad status", 404, xml, sample, .failure(-1011, object: "r|b|日")),
            ResponseCase("bad status, other type", 404, "text/html", sample, .failure(-1011, -1016)),
            ResponseCase("wrong in detail: the parser says so", 200, xml, "<a><b></a>", .object("broken")),
        ])
    func parser(_ test: ResponseCase) {
        #expect(Self.outcome(XMLParserResponseSerializer(), test) == test.expected)
    }

    @Test(
        "XMLDocument: types, statuses and bodies",
        arguments: [
            ResponseCase("document", 200, xml, sample, .object(#"<r a="é"><b>日</b></r>"#)),
            ResponseCase("text/xml", 200, "text/xml", sample, .object(#"<r a="é"><b>日</b></r>"#)),
            ResponseCase("other type", 200, "text/html", sample, .failure(-1016)),
            ResponseCase("no body", 200, xml, nil, .object(nil)),
            ResponseCase("204, empty body", 204, xml, "", .object(nil)),
            ResponseCase("empty body", 200, xml, "", .failure(-1017, 3840)),
            ResponseCase("bad status", 404, xml, "<e/>", .failure(-1011, object: "<e></e>")),
            ResponseCase("bad status, other type", 404, "text/html", "<e/>", .failure(-1011, -1016)),
            ResponseCase("bad status, bad body", 500, xml, "<e>", .failure(-1011, -1017, 3840)),
            ResponseCase("not well-formed", 200, xml, "<a><b></a>", .failure(-1017, 5)),
            ResponseCase("two roots", 200, xml, "<a/><b/>", .failure(-1017, 3840)),
            ResponseCase("undefined entity", 200, xml, "<a>&nbsp;</a>", .failure(-1017, 26)),
            ResponseCase("control character", 200, xml, "<a>\u{1}</a>", .failure(-1017, 3840)),
            ResponseCase(
                "invalid UTF-8", 200, xml, bytes: Data("<a>".utf8) + Data([0xFF]) + Data("</a>".utf8),
                .failure(-1017, 3840)),
            ResponseCase("attribute twice", 200, xml, "<a b='' b=''/>", .failure(-1017, 42)),
        ])
    func document(_ test: ResponseCase) {
        #expect(Self.outcome(XMLDocumentResponseSerializer(), test) == test.expected)
    }

    static let laughs: String = {
        var text = #"<?xml version="1.0"?><!DOCTYPE l [<!ENTITY l0 "lol">"#
        for level in 1...9 {
            text += "<!ENTITY l\(level) \"" + String(repeating: "&l\(level - 1);", count: 10) + "\">"
        }
        return text + "]><l>&l9;</l>"
    }()

    @Test(
        "Entity bombs, external entities, depth and what FoundationXML crashes on: an error from both",
        arguments: [
            ResponseCase("billion laughs", 200, xml, laughs, .failure(-1017, 3840)),
            ResponseCase(
                "billion laughs in UTF-16", 200, xml, bytes: laughs.data(using: .utf16), .failure(-1017, 3840)),
            ResponseCase(
                "external entity", 200, xml,
                #"<!DOCTYPE r [<!ENTITY f SYSTEM "file:///etc/passwd">]><r>&f;</r>"#, .failure(-1017, 3840)),
            ResponseCase(
                "external parameter entity", 200, xml,
                #"<!DOCTYPE r [<!ENTITY % p SYSTEM "http://127.0.0.1:9/x">%p;]><r/>"#, .failure(-1017, 3840)),
            ResponseCase(
                "unparsed entity", 200, xml, #"<!DOCTYPE r [<!ENTITY u SYSTEM "x" NDATA gif>]><r/>"#,
                .failure(-1017, 3840)),
            ResponseCase("notation", 200, xml, #"<!DOCTYPE r [<!NOTATION n SYSTEM "x">]><r/>"#, .failure(-1017, 3840)),
            ResponseCase("element type", 200, xml, "<!DOCTYPE r [<!ELEMENT r ANY>]><r/>", .failure(-1017, 3840)),
            ResponseCase(
                "subset behind an identifier", 200, xml, #"<!DOCTYPE r SYSTEM "[" [<!ELEMENT r ANY>]><r/>"#,
                .failure(-1017, 3840)),
            ResponseCase(
                "two document types", 200, xml, "<!DOCTYPE r><!DOCTYPE r [<!ELEMENT r ANY>]><r/>",
                .failure(-1017, 3840)),
            ResponseCase(
                "document type in the content", 200, xml, "<r><!DOCTYPE r [<!ELEMENT r ANY>]></r>",
                .failure(-1017, 3840)),
            ResponseCase(
                "hidden by UTF-7", 200, xml,
                #"<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE r [+ADwAIQ-ENTITY a "z">]><r>&a;</r>"#,
                .failure(-1017, 3840)),
            ResponseCase(
                "hidden by ISO 2022", 200, xml,
                "<?xml version=\"1.0\" encoding=\"ISO-2022-JP\"?><!DOC\u{1B}(BTYPE r [<!ELEMENT r ANY>]><r/>",
                .failure(-1017, 3840)),
            ResponseCase(
                "an encoding hidden in the version", 200, xml,
                #"<?xml version="encoding='" encoding="UTF-7"?><r/>"#, .failure(-1017, 3840)),
            ResponseCase(
                "unknown encoding", 200, xml, #"<?xml version="1.0" encoding="x-nonsense"?><r/>"#,
                .failure(-1017, 3840)),
            ResponseCase(
                "endless encoding", 200, xml,
                #"<?xml version="1.0" encoding=""# + String(repeating: "a", count: 2000) + #""?><r/>"#,
                .failure(-1017, 3840)),
            ResponseCase("257 levels", 200, xml, nested(257), .failure(-1017, 3840)),
            ResponseCase("100,000 levels", 200, xml, nested(100_000), .failure(-1017, 3840)),
            ResponseCase(
                "100,000 open tags", 200, xml, String(repeating: "<a b='>'>", count: 100_000),
                .failure(-1017, 3840)),
            ResponseCase("NULs", 200, xml, bytes: Data(count: 16), .failure(-1017, 3840)),
            ResponseCase("text", 200, xml, "hello, world", .failure(-1017, 3840)),
            ResponseCase("a comment only", 200, xml, "<!-- x -->", .failure(-1017, 3840)),
            ResponseCase("JSON", 200, xml, "{}", .failure(-1017, 3840)),
            ResponseCase("three bytes", 200, xml, "<a>", .failure(-1017, 3840)),
            ResponseCase("a bracket", 200, xml, "<", .failure(-1017, 3840)),
            ResponseCase("open tag", 200, xml, "<aaaaa b='", .failure(-1017, 3840)),
            ResponseCase("open comment", 200, xml, "<a><!-- </a>", .failure(-1017, 3840)),
            ResponseCase("open CDATA", 200, xml, "<a><![CDATA[ </a>", .failure(-1017, 3840)),
            ResponseCase("open instruction", 200, xml, "<a><?x </a>", .failure(-1017, 3840)),
            ResponseCase("markup in a broken instruction", 200, xml, "<?!x <?p?> ?><r/>", .failure(-1017, 3840)),
            ResponseCase(
                "markup behind a control character", 200, xml, "<r><?p \u{1}<?q?> ?></r>",
                .failure(-1017, 3840)),
            ResponseCase(
                "markup behind a noncharacter", 200, xml, "<r><?p \u{FFFE}<?q?> ?></r>",
                .failure(-1017, 3840)),
            ResponseCase("an instruction in an end tag", 200, xml, "<r></r<?q?>>", .failure(-1017, 3840)),
            ResponseCase("a section behind the root", 200, xml, "<r/><![CDATA[<?q?>]]>", .failure(-1017, 3840)),
            ResponseCase("a tag in a tag", 200, xml, "<a b='<?x?>'/>", .failure(-1017, 3840)),
        ])
    func hostile(_ test: ResponseCase) {
        #expect(Self.outcome(XMLParserResponseSerializer(), test) == test.expected)
        #expect(
            Self.outcome(XMLDocumentResponseSerializer(options: .nodeLoadExternalEntitiesAlways), test) == test.expected
        )
    }

    static func nested(_ depth: Int) -> String {
        String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }

    @Test(
        "Fair documents pass both",
        arguments: [
            ResponseCase("256 levels", 200, xml, nested(256), .object("")),
            ResponseCase(
                "256 levels, many times", 200, xml,
                "<r>" + String(repeating: nested(255), count: 20) + "</r>", .object("")),
            ResponseCase("a document type", 200, xml, "<!DOCTYPE r><r>x</r>", .object("x")),
            ResponseCase(
                "a system identifier", 200, xml, #"<!DOCTYPE r SYSTEM "http://127.0.0.1:9/x">  <r>x</r>"#,
                .object("x")),
            ResponseCase(
                "a public identifier", 200, xml, #"<!DOCTYPE r PUBLIC "-//X" 'http://127.0.0.1:9/x' ><r>x</r>"#,
                .object("x")),
            ResponseCase(
                "brackets in CDATA and comments", 200, xml,
                "<!-- <!DOCTYPE r [ --><r><![CDATA[<!DOCTYPE r [<a><?p?>]]]]></r><!-- <a> -->",
                .object("<!DOCTYPE r [<a><?p?>]]")),
            ResponseCase("brackets in attributes", 200, xml, "<r a='/>' b=\"'>\">x</r>", .object("x")),
            ResponseCase(
                "UTF-8 mark", 200, xml, bytes: Data([0xEF, 0xBB, 0xBF]) + Data("<r>é</r>".utf8), .object("é")),
            ResponseCase(
                "UTF-16 mark", 200, xml,
                bytes: #"<?xml version="1.0" encoding="UTF-16"?><r>é</r>"#.data(using: .utf16), .object("é")),
            ResponseCase(
                "UTF-16 without mark", 200, xml,
                bytes: #"<?xml version="1.0" encoding="UTF-16"?><r>é</r>"#.data(using: .utf16BigEndian), .object("é")),
            ResponseCase(
                "UTF-8 that says UTF-16", 200, xml, #"<?xml version="1.0" encoding="utf-16"?><r>é</r>"#,
                .object("é")),
            ResponseCase(
                "Latin 1, declared", 200, xml,
                bytes: #"<?xml version='1.0' encoding='ISO-8859-1' standalone='yes' ?><r>é</r>"#.data(
                    using: .isoLatin1),
                .object("é")),
            ResponseCase(
                "Latin 1 by the response, UTF-8 by itself", 200, xml + "; charset=iso-8859-1",
                bytes: #"<?xml version="1.0" encoding="UTF-8"?><r>é</r>"#.data(using: .isoLatin1), .object("é")),
            ResponseCase(
                "UTF-8 by the response, Latin 1 by itself", 200, xml + "; charset=utf-8",
                #"<?xml version="1.0" encoding="ISO-8859-1"?><r>é</r>"#, .object("é")),
            ResponseCase(
                "a charset that says nothing, Latin 1 by itself", 200, xml + "; charset=binary",
                bytes: #"<?xml version="1.0" encoding="ISO-8859-1"?><r>é</r>"#.data(using: .isoLatin1), .object("é")),
            ResponseCase(
                "a charset that says nothing", 200, xml + "; charset=", "<r>é</r>", .object("é")),
            ResponseCase(
                "EUC-KR by the response, in capitals", 200, xml + "; CHARSET=EUC-KR",
                bytes: Data("<r>".utf8) + Data([0xC7, 0xD1]) + Data("</r>".utf8), .object("한")),
            ResponseCase(
                "Shift JIS", 200, xml,
                bytes: Data(#"<?xml version="1.0" encoding="Shift_JIS"?><r>"#.utf8) + Data([0x93, 0xFA])
                    + Data("</r>".utf8), .object("日")),
        ])
    func fair(_ test: ResponseCase) throws {
        let response = httpResponse(test.status, test.type)
        let document = try XMLDocumentResponseSerializer().responseObject(for: response, data: test.body)
        #expect((document as? XMLDocument)?.rootElement()?.stringValue == test.expected.object)
        let parser = try #require(
            try XMLParserResponseSerializer().responseObject(for: response, data: test.body) as? XMLParser)
        let recorder = Recorder()
        parser.delegate = recorder
        #expect(parser.parse() && parser.parserError == nil)
        #expect(recorder.seen.filter { $0 != "r" && $0 != "a" }.joined() == test.expected.object)
    }

    @Test("Instructions without data do not stop the program and keep their target")
    func bareInstructions() {
        let test = ResponseCase("", 200, Self.xml, "<?p?><r><?q?><?s d?></r><?t?>", .object("?p |r|?q |?s d|?t "))
        #expect(Self.outcome(XMLParserResponseSerializer(), test) == test.expected)
    }

    @Test("The parser serializer's limit can be set")
    func limit() {
        let serializer = XMLParserResponseSerializer()
        serializer.maximumNestingDepth = 2
        #expect(serializer.outcome(httpResponse(200, Self.xml), Data("<a><b></b><c><!----></c></a>".utf8)).codes == [])
        #expect(serializer.outcome(httpResponse(200, Self.xml), Data("<a><b><c/></b></a>".utf8)).codes == [])
        #expect(
            serializer.outcome(httpResponse(200, Self.xml), Data("<a><b><c></c></b></a>".utf8)).codes == [-1017, 3840])
    }

    @Test("Damaged documents never stop the program")
    func mutations() {
        let text = Array(
            (#"<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE r SYSTEM "x"><?p?><!-- c --><r xmlns:n="u" a="é">"#
                + "<![CDATA[x]]><n:b>日&amp;&#x41;</n:b><?q d?><c/></r>").utf8)
        let pieces = [
            "<", ">", "[", "]>", "<?x?>", "<!--", "-->", "<!ENTITY a 'b'>", "\"", "'", "&a;", "\0", "<![CDATA[",
        ]
        var random = SeededRandom(seed: 1)
        var parsed = 0
        for _ in 0..<4000 {
            var damaged = text
            for _ in 0...(random.next() % 3) {
                let place = Int(random.next() % UInt64(damaged.count))
                switch random.next() % 3 {
                case 0: damaged[place] = UInt8(random.next() & 0xFF)
                case 1: damaged.insert(contentsOf: pieces[Int(random.next() % UInt64(pieces.count))].utf8, at: place)
                default: damaged.removeSubrange(place..<min(damaged.count, place + Int(random.next() % 5)))
                }
            }
            let test = ResponseCase("", 200, Self.xml, bytes: Data(damaged), .object(nil))
            if Self.outcome(XMLParserResponseSerializer(), test).codes == [] { parsed += 1 }
            _ = Self.outcome(XMLDocumentResponseSerializer(), test)
        }
        #expect(0 < parsed && parsed < 4000)
    }
}
