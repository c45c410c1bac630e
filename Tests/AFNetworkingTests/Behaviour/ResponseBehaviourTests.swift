// SPDX-License-Identifier: MIT
import AFNetworkingUIKit
import Testing

/// What clients of AFNetworking expect of its response serializers, in its spellings.
@Suite("Responses as AFNetworking takes them", .timeLimit(.minutes(1))) struct ResponseBehaviourTests {
    private func response(_ status: Int = 200, _ type: String? = nil) throws -> HTTPURLResponse {
        let url = try #require(URL(string: "http://example.com/"))
        return try #require(
            HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "1.1", headerFields: type.map { ["Content-Type": $0] } ?? [:]
            ))
    }

    @Test("Statuses of the two hundreds are acceptable, those above 399 not")
    func statuses() throws {
        let serializer = AFHTTPResponseSerializer()
        for status in Array(200..<300) + Array(400..<600) {
            var error: NSError?
            serializer.validateResponse(try response(status, "text/html"), data: Data("text".utf8), error: &error)
            #expect(serializer.acceptableStatusCodes?.contains(status) == (status < 300))
            #expect((error == nil) == (status < 300))
        }
    }

    @Test("A response without a type may have no content, when a type is asked for")
    func noType() throws {
        let serializer = AFHTTPResponseSerializer()
        serializer.acceptableContentTypes = NSSet(object: "text/html") as? Set<String>
        var error: NSError?
        #expect(serializer.validateResponse(try response(205), data: nil, error: &error) && error == nil)
        #expect(!serializer.validateResponse(try response(205), data: Data("test".utf8), error: &error))
        #expect(error?.domain == AFURLResponseSerializationErrorDomain)
        #expect(error?.code == NSURLErrorCannotDecodeContentData)
    }

    @Test(
        "JSON has one of three types",
        arguments: [
            ("application/json", true), ("text/json", true), ("text/javascript", true), ("nonstandard/json", false),
        ])
    func jsonTypes(type: String, isAcceptable: Bool) throws {
        var error: NSError?
        AFJSONResponseSerializer().validateResponse(
            try response(200, type), data: Data(#"{"foo":"bar"}"#.utf8), error: &error)
        #expect((error == nil) == isAcceptable)
    }

    @Test("JSON is parsed; what is none is an error; nothing, and a space, are nil without one")
    func json() throws {
        let serializer = AFJSONResponseSerializer()
        let head = try response(200, "text/json")
        for (text, isObject, isError) in [
            (#"{"foo":"bar"}"#, true, false), ("{invalid}", false, true), ("", false, false), (" ", false, false),
        ] {
            var error: NSError?
            let object = serializer.responseObject(for: head, data: Data(text.utf8), error: &error)
            #expect((object is [String: Any]) == isObject && (error != nil) == isError, "\(text)")
            #expect((object != nil) == isObject)
        }
    }

    @Test("Nulls go at every depth")
    func nulls() throws {
        let serializer = AFJSONResponseSerializer()
        serializer.removesKeysWithNullValues = true
        let text = #"{"key":"value","nullkey":null,"array":[{"subnullkey":null}]}"#
        var error: NSError?
        let object = serializer.responseObject(
            for: try response(200, "text/json"), data: Data(text.utf8), error: &error)
        let dictionary = try #require(object as? [String: Any])
        #expect(error == nil && dictionary["key"] as? String == "value" && dictionary["nullkey"] == nil)
        #expect((dictionary["array"] as? [[String: Any]])?.first?.isEmpty == true)
        let cleaned = AFJSONObjectByRemovingKeysWithNullValues(["a": NSNull(), "b": 1], [])
        #expect((cleaned as? [String: Any])?.keys.sorted() == ["b"])
    }

    @Test("A property list for 204 is nil, without an error")
    func propertyList() throws {
        var error: NSError?
        let object = AFPropertyListResponseSerializer().responseObject(
            for: try response(204, "application/x-plist"), data: nil, error: &error)
        #expect(object == nil && error == nil)
    }

    @Test("XML becomes a parser, or a document; types and broken text are told of")
    func xml() throws {
        let text = #"<?xml version="1.0" encoding="UTF-8"?><foo attr1="1" attr2="2"><bar>someValue</bar></foo>"#
        let parsing = AFXMLParserResponseSerializer()
        let building = AFXMLDocumentResponseSerializer()
        for serializer in [parsing, building] as [AFHTTPResponseSerializer] {
            for (type, isAcceptable) in [("application/xml", true), ("text/xml", true), ("nonstandard/xml", false)] {
                var error: NSError?
                serializer.validateResponse(try response(200, type), data: Data(text.utf8), error: &error)
                #expect((error == nil) == isAcceptable)
            }
        }
        let head = try response(200, "application/xml")
        var error: NSError?
        #expect(parsing.responseObject(for: head, data: Data(text.utf8), error: &error) is XMLParser && error == nil)
        #expect(building.responseObject(for: head, data: Data(text.utf8), error: &error) is XMLDocument && error == nil)
        building.responseObject(for: head, data: Data("<foo".utf8), error: &error)
        #expect(error != nil)
        #expect(
            AFXMLDocumentResponseSerializer(xmlDocumentOptions: XMLNode.Options.nodePreserveAll.rawValue).options
                == .nodePreserveAll)
    }

    @Test("Copies and archives of every response serializer keep class and settings")
    func copies() throws {
        let compound = AFCompoundResponseSerializer.compoundSerializer(
            withResponseSerializers: [AFImageResponseSerializer(), AFJSONResponseSerializer()])
        let image = AFImageResponseSerializer()
        image.imageScale = 2
        image.automaticallyInflatesResponseImage = false
        let list = AFPropertyListResponseSerializer(format: .binary, readOptions: .mutableContainers)
        let document = AFXMLDocumentResponseSerializer(xmlDocumentOptions: .nodePreserveAll)
        for serializer in [
            AFHTTPResponseSerializer(), AFJSONResponseSerializer(), list, AFXMLParserResponseSerializer(), document,
            image, compound,
        ] {
            serializer.acceptableStatusCodes = IndexSet(integer: 100)
            serializer.acceptableContentTypes = ["test/type"]
            #expect(type(of: serializer).supportsSecureCoding)
            let data = try NSKeyedArchiver.archivedData(withRootObject: serializer, requiringSecureCoding: true)
            let restored = try NSKeyedUnarchiver.unarchivedObject(ofClass: type(of: serializer), from: data)
            for other in [try #require(restored), try #require(serializer.copy() as? AFHTTPResponseSerializer)] {
                #expect(other !== serializer && other != serializer && type(of: other) == type(of: serializer))
                #expect(other.acceptableStatusCodes == IndexSet(integer: 100))
                #expect(other.acceptableContentTypes == ["test/type"])
                let members = (other as? AFCompoundResponseSerializer)?.responseSerializers ?? []
                #expect(members.isEmpty == (serializer !== compound))
                #expect(members.map { $0 is AFImageResponseSerializer } == (members.isEmpty ? [] : [true, false]))
                if let other = other as? AFImageResponseSerializer {
                    #expect(other.imageScale == 2 && !other.automaticallyInflatesResponseImage)
                }
                if let other = other as? AFPropertyListResponseSerializer {
                    #expect(other.format == .binary && other.readOptions == .mutableContainers)
                }
                if let other = other as? AFXMLDocumentResponseSerializer { #expect(other.options == .nodePreserveAll) }
            }
        }
    }

    @Test("Of several serializers the one that fits has the object")
    func compound() throws {
        let serializer = AFCompoundResponseSerializer.compoundSerializer(
            withResponseSerializers: [AFImageResponseSerializer(), AFJSONResponseSerializer()])
        var error: NSError?
        let object = serializer.responseObject(
            for: try response(200, "application/json"), data: Data(#"{"key":"value"}"#.utf8), error: &error)
        #expect(object as? [String: String] == ["key": "value"] && error == nil)
    }
}
