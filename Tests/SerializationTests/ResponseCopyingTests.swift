// SPDX-License-Identifier: MIT
@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
import FoundationXML
import OperationNetworkingXML
import Testing

/// As a Swift file written for AFNetworking has it.
class OverridingSerializer: JSONResponseSerializer, @unchecked Sendable {
    var suffix = "!"

    override init() {
        super.init()
        acceptableContentTypes = ["text/x-mine"]
    }

    required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    override func responseObject(for response: URLResponse?, data: Data?) throws -> Any? {
        try super.responseObject(for: response, data: data).map { "\($0)\(suffix)" }
    }

    override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        (copy as? OverridingSerializer)?.suffix = suffix
        return copy
    }
}

final class InheritingSerializer: HTTPResponseSerializer, @unchecked Sendable {}

@Suite("Copies and archives of response serializers", .timeLimit(.minutes(1)))
struct ResponseCopyingTests {
    /// Every class, each with every property at another value than its default.
    static let changed: [HTTPResponseSerializer] = {
        let json = JSONResponseSerializer(readingOptions: [.fragmentsAllowed, .mutableContainers])
        json.removesKeysWithNullValues = true
        json.maximumNestingDepth = 7
        let mine = OverridingSerializer()
        mine.readingOptions = .fragmentsAllowed
        let parser = XMLParserResponseSerializer()
        parser.maximumNestingDepth = 7
        let all: [HTTPResponseSerializer] = [
            HTTPResponseSerializer(), json, mine, InheritingSerializer(), parser,
            PropertyListResponseSerializer(format: .binary, readOptions: .mutableContainers),
            XMLDocumentResponseSerializer(options: .nodePreserveWhitespace),
        ]
        for serializer in all {
            serializer.acceptableStatusCodes = IndexSet([200, 304, 400, 401])
            serializer.acceptableContentTypes = ["a/b", "C/d"]
            serializer.stringEncoding = .isoLatin2
        }
        let compound = CompoundResponseSerializer(responseSerializers: all)
        compound.acceptableStatusCodes = nil
        compound.acceptableContentTypes = nil
        compound.stringEncoding = .utf16
        return all + [compound, CompoundResponseSerializer(responseSerializers: [compound])]
    }()

    /// Every property of a serializer, and its class.
    static func settings(_ serializer: any URLResponseSerialization) -> [String] {
        guard let serializer = serializer as? HTTPResponseSerializer else { return ["\(serializer)"] }
        var all = [
            "\(type(of: serializer))", "\(String(describing: serializer.acceptableStatusCodes.map(Array.init)))",
            "\(String(describing: serializer.acceptableContentTypes?.sorted()))",
            "\(serializer.stringEncoding.rawValue)",
        ]
        switch serializer {
        case let serializer as JSONResponseSerializer:
            all += ["\(serializer.readingOptions.rawValue)", "\(serializer.removesKeysWithNullValues)"]
            all += ["\(serializer.maximumNestingDepth)"]
        case let serializer as PropertyListResponseSerializer:
            all += ["\(serializer.format.rawValue)", "\(serializer.readOptions.rawValue)"]
        case let serializer as XMLParserResponseSerializer: all += ["\(serializer.maximumNestingDepth)"]
        case let serializer as XMLDocumentResponseSerializer: all += ["\(serializer.options.rawValue)"]
        case let serializer as CompoundResponseSerializer:
            all += serializer.responseSerializers.flatMap(settings)
        default: break
        }
        return all
    }

    @Test("A copy has the class and every setting, and is on its own", arguments: changed.indices)
    func copies(_ index: Int) throws {
        let original = Self.changed[index]
        let copy = try #require(original.copy() as? HTTPResponseSerializer)
        #expect(copy !== original)
        #expect(Self.settings(copy) == Self.settings(original))
        copy.acceptableContentTypes = ["x/y"]
        copy.acceptableStatusCodes = []
        #expect(Self.settings(copy) != Self.settings(original))
        if let compound = copy as? CompoundResponseSerializer, let original = original as? CompoundResponseSerializer {
            for (member, source) in zip(compound.responseSerializers, original.responseSerializers) {
                #expect((member as? HTTPResponseSerializer) !== (source as? HTTPResponseSerializer))
            }
        }
    }

    @Test("An archive has the class and every setting", arguments: changed.indices)
    func archives(_ index: Int) throws {
        let original = Self.changed[index]
        let data = try NSKeyedArchiver.archivedData(withRootObject: original, requiringSecureCoding: true)
        let restored = try #require(
            try NSKeyedUnarchiver.unarchivedObject(ofClass: HTTPResponseSerializer.self, from: data))
        #expect(Self.settings(restored) == Self.settings(original))
        for (status, type) in [(200, "a/b"), (204, "c/D"), (304, "x/y"), (401, "A/B"), (402, nil)] {
            let response = httpResponse(status, type)
            #expect(
                restored.outcome(response, Data("1".utf8)).codes == original.outcome(response, Data("1".utf8)).codes)
        }
    }

    @Test("What an operation's archive holds of a serializer comes back too", arguments: changed.indices)
    func archivedSerializer(_ index: Int) throws {
        let original = Self.changed[index]
        let archived = try #require(ArchivedObject<HTTPResponseSerializer>(original))
        let data = try JSONEncoder().encode(archived)
        let restored = try #require(
            try JSONDecoder().decode(ArchivedObject<HTTPResponseSerializer>.self, from: data).object)
        #expect(Self.settings(restored) == Self.settings(original))
    }

    @Test("A class that cannot be found again by name is not archived")
    func unarchivable() {
        final class Local: HTTPResponseSerializer, @unchecked Sendable {}
        #expect(ArchivedObject<HTTPResponseSerializer>(Local()) == nil)
        #expect(ArchivedObject<HTTPResponseSerializer>(DecodableResponseSerializer<Int>()) == nil)
    }

    @Test("A subclass's own setting is copied by its override")
    func subclass() {
        let original = OverridingSerializer()
        original.suffix = "?"
        original.readingOptions = .fragmentsAllowed
        let copy = original.copy() as? OverridingSerializer
        #expect(copy?.outcome(httpResponse(200, "text/x-mine"), Data("1".utf8)) == .object("1?"))
    }

    @Test(
        "An archive that names another class, or nonsense, gives nil",
        arguments: [
            "Foundation.NSObject", "OperationNetworking.Nothing", "a.b.c", "", ".", "NSString",
            "Swift.Array<Swift.Int>",
            "$s", "OperationNetworking.", "OperationNetworking.HTTPResponseSerializer\0", "1.2",
        ])
    func hostileClassNames(_ name: String) throws {
        let good = try JSONEncoder().encode(
            try #require(ArchivedObject<HTTPResponseSerializer>(HTTPResponseSerializer())))
        var fields = try #require(try JSONSerialization.jsonObject(with: good) as? [String: Any])
        #expect(fields["className"] as? String == String(reflecting: HTTPResponseSerializer.self))
        fields["className"] = name
        let bad = try JSONSerialization.data(withJSONObject: fields)
        #expect(try JSONDecoder().decode(ArchivedObject<HTTPResponseSerializer>.self, from: bad).object == nil)
    }

    @Test(
        "Settings that cannot be are refused",
        arguments: [
            #"{"statusCodes":[[300,200]],"stringEncoding":4}"#, #"{"statusCodes":[[-5,200]],"stringEncoding":4}"#,
            #"{"statusCodes":[[200]],"stringEncoding":4}"#, #"{"statusCodes":[[200,200]],"stringEncoding":4}"#,
            #"{"statusCodes":[[0,9223372036854775807]],"stringEncoding":4}"#,
            #"{"statusCodes":[[0,99999999999999999999]],"stringEncoding":4}"#, #"{"stringEncoding":-1}"#,
            #"{"contentTypes":5,"stringEncoding":4}"#, "{}", "[]", "", "\0",
        ])
    func hostileSettings(_ text: String) throws {
        #expect(Self.restored(from: text) == nil)
    }

    @Test("The widest range of status codes comes back")
    func widestRange() {
        let text = #"{"statusCodes":[[0,9223372036854775806]],"stringEncoding":4}"#
        #expect(Self.restored(from: text)?.fastValidation(statusCode: 999) == true)
    }

    static func restored(from settings: String) -> HTTPResponseSerializer? {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode(Data(settings.utf8) as NSData, forKey: HTTPResponseSerializer.Configuration.archiveKey)
        archiver.finishEncoding()
        guard let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: archiver.encodedData) else { return nil }
        unarchiver.requiresSecureCoding = true
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        return HTTPResponseSerializer(coder: unarchiver)
    }

    @Test("Truncated archives give nil or an error")
    func truncation() throws {
        let data = try NSKeyedArchiver.archivedData(withRootObject: Self.changed[1], requiringSecureCoding: true)
        for count in stride(from: 0, to: data.count, by: 7) {
            let restored = try? NSKeyedUnarchiver.unarchivedObject(
                ofClass: HTTPResponseSerializer.self, from: data.prefix(count))
            #expect(restored == nil)
        }
    }
}
