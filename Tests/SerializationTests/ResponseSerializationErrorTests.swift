// SPDX-License-Identifier: MIT
import OperationNetworking
import Testing

@Suite("Response serialization error", .timeLimit(.minutes(1)))
struct ResponseSerializationErrorTests {
    static func error(_ serializer: HTTPResponseSerializer, _ response: URLResponse?, _ body: String?)
        -> ResponseSerializationError?
    {
        do {
            _ = try serializer.responseObject(for: response, data: body.map { Data($0.utf8) })
            return nil
        } catch {
            return error as? ResponseSerializationError
        }
    }

    @Test("A bad status: AFNetworking's domain, code, text and keys, and the object")
    func badStatus() throws {
        let response = httpResponse(404, "application/json")
        let error = try #require(Self.error(JSONResponseSerializer(), response, #"{"e":1}"#))
        #expect(error.code == .badServerResponse)
        #expect(error.response === response)
        #expect(error.data == Data(#"{"e":1}"#.utf8))
        #expect((error.responseObject as? [String: Int]) == ["e": 1])
        #expect(error.underlyingError == nil)
        let reason = HTTPURLResponse.localizedString(forStatusCode: 404).lowercased()
        #expect(error.reason == "Request failed: \(reason) (404)")
        #expect(error.localizedDescription.hasPrefix(error.reason))

        let bridged = error as NSError
        #expect(bridged.domain == "com.alamofire.error.serialization.response")
        #expect(bridged.code == -1011)
        #expect(bridged.localizedDescription == error.localizedDescription)
        let userInfo = bridged.userInfo
        #expect(userInfo["NSErrorFailingURLKey"] as? URL == response?.url)
        #expect(userInfo["com.alamofire.serialization.response.error.response"] as? URLResponse === response)
        #expect(userInfo["com.alamofire.serialization.response.error.data"] as? Data == error.data)
        #expect(userInfo[NetworkingOperationFailingURLResponseObjectErrorKey] as? [String: Int] == ["e": 1])
        #expect(userInfo[NSUnderlyingErrorKey] == nil)
    }

    @Test("A refused type under a bad status; both carry response and body")
    func contentTypeBeneath() throws {
        let response = httpResponse(500, "text/html")
        let error = try #require(Self.error(JSONResponseSerializer(), response, "<html>"))
        #expect(error.code == .badServerResponse)
        let beneath = try #require(error.underlyingError as? ResponseSerializationError)
        #expect(beneath.code == .cannotDecodeContentData)
        #expect(beneath.reason == "Request failed: unacceptable content-type: text/html")
        for level in [error, beneath] {
            #expect(level.response === response && level.data == Data("<html>".utf8) && level.responseObject == nil)
        }
        let bridged = try #require((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(bridged.domain == URLResponseSerializationErrorDomain && bridged.code == -1016)
    }

    @Test("A body that does not parse: response and body at top level, Cocoa's 3840 beneath")
    func unparsable() throws {
        let error = try #require(Self.error(JSONResponseSerializer(), httpResponse(200, "application/json"), "{"))
        #expect(error.code == .cannotParseResponse)
        #expect(error.data == Data("{".utf8) && error.response != nil)
        let beneath = try #require((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(beneath.domain == NSCocoaErrorDomain && beneath.code == 3840)
        #expect(error.localizedDescription.hasPrefix("Request failed: the body could not be parsed: "))
    }

    @Test("No body, no key")
    func noData() throws {
        let error = try #require(Self.error(HTTPResponseSerializer(), httpResponse(500), nil))
        #expect((error as NSError).userInfo[NetworkingOperationFailingURLResponseDataErrorKey] == nil)
        #expect(error.data == nil)
    }

    @Test("Equal by code")
    func equality() {
        let one = ResponseSerializationError(code: .badServerResponse, response: nil, data: nil)
        let other = ResponseSerializationError(code: .badServerResponse, response: httpResponse(500), data: Data())
        #expect(one == other)
        #expect(one != ResponseSerializationError(code: .cannotParseResponse, response: nil, data: nil))
        #expect(ResponseSerializationError.Code(rawValue: -1016) == .cannotDecodeContentData)
    }

    @Test(
        "AFNetworking's constants",
        arguments: [
            (URLRequestSerializationErrorDomain, "com.alamofire.error.serialization.request"),
            (NetworkingOperationFailingURLRequestErrorKey, "com.alamofire.serialization.request.error.response"),
            (URLResponseSerializationErrorDomain, "com.alamofire.error.serialization.response"),
            (NetworkingOperationFailingURLResponseErrorKey, "com.alamofire.serialization.response.error.response"),
            (NetworkingOperationFailingURLResponseDataErrorKey, "com.alamofire.serialization.response.error.data"),
        ])
    func constants(_ value: String, _ expected: String) {
        #expect(value == expected)
    }

    @Test("What a subclass's validation throws comes out: its own error untouched, ours with the object")
    func customValidation() throws {
        struct Mine: Error {}
        final class Refusing: JSONResponseSerializer, @unchecked Sendable {
            override func validate(_ response: URLResponse?, data: Data?) throws { throw Mine() }
        }
        final class Picky: JSONResponseSerializer, @unchecked Sendable {
            override func validate(_ response: URLResponse?, data: Data?) throws {
                try super.validate(response, data: data)
                throw ResponseSerializationError(
                    code: .badServerResponse, message: "no", response: response, data: data)
            }
        }
        let response = httpResponse(200, "application/json")
        #expect(throws: Mine.self) { try Refusing().responseObject(for: response, data: Data("[1]".utf8)) }
        let error = try #require(Self.error(Picky(), response, "[1]"))
        #expect(error.reason == "no" && error.responseObject as? [Int] == [1])
    }
}
