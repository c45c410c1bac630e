// SPDX-License-Identifier: MIT
import OperationNetworking
import Testing

@Suite("Compound response serializer", .timeLimit(.minutes(1)))
struct ResponseCompoundTests {
    @Test(
        "The first object wins, with its error; else status and body as they are",
        arguments: [
            ResponseCase("first", 200, "application/json", "[1]", .object("[1]")),
            ResponseCase("second", 200, "application/x-plist", "(a,b)", .object(#"["a","b"]"#)),
            ResponseCase("neither", 200, "text/html", "x", .object("data:x")),
            ResponseCase("first, broken", 200, "application/json", "{", .object("data:{")),
            ResponseCase("first, bad status", 422, "application/json", "[1]", .failure(-1011, object: "[1]")),
            ResponseCase("second, bad status", 422, "application/x-plist", "(a)", .failure(-1011, object: #"["a"]"#)),
            ResponseCase("neither, bad status", 500, "text/html", "x", .failure(-1011, object: "data:x")),
            ResponseCase("empty body", 200, "application/json", "", .object("data:")),
            ResponseCase("no body", 204, nil, nil, .object(nil)),
        ])
    func table(_ test: ResponseCase) {
        let serializer = CompoundResponseSerializer(
            responseSerializers: [JSONResponseSerializer(), PropertyListResponseSerializer()])
        #expect(test.outcome(serializer) == test.expected)
    }

    @Test("Its own settings count when no member has an object")
    func ownSettings() {
        let serializer = CompoundResponseSerializer(responseSerializers: [JSONResponseSerializer()])
        serializer.acceptableContentTypes = ["text/plain"]
        #expect(serializer.outcome(httpResponse(200, "application/json"), Data("[1]".utf8)) == .object("[1]"))
        #expect(
            serializer.outcome(httpResponse(200, "text/html"), Data("x".utf8)) == .failure(-1016, object: "data:x"))
    }

    @Test("Members that are no HTTP serializers are tried too")
    func foreignMembers() {
        struct Upper: URLResponseSerialization {
            func responseObject(for response: URLResponse?, data: Data?) throws -> Any? {
                guard let data, response?.mimeType == "text/plain" else { throw CocoaError(.coderInvalidValue) }
                return String(decoding: data, as: UTF8.self).uppercased()
            }
        }
        let serializer = CompoundResponseSerializer(responseSerializers: [JSONResponseSerializer(), Upper()])
        #expect(serializer.outcome(httpResponse(200, "text/plain"), Data("x".utf8)) == .object("X"))
        #expect(serializer.outcome(httpResponse(200, "text/html"), Data("x".utf8)) == .object("data:x"))
        let copy = serializer.copy() as? CompoundResponseSerializer
        #expect(copy?.outcome(httpResponse(200, "text/plain"), Data("x".utf8)) == .object("X"))
    }

    @Test("Without members it is a plain serializer")
    func noMembers() {
        #expect(CompoundResponseSerializer().outcome(httpResponse(200, "a/b"), Data("x".utf8)) == .object("data:x"))
    }
}
