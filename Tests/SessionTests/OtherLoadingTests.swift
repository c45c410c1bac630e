// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

/// What does not go the way of an operation.
@Suite struct OtherLoadingTests {
    @Test func fileURLsAreRead() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.url.appendingPathComponent("file")
        try Data("content".utf8).write(to: file)
        let session = OperationURLSession(configuration: .ephemeral)
        #expect(await session.outcome(file).text == "content")
        let missing = await session.outcome(folder.url.appendingPathComponent("other"))
        #expect(missing.code == .fileDoesNotExist)
        let download = await session.downloading { session.downloadTask(with: file, completionHandler: $0) }
        #expect(download.file == Data("content".utf8))
        #expect(FileManager.default.fileExists(atPath: file.path))
        #expect(try await session.data(from: file).0 == Data("content".utf8))
    }

    @Test("A symbolic link is what it leads to: a file that is read and sent, or a folder", arguments: [false, true])
    func links(isRelative: Bool) async throws {
        let folder = try TemporaryDirectory()
        func link(to name: String) throws -> URL {
            let link = folder.file("link-" + name)
            try FileManager.default.createSymbolicLink(
                atPath: link.path, withDestinationPath: isRelative ? name : folder.file(name).path)
            return link
        }
        try folder.write("content", to: "file")
        try FileManager.default.createDirectory(at: folder.file("folder"), withIntermediateDirectories: true)
        let (file, inner) = (try link(to: "file"), try link(to: "folder"))
        let session = OperationURLSession(configuration: .ephemeral)
        #expect(await session.outcome(file).text == "content")
        let download = await session.downloading { session.downloadTask(with: file, completionHandler: $0) }
        #expect(download.file == Data("content".utf8))
        #expect(FileManager.default.fileExists(atPath: file.path))
        #expect(await session.outcome(inner).code == .fileIsDirectory)
        let server = try TestServer()
        server.respondToOthers { .ok("\($0["Content-Length"] ?? "-") \($0.text)") }
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        let expected = session.uploadTask(with: request, fromFile: file).countOfBytesExpectedToSend
        #expect(expected == 7)
        let upload = await session.upload(request) { [request] in
            session.uploadTask(with: request, fromFile: file, completionHandler: $0)
        }
        #expect(upload.text == "7 content")
    }

    @Test("A file whose loading is cancelled is whole, or the task fails")
    func cancelledFile() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.url.appendingPathComponent("file")
        let length = 24 << 20
        try Data(count: length).write(to: file)
        let session = OperationURLSession(configuration: .ephemeral)
        func cancel(_ task: URLSessionTask) {
            task.resume()
            Thread {
                while task.countOfBytesReceived == 0, task.state == .running {}
                task.cancel()
            }.start()
        }
        for _ in 0..<30 {
            let outcome = await session.outcome(URLRequest(url: file), cancel)
            #expect(outcome.code == .cancelled || outcome.data?.count == length)
            let download = await session.downloading(
                { session.downloadTask(with: file, completionHandler: $0) }, cancel)
            #expect(download.code == .cancelled || download.file?.count == length)
        }
    }

    @Test("A slow delegate gets a long file a few pieces at a time")
    func longFile() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.url.appendingPathComponent("file")
        let length = 24 << 20
        try Data(count: length).write(to: file)
        let delegate = RecordingDelegate()
        let (taken, ahead) = (Locked<Int64>(0), Locked<Int64>(0))
        delegate.whenReceiving = { task, data in
            let total = taken.withLock { taken in
                taken += Int64(data.count)
                return taken
            }
            ahead.withLock { $0 = max($0, task.countOfBytesReceived - total) }
        }
        OperationURLSession(configuration: .ephemeral, delegate: delegate).dataTask(with: file).resume()
        await delegate.isComplete.wait()
        #expect(delegate.data.count == length && delegate.error == nil)
        #expect(ahead.withLock { $0 } <= 4 << 20)
    }

    @Test("A download of a long file is not collected in memory")
    func longDownload() async throws {
        let folder = try TemporaryDirectory()
        var content = Data()
        for byte in UInt8(0)..<64 { content.append(Data(repeating: byte, count: 1 << 20)) }
        let file = try folder.write(content, to: "file")
        let delegate = RecordingDelegate()
        let greatest = Locked(0)
        delegate.whenWriting = { task in
            let count = (task as? any SessionTaskFace)?.task.withState { $0.collected.count } ?? Int.max
            greatest.withLock { $0 = max($0, count) }
        }
        OperationURLSession(configuration: .ephemeral, delegate: delegate).downloadTask(with: file).resume()
        await delegate.isComplete.wait()
        #expect(delegate.error == nil && delegate.bytesWritten == Int64(content.count))
        let (isWhole, isLeft) = (delegate.file == content, FileManager.default.fileExists(atPath: file.path))
        #expect(isWhole && isLeft)
        #expect(greatest.withLock { $0 } < 8 << 20)
    }

    @Test(arguments: [
        ("data:,a%20b", "a b", "text/plain"), ("data:text/html;charset=utf-8,%3Cp%3E", "<p>", "text/html"),
        ("data:text/plain;base64,aGVsbG8=", "hello", "text/plain"),
    ])
    func dataURLsAreDecoded(_ text: String, _ content: String, _ type: String) async throws {
        let outcome = await OperationURLSession(configuration: .ephemeral).outcome(try #require(URL(string: text)))
        #expect(outcome.text == content)
        #expect(outcome.response?.mimeType == type)
    }

    @Test func foundationsAsyncFunctionsUseThisEngine() async throws {
        let server = try TestServer()
        server.respond(to: "/hello", .ok("hello"))
        server.respond(to: "/echo") { .ok($0.method + $0.text) }
        server.respond(to: "/from", .redirect(to: "/hello"))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-Test": "yes"]
        let session = OperationURLSession(configuration: configuration)
        let (data, response) = try await session.data(from: server.url("/hello"))
        #expect(data == Data("hello".utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
        #expect(server.requests.last?["X-Test"] == "yes")
        #expect(try await session.data(from: server.url("/from")).0 == Data("hello".utf8))
        var post = URLRequest(url: server.url("/echo"))
        post.httpMethod = "POST"
        #expect(try await session.upload(for: post, from: Data("abc".utf8)).0 == Data("POSTabc".utf8))
        let (file, _) = try await session.download(from: server.url("/hello"))
        #expect(try Data(contentsOf: file) == Data("hello".utf8))
        try FileManager.default.removeItem(at: file)
    }

    @Test(arguments: [
        ("Basic realm=\"r\"", ", Basic realm=\"r\""), ("Bearer realm=\"r\",service=\"s\"", nil), ("Negotiate", nil),
        ("Bearer realm=\"a, Basic realm=b\"", ", Bearer realm=\"a, Basic realm=b\""),
    ])
    func asyncFunctionsGiveA401AndErrors(challenge: String, changed: String?) async throws {
        let server = try TestServer()
        server.respond(to: "/", ScriptedResponse(status: 401, headers: [("WWW-Authenticate", challenge)]))
        server.respond(to: "/lost", .script([.reset]))
        let session = OperationURLSession(configuration: .ephemeral)
        let (_, response) = try await session.data(from: server.url())
        let answer = try #require(response as? HTTPURLResponse)
        #expect(answer.statusCode == 401)
        #expect(answer.value(forHTTPHeaderField: "WWW-Authenticate") == challenge)
        await #expect(throws: URLError.self) { try await session.data(from: server.url("/lost")) }
        // By Foundation's functions.
        let foundations: URLSession = session
        let same = try #require(await foundations.data(from: server.url(), delegate: nil).1 as? HTTPURLResponse)
        #expect(same.statusCode == 401)
        #expect(same.value(forHTTPHeaderField: "WWW-Authenticate") == changed ?? challenge)
        await #expect(throws: URLError.self) { try await foundations.data(from: server.url("/lost"), delegate: nil) }
    }

    @Test func cancellingTheTaskCancelsTheRequest() async throws {
        let server = try TestServer()
        server.respond(to: "/", .script([.stall]))
        let session = OperationURLSession(configuration: .ephemeral)
        let task = Task { try await session.data(from: server.url()) }
        _ = try await server.nextRequest()
        task.cancel()
        await #expect(throws: URLError.self) { try await task.value }
        try await eventually("the connection ends") { server.openConnectionCount == 0 }
    }

    @Test func aUsersProtocolClassIsAsked() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-Test": "yes"]
        configuration.protocolClasses = [StubProtocol.self] + (configuration.protocolClasses ?? [])
        let delegate = RecordingDelegate()
        let session = OperationURLSession(configuration: configuration, delegate: delegate)
        let url = try #require(URL(string: "http://stub.invalid/path"))
        let outcome = await session.outcome(url)
        #expect(outcome.text == "stub yes")
        #expect(try await session.data(from: url).0 == Data("stub yes".utf8))
        let download = await session.downloading { session.downloadTask(with: url, completionHandler: $0) }
        #expect(download.file == Data("stub yes".utf8))
        session.dataTask(with: url).resume()
        await delegate.isComplete.wait()
        #expect(delegate.events.filter { $0 != "metrics" } == ["response", "data", "complete"])
        let server = try TestServer()
        server.respond(to: "/", .ok("server"))
        #expect(await session.outcome(server.url()).text == "server")
    }

    @Test("A user's protocol class loads the canonical form of a request, which it is asked for")
    func canonicalForm() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-Test": "session"]
        configuration.protocolClasses = [StubProtocol.self]
        let session = OperationURLSession(configuration: configuration)
        let task = session.dataTask(with: try #require(URL(string: "http://stub.invalid/canonical")))
        #expect(task.originalRequest?.value(forHTTPHeaderField: "X-Test") == nil)
        let outcome = await session.outcome(try #require(URL(string: "http://stub.invalid/canonical")))
        #expect(outcome.text == "stub canonical session")
    }
}

/// Answers requests for one host.
private final class StubProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "stub.invalid" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest {
        guard request.url?.path == "/canonical" else { return request }
        var request = request
        request.setValue(
            "canonical " + (request.value(forHTTPHeaderField: "X-Test") ?? "no"), forHTTPHeaderField: "X-Test")
        return request
    }

    override func startLoading() {
        guard let url = request.url,
            let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        let text = "stub " + (request.value(forHTTPHeaderField: "X-Test") ?? "no")
        client?.urlProtocol(self, didLoad: Data(text.utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
