// SPDX-License-Identifier: MIT
import AFNetworking
import Dispatch
import TestServer
import Testing

/// What clients of AFNetworking expect of its request serializers, in its spellings.
@Suite("Requests as AFNetworking makes them", .timeLimit(.minutes(1))) struct RequestBehaviourTests {
    private let serializer = AFHTTPRequestSerializer()
    private let url = "http://example.com"

    private func serialized(_ parameters: Any?, method: String = "GET") throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        return try #require(serializer.request(bySerializing: request, withParameters: parameters, error: nil))
    }

    @Test(
        "Reserved characters are escaped in a query, but for the slash and the question mark, and a percent sign again",
        arguments: [
            ("value", "key=value"),
            (" :#[]@!$&'()*+,;=/?", "key=%20%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D/?"),
            ("%20%21%2F", "key=%2520%2521%252F"),
        ])
    func escaping(value: String, query: String) throws {
        #expect(try serialized(["key": value]).url?.query == query)
    }

    @Test("Characters of several code points stay whole, wherever they are in a long value")
    func emoji() throws {
        let people = "👴🏿👷🏻👮🏽"
        let bytes = people.utf8.map { "%" + String($0, radix: 16, uppercase: true) }.joined()
        for start in 0..<8 {
            let value = String(repeating: "a", count: start) + String(repeating: people, count: 20)
            let request = serializer.request(withMethod: "GET", urlString: url, parameters: ["t": value], error: nil)
            let expected = "t=" + String(repeating: "a", count: start) + String(repeating: bytes, count: 20)
            #expect(request.url?.query == expected)
        }
    }

    @Test("Functions for query strings escape likewise, and sort by key")
    func functions() {
        #expect(AFQueryStringFromParameters(["key1": "value&", "key": "value"]) == "key=value&key1=value%26")
        #expect(
            AFPercentEscapedStringFromString(":#[]@!$&'()*+,;=?/")
                == "%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D?/")
    }

    @Test("A POST is a form, also when it is empty; an empty dictionary leaves no question mark in a URL")
    func form() throws {
        for (parameters, body) in [(["key": "value"] as [String: String]?, "key=value"), (nil, "")] {
            let request = try serialized(parameters, method: "POST")
            #expect(request.allHTTPHeaderFields?["Content-Type"] == "application/x-www-form-urlencoded")
            #expect(request.httpBody == Data(body.utf8))
        }
        #expect(try serialized([String: String]()).url?.absoluteString == url)
    }

    @Test("The query block's string is used as it is")
    func queryBlock() throws {
        serializer.setQueryStringSerializationWith { _, parameters, _ in
            (parameters as? [String: String])?.map { "\($0)**\($1)" }.joined() ?? ""
        }
        #expect(try serialized(["key": "value"]).url?.query == "key**value")
    }

    @Test("The query block is asked about an empty dictionary, and its error is the very one that comes out")
    func queryError() throws {
        let own = NSError(domain: "own", code: 0)
        serializer.setQueryStringSerializationWith { _, _, error in
            error?.pointee = own
            return nil
        }
        let nothing: [String: Any] = [:]
        var error: NSError?
        let request = serializer.request(withMethod: "GET", urlString: "url", parameters: nothing, error: &error)
        #expect(error === own && request.url?.scheme == "unserialized-request")
        #expect(throws: (any Error).self) {
            try serializer.request(withMethod: "GET", urlString: "url", parameters: nothing)
        }
    }

    @Test("Header fields are set, read and removed; threads may do so at once")
    func headers() {
        serializer.setValue("b", forHTTPHeaderField: "A")
        #expect(serializer.value(forHTTPHeaderField: "A") == "b" && serializer.httpRequestHeaders["A"] == "b")
        #expect(serializer.value(forHTTPHeaderField: "C") == nil)
        serializer.setValue(nil, forHTTPHeaderField: "A")
        #expect(!serializer.httpRequestHeaders.keys.contains("A"))
        DispatchQueue.concurrentPerform(iterations: 200) {
            serializer.setValue("\(Date(timeIntervalSince1970: TimeInterval($0)))", forHTTPHeaderField: "Often")
        }
        #expect(serializer.value(forHTTPHeaderField: "Often") != nil)
    }

    @Test("Clients announce a change of the time-out, in both spellings")
    func announcements() throws {
        serializer.willChangeValue(forKey: "timeoutInterval")
        serializer.timeoutInterval = 15
        serializer.didChangeValue(forKey: "timeoutInterval")
        let request = serializer.request(withMethod: "GET", urlString: url, parameters: nil, error: nil)
        #expect(request.timeoutInterval == 15)
        serializer.willChangeValueForKey("timeoutInterval")
        serializer.didChangeValueForKey("timeoutInterval")
    }

    @Test("A certificate in a form has the type that AFNetworking gives it")
    func mediaType() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("adn.cer")
        try Data("certificate".utf8).write(to: file)
        let request = serializer.multipartFormRequest(
            withMethod: "POST", urlString: url, parameters: nil,
            constructingBodyWith: { form in
                var error: NSError?
                form.appendPartWithFileURL(file, name: "test", error: &error)
                #expect(error == nil)
            }, error: nil)
        let written = try await serializer.writeStreamContents(
            ofMultipartFormRequest: request as URLRequest, toFile: folder.file("form"))
        let text = try String(contentsOf: folder.file("form"), encoding: .utf8)
        #expect(text.contains("Content-Type: application/x-x509-ca-cert\r\n") && written.httpBodyStream == nil)
    }

    @Test("JSON of dictionaries and arrays; what is no JSON is AFNetworking's error")
    func json() {
        let serializer = AFJSONRequestSerializer()
        var error: NSError?
        for (parameters, body) in [
            (["key": "value"] as Any, #"{"key":"value"}"#), ([["key": "value"]], #"[{"key":"value"}]"#),
        ] {
            let request = serializer.request(
                withMethod: "POST", urlString: url, parameters: parameters, error: &error)
            #expect(error == nil && request.httpBody == Data(body.utf8))
            #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
        }
        _ = serializer.request(
            withMethod: "POST", urlString: url, parameters: ["key": NSSet(object: "value")], error: &error)
        #expect(error?.domain == AFURLRequestSerializationErrorDomain)
        #expect(error?.code == NSURLErrorCannotDecodeContentData)
        #expect(error?.localizedFailureReason == "The `parameters` argument is not valid JSON.")
    }

    @Test("Property lists have text for keys; other keys are an error")
    func propertyList() {
        let serializer = AFPropertyListRequestSerializer()
        var error: NSError?
        let request = serializer.request(
            withMethod: "POST", urlString: url, parameters: ["key": "value"], error: &error)
        #expect(error == nil && request.httpBody?.isEmpty == false)
        _ = serializer.request(withMethod: "POST", urlString: url, parameters: [42: "value"], error: &error)
        #expect(error?.domain == AFURLRequestSerializationErrorDomain && error?.code == -1016)
    }

    @Test("Copies and archives of every request serializer keep class and settings")
    func copies() throws {
        for serializer in [AFHTTPRequestSerializer(), AFJSONRequestSerializer(), AFPropertyListRequestSerializer()] {
            serializer.timeoutInterval = 7
            serializer.stringEncoding = String.Encoding.isoLatin1.rawValue
            serializer.httpMethodsEncodingParametersInURI = ["GET", "POST"]
            serializer.setValue("b", forHTTPHeaderField: "A")
            let data = try NSKeyedArchiver.archivedData(withRootObject: serializer, requiringSecureCoding: true)
            let restored = try NSKeyedUnarchiver.unarchivedObject(ofClass: type(of: serializer), from: data)
            for other in [try #require(restored), try #require(serializer.copy() as? AFHTTPRequestSerializer)] {
                #expect(other !== serializer && type(of: other) == type(of: serializer))
                #expect(other.timeoutInterval == 7 && other.stringEncoding == String.Encoding.isoLatin1.rawValue)
                #expect(other.httpMethodsEncodingParametersInURI == ["GET", "POST"])
                #expect(other.httpRequestHeaders == serializer.httpRequestHeaders)
            }
        }
    }
}
