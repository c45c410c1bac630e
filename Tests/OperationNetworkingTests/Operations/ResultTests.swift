// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// A value that counts how often it was decoded.
private struct Counted: Decodable, Equatable, Sendable {
    static let decoded = Tally()
    var id: Int

    private enum CodingKeys: String, CodingKey { case id }

    init(from decoder: any Decoder) throws {
        _ = Counted.decoded.increment()
        id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
    }
}

@Suite("Results of a response, with it and as a value", .timeLimit(.minutes(1)))
struct ResultTests {
    let server: TestServer
    let manager: HTTPRequestOperationManager

    init() throws {
        server = try TestServer()
        manager = .offMain(server.url())
    }

    private func operation(_ json: String, status: Int = 200) throws -> HTTPRequestOperation {
        server.respond(to: "/x", .json(json, status: status))
        return try manager.makeOperation(method: "GET", "x")
    }

    /// Whether the serializer made an object of the content.
    private func isParsed(_ operation: HTTPRequestOperation) -> Bool { operation.hasParsedContent }

    @Test("A manager's JSON is parsed once, by the decoder; the object is there when somebody asks")
    func once() async throws {
        let operation = try operation(#"{"id": 7}"#)
        let result = try await operation.result(of: [String: Int].self)
        #expect(result.value == ["id": 7] && result.response.statusCode == 200)
        #expect(!isParsed(operation), "not by the serializer, too")
        #expect(operation.error == nil && !isParsed(operation))
        #expect(operation.responseObject as? [String: Int] == ["id": 7] && isParsed(operation))
        // Again, from the finished operation.
        #expect(try await operation.decoded([String: Int].self) == ["id": 7])
        #expect(server.requests.count == 1)
    }

    @Test("Success blocks get their object all the same, and a failure block the serializer's error")
    func blocks() async throws {
        for (json, isGood) in [(#"{"id": 7}"#, true), ("{", false)] {
            let operation = try operation(json)
            var decoding: Task<[String: Int]?, Never>?
            // Once the blocks are set: those of an operation that has ended are not called.
            let outcome = await operation.outcome { operation in
                decoding = Task { try? await operation.decoded([String: Int].self) }
            }
            #expect((outcome.error == nil) == isGood && (outcome.object != nil) == isGood)
            #expect((await decoding?.value != nil) == isGood)
        }
    }

    @Test("Bare values, in any charset")
    func bareValues() async throws {
        #expect(try await operation("42").decoded(Int.self) == 42)
        #expect(try await operation("null").decoded(Int?.self) == nil)
        let operation = try operation("\"text\"")
        #expect(try await operation.decoded(String.self) == "text")
        #expect(operation.error == nil, "what the decoder takes is no error, whatever a JSON serializer takes")
        server.respond(
            to: "/latin1",
            ScriptedResponse(
                headers: [("Content-Type", "application/json; charset=iso-8859-1")],
                body: .data(Data([0x22, 0xE9, 0x22]))))
        #expect(try await manager.makeOperation(method: "GET", "latin1").decoded(String.self) == "é")
        // One that was parsed before anybody wanted to decode it.
        let early = try self.operation("42")
        _ = await early.outcome()
        #expect(try await early.decoded(Int.self) == 42)
    }

    @Test("No content is nil for an optional, and for anything else an error that says so", arguments: [204, 200])
    func noContent(status: Int) async throws {
        server.respond(to: "/x", .status(status))
        #expect(try await manager.makeOperation(method: "GET", "x").decoded([String: Int]?.self) == nil)
        let error = await #expect(throws: ResponseSerializationError.self) {
            try await manager.makeOperation(method: "GET", "x").decoded([String: Int].self)
        }
        #expect(error?.code == .cannotParseResponse && error?.reason.contains("no content") == true)
        #expect(error?.localizedDescription.contains("GET \(server.url("/x"))") == true)
    }

    @Test("A decoding error names type and coding path")
    func codingPath() async throws {
        struct List: Decodable, Sendable { var items: [[String: Int]] }
        let operation = try operation(#"{"items": [{"a": 1}, {"b": "x"}]}"#)
        let error = await #expect(throws: ResponseSerializationError.self) { try await operation.decoded(List.self) }
        ErrorLineTests.expectLine(try #require(error))
        #expect(error?.localizedDescription.contains("not a List") == true)
        #expect(error?.localizedDescription.contains("at items.1.b") == true && error?.underlyingError is DecodingError)
    }

    @Test("A refused status or type is the operation's error, with the object that the content parses to")
    func refused() async throws {
        let operation = try operation(#"{"why": "not yours"}"#, status: 403)
        let error = await #expect(throws: ResponseSerializationError.self) {
            try await operation.decoded([String: String].self)
        }
        #expect(error?.code == .badServerResponse && error?.responseObject as? [String: String] == ["why": "not yours"])
        server.respond(to: "/html", .ok("<p>", type: "text/html"))
        let other = await #expect(throws: ResponseSerializationError.self) {
            try await manager.makeOperation(method: "GET", "html").decoded(Int.self)
        }
        #expect(other?.code == .cannotDecodeContentData)
    }

    @Test("A serializer that makes the value has made it; a subclass of the user's has its say")
    func otherSerializers() async throws {
        let typed = try operation(#"{"id": 7}"#)
        typed.responseSerializer = DecodableResponseSerializer<Counted>()
        #expect(try await typed.decoded(Counted.self).id == 7 && Counted.decoded.value == 1)
        final class Envelope: JSONResponseSerializer, @unchecked Sendable {
            override func responseObject(for response: URLResponse?, data: Data?) throws -> Any? {
                _ = try super.responseObject(for: response, data: data)
                throw CocoaError(.featureUnsupported)
            }
        }
        let refusing = try operation(#"{"id": 7}"#)
        refusing.responseSerializer = Envelope()
        await #expect(throws: CocoaError.self) { try await refusing.decoded(Counted.self) }
    }

    @Test("A value of a type leaves a task as it is; one of another type is an error")
    func values() async throws {
        let operation = try operation(#"{"id": 7}"#)
        let task = Task { try await operation.value(as: [String: any Sendable].self) }
        #expect(try await task.value["id"] as? Int == 7)
        let error = await #expect(throws: ResponseSerializationError.self) { try await operation.value(as: [Int].self) }
        #expect(error?.reason.contains("not a Array<Int>") == true)
        server.respond(to: "/none", .status(204))
        #expect(try await manager.makeOperation(method: "GET", "none").value(as: [Int]?.self) == nil)
    }

    // MARK: Bodies

    @Test("Any kind of body from one manager, whatever its serializer is", arguments: [false, true])
    func bodies(isJSONManager: Bool) async throws {
        server.respondToOthers { _ in .json("{}") }
        if isJSONManager { manager.requestSerializer = JSONRequestSerializer() }
        manager.requestSerializer.setValue("me", forHTTPHeaderField: "X-Client")
        struct User: Encodable { var name: String }
        let bodies: [(RequestBody, String, String)] = [
            (.form(["a": "b c"]), "application/x-www-form-urlencoded", "a=b%20c"),
            (.json(["a": 1]), "application/json", #"{"a":1}"#), (.json(7), "application/json", "7"),
            (.json(User(name: "kim")), "application/json", #"{"name":"kim"}"#),
            (.data(Data("x".utf8), contentType: "text/x"), "text/x", "x"),
        ]
        for (body, type, text) in bodies {
            _ = try await manager.makeOperation(method: "PUT", "y", body: body).value()
            let request = try #require(server.requests.last)
            #expect(request.method == "PUT" && request["Content-Type"] == type && request.text == text)
            #expect(request["X-Client"] == "me")
        }
        let form = RequestBody.multipart(["album": "7"]) { $0.appendPart(withForm: Data("yes".utf8), name: "public") }
        let outcome = await manager.outcome { manager.post("y", body: form, success: $0, failure: $1) }
        #expect(outcome.error == nil)
        let request = try #require(server.requests.last)
        #expect(request["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(request.text.contains("album") && request.text.contains("yes"))
        let list = await manager.outcome { manager.patch("y", body: .propertyList(["a": 1]), success: $0, failure: $1) }
        #expect(list.error == nil && server.requests.last?["Content-Type"] == "application/x-plist")
        let bad = await manager.outcome { manager.put("y", body: .json(Date()), success: $0, failure: $1) }
        #expect(bad.operation == nil && bad.error is RequestSerializationError)
    }

    @Test("An operation's own time-out, without a request made by hand")
    func timeout() async throws {
        server.respondToOthers { _ in .stalled() }
        let operation = try manager.makeOperation(method: "GET", "slow")
        #expect(operation.timeoutInterval == 60)
        operation.timeoutInterval = 0.2
        #expect(await operation.outcome().urlError?.code == .timedOut)
        operation.timeoutInterval = 7
        #expect(operation.timeoutInterval == 0.2, "it has been sent")
    }
}
