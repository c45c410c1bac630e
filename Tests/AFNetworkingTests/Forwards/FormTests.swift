// SPDX-License-Identifier: MIT
import AFNetworking
import TestServer
import Testing

@Suite("Forms", .timeLimit(.minutes(1))) struct FormTests {
    let server: TestServer
    let manager: AFHTTPRequestOperationManager

    init() throws {
        server = try TestServer()
        server.respondToOthers { _ in .json("{}") }
        manager = .offMain(server.url("/"))
    }

    @Test("POST with a block appends parts under their old names")
    func parts() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.url.appendingPathComponent("a.txt")
        try Data("file".utf8).write(to: file)
        let outcome = await manager.outcome {
            manager.POST(
                "x", parameters: ["first": 1],
                constructingBodyWithBlock: { (form: (any AFMultipartFormData)!) in
                    form.appendPartWithFormData(Data("value".utf8), name: "field")
                    form.appendPartWithFileData(Data("data".utf8), name: "d", fileName: "d.bin", mimeType: "a/b")
                    form.appendPartWithHeaders(["X-Part": "1"], body: Data("body".utf8))
                    form.appendPartWithInputStream(
                        InputStream(data: Data("stream".utf8)), name: "s", fileName: "s.bin", length: 6, mimeType: "c/d"
                    )
                    try form.appendPartWithFileURL(file, name: "f")
                    var error: NSError?
                    #expect(form.appendPartWithFileURL(file, name: "g", error: &error) && error == nil)
                    #expect(
                        form.appendPartWithFileURL(file, name: "h", fileName: "h.bin", mimeType: "e/f", error: &error))
                    try form.appendPartWithFileURL(file, name: "i", fileName: "i.bin", mimeType: "g/h")
                    form.throttleBandwidthWithPacketSize(kAFUploadStream3GSuggestedPacketSize, delay: 0)
                }, success: $0, failure: $1)
        }
        #expect(outcome.error == nil)
        let text = try await server.nextRequest().text
        for part in [
            "name=\"first\"\r\n\r\n1\r\n", "name=\"field\"\r\n\r\nvalue\r\n",
            "name=\"d\"; filename=\"d.bin\"\r\nContent-Type: a/b\r\n\r\ndata\r\n", "X-Part: 1\r\n\r\nbody\r\n",
            "name=\"s\"; filename=\"s.bin\"\r\nContent-Type: c/d\r\n\r\nstream\r\n",
            "name=\"f\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\nfile\r\n",
            "name=\"g\"; filename=\"a.txt\"", "name=\"h\"; filename=\"h.bin\"\r\nContent-Type: e/f",
            "name=\"i\"; filename=\"i.bin\"\r\nContent-Type: g/h",
        ] {
            #expect(text.contains(part), "no \(part) in \(text)")
        }
    }

    @Test("A part that cannot be appended is told through the pointer, and is not there")
    func unreadable() async throws {
        let nowhere = URL(fileURLWithPath: "/nowhere/at/all")
        let outcome = await manager.outcome {
            manager.POST(
                "x", parameters: nil,
                constructingBodyWithBlock: { form in
                    var error: NSError?
                    #expect(!form.appendPartWithFileURL(nowhere, name: "a", error: &error))
                    #expect(error?.domain == AFURLRequestSerializationErrorDomain && error?.code == -1000)
                    #expect(!form.appendPartWithFileURL(nowhere, name: "b", error: nil))
                    form.appendPartWithFormData(Data("1".utf8), name: "c")
                }, success: $0, failure: $1)
        }
        #expect(outcome.error == nil)
        let text = try await server.nextRequest().text
        #expect(text.contains("name=\"c\"") && !text.contains("name=\"a\"") && !text.contains("name=\"b\""))
    }

    @Test("What the block throws comes to failure")
    func throwing() async throws {
        let outcome = await manager.outcome {
            manager.POST(
                "x", parameters: nil,
                constructingBodyWithBlock: {
                    try $0.appendPartWithFileURL(URL(fileURLWithPath: "/nowhere"), name: "a")
                },
                success: $0, failure: $1)
        }
        #expect(outcome.operation == nil)
        #expect(outcome.error?.domain == AFURLRequestSerializationErrorDomain)
        #expect(server.requests.isEmpty)
    }

    @Test("Parameters may be a dictionary of Objective-C's, of any keys, or none")
    func dictionaries() async throws {
        let old: NSDictionary = ["a": "b"]
        let numbered: [AnyHashable: Any] = [3: "three"]
        for (parameters, part) in [
            (old as Any?, "name=\"a\"\r\n\r\nb"), (numbered, "name=\"3\"\r\n\r\nthree"), (nil, "name=\"c\""),
        ] {
            let outcome = await manager.outcome {
                manager.POST(
                    "x", parameters: parameters,
                    constructingBodyWithBlock: { $0.appendPartWithFormData(Data("d".utf8), name: "c") }, success: $0,
                    failure: $1)
            }
            #expect(outcome.error == nil)
            #expect(try await server.nextRequest().text.contains(part))
        }
    }

    @Test("Parameters that are no dictionary are an error")
    func noDictionary() async throws {
        let outcome = await manager.outcome {
            manager.POST("x", parameters: "a=b", constructingBodyWithBlock: { _ in }, success: $0, failure: $1)
        }
        #expect(outcome.operation == nil)
        #expect(outcome.error?.code == -1016)
        #expect(outcome.error?.localizedDescription.contains("String") == true)
    }

    @Test("The new spelling takes such parameters too, and no block")
    func lowerCase() async throws {
        let old: NSDictionary = ["a": "b"]
        for hasBlock in [true, false] {
            let block: ((any AFMultipartFormData) throws -> Void)? =
                hasBlock ? { $0.appendPart(withForm: Data("d".utf8), name: "c") } : nil
            let error: (any Error)? = await withCheckedContinuation { continuation in
                manager.post(
                    "x", parameters: old, constructingBodyWith: block,
                    success: { (_: AFHTTPRequestOperation, _: Any?) in continuation.resume(returning: nil) },
                    failure: { (_: AFHTTPRequestOperation?, error: any Error) in continuation.resume(returning: error) }
                )
            }
            #expect(error == nil)
            let text = try await server.nextRequest().text
            #expect(text.contains("name=\"a\"\r\n\r\nb"))
            #expect(text.contains("name=\"c\"") == hasBlock)
        }
    }
}
