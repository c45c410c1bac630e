// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import Glibc
import OperationNetworking
import TestServer
import Testing

@Suite("Uploads", .timeLimit(.minutes(3))) struct UploadTests {
    let server: TestServer

    init() throws {
        server = try TestServer()
        server.respondToOthers { _ in .ok("received") }
    }

    private func streamed(_ stream: InputStream, length: Int? = nil, to url: URL? = nil) -> HTTPRequestOperation {
        var request = URLRequest(url: url ?? server.url("/"))
        request.httpMethod = "POST"
        if let length { request.setValue("\(length)", forHTTPHeaderField: "Content-Length") }
        let operation = HTTPRequestOperation(request: request)
        operation.inputStream = stream
        return operation
    }

    @Test(
        "Data of any size arrives whole, with Content-Length and without Expect",
        arguments: [0, 1, 65_535, 65_536, 65_537, 1 << 20])
    func data(size: Int) async throws {
        let body = ScriptedResponse.longPattern(count: size)
        for method in ["POST", "PUT", "PATCH", "DELETE", "QUERY"] {
            let operation = HTTPRequestOperation(server.url("/\(method)"), method: method, body: body)
            #expect(await operation.outcome().text == "received")
            let request = try await server.nextRequest()
            #expect(request.method == method)
            #expect(request.body == body)
            #expect(request["Content-Length"] == "\(size)")
            #expect(request["Expect"] == nil && request["Transfer-Encoding"] == nil)
            #expect(request["Content-Type"] == nil)
        }
    }

    @Test("64 MiB of data arrive")
    func largeData() async throws {
        let size = 64 << 20
        let operation = HTTPRequestOperation(server.url("/"), method: "PUT", body: Data(count: size))
        #expect(await operation.outcome().text == "received")
        #expect(try await server.nextRequest().bodyLength == size)
        #expect(operation.metrics?.bytesSent == Int64(size))
    }

    @Test("POST, PUT and PATCH without content say Content-Length: 0, the others nothing")
    func noContent() async throws {
        for method in ["POST", "PUT", "PATCH", "GET", "DELETE", "OPTIONS"] {
            #expect(await HTTPRequestOperation(server.url("/"), method: method).outcome().text == "received")
            let request = try await server.nextRequest()
            #expect(request.method == method)
            #expect(request["Content-Length"] == (["POST", "PUT", "PATCH"].contains(method) ? "0" : nil))
        }
    }

    @Test("A slice of data is sent, and not what it was cut from")
    func slice() async throws {
        let whole = ScriptedResponse.longPattern(count: 200_000)
        for range in [10..<20, 100..<150_100] {
            _ = await HTTPRequestOperation(server.url("/"), method: "POST", body: whole[range]).outcome()
            #expect(try await server.nextRequest().body == Data(whole[range]))
        }
    }

    @Test("A stream is sent chunked, or with the Content-Length that the request states", arguments: [0, 10, 300_000])
    func streams(size: Int) async throws {
        let body = ScriptedResponse.longPattern(count: size)
        let directory = try TemporaryDirectory()
        let file = try directory.write(body, to: "body")
        for length in [nil, size] {
            let streams = [InputStream(data: body), try #require(InputStream(url: file))]
            for stream in streams {
                #expect(await streamed(stream, length: length).outcome().text == "received")
                let request = try await server.nextRequest()
                #expect(request.body == body)
                #expect(request["Content-Length"] == length.map(String.init))
                #expect(request["Transfer-Encoding"] == (length == nil ? "chunked" : nil))
                #expect(request["Expect"] == nil)
            }
        }
    }

    @Test("A stream and a FIFO that stay silent hold up nobody else, and are sent when they speak")
    func silentSources() async throws {
        let others = try TestServer()
        others.respondToOthers { _ in .ok("other") }
        let gate = Gate()
        let directory = try TemporaryDirectory()
        let fifo = directory.file("fifo")
        #expect(mkfifo(fifo.path, 0o600) == 0)
        async let waiting = streamed(SilentInputStream("from the stream", until: gate)).outcome()
        let pipedUpload = streamed(try #require(InputStream(url: fifo)), to: server.url("/fifo"))
        async let piped = pipedUpload.outcome()
        try await eventually("the first request") { !server.requests.isEmpty }

        let operations = (0..<100).map { _ in HTTPRequestOperation(others.url("/")) }
        await withTaskGroup(of: String?.self) { group in
            for operation in operations { group.addTask { await operation.outcome().text } }
            for await text in group { #expect(text == "other") }
        }

        gate.open()
        await blocking {
            if let file = FileHandle(forWritingAtPath: fifo.path) {
                file.write(Data("from the fifo".utf8))
                try? file.close()
            }
        }
        #expect(await waiting.text == "received")
        #expect(await piped.text == "received")
        #expect(Set(server.requests.map(\.text)) == ["from the stream", "from the fifo"])
    }

    @Test("Cancelling an upload whose stream stays silent ends it at once")
    func cancelledSilentSource() async throws {
        let gate = Gate()
        let operation = streamed(SilentInputStream("", until: gate))
        let outcome = await operation.outcome {
            $0.start()
            $0.cancel()
        }
        #expect(outcome.urlError?.code == .cancelled)
        gate.open()
    }

    @Test("A stream that fails ends the operation, with the stream's error underneath")
    func failingStream() async throws {
        let operation = streamed(try #require(InputStream(fileAtPath: "/no/such/file")))
        let error = try #require(await operation.outcome().urlError)
        #expect(error.code == .requestBodyStreamExhausted)
        let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(underlying?.domain == NSPOSIXErrorDomain && underlying?.code == Int(POSIXErrorCode.ENOENT.rawValue))
        #expect(error.localizedDescription.contains("could not be read"))
        #expect(await HTTPRequestOperation(server.url("/")).outcome().text == "received")
    }

    @Test("A directory as a stream is an error, too")
    func directoryStream() async throws {
        let operation = streamed(try #require(InputStream(fileAtPath: "/tmp")))
        #expect(await operation.outcome().urlError?.code == .requestBodyStreamExhausted)
    }

    @Test("A stream that was closed before is an error, too")
    func closedStream() async throws {
        for length in [nil, 10] {
            let stream = InputStream(data: Data("0123456789".utf8))
            stream.open()
            stream.close()
            #expect(await streamed(stream, length: length).outcome().urlError?.code == .requestBodyStreamExhausted)
        }
    }

    @Test("A stream shorter or longer than its Content-Length is an error that says so", arguments: [9, 11, 100_000])
    func wrongLength(length: Int) async throws {
        let operation = streamed(InputStream(data: Data("0123456789".utf8)), length: length)
        let error = try #require(await operation.outcome().urlError)
        #expect(error.code == .requestBodyStreamExhausted)
        #expect(error.localizedDescription.contains("announced"))
        #expect(await HTTPRequestOperation(server.url("/")).outcome().text == "received")
    }

    @Test("A server that answers before it has read the content, and closes: the answer counts")
    func earlyAnswer() async {
        server.respond(
            to: "/early", at: .afterHead
        ) { _ in ScriptedResponse(status: 413, body: .text("too large")).ending(.close).beforeRequestBody() }
        let operation = HTTPRequestOperation(server.url("/early"), method: "POST", body: Data(count: 300_000))
        let outcome = await operation.outcome()
        #expect(outcome.status == 413 || outcome.urlError?.code == .networkConnectionLost)
        #expect(await HTTPRequestOperation(server.url("/")).outcome().text == "received")
    }

    @Test("A stream that has more than is announced is an error, also where nothing is; an empty one is sent as that")
    func announcedLengths() async throws {
        let content = Data("12345".utf8)
        var codes: [URLError.Code?] = []
        for length in [3, 0] {
            codes.append(await streamed(InputStream(data: content), length: length).outcome().urlError?.code)
        }
        #expect(codes[0] != nil && codes[1] == codes[0])
        var request = URLRequest(url: server.url("/"))
        request.httpMethod = "POST"
        request.setHTTPBody(
            AsyncStream<Data> { continuation in
                continuation.yield(content)
                continuation.finish()
            }, contentLength: 0)
        #expect(await HTTPRequestOperation(request: request).outcome().urlError?.code == codes[0])
        // By its path: the server may read what was given up later than this.
        let empty = server.url("/empty")
        #expect(await streamed(InputStream(data: Data()), length: 0, to: empty).outcome().text == "received")
        #expect(server.requests.filter { $0.target == "/empty" }.map { $0["Content-Length"] } == ["0"])
    }

    @Test("A stream that is announced as empty can be sent again")
    func emptyAgain() async throws {
        server.respond(to: "/from", .redirect(307, to: "/"))
        let operation = streamed(InputStream(data: Data()), length: 0, to: server.url("/from"))
        #expect(await operation.outcome().text == "received")
        let lengths = [
            try await server.nextRequest()["Content-Length"], try await server.nextRequest()["Content-Length"],
        ]
        #expect(lengths == ["0", "0"])
    }

    @Test("A file of which the system does not say the length is sent as part of a form")
    func fileWithoutLength() async throws {
        let version = URL(fileURLWithPath: "/proc/version")
        let content = try #require(FileManager.default.contents(atPath: version.path))
        var failure: (any Error)?
        let request = try HTTPRequestSerializer().multipartFormRequest(
            withMethod: "POST", urlString: server.url("/").absoluteString, parameters: nil
        ) { form in
            do { try form.appendPart(withFileURL: version, name: "version") } catch { failure = error }
        }
        #expect(failure == nil)
        #expect(await HTTPRequestOperation(request: request).outcome().text == "received")
        #expect(try await server.nextRequest().body.range(of: content) != nil)
    }
}
