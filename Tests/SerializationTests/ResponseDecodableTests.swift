// SPDX-License-Identifier: MIT
import OperationNetworking
import Testing

@Suite("Decodable response serializer", .timeLimit(.minutes(1)))
struct ResponseDecodableTests {
    struct Item: Codable, Sendable, CustomStringConvertible {
        var userName: String
        var description: String { userName }
    }

    static let json = "application/json"
    static let item = #"{"userName":"é"}"#

    @Test(
        "Types, statuses and bodies",
        arguments: [
            ResponseCase("value", 200, json, item, .object("é")),
            ResponseCase(
                "Latin 1", 200, json + "; charset=iso-8859-1", bytes: item.data(using: .isoLatin1), .object("é")),
            ResponseCase("UTF-16 with mark", 200, json, bytes: item.data(using: .utf16), .object("é")),
            ResponseCase("other type", 200, "text/html", item, .failure(-1016)),
            ResponseCase("empty body", 200, json, "", .object(nil)),
            ResponseCase("one space", 200, json, " ", .object(nil)),
            ResponseCase("no body", 200, json, nil, .object(nil)),
            ResponseCase("204", 204, nil, "", .object(nil)),
            ResponseCase("not JSON", 200, json, "{", .failure(-1017, 4864)),
            ResponseCase("key missing", 200, json, "{}", .failure(-1017, 4865)),
            ResponseCase("wrong type of value", 200, json, #"{"userName":1}"#, .failure(-1017, 4864)),
            ResponseCase("bad status, decodes", 404, json, item, .failure(-1011, object: "é")),
            ResponseCase("bad status, does not decode", 404, json, "{}", .failure(-1011, -1017, 4865)),
        ])
    func table(_ test: ResponseCase) {
        #expect(test.outcome(DecodableResponseSerializer<Item>()) == test.expected)
    }

    /// Needs every level, where a plain array would need none.
    indirect enum Tree: Decodable, Sendable {
        case node([Tree])

        init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            var nodes: [Tree] = []
            while !values.isAtEnd { nodes.append(try values.decode(Tree.self)) }
            self = .node(nodes)
        }
    }

    @Test("100,000 levels are an error, with JSON 5 allowed too", arguments: [false, true])
    func depth(_ allowsJSON5: Bool) {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = allowsJSON5
        let serializer = DecodableResponseSerializer<Tree>(decoder: decoder)
        let text = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        #expect(serializer.outcome(httpResponse(200, Self.json), Data(text.utf8)) == .failure(-1017, 4864))
        #expect(serializer.outcome(httpResponse(200, Self.json), Data("[[],[[]]]".utf8)).codes == [])
    }

    @Test("The cause is the DecodingError itself")
    func cause() {
        do {
            _ = try DecodableResponseSerializer<Item>().responseObject(
                for: httpResponse(200, Self.json), data: Data("{}".utf8))
            Issue.record("nothing thrown")
        } catch {
            let error = error as? ResponseSerializationError
            guard case .keyNotFound(let key, _)? = error?.underlyingError as? DecodingError else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(key.stringValue == "userName")
            #expect(error?.localizedDescription.contains("userName") == true)
        }
    }

    @Test("A copy has a decoder of its own with the same strategies")
    func copying() {
        let serializer = DecodableResponseSerializer<Item>()
        serializer.decoder.keyDecodingStrategy = .convertFromSnakeCase
        serializer.decoder.allowsJSON5 = true
        serializer.acceptableContentTypes = ["a/b"]
        let copy = serializer.copy() as? DecodableResponseSerializer<Item>
        serializer.decoder.keyDecodingStrategy = .useDefaultKeys
        let body = Data("{user_name:'x',}".utf8)
        #expect(copy?.outcome(httpResponse(200, "a/b"), body) == .object("x"))
        #expect(serializer.outcome(httpResponse(200, "a/b"), body).codes == [-1017, 4865])
    }

    @Test("It does not support archives, alone or in a compound")
    func archives() throws {
        #expect(!DecodableResponseSerializer<Item>.supportsSecureCoding)
        let compound = CompoundResponseSerializer(responseSerializers: [DecodableResponseSerializer<Item>()])
        let data = try NSKeyedArchiver.archivedData(withRootObject: compound, requiringSecureCoding: true)
        #expect(throws: (any Error).self) {
            try NSKeyedUnarchiver.unarchivedObject(ofClass: CompoundResponseSerializer.self, from: data)
        }
    }
}
