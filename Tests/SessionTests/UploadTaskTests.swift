// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking
import TestServer
import Testing

@Suite struct UploadTaskTests {
    private func echo() throws -> TestServer {
        let server = try TestServer()
        server.respond(to: "/") { .ok("\($0.method) \($0["Content-Length"] ?? "-") \($0.text)") }
        server.respond(to: "/from", .redirect(307, to: "/"))
        return server
    }

    private func post(_ url: URL) -> URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        return request
    }

    @Test(arguments: SessionKind.allCases)
    func dataAreSent(_ kind: SessionKind) async throws {
        let (server, session) = (try echo(), kind.make())
        let request = post(server.url())
        let outcome = await session.upload(request) {
            session.uploadTask(with: request, from: Data("content".utf8), completionHandler: $0)
        }
        #expect(outcome.text == "POST 7 content")
    }

    @Test(arguments: ["/", "/from"])
    func aFileIsSentAndAgainAfterARedirect(_ path: String) async throws {
        let (server, folder) = (try echo(), try TemporaryDirectory())
        let file = folder.url.appendingPathComponent("file")
        try Data("content".utf8).write(to: file)
        let session = OperationURLSession(configuration: .ephemeral)
        let request = post(server.url(path))
        let outcome = await session.upload(request) {
            session.uploadTask(with: request, fromFile: file, completionHandler: $0)
        }
        #expect(outcome.text == "POST 7 content")
    }

    @Test(
        "A file is read when the request is sent, also one that was not there before", arguments: SessionKind.allCases)
    func laterFile(_ kind: SessionKind) async throws {
        let (server, folder) = (try echo(), try TemporaryDirectory())
        let session = kind.make()
        for before in [nil, "short", "longer than later"] as [String?] {
            let file = folder.url.appendingPathComponent("\(before?.count ?? 0)")
            try before.map { try Data($0.utf8).write(to: file) }
            let outcome = await session.upload(post(server.url())) { handler in
                let task = session.uploadTask(with: post(server.url()), fromFile: file, completionHandler: handler)
                try? Data("content".utf8).write(to: file)
                return task
            }
            #expect(outcome.text == "POST 7 content")
        }
    }

    @Test("The time for a task counts while its delegate is asked for content, and its end has metrics")
    func unansweredQuestion() async throws {
        final class Delegate: NSObject, URLSessionDataDelegate {
            func urlSession(
                _ session: URLSession, task: URLSessionTask,
                needNewBodyStream completionHandler: @Sendable @escaping (InputStream?) -> Void
            ) {}
        }
        let server = try echo()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = 0.2
        let session = OperationURLSession(configuration: configuration, delegate: Delegate())
        let task = session.uploadTask(withStreamedRequest: post(server.url()))
        task.resume()
        try await eventually("the task ends") { task.state == .completed }
        #expect((task.error as? URLError)?.code == .timedOut && server.requests.isEmpty)
        let delegate = RecordingDelegate()
        OperationURLSession(configuration: .ephemeral, delegate: delegate)
            .uploadTask(withStreamedRequest: post(server.url())).resume()
        await delegate.isComplete.wait()
        #expect(delegate.events == ["body", "metrics", "error"])
    }

    @Test("A stream that was read is not sent again by a retry, though the delegate gave another one for a redirect")
    func retriedAfterRedirect() async throws {
        let server = try TestServer()
        server.enqueue(.redirect(307, to: "/two"), .script([.reset]), .ok("again"))
        let manager = URLSessionManager(sessionConfiguration: .ephemeral).offMain()
        manager.responseSerializer = HTTPResponseSerializer()
        manager.retryPolicy = RetryPolicy(maximumAttempts: 2, backoff: .constant(0.01))
        manager.setTaskNeedNewBodyStreamBlock { _, _ in InputStream(data: Data("second".utf8)) }
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        request.httpBodyStream = InputStream(data: Data("first".utf8))
        let outcome = await manager.loading(request)
        #expect(outcome.code == URLError.networkConnectionLost.rawValue)
        #expect(server.requests.map(\.text) == ["first", "second"])
    }

    private enum Content: CaseIterable {
        case data, stream, file, uploadOfData, uploadOfStream, uploadOfFile

        func task(_ request: URLRequest, of session: URLSession, _ data: Data, _ file: URL) -> URLSessionTask {
            var request = request
            switch self {
            case .data: request.httpBody = data
            case .stream: request.httpBodyStream = InputStream(data: data)
            case .file: request.httpBodyStream = InputStream(url: file)
            case .uploadOfData: return session.uploadTask(with: request, from: data)
            case .uploadOfStream: return session.uploadTask(withStreamedRequest: request)
            case .uploadOfFile: return session.uploadTask(with: request, fromFile: file)
            }
            return session.dataTask(with: request)
        }
    }

    /// A finished task with that content, and what its delegate was told.
    private func task(
        _ method: String, _ server: TestServer, _ kind: SessionKind, _ content: Content
    ) async throws -> (URLSessionTask, RecordingDelegate) {
        let folder = try TemporaryDirectory()
        let file = folder.url.appendingPathComponent("file")
        let data = Data("content".utf8)
        try data.write(to: file)
        let delegate = RecordingDelegate()
        delegate.bodyStream = { InputStream(data: data) }
        var request = URLRequest(url: server.url())
        request.httpMethod = method
        let task = content.task(request, of: kind.make(delegate: delegate), data, file)
        task.resume()
        await delegate.isComplete.wait()
        return (task, delegate)
    }

    @Test("HEAD goes out without the request's content", arguments: SessionKind.allCases, Content.allCases)
    private func head(_ kind: SessionKind, _ content: Content) async throws {
        let server = try echo()
        let (task, delegate) = try await task("HEAD", server, kind, content)
        #expect(delegate.error == nil && (task.response as? HTTPURLResponse)?.statusCode == 200)
        let sent = try #require(server.requests.first)
        #expect(sent.method == "HEAD" && sent.text.isEmpty && sent["Transfer-Encoding"] == nil)
        #expect((sent["Content-Length"] ?? "0") == "0" && task.countOfBytesSent == 0)
    }

    @Test("GET with content is an error in Foundation's words", arguments: SessionKind.allCases, Content.allCases)
    private func get(_ kind: SessionKind, _ content: Content) async throws {
        let server = try echo()
        let (task, delegate) = try await task("GET", server, kind, content)
        let error = try #require(delegate.error as? URLError)
        #expect(error.code == .dataLengthExceedsMaximum)
        #expect(error.localizedDescription == "resource exceeds maximum size")
        #expect(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == server.url())
        let expected = content == .uploadOfStream ? ["body", "error"] : ["error"]
        #expect(delegate.events.filter { $0 != "metrics" } == expected)
        #expect(task.response == nil && task.countOfBytesSent == 0 && server.requests.isEmpty)
    }

    @Test("Of GET, empty content is none, and that of a manager's task is sent")
    func getThatIsSent() async throws {
        let server = try echo()
        let session = OperationURLSession(configuration: .ephemeral)
        var request = URLRequest(url: server.url())
        request.httpBody = Data()
        #expect(await session.outcome(request).text == "GET 0 ")
        let outcome = await session.upload(request) {
            session.uploadTask(with: request, from: Data(), completionHandler: $0)
        }
        #expect(outcome.text == "GET 0 ")
        request.httpBody = Data("content".utf8)
        await #expect(throws: URLError.self) { try await session.data(for: request) }
        let manager = URLSessionManager(sessionConfiguration: .ephemeral)
        manager.responseSerializer = HTTPResponseSerializer()
        #expect(try await manager.data(for: request).0 == Data("GET 7 content".utf8))
        manager.invalidateSessionCancelingTasks(true)
    }

    @Test func aFileThatIsNotThereIsAnError() async throws {
        let (server, session) = (try echo(), OperationURLSession(configuration: .ephemeral))
        let request = post(server.url())
        let missing = URL(fileURLWithPath: "/nowhere/file")
        let outcome = await session.upload(request) {
            session.uploadTask(with: request, fromFile: missing, completionHandler: $0)
        }
        #expect(outcome.code == .fileDoesNotExist)
        #expect(server.requests.isEmpty)
    }

    @Test func aFileThatVanishedIsAnError() async throws {
        let (server, folder) = (try echo(), try TemporaryDirectory())
        let file = folder.url.appendingPathComponent("file")
        try Data("content".utf8).write(to: file)
        let session = OperationURLSession(configuration: .ephemeral)
        let request = post(server.url())
        let outcome = await session.upload(request) {
            let task = session.uploadTask(with: request, fromFile: file, completionHandler: $0)
            try? FileManager.default.removeItem(at: file)
            return task
        }
        #expect(outcome.error is URLError)
        #expect(outcome.data == nil)
    }

    @Test func aStreamedUploadWithoutContentFails() async throws {
        let (server, delegate) = (try echo(), RecordingDelegate())
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
        session.uploadTask(withStreamedRequest: post(server.url())).resume()
        await delegate.isComplete.wait()
        #expect(delegate.code == .requestBodyStreamExhausted)
        #expect(server.requests.isEmpty)
    }

    @Test("A streamed upload whose operation is started by hand has no content and fails, unless it was cancelled")
    func startedByHand() async throws {
        let (server, delegate, other) = (try echo(), RecordingDelegate(), RecordingDelegate())
        delegate.bodyStream = { InputStream(data: Data("content".utf8)) }
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
        let task = session.uploadTask(withStreamedRequest: post(server.url()))
        let operation = try #require(session.operation(for: task))
        operation.start()
        await delegate.isComplete.wait()
        #expect(delegate.code == .requestBodyStreamExhausted && task.state == .completed)
        try await eventually("the operation ends, too") { operation.isFinished }
        OperationURLSession(configuration: .ephemeral, delegate: other)
            .uploadTask(withStreamedRequest: post(server.url())).cancel()
        await other.isComplete.wait()
        #expect(other.code == .cancelled)
        #expect(server.requests.isEmpty)
    }

    @Test func sendingIsTold() async throws {
        let (server, delegate) = (try echo(), RecordingDelegate())
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
        let task = session.uploadTask(with: post(server.url()), from: Data(count: 1 << 20))
        #expect(task.countOfBytesExpectedToSend == 1 << 20)
        let progress = task.progress
        task.resume()
        await delegate.isComplete.wait()
        #expect(delegate.events.first == "sent")
        #expect(task.countOfBytesSent == 1 << 20)
        #expect(progress.fractionCompleted == 1)
    }

    @Test("A file of which the system does not say the length is sent whole")
    func fileWithoutLength() async throws {
        let (server, session) = (try echo(), OperationURLSession(configuration: .ephemeral))
        let content = try #require(FileManager.default.contents(atPath: "/proc/version"))
        let outcome = await session.upload(post(server.url())) {
            session.uploadTask(
                with: post(server.url()), fromFile: URL(fileURLWithPath: "/proc/version"), completionHandler: $0)
        }
        #expect(outcome.text == "POST - \(String(decoding: content, as: UTF8.self))")
    }

    @Test("An empty file is sent with its length")
    func emptyFile() async throws {
        let (server, folder) = (try echo(), try TemporaryDirectory())
        let file = folder.url.appendingPathComponent("file")
        try Data().write(to: file)
        let session = OperationURLSession(configuration: .ephemeral)
        let outcome = await session.upload(post(server.url())) {
            session.uploadTask(with: post(server.url()), fromFile: file, completionHandler: $0)
        }
        #expect(outcome.text == "POST 0 ")
    }
}
