// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworking
internal import Testing

/// What users write: a subclass with a default of its own. Foundation archives classes only that are not private.
final class CustomSerializer: JSONRequestSerializer, @unchecked Sendable {
    required init() {
        super.init()
        setValue("custom", forHTTPHeaderField: "X-Custom")
    }

    required init?(coder: NSCoder) {
        super.init(coder: coder)
    }
}

@Suite("Copying and archiving request serializers", .timeLimit(.minutes(1)))
struct RequestCopyingTests {
    /// Gives every setting a value that is not its default.
    private func fill(_ serializer: HTTPRequestSerializer) {
        serializer.stringEncoding = .isoLatin1
        serializer.timeoutInterval = 12.5
        serializer.cachePolicy = .returnCacheDataDontLoad
        serializer.httpShouldHandleCookies = false
        serializer.httpShouldUsePipelining = true
        serializer.allowsCellularAccess = false
        serializer.networkServiceType = .video
        serializer.httpMethodsEncodingParametersInURI = ["QUERY"]
        serializer.arrayEncoding = .comma
        serializer.boolEncoding = .literal
        serializer.contentCoding = .gzip
        serializer.setValue("é\"\\", forHTTPHeaderField: "X-Odd")
        serializer.setValue(nil, forHTTPHeaderField: "Accept-Language")
        serializer.setAuthorizationHeaderFieldWithUsername("u", password: "p")
    }

    private func expectFilled(_ serializer: HTTPRequestSerializer, like original: HTTPRequestSerializer) {
        #expect(type(of: serializer) == type(of: original))
        #expect(serializer !== original)
        #expect(serializer.stringEncoding == .isoLatin1)
        #expect(serializer.timeoutInterval == 12.5)
        #expect(serializer.cachePolicy == .returnCacheDataDontLoad)
        #expect(serializer.httpShouldHandleCookies == false)
        #expect(serializer.httpShouldUsePipelining == true)
        #expect(serializer.allowsCellularAccess == false)
        #expect(serializer.networkServiceType == .video)
        #expect(serializer.httpMethodsEncodingParametersInURI == ["QUERY"])
        #expect(serializer.arrayEncoding == .comma)
        #expect(serializer.boolEncoding == .literal)
        #expect(serializer.contentCoding == .gzip)
        #expect(serializer.httpRequestHeaders == original.httpRequestHeaders)
        #expect(serializer.value(forHTTPHeaderField: "x-odd") == "é\"\\")
        #expect(serializer.value(forHTTPHeaderField: "Accept-Language") == nil)
    }

    private func archived(_ serializer: HTTPRequestSerializer) throws -> HTTPRequestSerializer? {
        let data = try NSKeyedArchiver.archivedData(withRootObject: serializer, requiringSecureCoding: true)
        return try NSKeyedUnarchiver.unarchivedObject(ofClass: type(of: serializer), from: data)
    }

    private static func all() -> [HTTPRequestSerializer] {
        [HTTPRequestSerializer(), JSONRequestSerializer(), PropertyListRequestSerializer(), CustomSerializer()]
    }

    @Test("A copy has every setting, is of the same class and is independent", arguments: 0..<4)
    func copy(_ index: Int) throws {
        let original = Self.all()[index]
        fill(original)
        let copy = try #require(original.copy() as? HTTPRequestSerializer)
        expectFilled(copy, like: original)
        copy.timeoutInterval = 1
        copy.setValue("1", forHTTPHeaderField: "X-New")
        #expect(original.timeoutInterval == 12.5)
        #expect(original.value(forHTTPHeaderField: "X-New") == nil)
    }

    @Test("An archive has every setting and its class", arguments: 0..<4)
    func archive(_ index: Int) throws {
        let original = Self.all()[index]
        fill(original)
        expectFilled(try #require(try archived(original)), like: original)
    }

    @Test("Settings that were not set stay unset")
    func unset() throws {
        let read = try #require(try archived(HTTPRequestSerializer()))
        #expect(read.timeoutInterval == nil)
        #expect(read.cachePolicy == nil)
        #expect(read.httpShouldHandleCookies == nil)
        #expect(read.httpShouldUsePipelining == nil)
        #expect(read.allowsCellularAccess == nil)
        #expect(read.networkServiceType == nil)
    }

    @Test("Copies have the query block and the encoder; archives do not")
    func code() throws {
        let original = HTTPRequestSerializer()
        original.setQueryStringSerialization { _, _ in "block" }
        let encoder = JSONEncoder()
        original.parameterEncoder = encoder
        let copy = try #require(original.copy() as? HTTPRequestSerializer)
        #expect(copy.parameterEncoder === encoder)
        #expect(try copy.request(withMethod: "GET", urlString: "http://h/", parameters: 1).url?.query == "block")
        let read = try #require(try archived(original))
        #expect(try read.request(withMethod: "GET", urlString: "http://h/", parameters: 1).url?.query == "1")
    }

    @Test("JSON writing options are copied and archived")
    func jsonOptions() throws {
        let original = JSONRequestSerializer(writingOptions: [.sortedKeys, .prettyPrinted])
        #expect((original.copy() as? JSONRequestSerializer)?.writingOptions == [.sortedKeys, .prettyPrinted])
        #expect((try archived(original) as? JSONRequestSerializer)?.writingOptions == [.sortedKeys, .prettyPrinted])
    }

    @Test("Property-list format and options are copied and archived")
    func propertyListOptions() throws {
        let original = PropertyListRequestSerializer(format: .binary, writeOptions: 3)
        for other in [
            original.copy() as? PropertyListRequestSerializer, try archived(original) as? PropertyListRequestSerializer,
        ] {
            #expect(other?.format == .binary)
            #expect(other?.writeOptions == 3)
        }
    }

    @Test("A damaged archive gives nil or an error, never a crash")
    func hostileArchives() throws {
        let original = JSONRequestSerializer()
        let data = try NSKeyedArchiver.archivedData(withRootObject: original, requiringSecureCoding: true)
        var list = try #require(
            try PropertyListSerialization.propertyList(from: data, options: [], format: nil) as? [String: Any])
        let objects = try #require(list["$objects"] as? [Any])
        for replacement: Any in [Data("{}".utf8), Data("[[]]".utf8), Data(), Data([0xFF]), "text", 5] {
            for index in objects.indices where objects[index] is Data {
                var changed = objects
                changed[index] = replacement
                list["$objects"] = changed
                let damaged = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
                let read = try? NSKeyedUnarchiver.unarchivedObject(ofClass: JSONRequestSerializer.self, from: damaged)
                #expect(read == nil)
            }
        }
        for length in stride(from: 0, to: data.count, by: 7) {
            let read = try? NSKeyedUnarchiver.unarchivedObject(
                ofClass: JSONRequestSerializer.self, from: data.prefix(length))
            #expect(read == nil)
        }
    }
}
