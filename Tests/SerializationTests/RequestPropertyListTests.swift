// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworking
internal import Testing

@Suite("Property-list request serializer", .timeLimit(.minutes(1)))
struct RequestPropertyListTests {
    @Test("The body is a property list and announced as one")
    func contentType() throws {
        let serializer = PropertyListRequestSerializer()
        var request = try serializer.request(withMethod: "POST", urlString: "http://h/", parameters: ["a": 1])
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-plist")
        #expect(request.httpBody?.starts(with: Data("<?xml".utf8)) == true)
        serializer.setValue("text/xml", forHTTPHeaderField: "content-type")
        request = try serializer.request(withMethod: "POST", urlString: "http://h/", parameters: ["a": 1])
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "text/xml")
        serializer.format = .binary
        request = try serializer.request(withMethod: "POST", urlString: "http://h/", parameters: ["a": 1])
        #expect(request.httpBody?.starts(with: Data("bplist".utf8)) == true)
    }

    @Test("Without parameters there is neither body nor Content-Type")
    func noParameters() throws {
        let request = try PropertyListRequestSerializer().request(
            withMethod: "POST", urlString: "http://h/", parameters: nil)
        #expect(request.httpBody == nil)
        #expect(request.value(forHTTPHeaderField: "Content-Type") == nil)
    }

    @Test("URI methods have the parameters in the query")
    func query() throws {
        let request = try PropertyListRequestSerializer().request(
            withMethod: "GET", urlString: "http://h/", parameters: ["a": true])
        #expect(request.url?.query == "a=1")
        #expect(request.httpBody == nil)
    }

    struct Item: Codable, Equatable {
        var id = 1
        var date = Date(timeIntervalSince1970: 0)
    }

    @Test("Every kind of value reads back", arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary])
    func values(_ format: PropertyListSerialization.PropertyListFormat) throws {
        let serializer = PropertyListRequestSerializer(format: format)
        let parameters: [String: Any] = [
            "string": "é😃<&>", "int": 3, "double": 1.5, "true": true, "date": Date(timeIntervalSince1970: 0),
            "data": Data([1, 2]), "array": [1, ["x": "y"]] as [Any], "item": Item(), "optional": Int?.some(4) as Any,
        ]
        let request = try serializer.request(withMethod: "POST", urlString: "http://h/", parameters: parameters)
        let list = try PropertyListSerialization.propertyList(
            from: try #require(request.httpBody), options: [], format: nil)
        let read = try #require(list as? [String: Any])
        #expect(read["string"] as? String == "é😃<&>")
        #expect(read["int"] as? Int == 3)
        #expect(read["double"] as? Double == 1.5)
        #expect(read["true"] as? Bool == true)
        #expect(read["date"] as? Date == Date(timeIntervalSince1970: 0))
        #expect(read["data"] as? Data == Data([1, 2]))
        #expect((read["array"] as? [Any])?.count == 2)
        #expect((read["item"] as? [String: Any])?["id"] as? Int == 1)
        #expect(read["optional"] as? Int == 4)
    }

    @Test("An Encodable value is encoded")
    func encodable() throws {
        let request = try PropertyListRequestSerializer(format: .binary).request(
            withMethod: "POST", urlString: "http://h/", parameters: Item(id: 7))
        #expect(try PropertyListDecoder().decode(Item.self, from: try #require(request.httpBody)) == Item(id: 7))
    }

    struct Case: @unchecked Sendable {
        let value: Any
        let text: String
    }

    static let invalidCases: [Case] = [
        Case(value: ["a": NSNull()], text: "parameters.a"),
        Case(value: ["a": [1, NSObject()] as [Any]], text: "parameters.a[1]"),
        Case(value: ["a": Set([1])], text: "Set"),
        Case(value: [1: "a"], text: "keys"),
        Case(value: ["a": Int?.none as Any], text: "null"),
        Case(value: ["a": "\u{1}"], text: "control"),
        Case(value: ["\u{0}": "a"], text: "control"),
    ]

    @Test("What a property list has no form for throws −1016 and says where it is", arguments: invalidCases)
    func invalid(_ rule: Case) {
        do {
            _ = try PropertyListRequestSerializer().request(
                withMethod: "POST", urlString: "http://h/", parameters: rule.value)
            Issue.record("no error")
        } catch {
            let error = error as NSError
            #expect(error.domain == "com.alamofire.error.serialization.request")
            #expect(error.code == -1016)
            #expect(error.localizedDescription.contains(rule.text), "\(error.localizedDescription)")
        }
    }

    @Test("A format Foundation cannot write throws, and so does deep nesting")
    func unwritable() {
        #expect(throws: RequestSerializationError.self) {
            try PropertyListRequestSerializer(format: .openStep).request(
                withMethod: "POST", urlString: "http://h/", parameters: ["a": 1])
        }
        var tree: Any = "x"
        for _ in 0..<20_000 { tree = [tree] }
        #expect(throws: RequestSerializationError.self) {
            try PropertyListRequestSerializer().request(withMethod: "POST", urlString: "http://h/", parameters: tree)
        }
    }
}
