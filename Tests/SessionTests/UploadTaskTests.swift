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

    private enum Content: CaseIterable { case data, stream, file, uploadOfData, uploadOfStream, uploadOfFile }

    @Test("HEAD goes out without the request's content", arguments: SessionKind.allCases, Content.allCases)
    private func head(_ kind: SessionKind, _ content: Content) async throws {
        let (server, folder) = (try echo(), try TemporaryDirectory())
        let file = folder.url.appendingPathComponent("file")
        let data = Data("content".utf8)
        try data.write(to: file)
        let delegate = RecordingDelegate()
        delegate.bodyStream = { InputStream(data: data) }
        let session = kind.make(delegate: delegate)
        var request = URLRequest(url: server.url())
        request.httpMethod = "HEAD"
        let task: URLSessionTask
        switch content {
        case .data:
            request.httpBody = data
            task = session.dataTask(with: request)
        case .stream:
            request.httpBodyStream = InputStream(data: data)
            task = session.dataTask(with: request)
        case .file:
            request.httpBodyStream = InputStream(url: file)
            task = session.dataTask(with: request)
        case .uploadOfData: task = session.uploadTask(with: request, from: data)
        case .uploadOfStream: task = session.uploadTask(withStreamedRequest: request)
        case .uploadOfFile: task = session.uploadTask(with: request, fromFile: file)
        }
        task.resume()
        await delegate.isComplete.wait()
        #expect(delegate.error == nil && (task.response as? HTTPURLResponse)?.statusCode == 200)
        let sent = try #require(server.requests.first)
        #expect(sent.method == "HEAD" && sent.text.isEmpty && sent["Transfer-Encoding"] == nil)
        #expect((sent["Content-Length"] ?? "0") == "0" && task.countOfBytesSent == 0)
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
}
