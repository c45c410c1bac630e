// SPDX-License-Identifier: MIT
import AFNetworking
import FoundationXML
import TestServer
import Testing

@Suite("Serializers under their old names", .timeLimit(.minutes(1))) struct SerializerTests {
    private let url = "http://example.com/a"

    @Test("Requests are made without throwing, in both spellings")
    func requests() {
        let serializer = AFHTTPRequestSerializer.serializer()
        var error: NSError?
        let requests = [
            serializer.requestWithMethod("GET", URLString: url, parameters: ["b": 1]),
            serializer.requestWithMethod("GET", URLString: url, parameters: ["b": 1], error: &error),
            serializer.request(withMethod: "GET", urlString: url, parameters: ["b": 1], error: &error),
        ]
        for request in requests {
            #expect(request.url?.absoluteString == "http://example.com/a?b=1")
            request.timeoutInterval = 7
            #expect((request as URLRequest).timeoutInterval == 7)
        }
        #expect(error == nil)
    }

    @Test("A request that could not be made cannot be sent, and the pointer says why")
    func noRequest() async {
        let serializer = AFJSONRequestSerializer()
        let impossible = ["date": Date.distantPast, "other": Double.nan] as [String: Any]
        var error: NSError?
        let request = serializer.request(withMethod: "POST", urlString: url, parameters: impossible, error: &error)
        #expect(request.url?.scheme == "unserialized-request")
        #expect(error?.domain == AFURLRequestSerializationErrorDomain && error?.code == -1016)
        #expect(error?.userInfo[AFNetworkingOperationFailingURLRequestErrorKey] is URLRequest)

        let operation = AFHTTPRequestOperation(request: request)
        let outcome = await operation.outcome()
        #expect(outcome.error?.code == URLError.unsupportedURL.rawValue && outcome.operation?.response == nil)
    }

    @Test("A request of Objective-C's without a URL ends its operation with an error")
    func noURL() async throws {
        let request = NSMutableURLRequest(url: try #require(URL(string: url)))
        request.url = nil
        let manager = AFHTTPRequestOperationManager.offMain(nil)
        for operation in [
            AFHTTPRequestOperation(request: request),
            manager.HTTPRequestOperationWithRequest(request, success: nil, failure: nil),
        ] {
            #expect(await operation.outcome().error?.code == URLError.unsupportedURL.rawValue)
        }
    }

    @Test("Forms are made without throwing, and can be written to a file")
    func forms() async throws {
        let serializer = AFHTTPRequestSerializer()
        var error: NSError?
        let old = serializer.multipartFormRequestWithMethod(
            "POST", URLString: url, parameters: ["a": "b"],
            constructingBodyWithBlock: { $0.appendPartWithFormData(Data("d".utf8), name: "c") }, error: &error)
        let new = serializer.multipartFormRequest(
            withMethod: "POST", urlString: url, parameters: ["a": "b"], constructingBodyWith: nil, error: &error)
        let oldest = serializer.multipartFormRequestWithMethod(
            "POST", URLString: url, parameters: ["a": "b"], constructingBodyWithBlock: nil)
        #expect(error == nil)
        for request in [old, new, oldest] {
            #expect(request.value(forHTTPHeaderField: "Content-Type")?.hasPrefix("multipart/form-data") == true)
        }
        let refused = serializer.multipartFormRequest(
            withMethod: "GET", urlString: url, parameters: nil, constructingBodyWith: nil, error: &error)
        #expect(refused.url?.scheme == "unserialized-request" && error?.domain == AFURLRequestSerializationErrorDomain)

        let folder = try TemporaryDirectory()
        let file = folder.url.appendingPathComponent("form")
        let failure: NSError? = await withCheckedContinuation { continuation in
            let request = serializer.requestWithMultipartFormRequest(
                old, writingStreamContentsToFile: file,
                completionHandler: { (error: NSError?) in continuation.resume(returning: error) })
            #expect(request.httpBodyStream == nil && request.url?.absoluteString == url)
        }
        #expect(failure == nil)
        #expect(try String(contentsOf: file, encoding: .utf8).contains("name=\"c\"\r\n\r\nd"))
        let later: (any Error)? = await withCheckedContinuation { continuation in
            let request: NSMutableURLRequest = serializer.request(
                withMultipartForm: new as URLRequest, writingStreamContentsToFile: file
            ) { continuation.resume(returning: $0) }
            #expect(request.httpBodyStream == nil)
        }
        #expect(later == nil)
    }

    @Test("A form request of the old kind is sent as it is")
    func sentForm() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok() }
        let request = AFHTTPRequestSerializer().multipartFormRequestWithMethod(
            "POST", URLString: server.url("/form").absoluteString, parameters: ["a": "b"],
            constructingBodyWithBlock: nil)
        let outcome = await AFHTTPRequestOperation(request: request).outcome()
        #expect(outcome.status == 200)
        let sent = try await server.nextRequest()
        #expect(sent.text.contains("name=\"a\"\r\n\r\nb"))
        #expect(sent["Content-Length"] == String(sent.bodyLength))
    }

    @Test("A request is serialized in every spelling, and a failure is told in every way")
    func serializing() throws {
        let serializer = AFJSONRequestSerializer.serializerWithWritingOptions(.sortedKeys)
        let request = NSMutableURLRequest(url: try #require(URL(string: url)))
        request.httpMethod = "POST"
        var error: NSError?
        let bodies = [
            try serializer.requestBySerializingRequest(request, withParameters: ["b": 1, "a": 2]).httpBody,
            serializer.requestBySerializingRequest(request, withParameters: ["b": 1, "a": 2], error: &error)?.httpBody,
            serializer.request(bySerializing: request as URLRequest, withParameters: ["b": 1, "a": 2], error: &error)?
                .httpBody,
            serializer.request(
                bySerializingRequest: request as URLRequest, withParameters: ["b": 1, "a": 2], error: &error)?.httpBody,
            try serializer.request(bySerializingRequest: request as URLRequest, withParameters: ["b": 1, "a": 2])
                .httpBody,
        ]
        #expect(bodies == Array(repeating: Data(#"{"a":2,"b":1}"#.utf8), count: 5))
        #expect(error == nil)
        #expect(serializer.requestBySerializingRequest(request, withParameters: [Date()], error: &error) == nil)
        #expect(error?.code == -1016)
        #expect(throws: RequestSerializationError.self) {
            try serializer.requestBySerializingRequest(request, withParameters: [Date()])
        }
    }

    @Test("The settings' old names are the same settings")
    func settings() {
        let serializer = AFHTTPRequestSerializer()
        #expect(serializer.HTTPShouldHandleCookies && !serializer.HTTPShouldUsePipelining)
        serializer.HTTPShouldHandleCookies = false
        serializer.HTTPShouldUsePipelining = true
        #expect(serializer.httpShouldHandleCookies == false && serializer.httpShouldUsePipelining == true)
        serializer.HTTPMethodsEncodingParametersInURI = ["GET", "POST"]
        #expect(serializer.httpMethodsEncodingParametersInURI == serializer.HTTPMethodsEncodingParametersInURI)
        let form = serializer.requestWithMethod("POST", URLString: url, parameters: ["b": 1])
        #expect(form.url?.query == "b=1")
        serializer.setAuthorizationHeaderFieldWithToken("abc")
        #expect(serializer.HTTPRequestHeaders["Authorization"] == "Token token=\"abc\"")
        #expect(serializer.valueForHTTPHeaderField("authorization") == "Token token=\"abc\"")
        serializer.stringEncoding = String.Encoding.isoLatin1.rawValue
        #expect(serializer.stringEncoding == 5)
        serializer.HTTPMethodsEncodingParametersInURI = ["GET"]
        serializer.setQueryStringSerializationWith { _, _, _ in "é" }
        let latin = serializer.requestWithMethod("POST", URLString: url, parameters: ["b": 1])
        #expect(latin.httpBody == Data([0xE9]))
    }

    @Test("The query block's pointer becomes the error, and the style takes the block away")
    func queries() {
        let serializer = AFHTTPRequestSerializer()
        var error: NSError?
        serializer.setQueryStringSerializationWithBlock { (request: NSURLRequest, parameters: AnyObject, _) in
            "\(request.httpMethod ?? "")=\((parameters as? NSDictionary)?["b"] as? Int ?? 0)"
        }
        #expect(serializer.requestWithMethod("GET", URLString: url, parameters: ["b": 1]).url?.query == "GET=1")
        serializer.setQueryStringSerializationWith { _, _, error in
            error?.pointee = NSError(domain: "d", code: 7)
            return nil
        }
        _ = serializer.requestWithMethod("GET", URLString: url, parameters: ["b": 1], error: &error)
        #expect(error?.domain == "d" && error?.code == 7)
        serializer.setQueryStringSerializationWithStyle(.DefaultStyle)
        #expect(serializer.requestWithMethod("GET", URLString: url, parameters: ["b": 1]).url?.query == "b=1")
        #expect(AFQueryStringFromParameters(["a b": ["c"]]) == "a%20b%5B%5D=c")
        #expect(AFPercentEscapedStringFromString("é/?&") == "%C3%A9/?%26")
        #expect(kAFUploadStream3GSuggestedPacketSize == 16384 && kAFUploadStream3GSuggestedDelay == 0.2)
    }

    @Test("Responses are parsed and validated in every spelling")
    func responses() throws {
        let target = try #require(URL(string: url))
        let fine = HTTPURLResponse(
            url: target, statusCode: 200, httpVersion: nil, headerFields: ["Content-Type": "application/json"])
        let bad = HTTPURLResponse(
            url: target, statusCode: 500, httpVersion: nil, headerFields: ["Content-Type": "application/json"])
        let data = Data(#"{"a":1}"#.utf8)
        let serializer = AFJSONResponseSerializer.serializer()
        var error: NSError?
        #expect(try serializer.responseObjectForResponse(fine, data: data) is NSDictionary)
        #expect(serializer.responseObjectForResponse(fine, data: data, error: &error) is NSDictionary)
        #expect(serializer.responseObject(for: fine, data: data, error: &error) as? [String: Int] == ["a": 1])
        #expect(serializer.validateResponse(fine, data: data, error: &error) && error == nil)
        try serializer.validateResponse(fine, data: data)

        #expect(!serializer.validateResponse(bad, data: data, error: &error))
        #expect(error?.code == -1011 && error?.domain == AFURLResponseSerializationErrorDomain)
        #expect(throws: ResponseSerializationError.self) { try serializer.validateResponse(bad, data: data) }
        error = nil
        #expect(serializer.responseObject(for: bad, data: data, error: &error) as? [String: Int] == ["a": 1])
        #expect(error?.code == -1011)
    }

    @Test("Response serializers are made in every spelling")
    func making() throws {
        #expect(type(of: AFHTTPResponseSerializer.serializer()) == HTTPResponseSerializer.self)
        #expect(AFJSONResponseSerializer.serializer().acceptableContentTypes?.contains("application/json") == true)
        #expect(AFXMLParserResponseSerializer.serializer().acceptableContentTypes?.contains("text/xml") == true)
        #expect(AFXMLDocumentResponseSerializer.serializer().options == [])
        #expect(AFXMLDocumentResponseSerializer(xmlDocumentOptions: .nodePreserveAll).options == .nodePreserveAll)
        #expect(AFXMLDocumentResponseSerializer(XMLDocumentOptions: .nodePreserveAll).options == .nodePreserveAll)
        #expect(AFPropertyListResponseSerializer.serializer().format == .xml)
        let list = AFPropertyListResponseSerializer.serializerWithFormat(.binary, readOptions: .mutableContainers)
        #expect(list.format == .binary && list.readOptions == .mutableContainers)
        #expect(
            AFJSONResponseSerializer.serializerWithReadingOptions(.fragmentsAllowed).readingOptions == .fragmentsAllowed
        )
        #expect(AFPropertyListRequestSerializer.serializerWithFormat(.binary, writeOptions: 0).format == .binary)
        let members: [Any] = [AFJSONResponseSerializer(), "none", AFHTTPResponseSerializer()]
        #expect(
            AFCompoundResponseSerializer.compoundSerializer(withResponseSerializers: members).responseSerializers.count
                == 2)
        let compound = AFCompoundResponseSerializer.compoundSerializerWithResponseSerializers(members)
        #expect(try compound.responseObjectForResponse(nil, data: Data("[1]".utf8)) as? [Int] == [1])
    }

    @Test("Content types are a set without a type of its elements, and encodings numbers")
    func types() {
        let serializer = AFJSONResponseSerializer()
        serializer.acceptableContentTypes = NSSet(objects: "text/html", "text/plain") as? Set<AnyHashable>
        #expect(serializer.acceptableContentTypes == ["text/html", "text/plain"])
        serializer.acceptableContentTypes?.insert("text/x")
        serializer.acceptableContentTypes?.insert(3)
        #expect(serializer.acceptableContentTypes == ["text/html", "text/plain", "text/x"])
        serializer.acceptableContentTypes = nil
        #expect(serializer.acceptableContentTypes == nil)
        serializer.stringEncoding = String.Encoding.ascii.rawValue
        #expect(serializer.stringEncoding == String.Encoding.ascii.rawValue)
        #expect((serializer.copy() as? AFJSONResponseSerializer)?.stringEncoding == 1)
    }

    @Test("Policies under their old names")
    func policies() throws {
        let own = try TestCertificateAuthority.selfSigned(dnsNames: ["example.com"])
        let trust = try ServerTrust(certificates: own.chain.map(\.der))
        let policy = AFSecurityPolicy.policyWithPinningMode(.PublicKey)
        #expect(policy.SSLPinningMode == .publicKey)
        policy.pinnedCertificates = [trust.certificates[0]]
        policy.allowInvalidCertificates = true
        #expect(policy.evaluateServerTrust(trust, forDomain: "example.com"))
        #expect(!policy.evaluateServerTrust(trust, forDomain: "example.org"))
        #expect(policy.evaluateServerTrust(trust))
        #expect(!AFSecurityPolicy.defaultPolicy().evaluateServerTrust(trust))
        #expect([AFSSLPinningMode.None, .PublicKey, .Certificate] == [.none, .publicKey, .certificate])
    }
}
