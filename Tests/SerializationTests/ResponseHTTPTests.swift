// SPDX-License-Identifier: MIT
@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
import Testing

@Suite("HTTP response serializer", .timeLimit(.minutes(1)))
struct ResponseHTTPTests {
    static let json: Set<String> = ["application/json", "text/JSON"]

    @Test(
        "By default 200 to 299 is acceptable with any type, and the object is the body",
        arguments: [
            ResponseCase("200", 200, "text/html", "x", .object("data:x")),
            ResponseCase("299", 299, nil, "x", .object("data:x")),
            ResponseCase("empty body", 200, nil, "", .object("data:")),
            ResponseCase("no body", 204, nil, nil, .object(nil)),
            ResponseCase("199", 199, nil, "x", .failure(-1011, object: "data:x")),
            ResponseCase("300", 300, nil, "x", .failure(-1011, object: "data:x")),
            ResponseCase("304", 304, nil, "", .failure(-1011, object: "data:")),
            ResponseCase("404", 404, "text/html", "x", .failure(-1011, object: "data:x")),
            ResponseCase("500 without body", 500, nil, nil, .failure(-1011)),
        ])
    func defaults(_ test: ResponseCase) {
        #expect(test.outcome(HTTPResponseSerializer()) == test.expected)
    }

    @Test(
        "Content types: exact but for case, spaces and parameters; looked at only where there is content",
        arguments: [
            ResponseCase("listed", 200, "application/json", "x", .object("data:x")),
            ResponseCase("listed in another case", 200, "text/json", "x", .object("data:x")),
            ResponseCase("sent in another case", 200, "Application/JSON", "x", .object("data:x")),
            ResponseCase("with a parameter", 200, "application/json; charset=utf-8", "x", .object("data:x")),
            ResponseCase("with spaces", 200, " application/json ; charset=utf-8", "x", .object("data:x")),
            ResponseCase("suffix", 200, "application/problem+json", "x", .failure(-1016, object: "data:x")),
            ResponseCase("other", 200, "text/html", "x", .failure(-1016, object: "data:x")),
            ResponseCase("none, with a body", 200, nil, "x", .failure(-1016, object: "data:x")),
            ResponseCase("empty field, with a body", 200, "", "x", .failure(-1016, object: "data:x")),
            ResponseCase("none, empty body", 200, nil, "", .object("data:")),
            ResponseCase("other, empty body", 200, "text/html", "", .failure(-1016, object: "data:")),
            ResponseCase("other, no body (HEAD, output stream)", 200, "text/html", nil, .object(nil)),
            ResponseCase("204, other, empty body", 204, "text/html", "", .object("data:")),
            ResponseCase("205, other, empty body", 205, "text/html", "", .object("data:")),
            ResponseCase("204, other, body", 204, "text/html", "x", .failure(-1016, object: "data:x")),
            ResponseCase("bad status, listed", 500, "application/json", "x", .failure(-1011, object: "data:x")),
            ResponseCase(
                "bad status, other: the type's error lies beneath", 500, "text/html", "x",
                .failure(-1011, -1016, object: "data:x")),
            ResponseCase("bad status, none, empty body", 500, nil, "", .failure(-1011, object: "data:")),
        ])
    func contentTypes(_ test: ResponseCase) {
        let serializer = HTTPResponseSerializer()
        serializer.acceptableContentTypes = Self.json
        #expect(test.outcome(serializer) == test.expected)
    }

    @Test(
        "Status codes: any index set, or none",
        arguments: [
            (IndexSet?.none, [100: true, 404: true, 599: true]),
            (IndexSet([200, 304]), [200: true, 204: false, 304: true]),
            (IndexSet(), [200: false]),
            (IndexSet(integersIn: 200..<400), [199: false, 200: true, 399: true, 400: false]),
        ])
    func statusCodes(_ acceptable: IndexSet?, _ expected: [Int: Bool]) {
        let serializer = HTTPResponseSerializer()
        serializer.acceptableStatusCodes = acceptable
        for (status, accepted) in expected {
            #expect((serializer.outcome(httpResponse(status), Data()).codes == []) == accepted, "\(status)")
            #expect(serializer.fastValidation(statusCode: status) == accepted, "\(status)")
        }
    }

    @Test("What is not HTTP, or not there, is acceptable")
    func otherResponses() {
        let serializer = HTTPResponseSerializer()
        serializer.acceptableContentTypes = Self.json
        let file = URLResponse(
            url: URL(fileURLWithPath: "/x"), mimeType: "text/html", expectedContentLength: 1, textEncodingName: nil)
        #expect(serializer.outcome(file, Data("x".utf8)) == .object("data:x"))
        #expect(serializer.outcome(nil, Data("x".utf8)) == .object("data:x"))
        #expect(serializer.outcome(nil, nil) == .object(nil))
    }

    @Test("The short way round is offered only where status codes are all there is")
    func fastValidation() {
        final class Mine: HTTPResponseSerializer, @unchecked Sendable {}
        let typed = HTTPResponseSerializer()
        typed.acceptableContentTypes = Self.json
        #expect(HTTPResponseSerializer().fastValidation(statusCode: 200) == true)
        #expect(HTTPResponseSerializer().fastValidation(statusCode: 404) == false)
        #expect(typed.fastValidation(statusCode: 200) == nil)
        #expect(Mine().fastValidation(statusCode: 200) == nil)
        #expect(JSONResponseSerializer().fastValidation(statusCode: 200) == nil)
        #expect(!HTTPResponseSerializer().requiresProcessing && !typed.requiresProcessing)
        #expect(Mine().requiresProcessing && JSONResponseSerializer().requiresProcessing)
    }
}
