// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
@testable internal import OperationNetworkingCore
@testable internal import OperationNetworkingSerialization
internal import Testing

@Suite("Multipart wire format", .timeLimit(.minutes(1)))
struct MultipartWireFormatTests {
    @Test("One part of each kind, to the byte")
    func everyKind() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.file("photo.png", Data("PNG".utf8))
        let request = try multipartRequest(parameters: ["b": 1, "a": "é"]) { form in
            try form.appendPart(withFileURL: file, name: "f1")
            try form.appendPart(withFileURL: file, name: "f2", fileName: "other.bin", mimeType: "x/y")
            form.appendPart(
                with: InputStream(data: Data("S".utf8)), name: "s", fileName: "s.txt", length: 1, mimeType: "text/plain"
            )
            form.appendPart(withFileData: Data("D".utf8), name: "d", fileName: "d.txt", mimeType: "text/plain")
            form.appendPart(withForm: Data("V".utf8), name: "v")
            form.appendPart(
                withHeaders: [
                    "X-B": "2", "X-A": "1", "content-type": "x/z", "Content-Disposition": "form-data; name=\"h\"",
                ], body: Data("H".utf8))
            form.appendPart(withHeaders: nil, body: Data("N".utf8))
            form.appendPart(with: nil, name: "nil", fileName: "n", length: 5, mimeType: "x/n")
        }
        let stream = try #require(request.httpBodyStream as? MultipartBodyStream)
        let text = String(decoding: stream.readAll().data, as: UTF8.self)
        let expected = """
            --B
            Content-Disposition: form-data; name="a"

            é
            --B
            Content-Disposition: form-data; name="b"

            1
            --B
            Content-Disposition: form-data; name="f1"; filename="photo.png"
            Content-Type: image/png

            PNG
            --B
            Content-Disposition: form-data; name="f2"; filename="other.bin"
            Content-Type: x/y

            PNG
            --B
            Content-Disposition: form-data; name="s"; filename="s.txt"
            Content-Type: text/plain

            S
            --B
            Content-Disposition: form-data; name="d"; filename="d.txt"
            Content-Type: text/plain

            D
            --B
            Content-Disposition: form-data; name="v"

            V
            --B
            Content-Disposition: form-data; name="h"
            content-type: x/z
            X-A: 1
            X-B: 2

            H
            --B

            N
            --B
            Content-Disposition: form-data; name="nil"; filename="n"
            Content-Type: x/n


            --B--

            """.replacingOccurrences(of: "\n", with: "\r\n").replacingOccurrences(of: "B\r\n", with: "B\r\n")
        #expect(text.replacingOccurrences(of: stream.body.boundary, with: "B") == expected)
        #expect(request.value(forHTTPHeaderField: "Content-Length") == "\(text.utf8.count)")
        #expect(stream.contentLength == Int64(text.utf8.count))
    }

    @Test("The boundary is 25 characters of AFNetworking's form, another each time")
    func boundary() throws {
        var seen: Set<String> = []
        for _ in 0..<50 {
            let request = try multipartRequest(parameters: ["a": 1])
            let type = try #require(request.value(forHTTPHeaderField: "Content-Type"))
            #expect(type.wholeMatch(of: /multipart\/form-data; boundary=Boundary\+[0-9A-F]{16}/) != nil)
            seen.insert(type)
        }
        #expect(seen.count == 50)
    }

    @Test("Content-Type and Content-Length override defaults, body data is gone")
    func headers() throws {
        let serializer = HTTPRequestSerializer()
        serializer.setValue("text/plain", forHTTPHeaderField: "content-type")
        serializer.timeoutInterval = 9
        let request = try serializer.multipartFormRequest(
            withMethod: "PUT", urlString: "http://h/", parameters: ["a": 1], constructingBodyWith: nil)
        #expect(request.value(forHTTPHeaderField: "Content-Type")?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(request.value(forHTTPHeaderField: "Content-Length") != nil)
        #expect(request.httpBody == nil)
        #expect(request.httpMethod == "PUT")
        #expect(request.timeoutInterval == 9)
        #expect(request.value(forHTTPHeaderField: "User-Agent") != nil)
    }

    @Test("Without parts the request is an empty form")
    func noParts() throws {
        for parameters in [nil, [:], ["a": [Int]()]] as [[String: Any]?] {
            let request = try multipartRequest(parameters: parameters) { _ in }
            #expect(request.httpBodyStream == nil)
            #expect(request.httpBody == Data())
            #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
            #expect(request.value(forHTTPHeaderField: "Content-Length") == nil)
        }
    }

    @Test("GET and HEAD are refused", arguments: ["GET", "HEAD", "get", "Head"])
    func methods(_ method: String) {
        do {
            _ = try HTTPRequestSerializer().multipartFormRequest(
                withMethod: method, urlString: "http://h/", parameters: ["a": 1], constructingBodyWith: nil)
            Issue.record("no error")
        } catch {
            #expect((error as? RequestSerializationError)?.code == .invalidMethod)
        }
    }

    @Test("Parameters come in query order with unescaped names; Data is raw, null is empty")
    func parameters() throws {
        let request = try multipartRequest(parameters: [
            "c": [1, 2], "a": ["x y": true, "&": NSNull()] as [String: Any], "b": Data("raw".utf8), "d": 2.0,
        ])
        let expected =
            [("a[&]", ""), ("a[x y]", "1"), ("b", "raw"), ("c[]", "1"), ("c[]", "2"), ("d", "2")]
            .map { "--B\r\nContent-Disposition: form-data; name=\"\($0.0)\"\r\n\r\n\($0.1)\r\n" }.joined() + "--B--\r\n"
        #expect(try multipartText(request) == expected)
    }

    @Test("Array and Boolean options hold for parameters")
    func parameterOptions() throws {
        let serializer = HTTPRequestSerializer()
        serializer.arrayEncoding = .comma
        serializer.boolEncoding = .literal
        let request = try serializer.multipartFormRequest(
            withMethod: "POST", urlString: "http://h/", parameters: ["a": [true, false]], constructingBodyWith: nil)
        #expect(try multipartText(request).contains("name=\"a\"\r\n\r\ntrue,false\r\n"))
    }

    @Test("Values are in stringEncoding; one that cannot be is an error and not dropped")
    func stringEncoding() throws {
        let serializer = HTTPRequestSerializer()
        serializer.stringEncoding = .isoLatin1
        func request(_ value: String) throws -> URLRequest {
            try serializer.multipartFormRequest(
                withMethod: "POST", urlString: "http://h/", parameters: ["é": value], constructingBodyWith: nil)
        }
        let data = try #require(try request("é").httpBodyStream).readAll().data
        #expect(data.range(of: Data("name=\"é\"\r\n\r\n".utf8) + [0xE9, 0x0D]) != nil)
        do {
            _ = try request("漢")
            Issue.record("no error")
        } catch {
            #expect((error as? RequestSerializationError)?.code == .invalidParameters)
            #expect("\(error.localizedDescription)".contains("é"))
        }
    }

    @Test(
        "A line end in a name is of two bytes, and stays as it is in a file's",
        arguments: [("\n", "%0A"), ("\r", "%0D")])
    func lineEnds(_ end: String, _ escape: String) throws {
        let request = try multipartRequest {
            $0.appendPart(withFileData: Data(), name: "a\(end)b", fileName: "a\(end)b", mimeType: "x/y")
        }
        #expect(
            try multipartText(request).contains("form-data; name=\"a%0D%0Ab\"; filename=\"a\(escape)b\"\r\n"))
    }

    @Test(
        "Names and file names are escaped as browsers do",
        arguments: [
            ("a\"b", "a%22b"), ("a\r\nX-Evil: 1", "a%0D%0AX-Evil: 1"),
            ("é漢😃", "é漢😃"), ("a\\b", "a\\b"), ("100%", "100%"), ("a\u{0}b", "a%00b"), ("", ""),
            ("a;b=c", "a;b=c"),
        ])
    func escaping(_ name: String, _ expected: String) throws {
        let request = try multipartRequest {
            $0.appendPart(withFileData: Data(), name: name, fileName: name, mimeType: "x/y")
        }
        #expect(
            try multipartText(request)
                == "--B\r\nContent-Disposition: form-data; name=\"\(expected)\"; filename=\"\(expected)\"\r\n"
                + "Content-Type: x/y\r\n\r\n\r\n--B--\r\n")
    }

    static let injections: [@Sendable (any MultipartFormData) throws -> Void] = [
        { $0.appendPart(withHeaders: ["X-A": "b\r\nX-C: d"], body: Data()) },
        { $0.appendPart(withHeaders: ["X-A": "b\nc"], body: Data()) },
        { $0.appendPart(withHeaders: ["X-A\r\nX-B": "c"], body: Data()) },
        { $0.appendPart(withHeaders: ["X A": "c"], body: Data()) },
        { $0.appendPart(withHeaders: ["": "c"], body: Data()) },
        { $0.appendPart(withFileData: Data(), name: "n", fileName: "f", mimeType: "x/y\r\nX-C: d") },
        { $0.appendPart(with: InputStream(data: Data()), name: "n", fileName: "f", length: 0, mimeType: "x\ny") },
        {
            try $0.appendPart(
                withFileURL: URL(fileURLWithPath: "/etc/passwd"), name: "n", fileName: "f", mimeType: "x\ry")
        },
    ]

    @Test("Header injection is an error", arguments: injections.indices)
    func injection(_ index: Int) {
        do {
            _ = try multipartRequest { form in
                try Self.injections[index](form)
                form.appendPart(withForm: Data(), name: "fine")
            }
            Issue.record("no error")
        } catch {
            #expect((error as? RequestSerializationError)?.code == .invalidHeaderField)
        }
    }

    @Test("What the block throws is thrown")
    func blockError() {
        #expect(throws: CocoaError.self) {
            try multipartRequest { _ in throw CocoaError(.fileNoSuchFile) }
        }
    }

    @Test("A file that cannot be appended throws −1000 with AFNetworking's reasons")
    func fileErrors() throws {
        let directory = try TemporaryDirectory()
        let cases: [(URL, String)] = [
            (try #require(URL(string: "http://h/file")), "Expected URL to be a file URL"),
            (directory.url.appendingPathComponent("absent"), "File URL not reachable."),
            (directory.url, "File URL is a directory; append the files in it one by one."),
        ]
        for (url, reason) in cases {
            do {
                _ = try multipartRequest { try $0.appendPart(withFileURL: url, name: "f") }
                Issue.record("no error for \(url)")
            } catch {
                let error = error as NSError
                #expect(error.domain == "com.alamofire.error.serialization.request")
                #expect(error.code == -1000)
                #expect(error.localizedFailureReason == reason)
                #expect(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == url)
            }
        }
    }

    @Test("A length too large to add up is left out, not a crash")
    func hugeLengths() throws {
        let request = try multipartRequest { form in
            for _ in 0..<2 {
                form.appendPart(
                    with: InputStream(data: Data()), name: "s", fileName: "s", length: .max, mimeType: "x/y")
            }
        }
        #expect(request.value(forHTTPHeaderField: "Content-Length") == nil)
    }

    @Test(
        "Media types follow the extension",
        arguments: [
            ("png", "image/png"), ("PNG", "image/png"), ("jpg", "image/jpeg"), ("txt", "text/plain"),
            ("cer", "application/x-x509-ca-cert"), ("json", "application/json"), ("pdf", "application/pdf"),
            ("", "application/octet-stream"), ("no-such-extension", "application/octet-stream"),
        ])
    func mediaTypes(_ pathExtension: String, _ expected: String) {
        #expect(MediaTypes.type(forPathExtension: pathExtension) == expected)
    }

    @Test("The system's table is read as it is written")
    func mediaTypeTable() {
        let table = MediaTypes.parse(
            "# comment\napplication/a\t\ta1 A2 # a3\r\nimage/b a1 b\nnot-a-type c\n\napplication/none\n")
        #expect(table == ["a1": "application/a", "a2": "application/a", "b": "image/b"])
        #expect(MediaTypes.builtIn.values.allSatisfy { $0.split(separator: "/").count == 2 })
    }
}
