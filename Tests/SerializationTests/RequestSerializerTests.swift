// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworking
internal import Testing

@Suite("HTTP request serializer", .timeLimit(.minutes(1)))
struct RequestSerializerTests {
    struct URLCase: CustomTestStringConvertible, @unchecked Sendable {
        let testDescription: String
        let url: String
        let parameters: Any?
        let expected: String
    }

    static let urlCases: [URLCase] = [
        URLCase(testDescription: "no parameters", url: "http://h/p", parameters: nil, expected: "http://h/p"),
        URLCase(testDescription: "empty", url: "http://h/p", parameters: [String: Any](), expected: "http://h/p"),
        URLCase(testDescription: "no query", url: "http://h/p", parameters: ["a": 1], expected: "http://h/p?a=1"),
        URLCase(testDescription: "host only", url: "http://h", parameters: ["a": 1], expected: "http://h?a=1"),
        URLCase(testDescription: "query", url: "http://h/p?x=y", parameters: ["a": 1], expected: "http://h/p?x=y&a=1"),
        URLCase(testDescription: "empty query", url: "http://h/p?", parameters: ["a": 1], expected: "http://h/p?a=1"),
        URLCase(
            testDescription: "query that ends in ?", url: "http://h/p?q=why?", parameters: ["a": 1],
            expected: "http://h/p?q=why?&a=1"),
        URLCase(
            testDescription: "query that is ?", url: "http://h/p??#f", parameters: ["a": 1],
            expected: "http://h/p??&a=1#f"),
        URLCase(
            testDescription: "empty query and fragment", url: "http://h/p?#f", parameters: ["a": 1],
            expected: "http://h/p?a=1#f"),
        URLCase(
            testDescription: "open query", url: "http://h/p?x&", parameters: ["a": 1], expected: "http://h/p?x&a=1"),
        URLCase(testDescription: "fragment", url: "http://h/p#f", parameters: ["a": 1], expected: "http://h/p?a=1#f"),
        URLCase(
            testDescription: "fragment with ?", url: "http://h/p#f?g", parameters: ["a": 1],
            expected: "http://h/p?a=1#f?g"),
        URLCase(
            testDescription: "query and fragment", url: "http://h/p?x=y#f", parameters: ["a": 1],
            expected: "http://h/p?x=y&a=1#f"),
        URLCase(
            testDescription: "escaped", url: "http://h/p", parameters: ["a": "%+é"],
            expected: "http://h/p?a=%25%2B%C3%A9"),
        URLCase(testDescription: "raw string", url: "http://h/p", parameters: "q=a b", expected: "http://h/p?q=a%20b"),
        URLCase(
            testDescription: "IPv6", url: "http://[::1]:80/p", parameters: ["a": 1], expected: "http://[::1]:80/p?a=1"),
    ]

    @Test("Parameters of URI methods go into the query, before the fragment", arguments: urlCases)
    func query(_ rule: URLCase) throws {
        for method in ["GET", "HEAD", "DELETE", "get", "Delete"] {
            let request = try HTTPRequestSerializer().request(
                withMethod: method, urlString: rule.url, parameters: rule.parameters)
            #expect(request.url?.absoluteString == rule.expected)
            #expect(request.httpMethod == method.uppercased())
            #expect(request.httpBody == nil)
            #expect(request.value(forHTTPHeaderField: "Content-Type") == nil)
        }
    }

    @Test("Parameters of other methods are a form body, empty without parameters")
    func formBody() throws {
        let serializer = HTTPRequestSerializer()
        for method in ["POST", "PUT", "PATCH", "OPTIONS"] {
            let request = try serializer.request(
                withMethod: method, urlString: "http://h/p?x#f", parameters: ["b": 1, "a": "é"])
            #expect(request.url?.absoluteString == "http://h/p?x#f")
            #expect(request.httpBody == Data("a=%C3%A9&b=1".utf8))
            #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
            let empty = try serializer.request(withMethod: method, urlString: "http://h/p", parameters: nil)
            #expect(empty.httpBody == Data())
            #expect(empty.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
        }
    }

    @Test("A string is a finished form body, data any finished body")
    func rawBodies() throws {
        let serializer = HTTPRequestSerializer()
        var request = try serializer.request(withMethod: "POST", urlString: "http://h/", parameters: "a=b c&d")
        #expect(request.httpBody == Data("a=b c&d".utf8))
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
        request = try serializer.request(withMethod: "PUT", urlString: "http://h/", parameters: Data([0, 255]))
        #expect(request.httpBody == Data([0, 255]))
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/octet-stream")
        serializer.setValue("image/png", forHTTPHeaderField: "Content-Type")
        request = try serializer.request(withMethod: "PUT", urlString: "http://h/", parameters: Data([1]))
        #expect(request.value(forHTTPHeaderField: "Content-Type") == "image/png")
        serializer.setQueryStringSerialization { _, _ in "block" }
        request = try serializer.request(withMethod: "PUT", urlString: "http://h/", parameters: Data([1]))
        #expect(request.httpBody == Data("block".utf8))
    }

    @Test("The methods with parameters in the URI can be changed")
    func methodsInURI() throws {
        let serializer = HTTPRequestSerializer()
        #expect(serializer.httpMethodsEncodingParametersInURI == ["GET", "HEAD", "DELETE"])
        serializer.httpMethodsEncodingParametersInURI = ["POST"]
        let post = try serializer.request(withMethod: "post", urlString: "http://h/", parameters: ["a": 1])
        #expect(post.url?.absoluteString == "http://h/?a=1")
        let get = try serializer.request(withMethod: "GET", urlString: "http://h/", parameters: ["a": 1])
        #expect(get.httpBody == Data("a=1".utf8))
    }

    @Test("Serializing keeps the request's own header fields and properties, and replaces its body")
    func existingRequest() throws {
        let serializer = HTTPRequestSerializer()
        serializer.timeoutInterval = 5
        serializer.setValue("default", forHTTPHeaderField: "X-One")
        serializer.setValue("default", forHTTPHeaderField: "X-Two")
        var request = URLRequest(url: try #require(URL(string: "http://h/")))
        request.httpMethod = "POST"
        request.httpBody = Data("old".utf8)
        request.timeoutInterval = 7
        request.setValue("own", forHTTPHeaderField: "x-one")
        request.setValue("text/plain", forHTTPHeaderField: "content-type")
        let result = try serializer.request(bySerializing: request, withParameters: ["a": 1])
        #expect(result.value(forHTTPHeaderField: "X-One") == "own")
        #expect(result.value(forHTTPHeaderField: "X-Two") == "default")
        #expect(result.value(forHTTPHeaderField: "Content-Type") == "text/plain")
        #expect(result.httpBody == Data("a=1".utf8))
        #expect(result.timeoutInterval == 7)
        #expect(request.httpBody == Data("old".utf8))
    }

    @Test("A property is applied only when it was set, and no more when set to nil")
    func properties() throws {
        let serializer = HTTPRequestSerializer()
        let url = try #require(URL(string: "http://h/"))
        var plain = URLRequest(url: url)
        plain.httpMethod = "GET"
        func request() throws -> URLRequest {
            try serializer.request(withMethod: "GET", urlString: "http://h/", parameters: nil)
        }
        var made = try request()
        #expect(made.timeoutInterval == plain.timeoutInterval)
        #expect(made.cachePolicy == plain.cachePolicy)
        #expect(made.httpShouldHandleCookies == plain.httpShouldHandleCookies)
        #expect(made.allowsCellularAccess == plain.allowsCellularAccess)
        #expect(made.networkServiceType == plain.networkServiceType)

        serializer.timeoutInterval = 3.5
        serializer.cachePolicy = .reloadIgnoringLocalCacheData
        serializer.httpShouldHandleCookies = false
        serializer.httpShouldUsePipelining = false
        serializer.allowsCellularAccess = false
        serializer.networkServiceType = .background
        made = try request()
        #expect(made.timeoutInterval == 3.5)
        #expect(made.cachePolicy == .reloadIgnoringLocalCacheData)
        #expect(!made.httpShouldHandleCookies)
        #expect(!pipelining(of: made))
        #expect(!made.allowsCellularAccess)
        #expect(made.networkServiceType == .background)

        serializer.timeoutInterval = nil
        serializer.cachePolicy = nil
        serializer.httpShouldHandleCookies = nil
        serializer.httpShouldUsePipelining = nil
        serializer.allowsCellularAccess = nil
        serializer.networkServiceType = nil
        made = try request()
        #expect(made.timeoutInterval == plain.timeoutInterval)
        #expect(made.cachePolicy == plain.cachePolicy)
        #expect(made.httpShouldHandleCookies == plain.httpShouldHandleCookies)
        #expect(pipelining(of: made) == pipelining(of: plain))
        #expect(made.allowsCellularAccess == plain.allowsCellularAccess)
        #expect(made.networkServiceType == plain.networkServiceType)
    }

    @Test("A query-string block gets the parameters and its string is used as it is")
    func queryBlock() throws {
        let serializer = HTTPRequestSerializer()
        serializer.setQueryStringSerialization { request, parameters in
            "m=\(request.httpMethod ?? "")&p=\(parameters as? [Int] ?? [])".replacingOccurrences(of: " ", with: "")
        }
        let get = try serializer.request(withMethod: "GET", urlString: "http://h/?x", parameters: [1, 2])
        #expect(get.url?.absoluteString == "http://h/?x&m=GET&p=%5B1,2%5D" || get.url?.query == "x&m=GET&p=[1,2]")
        let post = try serializer.request(withMethod: "POST", urlString: "http://h/", parameters: [1, 2])
        #expect(post.httpBody == Data("m=POST&p=[1,2]".utf8))
        let none = try serializer.request(withMethod: "GET", urlString: "http://h/", parameters: nil)
        #expect(none.url?.absoluteString == "http://h/")
        serializer.setQueryStringSerialization(nil)
        let reset = try serializer.request(withMethod: "GET", urlString: "http://h/", parameters: ["a": 1])
        #expect(reset.url?.absoluteString == "http://h/?a=1")
    }

    @Test("What a query-string block throws is thrown")
    func queryBlockError() {
        let serializer = HTTPRequestSerializer()
        serializer.setQueryStringSerialization { _, _ in throw CocoaError(.coderInvalidValue) }
        #expect(throws: CocoaError(.coderInvalidValue)) {
            try serializer.request(withMethod: "POST", urlString: "http://h/", parameters: ["a": 1])
        }
    }

    @Test("Bad input throws a typed error with AFNetworking's domain")
    func errors() throws {
        func code(_ body: () throws -> URLRequest) -> Int? {
            do {
                _ = try body()
                return nil
            } catch {
                #expect(error is RequestSerializationError)
                let error = error as NSError
                #expect(error.domain == "com.alamofire.error.serialization.request")
                #expect(error.userInfo[NSLocalizedFailureReasonErrorKey] is String)
                return error.code
            }
        }
        let serializer = HTTPRequestSerializer()
        #expect(code { try serializer.request(withMethod: "GET", urlString: "", parameters: nil) } == -1000)
        #expect(code { try serializer.request(withMethod: "GET", urlString: "http://[::1", parameters: nil) } == -1000)
        for method in ["", "GE T", "GET\r\nX: y", "é"] {
            #expect(code { try serializer.request(withMethod: method, urlString: "http://h/", parameters: nil) } == 1)
        }
        for (name, value) in [("X-A", "b\r\nX-C: d"), ("X A", "b"), ("", "b"), ("X-A", "b\u{0}")] {
            let serializer = HTTPRequestSerializer()
            serializer.setValue(value, forHTTPHeaderField: name)
            #expect(code { try serializer.request(withMethod: "GET", urlString: "http://h/", parameters: nil) } == 2)
        }
        serializer.stringEncoding = .ascii
        serializer.setQueryStringSerialization { _, _ in "é" }
        #expect(code { try serializer.request(withMethod: "POST", urlString: "http://h/", parameters: 1) } == -1016)
    }

    @Test("The failing request and URL are on the error")
    func errorInformation() throws {
        struct Bad: Encodable {
            func encode(to encoder: any Encoder) throws { throw CocoaError(.coderInvalidValue) }
        }
        do {
            _ = try HTTPRequestSerializer().request(withMethod: "GET", urlString: "http://h/p", parameters: Bad())
            Issue.record("no error")
        } catch let error as RequestSerializationError {
            #expect(error.code == .invalidParameters)
            #expect(error.underlyingError != nil)
            let bridged = error as NSError
            #expect(bridged.userInfo[NSURLErrorFailingURLErrorKey] as? URL == URL(string: "http://h/p"))
            let request = bridged.userInfo["com.alamofire.serialization.request.error.response"] as? URLRequest
            #expect(request?.url == URL(string: "http://h/p"))
            #expect(bridged.userInfo[NSUnderlyingErrorKey] != nil)
            #expect(bridged.localizedDescription.contains("parameters"))
        }
    }

    @Test("The error beneath is an object in the user info, also when it is one of Swift's")
    func underlyingObject() throws {
        struct Bad: Encodable {
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(
                    1, EncodingError.Context(codingPath: encoder.codingPath, debugDescription: "bad"))
            }
        }
        let thrown = #expect(throws: RequestSerializationError.self) {
            try HTTPRequestSerializer().request(withMethod: "POST", urlString: "http://h/", parameters: Bad())
        }
        let error = try #require(thrown)
        #expect(error.underlyingError is EncodingError)
        #expect((error as NSError).userInfo[NSUnderlyingErrorKey] is NSError)
    }

    @Test("Form bodies are in stringEncoding")
    func stringEncoding() throws {
        let serializer = HTTPRequestSerializer()
        #expect(serializer.stringEncoding == .utf8)
        serializer.stringEncoding = .utf16BigEndian
        let request = try serializer.request(withMethod: "POST", urlString: "http://h/", parameters: ["a": 1])
        #expect(request.httpBody == Data([0, 0x61, 0, 0x3D, 0, 0x31]))
    }

    @Test("Array and Boolean options reach queries and bodies")
    func options() throws {
        let serializer = HTTPRequestSerializer()
        serializer.arrayEncoding = .repeatedKey
        serializer.boolEncoding = .literal
        let parameters: [String: Any] = ["a": [1, 2], "b": true]
        let get = try serializer.request(withMethod: "GET", urlString: "http://h/", parameters: parameters)
        #expect(get.url?.query == "a=1&a=2&b=true")
        let post = try serializer.request(withMethod: "POST", urlString: "http://h/", parameters: parameters)
        #expect(post.httpBody == Data("a=1&a=2&b=true".utf8))
    }

    @Test("parameterEncoder encodes the caller's own types")
    func parameterEncoder() throws {
        struct Event: Encodable { var at = Date(timeIntervalSince1970: 0) }
        let serializer = HTTPRequestSerializer()
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        serializer.parameterEncoder = encoder
        let request = try serializer.request(withMethod: "GET", urlString: "http://h/", parameters: Event())
        #expect(request.url?.query == "at=0")
    }

    @Test("Settings may be read and changed from many threads while requests are built")
    func threads() async throws {
        let serializer = HTTPRequestSerializer()
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<200 {
                        serializer.setValue("\(round)", forHTTPHeaderField: "X-\(task % 3)")
                        serializer.timeoutInterval = TimeInterval(round)
                        _ = serializer.httpRequestHeaders
                        _ = serializer.copy()
                        let request = try? serializer.request(
                            withMethod: "GET", urlString: "http://h/", parameters: ["a": round])
                        #expect(request?.url?.query == "a=\(round)")
                    }
                }
            }
        }
    }
}

/// `httpShouldUsePipelining` without Foundation's deprecation warning.
func pipelining(of request: some PipeliningRequestForTests) -> Bool {
    request.httpShouldUsePipelining
}

protocol PipeliningRequestForTests {
    var httpShouldUsePipelining: Bool { get }
}

extension URLRequest: PipeliningRequestForTests {}
