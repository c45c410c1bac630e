// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import Testing

@Suite("URL strings of a manager", .timeLimit(.minutes(1))) struct ManagerURLTests {
    @Test(
        "The base URL ends in a slash when it has a path",
        arguments: [
            ("http://example.com", "http://example.com"), ("http://example.com/", "http://example.com/"),
            ("http://example.com/v1", "http://example.com/v1/"), ("http://example.com/v1/", "http://example.com/v1/"),
            ("http://example.com/v1?x=1", "http://example.com/v1/?x=1"),
            ("http://example.com/v1/?x=1", "http://example.com/v1/?x=1"),
            ("http://example.com/?x=1", "http://example.com/?x=1"),
            ("http://example.com/a%2Fb", "http://example.com/a%2Fb/"),
            ("http://example.com/a%20b", "http://example.com/a%20b/"),
            ("http://[::1]:8080/v1", "http://[::1]:8080/v1/"),
            ("http://example.com?x=1", "http://example.com?x=1"),
        ])
    func normalisation(given: String, expected: String) {
        #expect(HTTPRequestOperationManager(baseURL: URL(string: given)).baseURL?.absoluteString == expected)
    }

    @Test("Without a base URL there is none")
    func none() {
        #expect(HTTPRequestOperationManager(baseURL: nil).baseURL == nil)
        #expect(HTTPRequestOperationManager().baseURL == nil)
    }

    @Test(
        "Strings are resolved against the base URL",
        arguments: [
            ("http://example.com/v1/", "foo", "http://example.com/v1/foo"),
            ("http://example.com/v1", "foo", "http://example.com/v1/foo"),
            ("http://example.com/v1/", "foo?bar=baz", "http://example.com/v1/foo?bar=baz"),
            ("http://example.com/v1/", "/foo", "http://example.com/foo"),
            ("http://example.com/v1/", "foo/", "http://example.com/v1/foo/"),
            ("http://example.com/v1/", "/foo/", "http://example.com/foo/"),
            ("http://example.com/v1/", "../foo", "http://example.com/foo"),
            ("http://example.com/v1/", "?a=b", "http://example.com/v1/?a=b"),
            ("http://example.com/v1/", "", "http://example.com/v1/"),
            ("http://example.com", "", "http://example.com"),
            ("http://example.com", "foo", "http://example.com/foo"),
            ("http://example.com/v1/", "http://example2.com/", "http://example2.com/"),
            ("http://example.com/v1/", "//example2.com/x", "http://example2.com/x"),
            ("http://example.com/v1/", "a%2Fb", "http://example.com/v1/a%2Fb"),
            ("http://example.com/v1/", "a%20b", "http://example.com/v1/a%20b"),
            ("http://example.com/v1?x=1", "foo", "http://example.com/v1/foo"),
        ])
    func resolution(base: String, string: String, expected: String) throws {
        let manager = HTTPRequestOperationManager(baseURL: URL(string: base))
        let operation = try manager.makeOperation(method: "GET", string)
        #expect(operation.request.url?.absoluteString == expected)
    }

    @Test(
        "A string that is no URL: failure without an operation on the completion queue, and nil returned",
        arguments: [
            (nil, ""), (nil, "foo"), (nil, "/foo"), (nil, "//host/x"), (nil, "http://[bad"), (nil, "http://host:port/"),
            ("http://example.com/", "http://[bad"), ("http://example.com/", "//[bad"),
        ] as [(String?, String)])
    func unparsable(base: String?, string: String) async {
        let manager = HTTPRequestOperationManager(baseURL: base.flatMap(URL.init(string:)))
        let key = DispatchSpecificKey<Bool>()
        let queue = DispatchQueue(label: "test")
        queue.setSpecific(key: key, value: true)
        manager.completionQueue = queue
        let verbs: [(@escaping HTTPRequestOperationManager.Failure) -> HTTPRequestOperation?] = [
            { manager.get(string, failure: $0) }, { manager.head(string, failure: $0) },
            { manager.post(string, failure: $0) }, { manager.put(string, failure: $0) },
            { manager.patch(string, failure: $0) }, { manager.delete(string, failure: $0) },
            { manager.post(string, constructingBodyWith: { _ in }, failure: $0) },
        ]
        for verb in verbs {
            let (error, isOnQueue): ((any Error)?, Bool) = await withCheckedContinuation { continuation in
                let returned = verb { operation, error in
                    let isOnQueue = DispatchQueue.getSpecific(key: key) ?? false
                    continuation.resume(returning: (operation == nil ? error : nil, isOnQueue))
                }
                #expect(returned == nil)
            }
            #expect((error as? RequestSerializationError)?.code == .badURL)
            #expect((error as NSError?)?.domain == "com.alamofire.error.serialization.request")
            #expect((error as NSError?)?.code == -1000)
            #expect(isOnQueue)
        }
        #expect(manager.operationQueue.operationCount == 0)
        #expect(manager.get(string) == nil, "without a failure block, too")
    }

    @Test("Parameters that cannot be expressed: failure without an operation")
    func badParameters() async {
        let manager = HTTPRequestOperationManager.offMain(URL(string: "http://127.0.0.1/"))
        manager.requestSerializer = JSONRequestSerializer()
        let outcome = await manager.outcome {
            manager.post("x", parameters: ["a": NSObject()], success: $0, failure: $1)
        }
        #expect(outcome.operation == nil)
        #expect((outcome.error as? RequestSerializationError)?.code == .invalidParameters)
    }

    @Test("An error thrown while a multipart form is built goes to failure")
    func throwingForm() async {
        struct Refusal: Error {}
        let manager = HTTPRequestOperationManager.offMain(URL(string: "http://127.0.0.1/"))
        let outcome = await manager.outcome {
            manager.post("x", constructingBodyWith: { _ in throw Refusal() }, success: $0, failure: $1)
        }
        #expect(outcome.operation == nil && outcome.error is Refusal)
    }
}
